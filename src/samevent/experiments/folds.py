"""Out-of-fold answers on ECB+: topics in folds, each clustered with pair models that have not seen it.

The topics of a fold are clustered together, as one corpus with unknown topics; the folds are scored as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from samevent.clusterers import Clusterer, Evidence
from samevent.corpus import Corpus, Unit, unit_of
from samevent.experiments.cells import answers_of
from samevent.preparation import Prepared
from samevent.scoring import Pairing
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.training import PairTrainingSettings, train

FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Some topics: documents with gold events, their mention table, and pair models of all the others."""

    gold: Corpus
    data: LabelledMentions
    evidence: Evidence


def held_out(prepared: Prepared, settings: Mapping[str, PairTrainingSettings]) -> Iterator[Fold]:
    """Yield the folds, each with pair models of these names and settings that were trained on the others."""
    topics = sorted({str(document.topic) for document in prepared.corpus})
    fold_of = {topic: number % FOLDS for number, topic in enumerate(topics)}
    by_fold = [(fold_of[str(document.topic)], document) for document in prepared.corpus]
    for fold in range(FOLDS):
        rest = prepared.select(document for number, document in by_fold if number != fold).labelled
        models = {name: train(rest, settings=each).model for name, each in settings.items()}
        inside = prepared.select((document for number, document in by_fold if number == fold), models)
        yield Fold(inside.corpus, inside.labelled, inside.evidence)


def pairings(
    folds: Sequence[Fold], system: Clusterer, units: Sequence[Unit], *, seed: int, jobs: int
) -> dict[Unit, list[Pairing]]:
    """Cluster every fold, and pair each answer over all folds with the gold events, by unit."""
    answers = [answers_of(system, fold.evidence, seed=seed, jobs=jobs) for fold in folds]
    return {
        unit: [_joined(folds, [rows[number] for rows in answers], unit) for number in range(len(answers[0]))]
        for unit in units
    }


def _joined(folds: Sequence[Fold], labels: Sequence[np.ndarray], unit: Unit) -> Pairing:
    """Concatenate folds; nothing is shared between them."""
    documents = [fold.gold[id] for fold in folds for id in fold.data.table.documents]
    units, groups = [unit_of(document, unit) for document in documents], [str(d.topic) for d in documents]
    names, unit_of_document = np.unique(units, return_inverse=True)
    topics, topic_of_document = np.unique(groups, return_inverse=True)
    document = _stacked(
        [fold.data.table.document for fold in folds], [len(f.data.table.documents) for f in folds]
    )
    events = [fold.data.event for fold in folds]
    return Pairing(
        unit=unit_of_document[document],
        group=topic_of_document[document],
        gold=_stacked(events, [int(each.max()) + 1 for each in events]),
        system=_stacked(labels, [int(each.max()) + 1 for each in labels]),
        units=tuple(names.tolist()),
        groups=tuple(topics.tolist()),
    )


def _stacked(parts: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """Concatenate numberings so that no two parts share a number."""
    before = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.concatenate([part.astype(np.int64) + start for part, start in zip(parts, before, strict=True)])
