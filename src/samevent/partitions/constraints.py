"""Constraints on partitions: pairs of customers that must share a cluster, and pairs that cannot."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from samevent.errors import DataError

Constraints = NDArray[np.int32]
"""Pairs of customers, one row each: the smaller customer first, sorted, each pair once."""
NO_PAIRS: Constraints = np.zeros((0, 2), np.int32)


def checked_pairs(name: str, pairs: ArrayLike, customers: int) -> Constraints:
    """Return pairs of customers as sorted rows (smaller, larger), each once.

    >>> checked_pairs("must_link", [(2, 0), (0, 2), (0, 1)], 3).tolist()
    [[0, 1], [0, 2]]
    """
    array = np.asarray(pairs)
    if array.size == 0:
        return NO_PAIRS
    if array.ndim != 2 or array.shape[1] != 2:
        raise DataError(f"{name!r} has the shape {array.shape}", expected="one row of two customers per pair")
    if not np.issubdtype(array.dtype, np.integer):
        raise DataError(f"{name!r} holds values of type {array.dtype}", expected="numbers of customers")
    if array.min() < 0 or array.max() >= customers:
        wrong = array.min() if array.min() < 0 else array.max()
        raise DataError(f"{name!r} names customer {wrong}", expected=f"customers 0 to {customers - 1}")
    same = np.flatnonzero(array[:, 0] == array[:, 1])
    if len(same):
        raise DataError(f"{name!r} pairs customer {array[same[0], 0]} with itself", expected="two customers")
    low, high = array.min(axis=1).astype(np.int64), array.max(axis=1).astype(np.int64)
    codes = low * customers + high
    if (np.diff(codes) <= 0).any():
        codes = np.unique(codes)
    return np.stack(np.divmod(codes, customers), axis=1).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class PairConstraints:
    """Pairs of customers that must share a cluster, and pairs that cannot."""

    must_link: Constraints = field(default_factory=lambda: NO_PAIRS)
    cannot_link: Constraints = field(default_factory=lambda: NO_PAIRS)

    @classmethod
    def reduced(cls, must_link: ArrayLike, cannot_link: ArrayLike, customers: int) -> PairConstraints:
        """Return as few pairs as say the same: chains of must-links, cannot-links between their first members.

        >>> held = PairConstraints.reduced([(0, 1), (0, 3), (1, 3)], [(3, 2), (2, 0)], 4)
        >>> held.must_link.tolist(), held.cannot_link.tolist()
        ([[0, 1], [1, 3]], [[0, 2]])
        """
        must = checked_pairs("must_link", must_link, customers)
        cannot = checked_pairs("cannot_link", cannot_link, customers)
        check_consistent(must, cannot, customers)
        if not len(must):
            return cls(must, cannot)
        group = must_link_groups(must, customers)
        order = np.argsort(group, kind="stable")
        joined = np.flatnonzero(np.diff(group[order]) == 0)
        chains = np.stack([order[joined], order[joined + 1]], axis=1)
        _, first = np.unique(group, return_index=True)
        return cls(
            checked_pairs("must_link", chains, customers),
            checked_pairs("cannot_link", first[group[cannot]], customers),
        )

    def __bool__(self) -> bool:
        return bool(len(self.must_link) or len(self.cannot_link))

    def inside(self, block: NDArray[np.integer]) -> PairConstraints:
        """Return those between members of a block, which is sorted; customers are numbered from its start."""
        must, cannot = (
            pairs_inside(pairs, block).astype(np.int32) for pairs in (self.must_link, self.cannot_link)
        )
        return PairConstraints(must, cannot)


FREE = PairConstraints()
"""No constraints."""


def pairs_inside(pairs: NDArray[np.integer], block: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the positions in a sorted block of the pairs that lie in it.

    >>> pairs_inside(np.array([[1, 4], [4, 6]]), np.array([4, 5, 6])).tolist()
    [[0, 2]]
    """
    if not len(block) or not len(pairs):
        return np.zeros((0, 2), np.int64)
    place = np.minimum(np.searchsorted(block, pairs), len(block) - 1)
    inside: NDArray[np.int64] = place[(block[place] == pairs).all(axis=1)].astype(np.int64)
    return inside


def check_consistent(must_link: Constraints, cannot_link: Constraints, customers: int) -> None:
    """Raise if must-links join a cannot-linked pair, naming the shortest chain of them."""
    if chain := shortest_contradiction(must_link, cannot_link, customers):
        raise DataError(
            f"'cannot_link' keeps customers {chain[0]} and {chain[-1]} apart, but 'must_link' joins them: "
            + " - ".join(map(str, chain)),
            hint="remove that cannot-link, or one of these must-links",
        )


def shortest_contradiction(must_link: Constraints, cannot_link: Constraints, customers: int) -> list[int]:
    """Return the shortest chain of must-links between two customers that are kept apart, or nothing.

    >>> shortest_contradiction(np.array([[0, 1], [1, 2]]), np.array([[0, 2]]), 3)
    [0, 1, 2]
    """
    if not len(must_link) or not len(cannot_link):
        return []
    group = must_link_groups(must_link, customers)
    left, right = group[cannot_link].T
    neighbours: defaultdict[int, list[int]] = defaultdict(list)
    for i, j in must_link.tolist():
        neighbours[i].append(j)
        neighbours[j].append(i)
    chains = [_chain(neighbours, i, j) for i, j in cannot_link[left == right].tolist()]
    return min(chains, key=lambda chain: (len(chain), chain), default=[])


def must_link_groups(must_link: Constraints, customers: int) -> NDArray[np.int64]:
    """Label customers so that those joined by must-links, directly or through others, share a label."""
    graph = sparse.coo_array((np.ones(len(must_link), np.int8), must_link.T), shape=(customers, customers))
    labels: NDArray[np.int64] = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels


def _chain(neighbours: Mapping[int, list[int]], start: int, end: int) -> list[int]:
    """Return a shortest chain of must-links between two customers, both included."""
    previous = {start: start}
    queue = deque([start])
    while end not in previous:
        customer = queue.popleft()
        for other in neighbours[customer]:
            if other not in previous:
                previous[other] = customer
                queue.append(other)
    chain = [end]
    while chain[-1] != start:
        chain.append(previous[chain[-1]])
    return chain[::-1]
