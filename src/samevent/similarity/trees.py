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
Masks = NDArray[np.unsignedinteger]

MOST_LEAVES = 32
"""The largest mask has so many bits."""

_BLOCK = 1024
"""Number of pairs that answer a question together, so that masks and features stay in the cache."""
_TOGETHER = 5
"""Number of trees whose leaves are added to the score of a pair at a time."""


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
    row of leaves per tree, in the order of `_places`. The product of `de_bruijn` with each power of 2 has other bits
    from `shift` on: the number of a bit without a loop. All integers have as many bits as the masks, 16 or 32.
    """

    starts: Indices
    column: Indices
    threshold: NDArray[np.float32]
    missing_left: Booleans
    kept: Masks
    values: Floats
    de_bruijn: np.unsignedinteger
    shift: np.unsignedinteger

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
        narrow = max(leaves, default=0) <= np.iinfo(np.uint16).bits
        bits, de_bruijn, shift = (16, 0x09AF, 12) if narrow else (32, 0x077CB531, 27)
        mask, everything = np.dtype(f"uint{bits}"), (1 << bits) - 1
        kept = [~(((1 << leaves[left[node]]) - 1) << first[node]) & everything for node in inner.tolist()]
        places = [((de_bruijn << bit) & everything) >> shift for bit in range(bits)]
        values = np.zeros((len(trees), bits))
        for leaf in np.flatnonzero(trees.left == 0).tolist():
            tree = int(np.searchsorted(trees.starts, leaf, side="right")) - 1
            values[tree, places[first[leaf]]] = trees.value[leaf]
        return cls(
            starts=np.searchsorted(inner, trees.starts).astype(np.int32),
            column=trees.column[inner].astype(np.int32),
            threshold=_rounded_down(trees.threshold[inner]),
            missing_left=trees.missing_left[inner],
            kept=np.array(kept, mask),
            values=values,
            de_bruijn=mask.type(de_bruijn),
            shift=mask.type(shift),
        )


def _rounded_down(thresholds: Floats) -> NDArray[np.float32]:
    """Return the greatest single-precision numbers up to these: such numbers compare with both alike."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded)


@njit(cache=True, nogil=True)
def _scores(matrix, starts, column, threshold, missing_left, kept, values, de_bruijn, shift, out):  # type: ignore[no-untyped-def]
    """Add the leaves that each column of a matrix reaches, in the order of the trees."""
    masks, places = np.empty(_BLOCK, kept.dtype), np.empty((_TOGETHER, _BLOCK), np.uint8)
    trees = len(starts) - 1
    for begin in range(0, len(out), _BLOCK):
        size = min(_BLOCK, len(out) - begin)
        for first in range(0, trees, _TOGETHER):
            last = min(first + _TOGETHER, trees)
            for tree in range(first, last):
                _answer(matrix, begin, size, starts, tree, column, threshold, missing_left, kept, masks)
                _places(masks, size, de_bruijn, shift, places[tree - first])
            if last - first == _TOGETHER:
                for pair in range(size):
                    score = out[begin + pair]
                    for at in range(_TOGETHER):
                        score += values[first + at, places[at, pair]]
                    out[begin + pair] = score
            else:
                for at in range(last - first):
                    for pair in range(size):
                        out[begin + pair] += values[first + at, places[at, pair]]


@njit(cache=True, nogil=True, inline="always")
def _answer(matrix, begin, size, starts, tree, column, threshold, missing_left, kept, masks):  # type: ignore[no-untyped-def]
    """Rule out the leaves of a tree that pairs do not reach."""
    everything = kept.dtype.type(~kept.dtype.type(0))
    masks[:size] = everything
    for node in range(starts[tree], starts[tree + 1]):
        feature = matrix[column[node], begin : begin + size]
        limit, rest = threshold[node], kept[node]
        # NaN is neither above a threshold nor below.
        if missing_left[node]:
            for pair in range(size):
                masks[pair] &= rest if feature[pair] > limit else everything
        else:
            for pair in range(size):
                masks[pair] &= everything if feature[pair] <= limit else rest


@njit(cache=True, nogil=True, inline="always")
def _places(masks, size, de_bruijn, shift, places):  # type: ignore[no-untyped-def]
    """Write where the values of the first leaves that are not ruled out lie."""
    mask = masks.dtype.type
    for pair in range(size):
        lowest = mask(masks[pair] & mask(~masks[pair] + mask(1)))
        places[pair] = mask(lowest * de_bruijn) >> shift


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
