"""HDDCRP*: customers link within their document as in the HDDCRP; tables take clusters by a plain CRP.

One update draws a customer's link and, if it starts a table, the table's cluster with it (a blocked Gibbs step).
Cutting the link leaves S, the customers whose links lead to i. Then, with T tables left and n_k of them in
cluster k, S joins

    the table of j < i            F_d(i,j) / Z_d(i)                              p(x_S | cluster of j)
    cluster k as a new table      alpha_d / Z_d(i) * n_k / (T + alpha_0)         p(x_S | k)
    a new cluster                 alpha_d / Z_d(i) * alpha_0 / (T + alpha_0)     p(x_S)

The top level couples all tables, so nothing here splits into components.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.crp_groups import NOBODY
from samevent.hddcrp.crp_menu import (
    Menu,
    fit_of,
    forget,
    gather,
    new_menu,
    pick,
    put,
    scatter,
    take,
    weigh,
)
from samevent.hddcrp.crp_observations import Observations
from samevent.hddcrp.crp_runs import Run, log_crp, positive, run_all, verify
from samevent.hddcrp.kernels import kernel, uniform
from samevent.hddcrp.problem import Integers, Problem, Rows
from samevent.hddcrp.randoms import RandomState, seeded
from samevent.hddcrp.weights import customer_links
from samevent.partitions.labels import canonical

ALPHA_ACROSS = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a chain carries: links as entries of their rows, the cluster of every customer, random numbers.

    `first`, `after` and `before` chain the customers that link to the same one.
    """

    links: Rows
    alpha_across: float
    seen: Observations
    choices: NDArray[np.int64]
    cluster: Integers
    random: RandomState
    first: Integers
    after: Integers
    before: Integers
    menu: Menu

    @property
    def labels(self) -> Integers:
        """The cluster of each customer, numbered by first customers."""
        return canonical(self.cluster).astype(np.int32)

    @property
    def roots(self) -> NDArray[np.int64]:
        """The customers that started a table."""
        return np.flatnonzero(self.choices == self.links.starts[:-1])

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return self.menu.cluster_count

    def log_joint(self) -> float:
        """Return log p(links, clusters of tables, words), computed afresh."""
        tables = np.bincount(self.cluster[self.roots])
        return (
            float(np.log(self.links.values[self.choices]).sum())
            + log_crp(tables, self.alpha_across)
            + self.seen.log_likelihood(self.cluster)
        )

    def check(self) -> None:
        """Compare counts that are kept up to date with what follows from links and clusters."""
        verify(self.menu, self.seen, self.cluster, self.cluster[self.roots])


def init(problem: Problem, random: RandomState, *, alpha_across: float = ALPHA_ACROSS) -> State:
    """Settle a chain on links drawn from their prior, with a cluster for every table."""
    positive("alpha_across", alpha_across)
    links = customer_links(problem)
    seen = Observations.of_problem(problem)
    count = problem.customers
    choices = np.zeros(count, np.int64)
    _draw_links(links.starts, links.values, choices, random)
    state = State(
        links=links,
        alpha_across=alpha_across,
        seen=seen,
        choices=choices,
        cluster=np.zeros(count, np.int32),
        random=random,
        first=np.full(count, NOBODY, np.int32),
        after=np.full(count, NOBODY, np.int32),
        before=np.full(count, NOBODY, np.int32),
        menu=new_menu(seen),
    )
    _settle(links.columns, state.choices, state.cluster, state.first, state.after, state.before, state.menu)
    return state


def sweep(state: State, *, sweeps: int = 1) -> None:
    """Draw the link of every customer in turn, `sweeps` times."""
    links = state.links
    _sweeps(
        sweeps, links.starts, links.columns, links.values, state.alpha_across, state.choices, state.cluster,
        state.first, state.after, state.before, state.menu, state.random,
    )  # fmt: skip


