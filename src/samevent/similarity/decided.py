"""Pairs of mentions that a person has decided, as rows to learn from beside those of annotated corpora."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samevent.partitions.constraints import PairConstraints, must_link_groups
from samevent.similarity.bags import Background, Booleans, Floats
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosting import BoostingSettings, PairRows
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import Pairs
from samevent.similarity.tree_features import columns

DECISION_WEIGHT = 5.0
"""How much a decision counts beside an annotated pair (tools/measure_decisions.py)."""


@dataclass(frozen=True, slots=True, eq=False)
class DecidedPairs:
    """Pairs of mentions of a table that decisions are about, and whether they are the same event.

    A decision that joins m mentions says as much as m - 1 pairs, and one that keeps two events apart as much as one,
    however many pairs these have: so much is their `weight` together, before `DECISION_WEIGHT`.
    """

    table: MentionTable
    pairs: Pairs
    same: Booleans
    weight: Floats

    def __len__(self) -> int:
        return len(self.same)

    @classmethod
    def of(cls, table: MentionTable, blocking: Blocking, constraints: PairConstraints) -> DecidedPairs:
        """Return the pairs that constraints decide, directly or through others, of those that a model would score."""
        mentions = len(table)
        pairs = Pairs.concatenate(blocking.pairs(table))
        group = must_link_groups(constraints.must_link, mentions)
        first, second = group[pairs.i], group[pairs.j]
        low, high = np.minimum(first, second), np.maximum(first, second)
        apart = np.sort(group[constraints.cannot_link], axis=1)
        code, size = low * mentions + high, np.bincount(group, minlength=mentions)
        same = first == second
        decided = same | np.isin(code, apart[:, 0] * mentions + apart[:, 1])
        _, kind, count = np.unique(code[decided], return_inverse=True, return_counts=True)
        said = np.where(same[decided], size[low[decided]] - 1, 1)
        return cls(table, pairs[decided], same[decided], np.minimum(1.0, said / count[kind]))

    def rows(self, settings: BoostingSettings, background: Background) -> PairRows:
        """Return them as rows, with words as frequent as a model of this background takes them to be."""
        table = self.table.with_background(background)
        values = columns(table, self.pairs.i, self.pairs.j, settings.features)
        return PairRows(self.pairs, values, self.same, DECISION_WEIGHT * self.weight)
