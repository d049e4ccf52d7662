"""Decision trees over the features of pairs: their arrays, the scores of many pairs, what each feature contributes.

A score splits into contributions: on its way from the root to a leaf, a pair passes through nodes whose mean scores
differ, and each difference is due to the feature that the tree asked for. They add up to the score exactly.

Scoring does not follow that way. All pairs of a block answer the same question at once, and the answer *above* rules
out the leaves to the left: one bit each in a mask per pair. When all questions of a tree are answered, the first leaf
that is not ruled out is the one that the pair would have reached (QuickScorer; Lucchese et al., SIGIR 2015). No branch
and no address depends on what a pair is like, so the loops become vector instructions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.errors import FormatError
from samevent.similarity.bags import Booleans, Floats, Indices

Columns = NDArray[np.float32]
"""One row per pair and one column per feature."""

MOST_LEAVES = 32
"""A mask has so many bits."""

_ALL = np.uint32(2**32 - 1)
_DE_BRUIJN, _SHIFT = 0x077CB531, 27
"""The product of this number with each power of 2 has other upper five bits: the number of a bit without a loop."""
_BLOCK = 512
"""Number of pairs that answer a question together, so that masks and features stay in the cache."""


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees, node by node, each tree from its root on; tree `t` has the nodes `starts[t]:starts[t + 1]`.

    Node `n` asks for column `column[n]`: up to `threshold[n]`, go to node `left[n]`, else to `right[n]`; a missing
    value goes left where `missing_left[n]`. A leaf has `left[n] == 0`. `value[n]` is what a leaf adds to the score; of
    an inner node, the mean over the training pairs that reached it.
    """

    starts: Indices
    column: NDArray[np.int16]
    threshold: Floats
    left: Indices
    right: Indices
    missing_left: Booleans
    value: Floats

    def __post_init__(self) -> None:
        nodes = len(self.column)
        inner = self.left > 0
        number = np.arange(nodes)
        same_length = all(
            len(each) == nodes for each in (self.threshold, self.left, self.right, self.missing_left)
        )
        if not (
            same_length
            and len(self.value) == nodes
            and len(self.starts) > 0
            and self.starts[0] == 0
            and self.starts[-1] == nodes
            and (np.diff(self.starts) > 0).all()
            and (self.left[inner] > number[inner]).all()
            and (self.right[inner] > number[inner]).all()
            and max(self.left.max(initial=0), self.right.max(initial=0)) < max(nodes, 1)
            and np.add.reduceat(np.append(~inner, False), self.starts[:-1], dtype=np.int64).max(initial=0)
            <= MOST_LEAVES
        ):
            raise FormatError(
                "the trees of the pair model are damaged",
                expected=f"nodes whose children come after them, and up to {MOST_LEAVES} leaves per tree",
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trees) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in Trees.__dataclass_fields__
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def scores(self, matrix: Columns) -> Floats:
        """Return the sum of the leaves that each row of a matrix reaches; fastest if its columns are contiguous."""
        scores = np.zeros(len(matrix))
        _scores(np.ascontiguousarray(matrix.T), *self._questions, scores)
        return scores

    def contributions(self, matrix: Columns) -> tuple[float, Floats]:
        """Return the sum of the means at the roots, and what each column adds to it in each row."""
        added = np.zeros(matrix.shape)
        _contributions(
            self.starts, self.column, self.threshold, self.left, self.right, self.missing_left, self.value,
            np.ascontiguousarray(matrix), added,
        )  # fmt: skip
        return float(self.value[self.starts[:-1]].sum()), added

    @cached_property
    def _questions(self) -> _Questions:
        return _Questions.of(self)


class _Questions(NamedTuple):
    """The inner nodes of trees, tree by tree, with the leaves that an answer rules out; leaves count from the left.

    Tree `t` asks `starts[t]:starts[t + 1]`. The answer *above the threshold* leaves the leaves `kept`. `values` has a
    row of leaves per tree, in the order of `_place`.
    """

    starts: Indices
    column: Indices
    threshold: NDArray[np.float32]
    missing_left: Booleans
    kept: NDArray[np.uint32]
    values: Floats

    @classmethod
    def of(cls, trees: Trees) -> _Questions:
        """Number the leaves of trees."""
        left, right = trees.left.tolist(), trees.right.tolist()
        nodes = len(left)
        leaves, first = [1] * nodes, [0] * nodes
        for node in reversed(range(nodes)):
            if left[node]:
                leaves[node] = leaves[left[node]] + leaves[right[node]]
        for node in range(nodes):
            if left[node]:
                first[left[node]] = first[node]
                first[right[node]] = first[node] + leaves[left[node]]
        inner = np.flatnonzero(trees.left > 0)
        kept = [~(((1 << leaves[left[node]]) - 1) << first[node]) & int(_ALL) for node in inner.tolist()]
        leaf = np.flatnonzero(trees.left == 0)
        values = np.zeros((len(trees), MOST_LEAVES))
        tree = np.searchsorted(trees.starts, leaf, side="right") - 1
        values[tree, _place(np.uint64(1) << np.array(first, np.uint64)[leaf])] = trees.value[leaf]
        return cls(
            starts=np.searchsorted(inner, trees.starts).astype(np.int32),
            column=trees.column[inner].astype(np.int32),
            threshold=_rounded_down(trees.threshold[inner]),
            missing_left=trees.missing_left[inner],
            kept=np.array(kept, np.uint32),
            values=values,
        )


def _place(bit: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return another number up to 31 for each power of 2 below 2^32."""
    place: NDArray[np.uint64] = bit * np.uint64(_DE_BRUIJN) >> np.uint64(_SHIFT) & np.uint64(MOST_LEAVES - 1)
    return place


def _rounded_down(thresholds: Floats) -> NDArray[np.float32]:
    """Return the greatest single-precision numbers up to these: such numbers compare with both alike."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded)


@njit(cache=True, nogil=True)
def _scores(matrix, starts, column, threshold, missing_left, kept, values, out):  # type: ignore[no-untyped-def]
    """Add the leaves that each column of a matrix reaches, in the order of the trees."""
    masks = np.empty(_BLOCK, np.uint32)
    for begin in range(0, len(out), _BLOCK):
        size = min(_BLOCK, len(out) - begin)
        for tree in range(len(starts) - 1):
            masks[:size] = _ALL
            for node in range(starts[tree], starts[tree + 1]):
                feature = matrix[column[node], begin : begin + size]
                limit, rest = threshold[node], kept[node]
                # NaN is neither above a threshold nor below.
                if missing_left[node]:
                    for pair in range(size):
                        masks[pair] &= rest if feature[pair] > limit else _ALL
                else:
                    for pair in range(size):
                        masks[pair] &= _ALL if feature[pair] <= limit else rest
            leaves = values[tree]
            for pair in range(size):
                lowest = np.uint64(masks[pair] & -masks[pair])
                place = lowest * np.uint64(_DE_BRUIJN) >> np.uint64(_SHIFT) & np.uint64(MOST_LEAVES - 1)
                out[begin + pair] += leaves[place]


@njit(cache=True, nogil=True)
def _contributions(starts, column, threshold, left, right, missing_left, value, matrix, out):  # type: ignore[no-untyped-def]
    for pair in range(len(matrix)):
        for tree in range(len(starts) - 1):
            node = starts[tree]
            while left[node] > 0:
                feature = matrix[pair, column[node]]
                # A missing value is not below the threshold either.
                goes_left = feature <= threshold[node] or (missing_left[node] and np.isnan(feature))
                child = left[node] if goes_left else right[node]
                out[pair, column[node]] += value[child] - value[node]
                node = child
