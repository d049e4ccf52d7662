"""HDDCRP*: customers link within their document as in the HDDCRP; tables take clusters by a plain CRP.

One update draws a customer's link and, if it starts a table, the table's cluster with it (a blocked Gibbs step).
Cutting the link leaves S, the customers whose links lead to i. Then, with T tables left and n_k of them in
cluster k, S joins

    the table of j < i            F_d(i,j) / Z_d(i)                              p(x_S | cluster of j)
    cluster k as a new table      alpha_d / Z_d(i) * n_k / (T + alpha_0)         p(x_S | k)
    a new cluster                 alpha_d / Z_d(i) * alpha_0 / (T + alpha_0)     p(x_S)

The top level couples all tables, so the posterior does not factorise into components.

Constraints. Must-links are fixed edges: a table is a connected component of customer links and must-links, so it may
span documents. S is then the component of i without i's link, and a link that stays inside S counts like one to
oneself: S is a table of its own. Clusters that hold a customer whom a cannot-link keeps apart from S have weight 0.
Each update still draws from the exact conditional; and links to oneself, with every table in a cluster of its own,
are valid, reached from any state, and lead to any state through refinements of its partition, which are valid too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.hddcrp.franchise import Draws, PathLike, sample_runs
from samevent.hddcrp.kernels import kernel, uniform
from samevent.hddcrp.menu import (
    NONE,
    Menu,
    add_to_s,
    attach,
    check_concentrations,
    check_menu,
    detach,
    log_prior_of_tables,
    new_menu,
)
from samevent.hddcrp.observations import Observations
from samevent.hddcrp.problem import Floats, Integers, Problem
from samevent.hddcrp.randoms import RandomState, seeded
from samevent.hddcrp.runner import Progress
from samevent.hddcrp.weighing import forbid, pick, ratio_with, weigh
from samevent.hddcrp.weights import customer_links
from samevent.partitions.labels import canonical

ALPHA_ACROSS = 1.0


class Links(NamedTuple):
    """The possible targets of customer i, from `starts[i]` to `starts[i + 1]` and itself first, and their priors."""

    starts: NDArray[np.int64]
    targets: Integers
    priors: Floats


class Seating(NamedTuple):
    """Each customer's link as an entry of `Links`, its cluster, and the list of the customers that link to it."""

    choices: NDArray[np.int64]
    cluster: Integers
    first: Integers
    next: Integers
    previous: Integers


class Constraints(NamedTuple):
    """Must-linked customers as rings, whom each customer cannot be with, and scratch space for S."""

    ring: Integers
    """The next customer of the must-linked group; empty if there are no must-links."""
    starts: NDArray[np.int64]
    """Empty if there are no cannot-links; otherwise they begin at `apart[starts[i]]`."""
    apart: Integers
    members: Integers
    in_s: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a chain carries. Arrays are changed in place."""

    links: Links
    alpha_across: float
    observations: Observations
    constraints: Constraints
    seating: Seating
    menu: Menu
    random: RandomState

    @property
    def labels(self) -> Integers:
        """The cluster of each customer, numbered by first customers."""
        return canonical(self.seating.cluster).astype(np.int32)

    @property
    def tables(self) -> NDArray[np.int64]:
        """One customer of each table."""
        roots = np.flatnonzero(self.seating.choices == self.links.starts[:-1])
        ring = self.constraints.ring
        if not len(ring):
            return roots
        targets = self.links.targets[self.seating.choices]
        table = _components(
            np.arange(len(ring)).repeat(2), np.stack([targets, ring], axis=1).ravel(), len(ring)
        )
        first: NDArray[np.int64] = np.unique(table, return_index=True)[1]
        return first

    @property
    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Everything that changes: a chain with these arrays continues with the same draws."""
        return {**self.seating._asdict(), **self.menu.changing, "random": self.random}

    def check(self) -> None:
        """Compare counts that are kept up to date with what follows from links and clusters."""
        check_menu(self.menu, self.observations, self.seating.cluster, self.seating.cluster[self.tables])


class Info(NamedTuple):
    """What diagnostics need of a state: log p(links, clusters of tables, words) and the number of clusters."""

    log_joint: float
    clusters: int

    @classmethod
    def of(cls, state: State) -> Info:
        """Compute everything afresh."""
        cluster = state.seating.cluster
        log_joint = (
            float(np.log(state.links.priors[state.seating.choices]).sum())
            + log_prior_of_tables(cluster[state.tables], state.alpha_across)
            + state.observations.log_likelihood(cluster)
        )
        return cls(log_joint, state.menu.cluster_count)


