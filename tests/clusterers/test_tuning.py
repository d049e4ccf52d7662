"""The thresholds of AGGLOMERATIVE, against the scorer."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from clusterers.small import LEXICON, evidence_of
from samevent.clusterers import clusterer
from samevent.corpus import Clustering, Corpus
from samevent.experiments.folds import Fold
from samevent.scoring import score
from samevent.similarity.pairs import label_mentions
from similarity.tables import VECTORS, random_corpus

GRID = (0.1, 0.2, 0.3, 0.4, 0.6)


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return import_module("tools.tune_presets")


def random_fold(seed: int) -> Fold:
    texts = random_corpus(seed, documents=5, mentions=8)
    gold = Corpus(document for document, _ in texts)
    return Fold(gold, label_mentions(texts, lexicon=LEXICON, vectors=VECTORS), evidence_of(texts))


def test_thresholds_have_the_scores_of_their_clusterings(tool: ModuleType) -> None:
    fold = random_fold(3)
    scores = tool.thresholds([fold], "light", GRID)

    def conll(unit: str, **settings: float) -> float:
        events: Clustering = (
            clusterer("agglomerative", settings, preset="light").cluster(fold.evidence).clustering
        )
        return score(fold.gold, events, unit=unit).conll  # type: ignore[arg-type]

    assert list(scores["within"]) == list(scores["across"]) == list(GRID)
    for threshold in GRID:
        assert scores["within"][threshold] == pytest.approx(conll("document", within=threshold, across=0.999))
        by_hand = conll("corpus", within=tool.best(scores["within"]), across=threshold)
        assert scores["across"][threshold] == pytest.approx(by_hand)
    assert len(set(scores["within"].values())) > 1


def test_folds_are_scored_together(tool: ModuleType) -> None:
    fold = random_fold(3)
    once, twice = (tool.thresholds(parts, "light", GRID) for parts in ([fold], [fold, fold]))
    assert twice["within"] == pytest.approx(once["within"])
    other = tool.thresholds([fold, random_fold(4)], "light", GRID)
    assert other["within"] != pytest.approx(once["within"])


def test_best_threshold_is_the_higher_among_equals(tool: ModuleType) -> None:
    assert tool.best({0.2: 0.5, 0.3: 0.6, 0.4: 0.6}) == 0.4
