"""The exact split: customers that no chain of candidate links joins are independent of each other.

A cluster never leaves a connected component of the candidate graph, every link has its own normaliser and the
likelihood is a product over clusters, so the posterior is the product of the components' posteriors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.hddcrp.problem import Floats, Integers, Rows
from samevent.hddcrp.weights import Links

Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Customers that are independent of all others, with customers and words numbered from 0.

    `links` holds one set of rows where a customer has one link, two where it has a customer link and a table
    link. `left` and `right` are the candidate pairs, those that a link may join.
    """

    customers: Integers
    links: tuple[Links, ...]
    words: Rows
    left: Integers
    right: Integers

    def __len__(self) -> int:
        return len(self.customers)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """All blocks end to end: block `k` has the customers `order[starts[k]:starts[k + 1]]`.

    Blocks stand in the order of their first customers and customers in their own; links, words and pairs are
    laid out likewise and numbered from the start of their block.
    """

    order: Integers
    starts: Offsets
    links: tuple[Rows, ...]
    words: Rows
    left: Integers
    right: Integers
    pair_starts: Offsets

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Offsets:
        """How many customers each block has."""
        return np.diff(self.starts)

    def configurations(self) -> Floats:
        """Return in how many ways the customers of each block can link, infinite where floats end."""
        ways = sum((np.log(np.diff(rows.starts)) for rows in self.links), np.zeros(len(self.order)))
        with np.errstate(over="ignore"):
            return np.rint(np.exp(np.diff(np.concatenate([[0.0], np.cumsum(ways)])[self.starts])))

    def block(self, number: int) -> Block:
        """Return one block."""
        begin, end = int(self.starts[number]), int(self.starts[number + 1])
        pairs = slice(int(self.pair_starts[number]), int(self.pair_starts[number + 1]))
        return Block(
            self.order[begin:end],
            tuple(Links.of(_cut(rows, begin, end)) for rows in self.links),
            _cut(self.words, begin, end),
            self.left[pairs],
            self.right[pairs],
        )


def split(words: Rows, *links: Rows, smallest: int = 1) -> Split:
    """Cut at the borders of the connected components of all `links` together.

    Components with fewer than `smallest` customers share a block with their neighbours.

    >>> lonely = Rows.from_triples(3, [0, 1, 1, 2], [0, 1, 0, 2], [1.0, 0.5, 0.5, 1.0])
    >>> split(Rows.empty(3), lonely).sizes.tolist()
    [2, 1]
    """
    count = len(words)
    rows = np.concatenate([link.rows for link in links])
    columns = np.concatenate([link.columns for link in links])
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(count, count))
    label = connected_components(graph, directed=False)[1] if count else np.zeros(0, np.int64)
    label = _joined(_by_first(label), smallest)
    order = np.argsort(label, kind="stable")
    starts = np.concatenate([[0], np.bincount(label).cumsum()]) if count else np.zeros(1, np.int64)
    local = np.empty(count, np.int32)
    local[order] = np.arange(count) - np.repeat(starts[:-1], np.diff(starts))
    left, right = _pairs(rows, columns, label)
    return Split(
        order.astype(np.int32),
        starts.astype(np.int64),
        tuple(_laid_out(link, order, local[link.columns]) for link in links),
        _laid_out(words, order, _local_words(words, label)),
        local[left],
        local[right],
        np.searchsorted(label[left], np.arange(len(starts))).astype(np.int64),
    )


def _by_first(label: NDArray[np.integer]) -> Offsets:
    """Number groups in the order of their first members."""
    _, first, index = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[index]


def _joined(label: Offsets, smallest: int) -> Offsets:
    sizes = np.bincount(label)
    small = np.where(sizes < smallest, sizes, 0)
    batch = (np.cumsum(small) - small) // smallest
    return _by_first(np.where(small[label] > 0, -1 - batch[label], label))


def _pairs(rows: Offsets, columns: Integers, label: Offsets) -> tuple[Integers, Integers]:
    """Return each pair that a link may join once, by block, then by customers."""
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    codes = np.unique((low * len(label) + high)[low < high])
    left, right = np.divmod(codes, max(1, len(label)))
    order = np.argsort(label[left], kind="stable")
    return left[order].astype(np.int32), right[order].astype(np.int32)


def _local_words(words: Rows, label: Offsets) -> Integers:
    """Number the words of each block from 0."""
    if not len(words.columns):
        return words.columns
    block = label[words.rows]
    width = int(words.columns.max()) + 1
    codes, index = np.unique(block * width + words.columns, return_inverse=True)
    local: Integers = (index - np.searchsorted(codes // width, block)).astype(np.int32)
    return local


def _laid_out(rows: Rows, order: Offsets, columns: Integers) -> Rows:
    """Return the rows in another order, with other columns."""
    lengths = np.diff(rows.starts)[order]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    pick = np.arange(starts[-1]) + np.repeat(rows.starts[:-1][order] - starts[:-1], lengths)
    return Rows(starts, columns[pick], rows.values[pick])


def _cut(rows: Rows, begin: int, end: int) -> Rows:
    entries = slice(int(rows.starts[begin]), int(rows.starts[end]))
    return Rows(
        rows.starts[begin : end + 1] - rows.starts[begin], rows.columns[entries], rows.values[entries]
    )