def init(problem: Problem, random: RandomState, *, alpha_across: float = ALPHA_ACROSS) -> State:
    """Start a chain from links drawn from their prior, with a new cluster for every table.

    Under constraints, which such links may violate, every customer links to itself.
    """
    check_concentrations(alpha_across=alpha_across)
    rows = customer_links(problem)
    links = Links(rows.starts, rows.columns, rows.values)
    observations = Observations.of_problem(problem)
    count = problem.customers
    state = State(
        links=links,
        alpha_across=alpha_across,
        observations=observations,
        constraints=_constraints(problem),
        seating=Seating(
            links.starts[:-1].copy(),
            np.full(count, NONE, np.int32),
            *(np.full(count, NONE, np.int32) for _ in range(3)),
        ),
        menu=new_menu(observations),
        random=random,
    )
    if not (len(state.constraints.ring) or len(state.constraints.starts)):
        _draw_links(links, state.seating, random)
    _settle(links, state.seating, state.constraints, state.menu)
    return state


def sweep(state: State, *, sweeps: int = 1) -> None:
    """Draw the link of every customer in turn, `sweeps` times."""
    _sweep(
        sweeps, state.links, state.alpha_across, state.constraints, state.seating, state.menu, state.random
    )


def step(state: State) -> Info:
    """Sweep once, and describe the state."""
    sweep(state)
    return Info.of(state)


def sample(
    problem: Problem,
    *,
    alpha_across: float = ALPHA_ACROSS,
    seed: int = 0,
    runs: int = 5,
    sweeps: int = 500,
    keep: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
    checkpoint: PathLike | None = None,
    check: bool = False,
) -> Draws:
    """Run independent chains (see `franchise.sample_runs`).

    A run depends on the seed and its own number only. The top level is a CRP with the concentration `alpha_across`;
    that of the problem is for the HDDCRP.
    """

    def start(run: int) -> State:
        return init(problem, seeded(seed, "hddcrp-star", run), alpha_across=alpha_across)

    draws = sample_runs(
        start, step, runs=runs, sweeps=sweeps, keep=keep, jobs=jobs, progress=progress, checkpoint=checkpoint,
        depends_on=("hddcrp-star", seed, alpha_across, problem), check=check,
    )  # fmt: skip
    return replace(draws, must_link=problem.must_link, cannot_link=problem.cannot_link)


def _constraints(problem: Problem) -> Constraints:
    count = problem.customers
    ring, starts, apart = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32)
    if len(problem.must_link):
        group = _components(problem.must_link[:, 0], problem.must_link[:, 1], count)
        order = np.argsort(group, kind="stable")
        ends = np.flatnonzero(np.diff(group[order], append=-1))
        after = np.roll(order, -1)
        after[ends] = order[np.concatenate([[0], ends[:-1] + 1])]
        ring = np.empty(count, np.int32)
        ring[order] = after
    if len(problem.cannot_link):
        i, j = np.concatenate([problem.cannot_link, problem.cannot_link[:, ::-1]]).T
        starts = np.concatenate([[0], np.bincount(i, minlength=count).cumsum()]).astype(np.int64)
        apart = j[np.argsort(i, kind="stable")].astype(np.int32)
    return Constraints(ring, starts, apart, np.zeros(count, np.int32), np.zeros(len(ring), np.bool_))


def _components(i: NDArray[np.integer], j: NDArray[np.integer], count: int) -> NDArray[np.integer]:
    graph = coo_array((np.ones(len(i), np.int8), (i, j)), shape=(count, count))
    labels: NDArray[np.integer] = connected_components(graph, directed=False)[1]
    return labels


@kernel
def _settle(links, seating, constraints, menu):  # type: ignore[no-untyped-def]
    """Fill the lists and the menu: links lead to earlier customers, whose cluster is known by then."""
    cluster = seating.cluster
    for i in range(len(cluster)):
        j = links.targets[seating.choices[i]]
        new_table = j == i
        if not new_table:
            cluster[i] = cluster[j]
            _link(seating, i, j)
        elif len(constraints.ring) > 0:
            j = constraints.ring[i]
            while j != i:
                if cluster[j] != NONE:
                    cluster[i] = cluster[j]
                    new_table = False
                    break
                j = constraints.ring[j]
        add_to_s(menu, i)
        cluster[i] = attach(menu, cluster[i], 1 if new_table else 0)


