"""The result of a sampler: samples of partitions, and the probability that two customers share a cluster.

Every sampler returns a `Posterior`, and P(same cluster) is computed nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from samevent.errors import DataError
from samevent.partitions.arviz import data_tree
from samevent.partitions.consensus import LOSSES, RESTARTS, Consensus, Loss, consensus
from samevent.partitions.constraints import (
    NO_PAIRS,
    Constraints,
    check_consistent,
    checked_pairs,
    must_link_groups,
)
from samevent.partitions.labels import Floats, integers, members

if TYPE_CHECKING:
    from xarray import DataTree

Labels = NDArray[np.int32]
_AT_ONCE = 1 << 16
"""Comparisons of customers that are made in one step: small blocks are many, and a step each would cost more."""
Traces = Mapping[str, NDArray[Any]]
"""Traces by name: one row per run, one column per sweep."""


def _no_customers() -> Labels:
    return np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Line:
    """What a probability stands for, by a straight line in log-odds: `intercept` + `slope` x log-odds. 0 stays 0.

    >>> Line(intercept=-1.0).of(np.array([0.0, 0.5])).round(2).tolist()
    [0.0, 0.27]
    """

    intercept: float = 0.0
    slope: float = 1.0

    def of(self, probability: Floats) -> Floats:
        """Return the probabilities that others stand for."""
        if self == AS_COUNTED:
            return probability
        line = self.intercept + self.slope * logit(np.clip(probability, LEAST_SHARE, 1 - LEAST_SHARE))
        corrected: Floats = np.where(probability > 0, expit(line), 0.0)
        return corrected


AS_COUNTED = Line()
LEAST_SHARE = 0.005
"""Shares of some hundred samples are not known better than this."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Posterior:
    """Partitions drawn from a posterior, one row of `samples` each, and how far to trust them.

    P(same cluster) of the pairs (`left`, `right`) is `together`, known better than by counting samples: exactly, or
    from every sweep of a chain. These pairs have left < right, are sorted and occur once. For other pairs it is what
    the share of samples stands for (`counted`). Customers with different
    labels in `component` are never together. `traces` have one row per run and one column per sweep; `verdict` says
    in words whether the runs have converged, and `settled` whether they have. The pairs of `must_link`, and all that
    chains of them join, are together with certainty; those of `cannot_link` never are, nor are others joined to them.
    A consensus satisfies both.

    >>> posterior = Posterior(samples=[[0, 0, 1], [0, 1, 1]], left=[0], right=[1], together=[0.9])
    >>> posterior.probability(1, 0), posterior.probability(1, 2)
    (0.9, 0.5)
    """

    samples: Labels
    left: Labels = field(default_factory=_no_customers)
    right: Labels = field(default_factory=_no_customers)
    together: Floats = field(default_factory=lambda: np.empty(0))
    counted: Line = AS_COUNTED
    component: Labels | None = None
    traces: Traces = field(default_factory=dict)
    verdict: str = ""
    settled: bool = True
    seed: int = field(default=0, repr=False)
    must_link: Constraints = field(default_factory=lambda: NO_PAIRS, repr=False)
    cannot_link: Constraints = field(default_factory=lambda: NO_PAIRS, repr=False)
    _known: NDArray[np.int64] = field(init=False, repr=False)
    """One ascending key per pair of `left` and `right`, and one key beyond all."""
    _group: NDArray[np.int64] | None = field(init=False, repr=False)
    """The group of each customer that must-links join, if there are constraints."""
    _apart: NDArray[np.int64] = field(init=False, repr=False)
    """One ascending key per pair of groups that are kept apart, and one key beyond all."""

    def __post_init__(self) -> None:
        for name in ("samples", "left", "right", "component"):
            values = getattr(self, name)
            # Samples of a large corpus fill gigabytes: what has the right type is not copied.
            if values is not None and getattr(values, "dtype", None) != np.int32:
                self._set(name, integers(values, f"{name!r} of a posterior").astype(np.int32, copy=False))
        self._set("together", np.asarray(self.together, np.float64))
        if self.samples.ndim != 2 or not len(self.samples):
            raise DataError(
                f"the samples of a posterior have the shape {self.samples.shape}",
                expected="at least one row, and one column per customer",
            )
        if self.component is not None and self.component.shape != (self.customers,):
            raise DataError(
                f"a posterior of {self.customers} customers has {self.component.shape} component labels",
                expected="one label per customer",
            )
        for name in ("must_link", "cannot_link"):
            self._set(name, checked_pairs(name, getattr(self, name), self.customers))
        check_consistent(self.must_link, self.cannot_link, self.customers)
        self._set("_known", np.append(self._checked_keys(), np.iinfo(np.int64).max))
        self._hold()

    @property
    def customers(self) -> int:
        """The number of customers."""
        return int(self.samples.shape[1])

    def probability(self, i: int, j: int) -> float:
        """Return P(same cluster) of two customers."""
        return float(self.probabilities([i], [j])[0])

    def probabilities(self, i: ArrayLike, j: ArrayLike) -> Floats:
        """Return P(same cluster) of pairs of customers: `together` where the pair is listed, else by counting samples.

        >>> Posterior(samples=[[0, 0, 1], [0, 1, 1]]).probabilities([0, 0, 2], [1, 2, 2]).tolist()
        [0.5, 0.0, 1.0]
        """
        a, b = integers(i, "customers"), integers(j, "customers")
        low, high = np.minimum(a, b), np.maximum(a, b)
        if low.size and (low.min() < 0 or high.max() >= self.customers):
            wrong = low.min() if low.min() < 0 else high.max()
            raise DataError(f"there is no customer {wrong}", expected=f"customers 0 to {self.customers - 1}")
        keys = self._keys(low, high)
        at = np.searchsorted(self._known, keys)
        known = self._known[at] == keys
        probability = np.ones(len(low))
        probability[known] = self.together[at[known]]
        rest = np.flatnonzero(~known & (low != high))
        first, second, counts = low[rest], high[rest], np.zeros(len(rest))
        for sample in self.samples:
            counts += sample[first] == sample[second]
        probability[rest] = self.counted.of(counts / len(self.samples))
        return self._held(low, high, probability)

    def matrix(self, customers: ArrayLike) -> Floats:
        """Return P(same cluster) of all pairs of some customers, as a square matrix in their order.

        >>> Posterior(samples=[[0, 0, 1], [0, 1, 1]]).matrix([0, 1]).tolist()
        [[1.0, 0.5], [0.5, 1.0]]
        """
        rows = integers(customers, "customers")
        between = self.counted.of(_times_together(self.samples[:, rows]) / len(self.samples))
        np.fill_diagonal(between, 1.0)
        a, b = np.triu_indices(len(rows), 1)
        keys = self._keys(np.minimum(rows[a], rows[b]), np.maximum(rows[a], rows[b]))
        at = np.searchsorted(self._known, keys)
        known = np.flatnonzero(self._known[at] == keys)
        between[a[known], b[known]] = between[b[known], a[known]] = self.together[at[known]]
        if self._group is not None:
            between[a, b] = between[b, a] = self._held(rows[a], rows[b], between[a, b])
        return between

    def least_with(self, labels: ArrayLike) -> Floats:
        """Return for each customer the least P(same cluster) of any two of its cluster, NaN for one alone.

        >>> Posterior(samples=[[0, 0, 0, 1], [0, 0, 1, 1]]).least_with([0, 0, 0, 1]).tolist()
        [0.5, 0.5, 0.5, nan]
        """
        own = integers(labels, "labels")
        least = np.full(len(own), np.nan)
        for group in members(own.astype(np.int64)):
            if len(group) > 1:
                least[group] = self.matrix(group).min()
        return least

    def mean_with(self, labels: ArrayLike) -> Floats:
        """Return P(same cluster) of each customer with the others of its cluster on average, NaN for one alone.

        Where a share of samples stands for itself, this takes time linear in customers, samples and known pairs: all
        that matters about a sample is how many members of a cluster share a label in it.

        >>> Posterior(samples=[[0, 0, 1], [0, 1, 1]]).mean_with([0, 0, 1]).tolist()
        [0.5, 0.5, nan]
        """
        own = integers(labels, "labels")
        if self.counted != AS_COUNTED:
            return self._mean_of_pairs(own)
        n, size = len(own), np.bincount(own, minlength=1)[own] - 1
        total = np.zeros(n)
        for sample in self.samples:
            cell = own * (int(sample.max(initial=0)) + 1) + sample
            _, where, count = np.unique(cell, return_inverse=True, return_counts=True)
            total += count[where] - 1
        total /= len(self.samples)
        inside = own[self.left] == own[self.right]
        left, right = self.left[inside], self.right[inside]
        shares = np.zeros(len(left))
        for sample in self.samples:
            shares += sample[left] == sample[right]
        better = self.together[inside] - shares / len(self.samples)
        np.add.at(total, left, better)
        np.add.at(total, right, better)
        mean = np.full(n, np.nan)
        np.divide(total, size, out=mean, where=size > 0)
        clipped: Floats = np.clip(mean, 0, 1)
        return clipped

    def possible(self) -> tuple[Labels, Labels]:
        """Return the pairs of customers, each once and sorted, that are listed or together in some sample.

        >>> left, right = Posterior(samples=[[0, 0, 1], [0, 1, 1]]).possible()
        >>> list(zip(left.tolist(), right.tolist(), strict=True))
        [(0, 1), (1, 2)]
        """
        keys = self._known[:-1]
        for sample in self.samples:
            together = [np.empty(0, np.int64)]
            for group in members(sample.astype(np.int64)):
                a, b = np.triu_indices(len(group), 1)
                together.append(self._keys(group[a], group[b]))
            keys = np.union1d(keys, np.concatenate(together))
        left, right = np.divmod(keys, max(1, self.customers))
        return left.astype(np.int32), right.astype(np.int32)

    def consensus(self, *, loss: Loss = LOSSES[0], restarts: int = RESTARTS, jobs: int = 1) -> Consensus:
        """Return the partition that is closest to the samples on average and satisfies the constraints."""
        return consensus(
            self.samples,
            component=self.component,
            must_link=self.must_link,
            cannot_link=self.cannot_link,
            loss=loss,
            restarts=restarts,
            seed=self.seed,
            jobs=jobs,
        )

    def to_arviz(self) -> DataTree:
        """Return the traces as a DataTree of ArviZ (extra `arviz`), whole runs in the group `posterior`."""
        return data_tree(self._trace_groups(), {"seed": self.seed, "verdict": self.verdict})

    def _trace_groups(self) -> dict[str, Traces]:
        return {"posterior": self.traces} if self.traces else {}

    def _mean_of_pairs(self, labels: NDArray[np.integer]) -> Floats:
        mean = np.full(len(labels), np.nan)
        for group in members(labels.astype(np.int64)):
            if len(group) > 1:
                mean[group] = (self.matrix(group).sum(axis=1) - 1) / (len(group) - 1)
        return mean

    def _hold(self) -> None:
        """Let the probabilities of known pairs satisfy the constraints to the last bit."""
        last = np.array([np.iinfo(np.int64).max])
        if not len(self.must_link) and not len(self.cannot_link):
            self._set("_group", None)
            self._set("_apart", last)
            return
        group = must_link_groups(self.must_link, self.customers)
        ends = np.sort(group[self.cannot_link], axis=1).astype(np.int64)
        self._set("_group", group)
        self._set("_apart", np.append(np.unique(self._keys(ends[:, 0], ends[:, 1])), last))
        self._set("together", self._held(self.left, self.right, self.together.copy()))

    def _held(self, i: NDArray[np.integer], j: NDArray[np.integer], probability: Floats) -> Floats:
        """Return the probabilities of pairs, changed in place where constraints decide."""
        if self._group is None:
            return probability
        a, b = self._group[i], self._group[j]
        keys = self._keys(np.minimum(a, b), np.maximum(a, b))
        probability[self._apart[np.searchsorted(self._apart, keys)] == keys] = 0.0
        probability[a == b] = 1.0
        return probability

    def _keys(self, low: NDArray[np.integer], high: NDArray[np.integer]) -> NDArray[np.int64]:
        keys: NDArray[np.int64] = low.astype(np.int64) * self.customers + high
        return keys

    def _checked_keys(self) -> NDArray[np.int64]:
        left, right, together = self.left, self.right, self.together
        if left.ndim != 1 or not left.shape == right.shape == together.shape:
            raise DataError(
                f"the known pairs have {left.shape} left customers, {right.shape} right ones and {together.shape} "
                "probabilities",
                expected="one of each per pair",
            )
        if len(left) and not (left.min() >= 0 and (left < right).all() and right.max() < self.customers):
            raise DataError("a known pair has left >= right or names no customer", expected="left < right")
        keys = self._keys(left, right)
        if (np.diff(keys) <= 0).any():
            raise DataError("the known pairs are not sorted, or one occurs twice", expected="each pair once")
        if not ((together >= 0) & (together <= 1 + 1e-9)).all():
            raise DataError("a known probability lies outside [0, 1]")
        return keys

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


def _times_together(samples: Labels) -> NDArray[np.unsignedinteger]:
    """Count in how many samples each two customers share a cluster."""
    draws, customers = samples.shape
    narrow = np.min_scalar_type(draws)  # blocks may have thousands of customers
    if samples.size * customers <= _AT_ONCE:
        same = samples[:, :, np.newaxis] == samples[:, np.newaxis, :]
        return np.asarray(same.sum(axis=0, dtype=narrow))
    counts = np.zeros((customers, customers), narrow)
    for sample in samples:
        counts += (sample[:, np.newaxis] == sample).view(np.uint8)
    return counts
