"""Out-of-fold answers on ECB+: topics in folds, each clustered with a pair model that has not seen it.

The topics of a fold are clustered together, as a corpus whose topics nobody knows; the folds are scored as one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from samevent.clusterers import Clusterer, Evidence
from samevent.corpus import Corpus, Unit, unit_of
from samevent.experiments.ecbplus.cells import answers_of
from samevent.extraction import Extractor
from samevent.language.annotate import annotate
from samevent.language.cache import Cache
from samevent.scoring import Pairing
from samevent.similarity.mentions import Annotated
from samevent.similarity.pairs import LabelledMentions, label_mentions
from samevent.similarity.training import PairTrainingSettings, train
from samevent.training import predicted_arguments

FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Some topics, with links by a model of all the others."""

    data: LabelledMentions
    evidence: Evidence


def read_topics(gold: Corpus, extractor: Extractor, *, jobs: int = 1) -> list[Annotated]:
    """Parse documents with events; the extractor finds their arguments."""
    add = predicted_arguments(extractor)
    return [
        (add(document, annotation), annotation)
        for document, annotation in annotate(gold, jobs=jobs, cache=Cache())
    ]


def held_out(
    texts: Collection[Annotated], extractor: Extractor, settings: PairTrainingSettings
) -> list[Fold]:
    """Return the folds, each with a pair model of the others."""
    words = extractor.resources
    compiled = partial(label_mentions, lexicon=words.lexicon, vectors=words.vectors)
    topics = sorted({str(document.topic) for document, _ in texts})
    fold_of = {topic: number % FOLDS for number, topic in enumerate(topics)}
    found = []
    for number in range(FOLDS):
        inside = [text for text in texts if fold_of[str(text[0].topic)] == number]
        outside = [text for text in texts if fold_of[str(text[0].topic)] != number]
        model = train(compiled(outside), settings=settings).model
        data = compiled(inside)
        found.append(Fold(data, Evidence(data.table, {"paper": model}, words.lexicon)))
    return found


def pairings(
    folds: Sequence[Fold], gold: Corpus, system: Clusterer, units: Sequence[Unit], *, seed: int, jobs: int
) -> dict[Unit, list[Pairing]]:
    """Cluster every fold, and pair each answer of all folds together with the gold events, by unit."""
    answers = [answers_of(system, fold.evidence, seed=seed, jobs=jobs) for fold in folds]
    return {
        unit: [
            _joined(folds, gold, [rows[number] for rows in answers], unit)
            for number in range(len(answers[0]))
        ]
        for unit in units
    }


def _joined(folds: Sequence[Fold], gold: Corpus, labels: Sequence[np.ndarray], unit: Unit) -> Pairing:
    """Put folds under each other; nothing is shared between them."""
    documents = [gold[id] for fold in folds for id in fold.data.table.documents]
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
    """Join numberings so that no two parts share a number."""
    before = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.concatenate([part.astype(np.int64) + start for part, start in zip(parts, before, strict=True)])
