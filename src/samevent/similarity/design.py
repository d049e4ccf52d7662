"""The features of many pairs as one matrix: a column a numeric feature, then a column a pair of tags."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from samevent.similarity.bags import Floats
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
    def of(cls, table: MentionTable, pairs: Pairs, *, without: Collection[str] = ()) -> Design:
        """Compute the features of pairs, leaving some groups out."""
        features = chosen(without)
        numeric = [sparse.csr_array(f.compare(table, pairs.i, pairs.j)[:, np.newaxis]) for f in features]
        tags, seen = _tag_columns(table, pairs) if TAGS not in without else (None, ())
        blocks = [*numeric, tags] if tags is not None else numeric
        return cls(
            columns=sparse.hstack(blocks, format="csr"),
            names=tuple(f.name for f in features),
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