def sample_crp(
    problem: Problem,
    *,
    seed: int = 0,
    runs: int = 5,
    sweeps: int = 500,
    alpha_across: float = ALPHA_ACROSS,
    jobs: int = 1,
    debug: bool = False,
) -> tuple[Run, ...]:
    """Run independent chains of HDDCRP*; each returns its last labels and its traces.

    A run depends on the seed and its own number only, whatever `jobs`. With `debug`, counts are checked after
    every sweep.
    """

    def start(run: int) -> State:
        return init(problem, seeded(seed, "hddcrp-star", run), alpha_across=alpha_across)

    return run_all(start, sweep, runs=runs, sweeps=sweeps, jobs=jobs, debug=debug)


@kernel
def _settle(targets, choices, cluster, first, after, before, menu):  # type: ignore[no-untyped-def]
    for i in range(len(cluster)):
        j = targets[choices[i]]
        if j == i:
            cluster[i] = NOBODY
        else:
            # Links lead to earlier customers, whose cluster is known by now.
            cluster[i] = cluster[j]
            _link(i, j, first, after, before)
        gather(menu, i)
        cluster[i] = put(menu, cluster[i], 1 if j == i else 0)
        scatter(menu)


@kernel
def _sweeps(  # type: ignore[no-untyped-def]
    sweeps, starts, targets, weights, alpha, choices, cluster, first, after, before, menu, random
):
    for _ in range(sweeps):
        for i in range(len(cluster)):
            own = starts[i]
            root = choices[i] == own
            if not root:
                _unlink(i, targets[choices[i]], first, after, before)
            at = i
            while at != NOBODY:
                gather(menu, at)
                at = _next(at, i, first, after, targets, choices)
            take(menu, cluster[i], 1 if root else 0)

            weight, scale = weigh(menu, alpha)
            at_new_table = weights[own] * weight
            total = at_new_table
            for e in range(own + 1, starts[i + 1]):
                total += weights[e] * fit_of(menu, cluster[targets[e]])
            left = uniform(random) * total
            e = own
            if left >= at_new_table and starts[i + 1] > own + 1:
                left -= at_new_table
                e += 1
                while e < starts[i + 1] - 1:
                    left -= weights[e] * fit_of(menu, cluster[targets[e]])
                    if left < 0:
                        break
                    e += 1
                k = cluster[targets[e]]
                _link(i, targets[e], first, after, before)
            else:
                k = pick(menu, alpha, scale, left / weights[own])
            choices[i] = e
            forget(menu)
            k = put(menu, k, 1 if e == own else 0)
            scatter(menu)
            at = i
            while at != NOBODY:
                cluster[at] = k
                at = _next(at, i, first, after, targets, choices)


@kernel
def _next(at, top, first, after, targets, choices):  # type: ignore[no-untyped-def]
    """Return who comes after `at` among the customers that lead to `top`, or nobody."""
    if first[at] != NOBODY:
        return first[at]
    while at != top:
        if after[at] != NOBODY:
            return after[at]
        at = targets[choices[at]]
    return NOBODY


@kernel
def _link(i, j, first, after, before):  # type: ignore[no-untyped-def]
    after[i], before[i] = first[j], NOBODY
    if first[j] != NOBODY:
        before[first[j]] = i
    first[j] = i


@kernel
def _unlink(i, j, first, after, before):  # type: ignore[no-untyped-def]
    if before[i] == NOBODY:
        first[j] = after[i]
    else:
        after[before[i]] = after[i]
    if after[i] != NOBODY:
        before[after[i]] = before[i]


@kernel
def _draw_links(starts, weights, choices, random):  # type: ignore[no-untyped-def]
    """Draw every link from its row, as `reference.prior_draw` does."""
    for i in range(len(choices)):
        left = uniform(random)
        e = starts[i]
        while e < starts[i + 1] - 1 and left >= weights[e]:
            left -= weights[e]
            e += 1
        choices[i] = e
