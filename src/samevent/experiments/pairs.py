"""The pair model measured on ECB+: how well it separates same from different events, pair by pair, on gold mentions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from samevent.corpus import Corpus
from samevent.experiments.protocols import Part, Split
from samevent.extraction import Extractor
from samevent.language.cache import Cache
from samevent.language.resources import Resources
from samevent.preparation import parse
from samevent.similarity.bags import Booleans, Floats
from samevent.similarity.documents import similar_documents
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import LabelledMentions, Pairs, across_documents, within_documents
from samevent.similarity.training import PairTrainingSettings, Trained, train
from samevent.training import labelled_mentions

PAPER_WEIGHTS: Mapping[str, float] = {
    "head_vector": 4.5,
    "head_word": 2.77,
    "context": 1.75,
    "synonyms": 1.56,
    "words": 1.17,
    "arg1": 1.10,
    "arg0": 0.89,
    "participants": 0.68,
}
"""The weights that the paper prints, under our names."""

Progress = Callable[[str], None]


def measure_pairs(
    corpus: Corpus,
    resources: Resources,
    extractor: Extractor | None = None,
    *,
    split: Split,
    parts: Sequence[Part] = ("dev", "test"),
    settings: PairTrainingSettings | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train on the train topics of a split and measure on others; C is chosen out of fold over train and dev.

    Mentions are the gold actions that belong to an event. The extractor finds their arguments; without one, they
    are chosen among the gold participants, times and locations.
    """
    settings, tell = settings or PairTrainingSettings(), progress or (lambda _: None)

    def read(*names: Part) -> LabelledMentions:
        documents = [document for document in corpus if split.part_of(document) in names]
        tell(f"reading the {len(documents)} documents of {' and '.join(names)}")
        texts = parse(documents, resources.roles, jobs=jobs, cache=cache)
        return labelled_mentions(texts, resources, extractor)

    trained = train(read("train", "dev"), learn=split.train, settings=settings, progress=progress)
    measured = {part: measure_part(read(part), trained.model, settings) for part in parts}
    return measured | _described(trained)


def measure_part(
    data: LabelledMentions, model: PairModel, settings: PairTrainingSettings
) -> dict[str, dict[str, float | int | None]]:
    """Score the pairs of each kind: within a document, across similar documents, across documents of a topic.

    Same and other lemmas divide the pairs within documents and across documents of a topic.
    """
    table = data.table
    within = within_documents(table)
    similar = across_documents(table, *similar_documents(table, settings.document_threshold))
    d, e = np.tril_indices(len(table.documents), -1)
    topical = data.topic[d] == data.topic[e]
    across = across_documents(table, d[topical], e[topical])
    near = Pairs.concatenate([within, across])
    same_lemma = near.equal(table.heads.lemma[table.head])
    kinds = {
        "within": within,
        "across_similar": similar,
        "across_topic": across,
        "same_lemma": near[same_lemma],
        "other_lemma": near[~same_lemma],
    }
    return {
        name: quality(
            model.probability(table, pairs.i, pairs.j), data.same(pairs), settings.minimum_similarity
        )
        for name, pairs in kinds.items()
    }


def quality(probability: Floats, same: Booleans, minimum: float) -> dict[str, float | int | None]:
    """Return precision, recall and F1 of what reaches the minimum, and the area under the ROC curve.

    >>> quality(np.array([0.9, 0.6, 0.1]), np.array([True, False, False]), 0.5)["precision"]
    0.5
    """
    linked = probability >= minimum
    right, said, true = int((linked & same).sum()), int(linked.sum()), int(same.sum())
    return {
        "precision": right / said if said else 0.0,
        "recall": right / true if true else 0.0,
        "f1": 2 * right / (said + true) if said + true else 0.0,
        "auc": float(roc_auc_score(same, probability)) if 0 < true < len(same) else None,
        "pairs": len(same),
        "same": true,
    }


def _described(trained: Trained) -> dict[str, Any]:
    """Return what was learned, and how, as plain values."""
    model, report = trained.model, trained.report
    return {
        "weights": dict(model.weights),
        "tag_weights": {" ".join(pair): weight for pair, weight in model.tag_weights.items()},
        "intercept": model.intercept,
        "C": report.penalty,
        "trials": [asdict(trial) | {"log_loss": trial.log_loss} for trial in report.trials],
        "training": {"pairs": report.pairs, "same": report.same},
        "links_per_mention": report.links_per_mention,
        "calibration": asdict(report.calibration),
        "paper_weights": dict(PAPER_WEIGHTS),
    }
