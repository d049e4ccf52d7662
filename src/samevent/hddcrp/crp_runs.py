"""What the samplers with a CRP over tables share outside the compiled part: runs, the CRP's prior, checks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from samevent.errors import SameventError, UsageError
from samevent.hddcrp.crp_groups import ACTIVE, GROUP, HELD, TABLES
from samevent.hddcrp.crp_menu import BEGIN, CLUSTER, COUNT, END, Menu
from samevent.hddcrp.crp_observations import Observations
from samevent.hddcrp.problem import LEAST, MOST, Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The last labels of one chain, and its traces: log joint and number of clusters after every sweep."""

    labels: Integers
    log_joint: Floats
    clusters: Integers


class Chain(Protocol):
    """What a state must tell to be run."""

    @property
    def labels(self) -> Integers:
        """The cluster of each customer."""

    @property
    def clusters(self) -> int:
        """How many clusters there are."""

    def log_joint(self) -> float:
        """Return the log probability of the state and the observations."""

    def check(self) -> None:
        """Raise if counts have drifted away from the state."""


AnyChain = TypeVar("AnyChain", bound=Chain)


def run_all(
    start: Callable[[int], AnyChain],
    sweep: Callable[[AnyChain], None],
    *,
    runs: int,
    sweeps: int,
    jobs: int,
    debug: bool,
) -> tuple[Run, ...]:
    """Run chains that know their random numbers from `start`, some at a time."""
    for name, value, least in (("runs", runs, 1), ("sweeps", sweeps, 0), ("jobs", jobs, 1)):
        if value < least:
            raise UsageError(f"the parameter {name!r} is {value}", expected=f"{least} or more")

    def run(number: int) -> Run:
        state = start(number)
        log_joint, clusters = np.zeros(sweeps), np.zeros(sweeps, np.int32)
        for at in range(sweeps):
            sweep(state)
            log_joint[at], clusters[at] = state.log_joint(), state.clusters
            if debug:
                state.check()
        return Run(state.labels, log_joint, clusters)

    if jobs == 1 or runs == 1:
        return tuple(run(number) for number in range(runs))
    with ThreadPoolExecutor(jobs) as pool:
        return tuple(pool.map(run, range(runs)))


def log_crp(sizes: NDArray[np.integer], alpha: float) -> float:
    """Return the log probability that a CRP seats customers at tables of these sizes, in one given way.

    >>> bool(np.isclose(log_crp(np.array([2, 1]), 1.0), np.log(1 / 1 * 1 / 2 * 1 / 3)))
    True
    """
    return log_crps(sizes[sizes > 0], np.array([sizes.sum()]), alpha)


def log_crps(sizes: NDArray[np.integer], customers: NDArray[np.integer], alpha: float) -> float:
    """Return the same for several restaurants: the sizes of all their tables, and the customers of each."""
    steps = (gammaln(alpha + customers) - gammaln(alpha)).sum()
    return float(len(sizes) * np.log(alpha) + gammaln(sizes).sum() - steps)


def positive(name: str, value: float) -> None:
    """Refuse a concentration that is no number above zero."""
    if not LEAST <= value <= MOST:
        raise UsageError(
            f"the parameter {name!r} is {value}", expected=f"a number from {LEAST:g} to {MOST:g}"
        )


def verify(menu: Menu, seen: Observations, cluster: Integers, tables: Integers) -> None:
    """Compare the menu with the clusters of customers and of tables, counted afresh."""
    count, width = len(cluster), len(seen.row)
    cells, cell = np.unique(
        np.repeat(cluster, np.diff(seen.starts)).astype(np.int64) * width + seen.features, return_inverse=True
    )
    totals = np.zeros((count, seen.totals.shape[1]), np.int64)
    np.add.at(totals, cluster, seen.totals)
    used = np.unique(cluster)
    group = menu.clusters[used, GROUP]

    lengths = menu.features[:, END] - menu.features[:, BEGIN]
    at = np.arange(lengths.sum()) + np.repeat(
        menu.features[:, BEGIN] - (np.cumsum(lengths) - lengths), lengths
    )
    kept = menu.entries[at, CLUSTER].astype(np.int64) * width + np.repeat(np.arange(width), lengths)
    order = np.argsort(kept)
    same = {
        "features": np.array_equal(kept[order], cells),
        "counts": np.array_equal(menu.entries[at, COUNT][order], np.bincount(cell, weights=seen.counts)),
        "totals": np.array_equal(menu.group_totals[group], totals[used]),
        "tables": np.array_equal(menu.clusters[:, HELD], np.bincount(tables, minlength=count)),
        "tables of groups": np.array_equal(
            menu.groups[group, HELD], np.bincount(group, weights=menu.clusters[used, HELD])[group]
        ),
        "number of tables": menu.tally[TABLES] == len(tables),
        "number of clusters": menu.cluster_count == len(used),
        "number of groups": menu.tally[ACTIVE] == len(np.unique(group)),
    }
    for name, holds in same.items():
        if not holds:
            raise SameventError(
                f"the sampler's {name} drifted away from its state", hint="please report this"
            )
