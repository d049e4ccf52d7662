"""The features of many pairs as one matrix: a column a numeric feature, then a column a pair of tags.

By case, every feature has a column for each, which is 0 in pairs of other cases, and so has the case itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from samevent.similarity.bags import Floats
from samevent.similarity.cases import CASES
from samevent.similarity.features import TAGS, chosen, tag_pairs
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel, TagPair
from samevent.similarity.pairs import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A row a pair of mentions, and what the columns are."""

    columns: sparse.csr_array
    names: tuple[str, ...]
    tag_pairs: tuple[TagPair, ...]

    @classmethod
    def of(
        cls, table: MentionTable, pairs: Pairs, *, without: Collection[str] = (), by_case: bool = False
    ) -> Design:
        """Compute the features of pairs, leaving some groups out; those beyond the paper's only by case."""
        features = chosen(without, more=by_case)
        numeric = {f.name: f.compare(table, pairs.i, pairs.j) for f in features}
        if by_case:
            numeric = _by_case(table, pairs, numeric)
        tags, seen = _tag_columns(table, pairs) if TAGS not in without else (None, ())
        blocks = [sparse.csr_array(values[:, np.newaxis]) for values in numeric.values()]
        return cls(
            columns=sparse.hstack([*blocks, tags] if tags is not None else blocks, format="csr"),
            names=tuple(numeric),
            tag_pairs=seen,
        )

    def model(self, weights: Floats, intercept: float, about: Mapping[str, Any]) -> PairModel:
        """Return the model that gives each column its weight."""
        numbers = weights.tolist()
        return PairModel(
            weights=dict(zip(self.names, numbers, strict=False)),
            tag_weights=dict(zip(self.tag_pairs, numbers[len(self.names) :], strict=True)),
            intercept=intercept,
            about=about,
        )


def _by_case(table: MentionTable, pairs: Pairs, numeric: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return columns that are what they were in pairs of a case and 0 in others."""
    found: dict[str, Floats] = {}
    for case in CASES:
        its = case.holds(table, pairs.i, pairs.j).astype(np.float64)
        found |= {case.name: its, **{case.weight(name): its * values for name, values in numeric.items()}}
    return found


def _tag_columns(table: MentionTable, pairs: Pairs) -> tuple[sparse.csr_array, tuple[TagPair, ...]]:
    """Return one-hot columns of the pairs of tags that occur, split in halves where there is no order."""
    first, second, in_order = tag_pairs(table, pairs.i, pairs.j)
    width = len(table.heads.tags)
    forth, back = first.astype(np.int64) * width + second, second.astype(np.int64) * width + first
    codes, column = np.unique(np.concatenate([forth, back[~in_order]]), return_inverse=True)
    row = np.arange(len(pairs))
    values = np.concatenate([np.where(in_order, 1.0, 0.5), np.full((~in_order).sum(), 0.5)])
    places = (np.concatenate([row, row[~in_order]]), column)
    tags = table.heads.tags
    names = tuple((tags[code // width], tags[code % width]) for code in codes.tolist())
    return sparse.coo_array((values, places), shape=(len(pairs), len(codes))).tocsr(), names
