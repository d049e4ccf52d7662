"""The hierarchical Dirichlet process as a Chinese restaurant franchise: the baseline HDP and its family.

It is HDDCRP* with F_d = 1 for every earlier customer of the document. Then only the sizes of tables matter, so
customers carry tables instead of links: with T tables left and n_k of them in cluster k, customer i joins

    table t of its document       size of t                                      p(x_i | cluster of t)
    cluster k as a new table      alpha_d * n_k / (T + alpha_0)                  p(x_i | k)
    a new cluster                 alpha_d * alpha_0 / (T + alpha_0)              p(x_i)

and after all customers, every table of several takes a cluster anew (Teh et al. 2006, section 5.1); whoever sits alone
has just drawn one. The family differs in what is observed (`Channel`): one channel of words (HDP-lex) or of head lemmas
(HDP-1f); several independent channels (HDP-flat); channels that hang on others (HDP-struct).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samevent.errors import DataError
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
from samevent.hddcrp.crp_observations import Channel, Observations
from samevent.hddcrp.crp_runs import Run, log_crp, log_crps, positive, run_all, verify
from samevent.hddcrp.kernels import kernel, uniform
from samevent.hddcrp.problem import Floats, Integers
from samevent.hddcrp.randoms import RandomState, seeded
from samevent.partitions.labels import canonical, integers

ALPHA_WITHIN, ALPHA_ACROSS = 0.5, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a chain carries: the table of every customer, the cluster of every table, random numbers.

    Tables are numbered like customers: room for one each. `first`, `after` and `before` chain the customers of
    a table; `seats` lists the tables of each document from `begin` to `end`, and `place` says where.
    """

    document: Integers
    alpha_within: float
    alpha_across: float
    seen: Observations
    table: Integers
    cluster: Integers
    size: Integers
    random: RandomState
    first: Integers
    after: Integers
    before: Integers
    seats: Integers
    place: Integers
    begin: Integers
    end: Integers
    weights: Floats
    """Room for what each seat weighs while a customer draws."""
    menu: Menu

    @property
    def labels(self) -> Integers:
        """The cluster of each customer, numbered by first customers."""
        return canonical(self.cluster[self.table]).astype(np.int32)

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return self.menu.cluster_count

    def log_joint(self) -> float:
        """Return log p(tables, clusters of tables, observations), computed afresh."""
        tables = np.flatnonzero(self.size)
        prior = log_crps(self.size[tables], np.bincount(self.document), self.alpha_within)
        across = log_crp(np.bincount(self.cluster[tables]), self.alpha_across)
        return prior + across + self.seen.log_likelihood(self.cluster[self.table])

    def check(self) -> None:
        """Compare counts that are kept up to date with what follows from tables and clusters."""
        verify(self.menu, self.seen, self.cluster[self.table], self.cluster[np.flatnonzero(self.size)])


def init(
    document: ArrayLike,
    channels: Sequence[Channel],
    random: RandomState,
    *,
    alpha_within: float = ALPHA_WITHIN,
    alpha_across: float = ALPHA_ACROSS,
) -> State:
    """Settle a chain: every customer alone at a table, every table alone in a cluster."""
    positive("alpha_within", alpha_within)
    positive("alpha_across", alpha_across)
    home = integers(document, "documents").astype(np.int32)
    if home.ndim != 1 or (home < 0).any():
        raise DataError("documents of customers are no list of numbers from 0")
    count = len(home)
    seen = Observations.of_channels(channels, count)
    sizes = np.bincount(home, minlength=1)
    begin = (np.cumsum(sizes) - sizes).astype(np.int32)
    seats = np.argsort(home, kind="stable").astype(np.int32)
    place = np.empty(count, np.int32)
    place[seats] = np.arange(count)
    state = State(
        document=home,
        alpha_within=alpha_within,
        alpha_across=alpha_across,
        seen=seen,
        table=np.arange(count, dtype=np.int32),
        cluster=np.zeros(count, np.int32),
        size=np.ones(count, np.int32),
        random=random,
        first=np.arange(count, dtype=np.int32),
        after=np.full(count, NOBODY, np.int32),
        before=np.full(count, NOBODY, np.int32),
        seats=seats,
        place=place,
        begin=begin,
        end=(begin + sizes).astype(np.int32),
        weights=np.zeros(count),
        menu=new_menu(seen),
    )
    _settle(state.cluster, state.menu)
    return state


