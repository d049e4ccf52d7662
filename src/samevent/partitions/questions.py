"""What to ask a person: the pairs whose answer is expected to change the reported partition most.

An answer that confirms the partition changes nothing. One that contradicts it changes as many pairs as the partition
given that answer differs from the reported one. So the expected change of a question is P(contradiction) times that
number: unsure pairs between large clusters come first, sure ones and small ones last.

    for question in questions(posterior, labels, most=10):
        question.left, question.right, question.probability, question.change
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samevent.partitions.labels import Floats, canonical, members
from samevent.partitions.linkage import average_link_given, weakest_link
from samevent.partitions.posterior import Posterior

CUT = 0.5
LARGEST = 150
"""Of larger clusters, so many members stand for all."""
_CANDIDATES = 1_000_000
"""Pairs between clusters that are looked at, by a bound on their change."""
_POOL = 4
"""Candidates per question, by a bound on their change."""
_SLACK = 1 + 1e-9
"""Rounding must not push a bound below what it bounds."""

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Question:
    """Are two customers in one cluster? With P(same cluster), and the number of pairs that the answer should change."""

    left: int
    right: int
    probability: float
    change: float


def questions(posterior: Posterior, labels: ArrayLike, *, most: int = 20, cut: float = CUT) -> list[Question]:
    """Return the questions worth asking about a partition, those with the largest expected change first.

    Of two clusters, only their most probable pair is asked about, and of one cluster a pair on the two sides of its
    weakest link. Pairs that constraints decide are not asked about.

    >>> posterior = Posterior(samples=[[0, 0, 0], [0, 0, 1]], left=[0, 1], right=[1, 2], together=[1.0, 0.5])
    >>> questions(posterior, [0, 0, 1])
    [Question(left=1, right=2, probability=0.5, change=1.0)]
    """
    own = canonical(np.asarray(labels)).astype(np.int64)
    groups = members(own)
    pool = _POOL * most
    asked = [*_between(posterior, own, pool), *_inside(posterior, groups, pool)]
    bounds = _most_change(posterior, own, asked)
    best: list[Question] = []
    for at in np.argsort(-bounds, kind="stable").tolist():
        if len(best) == most and round(bounds[at], 4) < best[-1].change:
            break  # and no later one can be among the best either
        left, right, probability = asked[at]
        change = expected_change(posterior, own, left, right, cut=cut)
        if change > 0:
            best.append(Question(left, right, round(probability, 4), round(change, 4)))
            best = sorted(best, key=lambda question: (-question.change, question.left, question.right))[:most]
    return best


def _most_change(posterior: Posterior, labels: Rows, asked: list[tuple[int, int, float]]) -> Floats:
    """Return bounds on the expected change of questions: all pairs of the two clusters, if the answer surprises."""
    left, right = (np.array([question[side] for question in asked], np.int64) for side in (0, 1))
    probability, sizes = posterior.probabilities(left, right), np.bincount(labels, minlength=1)
    together = labels[left] == labels[right]
    members = np.where(together, sizes[labels[left]], sizes[labels[left]] + sizes[labels[right]])
    bounds: Floats = np.where(together, 1 - probability, probability) * members * (members - 1) / 2
    return bounds * _SLACK


def expected_change(
    posterior: Posterior, labels: ArrayLike, left: int, right: int, *, cut: float = CUT
) -> float:
    """Return how many pairs are expected to change if a person says whether two customers share a cluster.

    The partition given the contradiction is that of average linkage over the samples that satisfy it, or over all under
    a constraint if none does. Only the clusters of the two customers can change.
    """
    own = np.asarray(labels)
    together = bool(own[left] == own[right])
    probability = posterior.probability(left, right)
    surprise = 1 - probability if together else probability
    if not 0 < surprise < 1:
        return 0.0
    rows = np.flatnonzero((own == own[left]) | (own == own[right]))
    weight = 1.0
    if len(rows) > 2 * LARGEST:
        kept = _thinned(rows, left, right)
        weight = (len(rows) / len(kept)) ** 2
        rows = kept
    given = (posterior.samples[:, left] == posterior.samples[:, right]) != together
    samples = posterior.samples[given] if given.any() else posterior.samples
    pair = int(np.searchsorted(rows, left)), int(np.searchsorted(rows, right))
    shares = Posterior(samples=samples[:, rows]).matrix(np.arange(len(rows)))
    new = average_link_given(shares, pair, not together, cut)
    low, high = np.triu_indices(len(rows), 1)
    before = own[rows]
    changed = ((before[low] == before[high]) != (new[low] == new[high])).sum()
    return float(surprise * weight * changed)


def _between(posterior: Posterior, labels: Rows, pool: int) -> Iterator[tuple[int, int, float]]:
    """Yield the most probable pair between each two clusters, of those that might change most."""
    left, right, together = posterior.left, posterior.right, posterior.together
    across = np.flatnonzero((labels[left] != labels[right]) & (together > 0) & (together < 1))
    if not len(across):
        return
    sizes = np.bincount(labels)
    left, right, together = left[across], right[across], together[across]
    if len(across) > _CANDIDATES:
        bound = together * sizes[labels[left]] * sizes[labels[right]]
        kept = np.sort(np.argpartition(-bound, _CANDIDATES)[:_CANDIDATES])
        left, right, together = left[kept], right[kept], together[kept]
    a, b = np.minimum(labels[left], labels[right]), np.maximum(labels[left], labels[right])
    order = np.lexsort((right, left, -together, b, a))
    codes = (a * (int(labels.max()) + 1) + b)[order]
    best = order[np.flatnonzero(np.diff(codes, prepend=-1))]
    bound = together[best] * sizes[a[best]] * sizes[b[best]]
    for at in best[np.argsort(-bound, kind="stable")[:pool]].tolist():
        yield int(left[at]), int(right[at]), float(together[at])


def _inside(posterior: Posterior, groups: list[Rows], pool: int) -> Iterator[tuple[int, int, float]]:
    """Yield a pair on both sides of the weakest link of each cluster, of those that might change most."""
    least = np.ones(posterior.customers)
    np.minimum.at(least, posterior.left, posterior.together)
    np.minimum.at(least, posterior.right, posterior.together)
    # Pairs that are not listed are hardly more probable than those that are: a cluster of several may fall apart.
    bounds = [
        (1 - (0.0 if len(group) > 2 else float(least[group].min()))) * len(group) ** 2 / 4 for group in groups
    ]
    for number in np.argsort(-np.array(bounds), kind="stable")[:pool].tolist():
        group = groups[number]
        if len(group) < 2 or not bounds[number]:
            continue
        chosen = group[np.linspace(0, len(group) - 1, min(len(group), LARGEST)).astype(np.int64)]
        between = posterior.matrix(chosen)
        side, _ = weakest_link(between)
        across = between[np.ix_(side, ~side)]
        i, j = np.unravel_index(int(np.argmin(across)), across.shape)
        a, b = int(chosen[side][i]), int(chosen[~side][j])
        yield min(a, b), max(a, b), float(across[i, j])


def _thinned(rows: Rows, left: int, right: int) -> Rows:
    """Return some of many rows, with two of them."""
    some = rows[np.linspace(0, len(rows) - 1, 2 * LARGEST).astype(np.int64)]
    return np.union1d(some, [left, right])
