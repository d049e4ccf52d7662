"""What comes out: the posterior of a problem, or the last samples of plain runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import DataError
from samevent.hddcrp.problem import Floats, Integers
from samevent.partitions.coclustering import Pairs
from samevent.partitions.consensus import LOSSES, Consensus, Loss, consensus

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """One row a component, in the order of their first customers.

    Components with few `configurations` are `exact`; for the others, `sweeps` of each chain and how far chains
    were apart on candidate pairs in the last round. `settled` says that this was close enough.
    """

    first: Integers
    size: NDArray[np.int64]
    configurations: Floats
    exact: Flags
    sweeps: NDArray[np.int64]
    mean_difference: Floats
    in_different_modes: Floats
    settled: Flags

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The last round of a component's chains: a row a chain, a column a sweep."""

    log_joint: Floats
    clusters: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Who belongs together, and how sure that is.

    `together[p]` is P(same cluster) of candidate pair p of `pairs`. Rows of `samples` are partitions drawn from the
    posterior, those of `last` where each chain ended, and `best` is the partition of the most probable links,
    put together by component. Clusters are numbered by their first customers. `complete` is False if a time limit
    ended the run.
    """

    best: Integers
    best_log_joint: float
    pairs: Pairs
    together: Floats
    samples: Integers
    last: Integers
    component: Integers
    components: Components
    traces: dict[int, Trace]
    complete: bool
    seed: int = field(repr=False)

    def probability(self, i: int, j: int) -> float:
        """Return P(same cluster) of two customers.

        Candidate pairs have the figure of `together`; of others, the share of samples is counted.
        """
        low, high = min(i, j), max(i, j)
        if low < 0 or high >= len(self.component):
            raise DataError(
                f"there is no pair ({i}, {j})", expected=f"customers 0 to {len(self.component) - 1}"
            )
        if low == high:
            return 1.0
        if self.component[low] != self.component[high]:
            return 0.0
        begin, end = np.searchsorted(self.pairs.left, [low, low + 1])
        at = begin + np.searchsorted(self.pairs.right[begin:end], high)
        if at < end and self.pairs.right[at] == high:
            return float(self.together[at])
        return float((self.samples[:, low] == self.samples[:, high]).mean())

    def consensus(self, *, loss: Loss = LOSSES[0], jobs: int = 1) -> Consensus:
        """Return the partition that is closest to the posterior on average."""
        return consensus(self.samples, component=self.component, loss=loss, seed=self.seed, jobs=jobs)

    @property
    def verdict(self) -> str:
        """What the components say of themselves, in words."""
        table, several = self.components, self.components.size > 1
        exact, sampled = several & table.exact, ~table.exact
        text = (
            f"{len(table)} components, {int((~several).sum())} of them single customers; "
            f"{int(exact.sum())} solved exactly, {int(sampled.sum())} sampled"
        )
        if not (open_ := sampled & ~table.settled).any():
            return f"{text}, all settled" if sampled.any() else text
        share = table.size[open_].sum() / max(1, table.size.sum())
        return f"{text}, {int(open_.sum())} not settled ({share:.1%} of the customers)"


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Independent runs of equal length: the last partition of each, and traces with a column a sweep."""

    labels: Integers
    log_joint: Floats
    clusters: NDArray[Any]