@kernel
def _sweep(sweeps, links, alpha, constraints, seating, menu, random):  # type: ignore[no-untyped-def]
    starts, targets, priors = links
    choices, cluster, _, _, _ = seating
    _, _, _, members, in_s = constraints
    glued = len(constraints.ring) > 0
    kept_apart = len(constraints.starts) > 0
    for _ in range(sweeps):
        for i in range(len(cluster)):
            own = starts[i]
            old = targets[choices[i]]
            if old != i:
                _unlink(seating, i, old)
            size = (
                _connected(i, links, seating, constraints) if glued else _led_to(i, links, seating, members)
            )
            for n in range(size):
                add_to_s(menu, members[n])
            detach(menu, cluster[i], 1 if old == i or (glued and in_s[old]) else 0)
            if kept_apart:
                _forbid(menu, size, seating, constraints)

            as_table, scale = weigh(menu, alpha, NONE)
            total = priors[own] * as_table
            for e in range(own + 1, starts[i + 1]):
                j = targets[e]
                total += priors[e] * (as_table if glued and in_s[j] else ratio_with(menu, cluster[j]))
            left = uniform(random) * total
            chosen = own
            for e in range(own, starts[i + 1]):
                j = targets[e]
                ratio = as_table if e == own or (glued and in_s[j]) else ratio_with(menu, cluster[j])
                if ratio > 0.0:
                    chosen = e
                    if left < priors[e] * ratio:
                        break
                    left -= priors[e] * ratio
            j = targets[chosen]
            new_table = chosen == own or (glued and in_s[j])
            k = pick(menu, alpha, scale, left / priors[chosen]) if new_table else cluster[j]
            choices[i] = chosen
            if chosen != own:
                _link(seating, i, j)
            k = attach(menu, k, 1 if new_table else 0)
            for n in range(size):
                cluster[members[n]] = k
                if glued:
                    in_s[members[n]] = False


@kernel
def _led_to(i, links, seating, members):  # type: ignore[no-untyped-def]
    """List the customers whose links lead to `i`, which links to nobody; return how many there are."""
    first, after = seating.first, seating.next
    size = 0
    at = i
    while True:
        members[size] = at
        size += 1
        if first[at] != NONE:
            at = first[at]
            continue
        while at != i and after[at] == NONE:
            at = links.targets[seating.choices[at]]
        if at == i:
            return size
        at = after[at]


@kernel
def _connected(i, links, seating, constraints):  # type: ignore[no-untyped-def]
    """List and mark the customers that links and must-links connect with `i`, which links to nobody."""
    members = constraints.members
    size = _mark(i, 0, constraints)
    done = 0
    while done < size:
        at = members[done]
        done += 1
        size = _mark(constraints.ring[at], size, constraints)
        if at != i:
            size = _mark(links.targets[seating.choices[at]], size, constraints)
        child = seating.first[at]
        while child != NONE:
            size = _mark(child, size, constraints)
            child = seating.next[child]
    return size


@kernel
def _mark(i, size, constraints):  # type: ignore[no-untyped-def]
    if constraints.in_s[i]:
        return size
    constraints.in_s[i] = True
    constraints.members[size] = i
    return size + 1


@kernel
def _forbid(menu, size, seating, constraints):  # type: ignore[no-untyped-def]
    """Forbid the clusters of all customers that cannot be with members of S."""
    for n in range(size):
        i = constraints.members[n]
        for e in range(constraints.starts[i], constraints.starts[i + 1]):
            forbid(menu, seating.cluster[constraints.apart[e]])


@kernel
def _link(seating, i, j):  # type: ignore[no-untyped-def]
    first = seating.first[j]
    seating.next[i], seating.previous[i] = first, NONE
    if first != NONE:
        seating.previous[first] = i
    seating.first[j] = i


@kernel
def _unlink(seating, i, j):  # type: ignore[no-untyped-def]
    after, before = seating.next[i], seating.previous[i]
    if before == NONE:
        seating.first[j] = after
    else:
        seating.next[before] = after
    if after != NONE:
        seating.previous[after] = before


@kernel
def _draw_links(links, seating, random):  # type: ignore[no-untyped-def]
    """Draw every link from its row."""
    for i in range(len(seating.choices)):
        left = uniform(random)
        e = links.starts[i]
        while e < links.starts[i + 1] - 1 and left >= links.priors[e]:
            left -= links.priors[e]
            e += 1
        seating.choices[i] = e
