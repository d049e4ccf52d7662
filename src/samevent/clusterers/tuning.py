"""Thresholds for AGGLOMERATIVE that are found out of fold: on topics that the pair model has not seen.

Folds are made of topics. For each fold a pair model learns from all other folds; then every threshold is tried on all
folds at once. The first phase is judged document by document, the second one, with the best threshold of the first,
on whole folds: a link between two topics counts as the mistake that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from samevent.clusterers.base import Evidence
from samevent.clusterers.rules import single_link
from samevent.errors import UsageError
from samevent.language.lexicon import Lexicon
from samevent.language.vectors import Vectors
from samevent.scoring.pairing import Pairing
from samevent.scoring.scores import f1_of, tallies
from samevent.similarity.links import MentionLinks
from samevent.similarity.mentions import Annotated
from samevent.similarity.pairs import LabelledMentions, label_mentions
from samevent.similarity.training import PairTrainingSettings, train

GRID = tuple(k / 20 for k in range(4, 19))
_NO_LINK = 2.0
"""A threshold that nothing reaches."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The CoNLL score of a threshold, out of fold."""

    threshold: float
    conll: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The best threshold of each phase, the higher one of equals, and how all others did."""

    within: float
    across: float
    within_trials: tuple[Trial, ...]
    across_trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Fold:
    """Mentions of some topics, and links by a model that has not seen them."""

    data: LabelledMentions
    links: MentionLinks

    def pairing(self, *, within: float, across: float, by_document: bool) -> Pairing:
        """Put events and groups side by side."""
        table = self.data.table
        groups = single_link(table, self.links, within=within, across=across)
        unit = table.document.astype(np.int64) if by_document else np.zeros(len(table), np.int64)
        units = table.documents if by_document else ("fold",)
        return Pairing(unit, unit, self.data.event.astype(np.int64), groups.astype(np.int64), units, units)


def tuned_thresholds(
    annotated: Collection[Annotated],
    *,
    lexicon: Lexicon,
    vectors: Vectors,
    folds: int = 5,
    grid: Sequence[float] = GRID,
    training: PairTrainingSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> Thresholds:
    """Find both thresholds on documents whose events and topics are known."""
    topics = sorted({document.topic or document.id for document, _ in annotated})
    if not 2 <= folds <= len(topics):
        raise UsageError(
            f"there are {folds} folds of {len(topics)} topics", expected="2 folds or more, all with topics"
        )
    if not grid:
        raise UsageError("there are no thresholds to choose from")
    fold_of = {topic: number % folds for number, topic in enumerate(topics)}
    held_out = []
    for number in range(folds):
        inside = [pair for pair in annotated if fold_of[pair[0].topic or pair[0].id] == number]
        outside = [pair for pair in annotated if fold_of[pair[0].topic or pair[0].id] != number]
        model = train(label_mentions(outside, lexicon=lexicon, vectors=vectors), settings=training).model
        data = label_mentions(inside, lexicon=lexicon, vectors=vectors)
        held_out.append(
            _Fold(data, Evidence(data.table, {"paper": model}).links(min(grid), pair_model="paper"))
        )
        if progress:
            progress(
                f"fold {number + 1} of {folds}: {len(data.table):,} mentions, {len(held_out[-1].links.pairs):,} links"
            )
    within = [Trial(t, _conll(held_out, within=t, across=_NO_LINK, by_document=True)) for t in grid]
    best = _best(within)
    across = [Trial(t, _conll(held_out, within=best, across=t, by_document=False)) for t in grid]
    return Thresholds(best, _best(across), tuple(within), tuple(across))


def _conll(folds: Sequence[_Fold], *, within: float, across: float, by_document: bool) -> float:
    """Return the CoNLL score of all folds together, their sums added up."""
    found = [tallies(fold.pairing(within=within, across=across, by_document=by_document)) for fold in folds]
    sums = {name: np.sum([tally[name].sum(axis=0) for tally in found], axis=0) for name in found[0]}
    return float(f1_of(sums)["conll"])


def _best(trials: Sequence[Trial]) -> float:
    return max(trials, key=lambda trial: (trial.conll, trial.threshold)).threshold
