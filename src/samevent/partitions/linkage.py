"""The partition to report when P(same cluster) is what matters: average linkage of the probabilities.

Joining two groups A and B adds the sum of P(same cluster) - cut over the pairs between them to the expected gain, if a
pair that is rightly together gains 1 - cut and one that is wrongly together costs cut. So groups are joined, the
closest first, as long as the mean probability between them is at least `cut`. With a low cut a missed pair costs more
than a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.errors import UsageError
from samevent.partitions.constraints import NO_PAIRS, Constraints, must_link_groups, pairs_inside
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
    left, right = posterior.left[near], posterior.right[near]
    must, cannot = posterior.must_link, posterior.cannot_link
    return _linked(posterior.customers, left, right, posterior.matrix, cut, must, cannot)


def average_link_given(between: Floats, pair: tuple[int, int], together: bool, cut: float) -> Integers:
    """Return what `average_link` returns where it is known of one pair whether it is together.

    `between` holds P(same cluster) of all pairs.

    >>> probabilities = np.array([[1, 0.9, 0.4], [0.9, 1, 0.4], [0.4, 0.4, 1]])
    >>> average_link_given(probabilities, (1, 2), True, 0.5).tolist()
    [0, 0, 0]
    """
    known = np.array([pair], np.int32)
    must, cannot = (known, NO_PAIRS) if together else (NO_PAIRS, known)
    held = between.copy()
    held[pair] = held[pair[::-1]] = float(together)
    left, right = np.nonzero(np.triu(held >= cut, 1))
    return _linked(len(held), left, right, lambda block: held[np.ix_(block, block)], cut, must, cannot)


def weakest_link(between: Floats) -> tuple[NDArray[np.bool_], float]:
    """Split customers in two where average linkage joins them last; return one side and the mean across the split.

    `between` holds P(same cluster) of two or more customers. The side is the smaller one, without the first customer
    if both are equally large.

    >>> side, mean = weakest_link(np.array([[1, 0.9, 0.2], [0.9, 1, 0.4], [0.2, 0.4, 1]]))
    >>> side.tolist(), round(mean, 2)
    ([False, False, True], 0.3)
    """
    joins, means = _joins(between.copy(), np.ones(len(between)), np.ones(between.shape, np.bool_), -1.0)
    group = np.arange(len(between))
    for first, second in joins.tolist():
        last = group == second
        group[last] = first
    side = last if 2 * last.sum() <= len(last) else ~last
    return side, float(means[-1])


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


@njit(cache=True, error_model="numpy")
def _joins(sums, sizes, allowed, least):  # type: ignore[no-untyped-def]
    """Join the two groups with the highest mean, the first in order among equals, as long as it is at least `least`.

    Return the groups of each join, of which the first takes over the second, and the mean between them. `sums` and
    `allowed` are symmetric; all three arrays are used up.
    """
    n = len(sizes)
    mean = np.full((n, n), -1.0)
    nearest, highest = np.zeros(n, np.int64), np.full(n, -1.0)
    for i in range(n):
        allowed[i, i] = False
        for j in range(n):
            if allowed[i, j]:
                mean[i, j] = sums[i, j] / (sizes[i] * sizes[j])
        nearest[i] = mean[i].argmax()
        highest[i] = mean[i, nearest[i]]
    joins, means = np.empty((max(n - 1, 0), 2), np.int64), np.empty(max(n - 1, 0))
    for done in range(n - 1):
        closest = highest.argmax()
        if not highest[closest] >= least:
            return joins[:done], means[:done]
        a, b = min(closest, nearest[closest]), max(closest, nearest[closest])
        joins[done, 0], joins[done, 1], means[done] = a, b, highest[closest]
        sizes[a] += sizes[b]
        for j in range(n):
            sums[a, j] += sums[b, j]
            allowed[a, j] = allowed[a, j] and allowed[b, j] and j != b
        for j in range(n):
            sums[j, a], allowed[j, a] = sums[a, j], allowed[a, j]
            allowed[b, j] = allowed[j, b] = False
            mean[a, j] = sums[a, j] / (sizes[a] * sizes[j]) if allowed[a, j] else -1.0
            mean[j, a] = mean[a, j]
            mean[b, j] = mean[j, b] = -1.0
        # No mean rises above both that it is made of, so the nearest groups of other rows stay.
        for i in range(n):
            if i in (a, b) or nearest[i] == a or nearest[i] == b:
                nearest[i] = mean[i].argmax()
                highest[i] = mean[i, nearest[i]]
    return joins, means


def _linked(
    customers: int,
    left: NDArray[np.integer],
    right: NDArray[np.integer],
    matrix: Callable[[Integers], Floats],
    cut: float,
    must: Constraints,
    cannot: Constraints,
) -> Integers:
    """Join customers that chains of near pairs or must-links connect; `matrix` returns P(same cluster) of some."""
    rows, columns = np.concatenate([left, must[:, 0]]), np.concatenate([right, must[:, 1]])
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(customers, customers))
    labels = np.arange(customers)
    connected = connected_components(graph, directed=False)[1] if customers else labels
    for block in members(connected.astype(np.int64)):
        if len(block) > 1:
            together, apart = pairs_inside(must, block), pairs_inside(cannot, block)
            labels[block] = block[_joined(matrix(block), together, apart, cut)]
    return canonical(labels)


def _joined(between: Floats, must: Integers, cannot: Integers, cut: float) -> Integers:
    """Return the position of the first member of each one's group, within a block."""
    group = canonical(must_link_groups(must.astype(np.int32), len(between)))
    count = int(group.max()) + 1
    sums = np.zeros((count, count))
    np.add.at(sums, (group[:, np.newaxis], group), between)
    allowed = np.ones((count, count), np.bool_)
    allowed[group[cannot[:, 0]], group[cannot[:, 1]]] = False
    allowed[group[cannot[:, 1]], group[cannot[:, 0]]] = False
    joins, _ = _joins(sums, np.bincount(group).astype(np.float64), allowed, cut)
    for first, second in joins.tolist():
        group[group == second] = first
    _, leader, index = np.unique(group, return_index=True, return_inverse=True)
    return leader[index].astype(np.int64)
