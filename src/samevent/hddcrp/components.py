"""The exact split into independent components.

A cluster never leaves a connected component of the candidate graph, whose edges are candidate links and must-links.
Every link has its own normaliser and the likelihood is a product over clusters, so the posterior is the product of
the components' posteriors. A cannot-link is no edge: it only forbids something inside one component.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.hddcrp.problem import Floats, Integers, Rows
from samevent.hddcrp.weights import Links
from samevent.partitions.constraints import NO_PAIRS, Constraints, checked_pairs

Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Customers that are independent of all others, with customers and words numbered from 0.

    `links` holds one set of rows where a customer has one link, two where it has a customer link and a table
    link. `left` and `right` are the candidate pairs: those that a link may join, must-linked and watched ones. Rows of
    `must_link` and `cannot_link` are pairs of customers. `name` is that of the first customer; the block's random
    streams belong to it.
    """

    customers: Integers
    links: tuple[Links, ...]
    words: Rows
    left: Integers
    right: Integers
    must_link: Integers = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    cannot_link: Integers = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    name: int = 0

    def __len__(self) -> int:
        return len(self.customers)


@dataclass(frozen=True, slots=True, eq=False)
class BlockPairs:
    """Constrained pairs of customers inside blocks: those of block `k` are `pairs[starts[k]:starts[k + 1]]`."""

    pairs: Integers
    starts: Offsets

    @classmethod
    def inside(cls, pairs: Integers, label: Offsets, local: Integers, blocks: int) -> BlockPairs:
        """Sort pairs by block; pairs across blocks are left out."""
        block = label[pairs[:, 0]]
        kept = np.flatnonzero(block == label[pairs[:, 1]])
        order = kept[np.argsort(block[kept], kind="stable")]
        return cls(local[pairs[order]], np.searchsorted(block[order], np.arange(blocks + 1)).astype(np.int64))

    def of(self, number: int) -> Integers:
        """Return the pairs of one block."""
        return self.pairs[int(self.starts[number]) : int(self.starts[number + 1])]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """All blocks end to end: block `k` has the customers `order[starts[k]:starts[k + 1]]`.

    Blocks are in the order of their first customers, and so are the customers of a block. Links, words, pairs and
    constraints are laid out in the same way, and customers and words are numbered from the start of their block.
    `pair_order` is the place of each pair if all are sorted by customers.
    """

    order: Integers
    starts: Offsets
    links: tuple[Rows, ...]
    words: Rows
    left: Integers
    right: Integers
    pair_starts: Offsets
    pair_order: Offsets
    constraints: tuple[BlockPairs, BlockPairs]
    names: Offsets

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Offsets:
        """The number of customers of each block."""
        return np.diff(self.starts)

    def configurations(self) -> Floats:
        """Return the number of ways in which the customers of each block can link; it may be infinite."""
        ways = sum((np.log(np.diff(rows.starts)) for rows in self.links), np.zeros(len(self.order)))
        with np.errstate(over="ignore"):
            return np.rint(np.exp(np.diff(np.concatenate([[0.0], np.cumsum(ways)])[self.starts])))

    def block(self, number: int) -> Block:
        """Return one block."""
        begin, end = int(self.starts[number]), int(self.starts[number + 1])
        pairs = slice(int(self.pair_starts[number]), int(self.pair_starts[number + 1]))
        must_link, cannot_link = (constraints.of(number) for constraints in self.constraints)
        return Block(
            self.order[begin:end],
            tuple(Links.of(_cut(rows, begin, end)) for rows in self.links),
            _cut(self.words, begin, end),
            self.left[pairs],
            self.right[pairs],
            must_link,
            cannot_link,
            int(self.names[self.order[begin]]),
        )


def split(
    words: Rows, *links: Rows, must_link: ArrayLike = (), cannot_link: ArrayLike = (), watch: Constraints = NO_PAIRS,
    covered: bool = False, smallest: int = 1, names: Offsets | None = None,
) -> Split:  # fmt: skip
    """Split into the connected components of all `links` and must-links together.

    Components with fewer than `smallest` customers share a block with their neighbours. Pairs of `watch`, sorted and
    each once, are candidate pairs inside a block, whether a link joins them or not; links are `covered` if all that
    they join are among these. `names` are those of the problem's customers.

    >>> links = Rows.from_triples(3, [0, 1, 1, 2], [0, 1, 0, 2], [1.0, 0.5, 0.5, 1.0])
    >>> split(Rows.empty(3), links).sizes.tolist()
    [2, 1]
    >>> split(Rows.empty(3), links, must_link=[(1, 2)]).sizes.tolist()
    [3]
    """
    count = len(words)
    must = checked_pairs("must_link", must_link, count)
    cannot = checked_pairs("cannot_link", cannot_link, count)
    rows = np.concatenate([*(link.rows for link in links), must[:, 0]])
    columns = np.concatenate([*(link.columns for link in links), must[:, 1]])
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(count, count))
    label = connected_components(graph, directed=False)[1] if count else np.zeros(0, np.int64)
    label = _joined(_by_first(label), smallest)
    order = np.argsort(label, kind="stable")
    starts = np.concatenate([[0], np.bincount(label).cumsum()]) if count else np.zeros(1, np.int64)
    local = np.empty(count, np.int32)
    local[order] = np.arange(count) - np.repeat(starts[:-1], np.diff(starts))
    watched = watch[label[watch[:, 0]] == label[watch[:, 1]]]
    if covered:
        rows, columns = must[:, 0], must[:, 1]
    left, right = _pairs(rows, columns, watched, count)
    by_block = np.argsort(label[left], kind="stable")
    left, right = left[by_block], right[by_block]
    blocks = len(starts) - 1
    return Split(
        order.astype(np.int32),
        starts.astype(np.int64),
        tuple(_laid_out(link, order, local[link.columns]) for link in links),
        _laid_out(words, order, _local_words(words, label)),
        local[left],
        local[right],
        np.searchsorted(label[left], np.arange(len(starts))).astype(np.int64),
        by_block,
        (BlockPairs.inside(must, label, local, blocks), BlockPairs.inside(cannot, label, local, blocks)),
        np.arange(count) if names is None else names,
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


def _pairs(
    rows: NDArray[np.integer], columns: NDArray[np.integer], watched: Constraints, count: int
) -> tuple[Integers, Integers]:
    """Return each candidate pair once, sorted by customers, as `watched` pairs are."""
    count = max(1, count)
    low, high = np.minimum(rows, columns).astype(np.int64), np.maximum(rows, columns)
    codes = (low * count + high)[low < high]
    known = watched[:, 0].astype(np.int64) * count + watched[:, 1]
    # Where all links are watched, there is nothing to sort.
    codes = codes[~_among(codes, known)]
    if len(codes):
        known = np.union1d(known, codes)
    left, right = np.divmod(known, count)
    return left.astype(np.int32), right.astype(np.int32)


def _among(codes: Offsets, known: Offsets) -> NDArray[np.bool_]:
    """Return which codes are among others, which are sorted."""
    if not len(known):
        return np.zeros(len(codes), np.bool_)
    found: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, codes), len(known) - 1)] == codes
    return found


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
