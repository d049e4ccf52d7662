"""The hierarchical Dirichlet process as a Chinese restaurant franchise: the baseline HDP and its variants.

It is HDDCRP* with F_d = 1 for every earlier customer of the document. Then only the sizes of tables matter, so
customers carry tables instead of links: with T tables left and n_k of them in cluster k, customer i joins

    table t of its document       size of t                                      p(x_i | cluster of t)
    cluster k as a new table      alpha_d * n_k / (T + alpha_0)                  p(x_i | k)
    a new cluster                 alpha_d * alpha_0 / (T + alpha_0)              p(x_i)

After all customers, every table of two or more draws its cluster again (Teh et al. 2006, section 5.1); a customer
alone at a table has just drawn it. The variants differ in what is observed (`Channel`): one channel of words (HDP-lex)
or of head lemmas (HDP-1f); several independent channels (HDP-flat); channels that depend on others (HDP-struct).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samevent.errors import DataError
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
    log_crp,
    log_prior_of_tables,
    new_menu,
    pick,
    ratio_with,
    weigh,
)
from samevent.hddcrp.observations import Channel, Observations
from samevent.hddcrp.problem import Floats, Integers
from samevent.hddcrp.randoms import RandomState, seeded
from samevent.hddcrp.runner import Progress
from samevent.partitions.labels import canonical, integers

ALPHA_WITHIN, ALPHA_ACROSS = 0.5, 1.0


class Tables(NamedTuple):
    """The table of each customer; the cluster, size and list of customers of each table.

    Tables are numbered like customers: there is room for one each.
    """

    table: Integers
    cluster: Integers
    size: Integers
    first: Integers
    next: Integers
    previous: Integers


class Restaurants(NamedTuple):
    """The document of each customer; the tables of each document: from `begin` to `end` those in use, then free."""

    document: Integers
    tables: Integers
    position: Integers
    """Where each table stands in `tables`."""
    begin: Integers
    end: Integers
    option_weights: Floats
    """Scratch space: the weights of the tables in use while a customer draws one."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a chain carries. Arrays are changed in place."""

    alpha_within: float
    alpha_across: float
    observations: Observations
    restaurants: Restaurants
    tables: Tables
    menu: Menu
    random: RandomState

    @property
    def cluster(self) -> Integers:
        """The cluster of each customer."""
        return self.tables.cluster[self.tables.table]

    @property
    def labels(self) -> Integers:
        """The cluster of each customer, numbered by first customers."""
        return canonical(self.cluster).astype(np.int32)

    @property
    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Everything that changes: a chain with these arrays continues with the same draws."""
        rooms = self.restaurants
        seats = {"tables": rooms.tables, "position": rooms.position, "end": rooms.end}
        return {**self.tables._asdict(), **seats, **self.menu.changing, "random": self.random}

    def check(self) -> None:
        """Compare counts that are kept up to date with what follows from tables and clusters."""
        used = np.flatnonzero(self.tables.size)
        check_menu(self.menu, self.observations, self.cluster, self.tables.cluster[used])


class Info(NamedTuple):
    """What diagnostics need of a state: log p(tables, clusters of tables, observations), the number of clusters."""

    log_joint: float
    clusters: int

    @classmethod
    def of(cls, state: State) -> Info:
        """Compute everything afresh."""
        used = np.flatnonzero(state.tables.size)
        log_joint = (
            log_crp(state.tables.size[used], np.bincount(state.restaurants.document), state.alpha_within)
            + log_prior_of_tables(state.tables.cluster[used], state.alpha_across)
            + state.observations.log_likelihood(state.cluster)
        )
        return cls(log_joint, state.menu.cluster_count)


def init(
    document: ArrayLike,
    channels: Sequence[Channel],
    random: RandomState,
    *,
    alpha_within: float = ALPHA_WITHIN,
    alpha_across: float = ALPHA_ACROSS,
    likelihood_weight: float = 1.0,
) -> State:
    """Start a chain with every customer alone at a table, and every table alone in a cluster."""
    check_concentrations(alpha_within=alpha_within, alpha_across=alpha_across)
    documents = integers(document, "documents").astype(np.int32)
    if documents.ndim != 1 or (documents < 0).any():
        raise DataError(
            "the documents of customers are not a list of numbers from 0",
            expected="one number from 0 for each customer",
        )
    count = len(documents)
    observations = Observations.of_channels(channels, count, likelihood_weight=likelihood_weight)
    sizes = np.bincount(documents, minlength=1)
    begin = (np.cumsum(sizes) - sizes).astype(np.int32)
    tables = np.argsort(documents, kind="stable").astype(np.int32)
    position = np.empty(count, np.int32)
    position[tables] = np.arange(count)
    state = State(
        alpha_within=alpha_within,
        alpha_across=alpha_across,
        observations=observations,
        restaurants=Restaurants(
            document=documents,
            tables=tables,
            position=position,
            begin=begin,
            end=(begin + sizes).astype(np.int32),
            option_weights=np.zeros(count),
        ),
        tables=Tables(
            table=np.arange(count, dtype=np.int32),
            cluster=np.zeros(count, np.int32),
            size=np.ones(count, np.int32),
            first=np.arange(count, dtype=np.int32),
            next=np.full(count, NONE, np.int32),
            previous=np.full(count, NONE, np.int32),
        ),
        menu=new_menu(observations),
        random=random,
    )
    _settle(state.tables.cluster, state.menu)
    return state


def sweep(state: State, *, sweeps: int = 1) -> None:
    """Draw the table of every customer, then the cluster of every table, `sweeps` times."""
    _sweep(
        sweeps, state.alpha_within, state.alpha_across, state.restaurants, state.tables, state.menu, state.random
    )  # fmt: skip


def step(state: State) -> Info:
    """Sweep once, and describe the state."""
    sweep(state)
    return Info.of(state)


def sample(
    document: ArrayLike,
    channels: Sequence[Channel],
    *,
    alpha_within: float = ALPHA_WITHIN,
    alpha_across: float = ALPHA_ACROSS,
    likelihood_weight: float = 1.0,
    seed: int = 0,
    runs: int = 5,
    sweeps: int = 500,
    keep: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
    checkpoint: PathLike | None = None,
    check: bool = False,
) -> Draws:
    """Run independent chains (see `franchise.sample_runs`). A run depends on the seed and its own number only."""

    def start(run: int) -> State:
        return init(
            document, channels, seeded(seed, "hdp", run), alpha_within=alpha_within, alpha_across=alpha_across,
            likelihood_weight=likelihood_weight,
        )  # fmt: skip

    model = "hdp", seed, alpha_within, alpha_across, likelihood_weight, np.asarray(document), tuple(channels)
    return sample_runs(
        start, step, runs=runs, sweeps=sweeps, keep=keep, jobs=jobs, progress=progress, checkpoint=checkpoint,
        depends_on=model, check=check,
    )  # fmt: skip


@kernel
def _settle(cluster, menu):  # type: ignore[no-untyped-def]
    for i in range(len(cluster)):
        add_to_s(menu, i)
        cluster[i] = attach(menu, NONE, 1)


@kernel
def _sweep(sweeps, alpha_within, alpha_across, restaurants, tables, menu, random):  # type: ignore[no-untyped-def]
    table, cluster, size, first, after, _ = tables
    document, in_use, _, begin, end, option_weights = restaurants
    for _ in range(sweeps):
        for i in range(len(table)):
            d = document[i]
            add_to_s(menu, i)
            t = table[i]
            detach(menu, cluster[t], 1 if size[t] == 1 else 0)
            _stand_up(tables, i, t)
            if size[t] == 0:
                _free_table(restaurants, t, d)

            weight, scale = weigh(menu, alpha_across)
            at_new_table = alpha_within * weight
            total = at_new_table
            for p in range(begin[d], end[d]):
                option_weights[p] = size[in_use[p]] * ratio_with(menu, cluster[in_use[p]])
                total += option_weights[p]
            left = uniform(random) * total
            if left >= at_new_table and end[d] > begin[d]:
                left -= at_new_table
                p = begin[d]
                while p < end[d] - 1:
                    left -= option_weights[p]
                    if left < 0:
                        break
                    p += 1
                t = in_use[p]
                attach(menu, cluster[t], 0)
            else:
                k = pick(menu, alpha_across, scale, left / alpha_within)
                # There is a free table: a document has as many as customers, and this one just stood up.
                t = in_use[end[d]]
                end[d] += 1
                cluster[t] = attach(menu, k, 1)
            _sit_down(tables, i, t)
        for t in range(len(table)):
            if size[t] < 2:
                continue
            i = first[t]
            while i != NONE:
                add_to_s(menu, i)
                i = after[i]
            detach(menu, cluster[t], 1)
            total, scale = weigh(menu, alpha_across)
            k = pick(menu, alpha_across, scale, uniform(random) * total)
            cluster[t] = attach(menu, k, 1)


@kernel
def _sit_down(tables, i, t):  # type: ignore[no-untyped-def]
    first = tables.first[t]
    tables.table[i] = t
    tables.next[i], tables.previous[i] = first, NONE
    if first != NONE:
        tables.previous[first] = i
    tables.first[t] = i
    tables.size[t] += 1


@kernel
def _stand_up(tables, i, t):  # type: ignore[no-untyped-def]
    after, before = tables.next[i], tables.previous[i]
    if before == NONE:
        tables.first[t] = after
    else:
        tables.next[before] = after
    if after != NONE:
        tables.previous[after] = before
    tables.size[t] -= 1


@kernel
def _free_table(restaurants, t, d):  # type: ignore[no-untyped-def]
    """Swap an empty table behind those in use in its document."""
    _, tables, position, _, end, _ = restaurants
    end[d] -= 1
    p, last = position[t], tables[end[d]]
    tables[p], tables[end[d]] = last, t
    position[last], position[t] = p, end[d]
