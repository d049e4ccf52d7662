from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from clusterers.small import LEXICON
from samevent.clusterers import Evidence
from samevent.clusterers.rules import Agglomerative
from samevent.clusterers.tuning import tuned_thresholds
from samevent.corpus import Clustering, Corpus
from samevent.errors import UsageError
from samevent.scoring import score
from samevent.similarity.mentions import Annotated
from samevent.similarity.pairs import label_mentions
from samevent.similarity.training import PairTrainingSettings, train
from similarity.tables import VECTORS, random_corpus

GRID = (0.1, 0.2, 0.3, 0.4, 0.6)
TRAINING = PairTrainingSettings(penalties=(1.0,), folds=2)


@pytest.fixture(scope="module")
def corpus() -> list[Annotated]:
    """Return documents of four topics, in which events are mostly the lemmas of heads."""
    texts = []
    for number, (document, annotation) in enumerate(random_corpus(3, documents=8, mentions=10)):
        draw = np.random.default_rng(number)
        renamed = [
            m if m.kind != "action" or m.head is None or draw.random() < 0.2
            else document.mention(
                "action", m.start, m.end, head=m.head, arguments=m.arguments, event=annotation.lemmas[m.head]
            )
            for m in document.mentions
        ]  # fmt: skip
        topical = replace(document.with_mentions(renamed), topic=str(number % 4))
        texts.append((topical, annotation))
    return texts


def test_thresholds_are_the_best_on_topics_that_the_model_has_not_seen(corpus: list[Annotated]) -> None:
    found = tuned_thresholds(corpus, lexicon=LEXICON, vectors=VECTORS, folds=2, grid=GRID, training=TRAINING)
    halves = [[pair for pair in corpus if str(pair[0].topic) in topics] for topics in ("02", "13")]
    models = [
        train(label_mentions(half, lexicon=LEXICON, vectors=VECTORS), settings=TRAINING).model
        for half in halves[::-1]
    ]
    # The long way round: halves become the topics of one corpus, and the scorer does the rest.
    gold = Corpus(replace(d, topic=str(half)) for half, pairs in enumerate(halves) for d, _ in pairs)
    for trials, unit in ((found.within_trials, "document"), (found.across_trials, "topic")):
        assert [trial.threshold for trial in trials] == list(GRID)
        for trial in trials:
            within = trial.threshold if unit == "document" else found.within
            across = 0.999 if unit == "document" else trial.threshold
            labels: dict[str, tuple[str, int]] = {}
            for model, half in zip(models, halves, strict=True):
                table = label_mentions(half, lexicon=LEXICON, vectors=VECTORS).table
                groups = Agglomerative(within=within, across=across).labels(Evidence(table, {"paper": model}))
                labels |= {
                    id: (half[0][0].id, group) for id, group in zip(table.ids, groups.tolist(), strict=True)
                }
            by_hand = score(gold, Clustering.from_labels(labels), unit=unit)  # type: ignore[arg-type]
            assert trial.conll == pytest.approx(by_hand.conll, abs=1e-12)
    for best, trials in ((found.within, found.within_trials), (found.across, found.across_trials)):
        top = max(trial.conll for trial in trials)
        assert best == max(trial.threshold for trial in trials if trial.conll == top)
    assert len({trial.conll for trial in found.within_trials}) > 1


@pytest.mark.parametrize(("folds", "grid"), [(1, GRID), (5, GRID), (2, ())])
def test_folds_and_thresholds_that_do_not_fit_are_refused(
    corpus: list[Annotated], folds: int, grid: tuple[float, ...]
) -> None:
    with pytest.raises(UsageError):
        tuned_thresholds(corpus, lexicon=LEXICON, vectors=VECTORS, folds=folds, grid=grid, training=TRAINING)