def sweep(state: State, *, sweeps: int = 1) -> None:
    """Draw the table of every customer, then the cluster of every table, `sweeps` times."""
    _sweeps(
        sweeps, state.document, state.alpha_within, state.alpha_across, state.table, state.cluster, state.size,
        state.first, state.after, state.before, state.seats, state.place, state.begin, state.end,
        state.weights, state.menu, state.random,
    )  # fmt: skip


def sample_hdp(
    document: ArrayLike,
    channels: Sequence[Channel],
    *,
    seed: int = 0,
    runs: int = 5,
    sweeps: int = 500,
    alpha_within: float = ALPHA_WITHIN,
    alpha_across: float = ALPHA_ACROSS,
    jobs: int = 1,
    debug: bool = False,
) -> tuple[Run, ...]:
    """Run independent chains of the HDP; each returns its last labels and its traces.

    A run depends on the seed and its own number only, whatever `jobs`. With `debug`, counts are checked after
    every sweep.
    """

    def start(run: int) -> State:
        random = seeded(seed, "hdp", run)
        return init(document, channels, random, alpha_within=alpha_within, alpha_across=alpha_across)

    return run_all(start, sweep, runs=runs, sweeps=sweeps, jobs=jobs, debug=debug)


@kernel
def _settle(cluster, menu):  # type: ignore[no-untyped-def]
    for i in range(len(cluster)):
        gather(menu, i)
        cluster[i] = put(menu, NOBODY, 1)
        scatter(menu)


@kernel
def _sweeps(  # type: ignore[no-untyped-def]
    sweeps, document, alpha_within, alpha_across, table, cluster, size, first, after, before, seats, place, begin,
    end, weights, menu, random,
):  # fmt: skip
    for _ in range(sweeps):
        for i in range(len(table)):
            d = document[i]
            gather(menu, i)
            t = table[i]
            take(menu, cluster[t], 1 if size[t] == 1 else 0)
            _stand_up(i, t, size, first, after, before)
            if size[t] == 0:
                _clear(t, d, seats, place, end)

            weight, scale = weigh(menu, alpha_across)
            at_new_table = alpha_within * weight
            total = at_new_table
            for p in range(begin[d], end[d]):
                weights[p] = size[seats[p]] * fit_of(menu, cluster[seats[p]])
                total += weights[p]
            left = uniform(random) * total
            if left >= at_new_table and end[d] > begin[d]:
                left -= at_new_table
                p = begin[d]
                while p < end[d] - 1:
                    left -= weights[p]
                    if left < 0:
                        break
                    p += 1
                t = seats[p]
                forget(menu)
                put(menu, cluster[t], 0)
            else:
                k = pick(menu, alpha_across, scale, left / alpha_within)
                forget(menu)
                # Whoever sits alone left a free table behind; behind the used seats stand the free ones.
                t = seats[end[d]]
                end[d] += 1
                cluster[t] = put(menu, k, 1)
            scatter(menu)
            _sit_down(i, t, table, size, first, after, before)
        for t in range(len(table)):
            if size[t] < 2:
                continue
            i = first[t]
            while i != NOBODY:
                gather(menu, i)
                i = after[i]
            take(menu, cluster[t], 1)
            total, scale = weigh(menu, alpha_across)
            k = pick(menu, alpha_across, scale, uniform(random) * total)
            forget(menu)
            cluster[t] = put(menu, k, 1)
            scatter(menu)


@kernel
def _sit_down(i, t, table, size, first, after, before):  # type: ignore[no-untyped-def]
    table[i] = t
    after[i], before[i] = first[t], NOBODY
    if first[t] != NOBODY:
        before[first[t]] = i
    first[t] = i
    size[t] += 1


@kernel
def _stand_up(i, t, size, first, after, before):  # type: ignore[no-untyped-def]
    if before[i] == NOBODY:
        first[t] = after[i]
    else:
        after[before[i]] = after[i]
    if after[i] != NOBODY:
        before[after[i]] = before[i]
    size[t] -= 1


@kernel
def _clear(t, d, seats, place, end):  # type: ignore[no-untyped-def]
    """Swap an empty table behind the used ones of its document."""
    end[d] -= 1
    p, last = place[t], seats[end[d]]
    seats[p], seats[end[d]] = last, t
    place[last], place[t] = p, end[d]
