"""The partition to report when P(same cluster) is what matters: average linkage of the probabilities.

Joining two groups A and B adds the sum of P(same cluster) - cut over the pairs between them to the expected gain, if a
pair that is rightly together gains 1 - cut and one that is wrongly together costs cut. So groups are joined, the
closest first, as long as the mean probability between them is at least `cut`. With a low cut a missed pair costs more
than a wrong one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.errors import UsageError
from samevent.partitions.constraints import must_link_groups, pairs_inside
from samevent.partitions.labels import Floats, Integers, canonical, members
from samevent.partitions.posterior import Posterior


def average_link(posterior: Posterior, cut: float) -> Integers:
    """Return one label per customer: groups whose mean P(same cluster) is at least `cut`.

    Customers are joined only if a chain of candidate pairs with a probability of at least `cut` connects them. The
    constraints of the posterior hold.

    >>> posterior = Posterior(samples=[[0, 0, 0, 1], [0, 0, 1, 2]], left=[0, 1], right=[1, 2], together=[1.0, 0.5])
    >>> average_link(posterior, 0.6).tolist(), average_link(posterior, 0.5).tolist()
    ([0, 0, 1, 2], [0, 0, 0, 1])
    """
    if not 0 < cut <= 1:
        raise UsageError(f"the parameter 'cut' is {cut}", expected="a number above 0, up to 1")
    near = posterior.together >= cut
    must = posterior.must_link
    rows = np.concatenate([posterior.left[near], must[:, 0]])
    columns = np.concatenate([posterior.right[near], must[:, 1]])
    n = posterior.customers
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(n, n))
    labels = np.arange(n)
    connected = connected_components(graph, directed=False)[1] if n else labels
    for block in members(connected.astype(np.int64)):
        if len(block) > 1:
            labels[block] = block[_joined(posterior, block, cut)]
    return canonical(labels)


def weakest_link(between: Floats) -> tuple[NDArray[np.bool_], float]:
    """Split customers in two where average linkage joins them last; return one side and the mean across the split.

    `between` holds P(same cluster) of two or more customers. The side is the smaller one, without the first customer
    if both are equally large.

    >>> side, mean = weakest_link(np.array([[1, 0.9, 0.2], [0.9, 1, 0.4], [0.2, 0.4, 1]]))
    >>> side.tolist(), round(mean, 2)
    ([False, False, True], 0.3)
    """
    groups = _Groups(between.copy(), np.ones(len(between)), np.ones(between.shape, np.bool_))
    group = np.arange(len(between))
    mean = 0.0
    for _ in range(len(between) - 1):
        first, second, mean = groups.closest()
        last = group == second
        group[last] = first
        groups.join(first, second)
    side = last if 2 * last.sum() <= len(last) else ~last
    return side, mean


def central_core(between: Floats, least: float) -> NDArray[np.bool_]:
    """Return customers of whom any two share a cluster with probability `least` or more, around the most central one.

    `between` holds P(same cluster). Customers are taken in, those with the highest mean first, as long as they fit all
    that have been.

    >>> central_core(np.array([[1, 0.9, 0.2], [0.9, 1, 0.6], [0.2, 0.6, 1]]), 0.5).tolist()
    [True, True, False]
    """
    core = np.zeros(len(between), np.bool_)
    fits = np.ones(len(between), np.bool_)
    for customer in np.argsort(-between.mean(axis=1).round(9), kind="stable").tolist():
        if fits[customer]:
            core[customer] = True
            fits &= between[customer] >= least
    return core


class _Groups:
    """Groups of customers and the mean probability between them, of which the highest of each row is kept at hand."""

    def __init__(self, sums: Floats, sizes: Floats, allowed: NDArray[np.bool_]) -> None:
        self.sums, self.sizes, self.allowed = sums, sizes, allowed
        np.fill_diagonal(self.allowed, val=False)
        self.mean = np.where(self.allowed, sums / np.outer(sizes, sizes), -1.0)
        self.nearest = self.mean.argmax(axis=1)
        self.highest = self.mean.max(axis=1)

    def closest(self) -> tuple[int, int, float]:
        """Return the two groups with the highest mean, the first in order among equals, and that mean."""
        a = int(self.highest.argmax())
        b = int(self.nearest[a])
        return min(a, b), max(a, b), float(self.highest[a])

    def join(self, a: int, b: int) -> None:
        """Let group `a` take over group `b`. No mean rises above both that it is made of, so other rows stay."""
        self.sums[a] += self.sums[b]
        self.sums[:, a] = self.sums[a]
        self.sizes[a] += self.sizes[b]
        self.allowed[a] &= self.allowed[b]
        self.allowed[:, a] = self.allowed[a]
        self.allowed[b] = self.allowed[:, b] = False
        self.mean[a] = np.where(self.allowed[a], self.sums[a] / (self.sizes[a] * self.sizes), -1.0)
        self.mean[:, a] = self.mean[a]
        self.mean[b] = self.mean[:, b] = -1.0
        changed = (self.nearest == a) | (self.nearest == b)
        changed[a] = changed[b] = True
        stale = np.flatnonzero(changed)
        self.nearest[stale] = self.mean[stale].argmax(axis=1)
        self.highest[stale] = self.mean[stale].max(axis=1)


def _joined(posterior: Posterior, block: Integers, cut: float) -> Integers:
    """Return the position of the first member of each one's group, within a block."""
    between = posterior.matrix(block)
    must, cannot = (pairs_inside(pairs, block) for pairs in (posterior.must_link, posterior.cannot_link))
    group = canonical(must_link_groups(must.astype(np.int32), len(block)))
    count = int(group.max()) + 1
    sums = np.zeros((count, count))
    np.add.at(sums, (group[:, np.newaxis], group), between)
    allowed = np.ones((count, count), np.bool_)
    allowed[group[cannot[:, 0]], group[cannot[:, 1]]] = False
    allowed[group[cannot[:, 1]], group[cannot[:, 0]]] = False
    groups = _Groups(sums, np.bincount(group).astype(np.float64), allowed)
    while (found := groups.closest())[2] >= cut:
        first, second, _ = found
        group[group == second] = first
        groups.join(first, second)
    _, leader, index = np.unique(group, return_index=True, return_inverse=True)
    return leader[index].astype(np.int64)
