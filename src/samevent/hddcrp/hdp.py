"""The hierarchical Dirichlet process as a Chinese restaurant franchise: the baseline HDP and its variants.

It is HDDCRP* with F_d = 1 for every earlier customer of the document. Then only the sizes of tables matter, so
customers carry tables instead of links: with T tables left and n_k of them in cluster k, customer i joins

    table t of its document       size of t                                      p(x_i | cluster of t)
    cluster k as a new table      alpha_d * n_k / (T + alpha_0)                  p(x_i | k)
    a new cluster                 alpha_d * alpha_0 / (T + alpha_0)              p(x_i)

After all customers, every table of two or more draws its cluster again (Teh et al. 2006, section 5.1); a customer
alone at a table has just drawn it. Customers of a cluster that show the same value of a channel also move together
(`blocks`), and those with the same word part or meet again (`splits`): without that, chains hardly mix where the
Dirichlet parameter is small. If `merges` are asked for, whole clusters split and merge as well.

The concentrations alpha_d and alpha_0 are fixed, or drawn from priors (`concentrations`).

A chain begins with concentrations that suit its seats. At alpha_d = 0.5, the first sweep would put the hundred mentions
of a document into a few clusters; where alpha_d rises to 200, these take hundreds of sweeps to dissolve.

Where alpha_d is fixed, the first sweeps of a run are annealed: the likelihood has an exponent, which grows to 1. At
first it is 0.5 divided by the number of values that a customer shows. Then chains forget within a few sweeps where they
started. Without annealing, chains from singletons and from one cluster for each word stay in different modes, thousands
of nats apart. Samples are kept only long after. Where alpha_d is drawn, chains find each other without annealing, and
the large clusters of annealed sweeps would take hundreds of sweeps to dissolve.

The variants differ in what is observed (`Channel`): one channel of words (HDP-lex) or of head lemmas (HDP-1f); several
independent channels (HDP-flat); channels that depend on others (HDP-struct).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samevent.errors import DataError
from samevent.hddcrp.blocks import (
    Blocks,
    move_blocks,
    move_other_blocks,
    move_parts,
    new_blocks,
    tabulate_across,
)
from samevent.hddcrp.concentrations import GammaPrior, draw_concentration, generator_of
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
    former,
    log_crp,
    log_likelihood,
    log_prior_of_tables,
    new_menu,
)
from samevent.hddcrp.observations import Channel, Observations
from samevent.hddcrp.problem import Floats, Integers
from samevent.hddcrp.randoms import RandomState, seeded
from samevent.hddcrp.restaurants import (
    Restaurants,
    Tables,
    new_restaurants,
    new_tables,
    sit_down,
    stand_up,
    take_table,
)
from samevent.hddcrp.runner import Progress
from samevent.hddcrp.splits import Sides, new_sides, split_and_merge, split_and_merge_clusters
from samevent.hddcrp.weighing import pick, ratio_with, weigh
from samevent.partitions.labels import canonical, integers

ALPHA_WITHIN, ALPHA_ACROSS = 0.5, 1.0
Priors = tuple[GammaPrior | None, GammaPrior | None]
"""Of the concentrations of documents and of the top level; one without a prior is fixed."""
FIXED: Priors = (None, None)
CUSTOMERS_PER_PART = 32
CUSTOMERS_PER_SPLIT = 128
"""For so many words of customers, one part of a block moves in every sweep, and one block splits or merges."""
FEATURES_PER_MOVE = 8
"""Of so many features of other channels than the first, the blocks of one move in every sweep."""
FIRST_DRAWS = 20
"""So often concentrations are drawn before the first sweep; each draw forgets about half of the last value."""
ANNEALED, HOT, LEAST_WEIGHT = 0.4, 0.2, 0.5
"""The part of a run that is annealed, the part of that at the least exponent, and that exponent for one value."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a chain carries. Arrays are changed in place."""

    alphas: Floats
    """The concentrations of documents and of the top level."""
    priors: Priors
    """The priors of those that are drawn; the others are fixed."""
    observations: Observations
    restaurants: Restaurants
    tables: Tables
    menu: Menu
    blocks: Blocks
    sides: Sides
    random: RandomState
    merges: int
    """How often a sweep tries to split a whole cluster, or to merge two."""
    annealed: int
    """How many sweeps are annealed."""
    least_weight: float
    """The exponent of the likelihood in the first of them."""
    age: NDArray[np.int64]
    """One number: the steps so far."""

    @property
    def alpha_within(self) -> float:
        """The concentration of documents."""
        return float(self.alphas[0])

    @property
    def alpha_across(self) -> float:
        """The concentration of the top level."""
        return float(self.alphas[1])

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
        return {
            **self.tables._asdict(),
            **seats,
            **self.menu.changing,
            "alphas": self.alphas,
            "random": self.random,
            "age": self.age,
        }

    def check(self) -> None:
        """Compare counts that are kept up to date with what follows from tables and clusters."""
        used = np.flatnonzero(self.tables.size)
        check_menu(self.menu, self.observations, self.cluster, self.tables.cluster[used])


class Info(NamedTuple):
    """What diagnostics need of a state: log p(tables, clusters of tables, observations), the number of clusters.

    Where concentrations are drawn, the first is the log density of these, too.
    """

    log_joint: float
    clusters: int

    @classmethod
    def of(cls, state: State) -> Info:
        """Compute everything afresh."""
        used, observed = np.flatnonzero(state.tables.size), state.observations
        log_joint = (
            log_crp(state.tables.size[used], np.bincount(state.restaurants.document), state.alpha_within)
            + log_prior_of_tables(state.tables.cluster[used], state.alpha_across)
            + log_likelihood(state.menu, observed.feature_logs, observed.total_logs)
            + observed.constant
        )
        for prior, alpha in zip(state.priors, state.alphas.tolist(), strict=True):
            log_joint += prior.log_density(alpha) if prior else 0.0
        return cls(log_joint, state.menu.cluster_count)


def init(
    document: ArrayLike,
    channels: Sequence[Channel],
    random: RandomState,
    *,
    alpha_within: float = ALPHA_WITHIN,
    alpha_across: float = ALPHA_ACROSS,
    priors: Priors = FIXED,
    likelihood_weight: float = 1.0,
    labels: ArrayLike | None = None,
    merges: int = 0,
    annealed: int = 0,
) -> State:
    """Start a chain with one cluster for each label, and one table for its customers in each document.

    Without `labels`, every customer is alone at a table, and every table alone in a cluster. A concentration that
    has a prior is drawn, too, first given these seats. A sweep tries `merges` splits and merges of whole clusters, each
    of which looks at all customers. The first `annealed` steps are not draws from the posterior.
    """
    check_concentrations(alpha_within=alpha_within, alpha_across=alpha_across)
    for name, prior in zip(("prior_within", "prior_across"), priors, strict=True):
        if prior:
            prior.check(name)
    documents = integers(document, "documents").astype(np.int32)
    if documents.ndim != 1 or (documents < 0).any():
        raise DataError(
            "the documents of customers are not a list of numbers from 0",
            expected="one number from 0 for each customer",
        )
    count = len(documents)
    start = canonical(np.arange(count) if labels is None else labels)
    if len(start) != count:
        raise DataError(f"{len(start)} labels to start from", expected=f"{count}, one for each customer")
    observations = Observations.of_channels(channels, count, likelihood_weight=likelihood_weight)
    state = State(
        alphas=np.array([alpha_within, alpha_across]),
        priors=priors,
        observations=observations,
        restaurants=new_restaurants(documents),
        tables=new_tables(count),
        menu=new_menu(observations),
        blocks=new_blocks(observations, documents, alpha_across),
        sides=new_sides(observations, documents),
        random=random,
        merges=merges,
        annealed=annealed,
        least_weight=LEAST_WEIGHT * min(1.0, count / max(1, int(observations.totals.sum()))),
        age=np.zeros(1, np.int64),
    )
    with_table = start.astype(np.int64) * (int(documents.max(initial=0)) + 1) + documents
    _settle(_first_equal(start), _first_equal(with_table), state.restaurants, state.tables, state.menu)
    for _ in range(FIRST_DRAWS if any(priors) else 0):
        _draw_concentrations(state)
    return state


def sweep(state: State, *, sweeps: int = 1) -> None:
    """Split and merge blocks and clusters, draw every customer's table and every table's cluster, and move blocks.

    Then draw the concentrations, if they have priors.
    """
    seats, moved = (state.restaurants, state.tables, state.menu), (state.blocks, state.random)
    words, others = len(state.blocks.features), len(state.blocks.others)
    for _ in range(sweeps):
        alphas = state.alpha_within, state.alpha_across
        if state.priors[1]:
            tabulate_across(state.blocks, state.alpha_across)
        split_and_merge(
            words // CUSTOMERS_PER_SPLIT, *alphas, *seats, state.blocks, state.sides, state.random
        )
        if state.merges:
            split_and_merge_clusters(state.merges, *alphas, *seats, state.blocks, state.sides, state.random)
        _sweep(*alphas, *seats, state.random)
        move_blocks(*alphas, *seats, *moved)
        move_parts(words // CUSTOMERS_PER_PART, *alphas, *seats, *moved)
        move_other_blocks(-(-others // FEATURES_PER_MOVE), *alphas, *seats, *moved)
        if any(state.priors):
            _draw_concentrations(state)


def step(state: State) -> Info:
    """Sweep once, annealed if the chain is young, and describe the state."""
    age = int(state.age[0])
    if age <= state.annealed:
        state.menu.weaken(state.observations, weight_at(age, state.annealed, state.least_weight))
    sweep(state)
    state.age[0] += 1
    return Info.of(state)


def weight_at(age: int, annealed: int, least: float) -> float:
    """Return the exponent of the likelihood after so many steps of a chain.

    >>> [round(weight_at(age, 10, 0.25), 3) for age in (0, 2, 6, 10, 11)]
    [0.25, 0.25, 0.5, 1.0, 1.0]
    """
    if age >= annealed:
        return 1.0
    return float(least ** min(1.0, (1.0 - age / annealed) / (1.0 - HOT)))


def sample(
    document: ArrayLike,
    channels: Sequence[Channel],
    *,
    alpha_within: float = ALPHA_WITHIN,
    alpha_across: float = ALPHA_ACROSS,
    priors: Priors = FIXED,
    likelihood_weight: float = 1.0,
    labels: ArrayLike | None = None,
    merges: int = 0,
    seed: int = 0,
    runs: int = 5,
    sweeps: int = 500,
    keep: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
    checkpoint: PathLike | None = None,
    check: bool = False,
) -> Draws:
    """Run independent chains (see `franchise.sample_runs`), all from `labels` as in `init`.

    They are annealed if the concentration of documents is fixed. A run depends on the seed and its own number only.
    """

    def start(run: int) -> State:
        return init(
            document, channels, seeded(seed, "hdp", run), alpha_within=alpha_within, alpha_across=alpha_across,
            priors=priors, likelihood_weight=likelihood_weight, labels=labels, merges=merges,
            annealed=0 if priors[0] else int(sweeps * ANNEALED),
        )  # fmt: skip

    alphas = alpha_within, alpha_across, priors
    began = None if labels is None else canonical(labels)
    model = "hdp", seed, *alphas, likelihood_weight, began, merges, np.asarray(document), tuple(channels)
    return sample_runs(
        start, step, runs=runs, sweeps=sweeps, keep=keep, jobs=jobs, progress=progress, checkpoint=checkpoint,
        depends_on=model, check=check,
    )  # fmt: skip


def _draw_concentrations(state: State) -> None:
    """Draw the concentrations that have priors, given the seats: they do not depend on observations."""
    tables, generator = np.flatnonzero(state.tables.size), generator_of(state.random)
    levels = (
        (np.bincount(state.restaurants.document), len(tables)),
        (np.array([len(tables)]), state.menu.cluster_count),
    )
    for level, (prior, (customers, taken)) in enumerate(zip(state.priors, levels, strict=True)):
        if prior:
            alpha = float(state.alphas[level])
            state.alphas[level] = draw_concentration(alpha, prior, customers, taken, generator)


def _first_equal(values: NDArray[np.integer]) -> Integers:
    """Return, for each entry, the position of the first equal one."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], np.int32)


@kernel
def _settle(of_cluster, of_table, restaurants, tables, menu):  # type: ignore[no-untyped-def]
    """Seat every customer with the first one of its table, and that one in the cluster of the first one there."""
    for i in range(len(of_table)):
        add_to_s(menu, i)
        if of_table[i] < i:
            t = tables.table[of_table[i]]
            attach(menu, tables.cluster[t], 0)
        else:
            t = take_table(restaurants, restaurants.document[i])
            leader = of_cluster[i]
            k = tables.cluster[tables.table[leader]] if leader < i else NONE
            tables.cluster[t] = attach(menu, k, 1)
        sit_down(tables, i, t)


@kernel
def _sweep(alpha_within, alpha_across, restaurants, tables, menu, random):  # type: ignore[no-untyped-def]
    table, cluster, size, first, after, _ = tables
    document, in_use, _, begin, end, option_weights = restaurants
    for i in range(len(table)):
        d = document[i]
        add_to_s(menu, i)
        t = table[i]
        detach(menu, cluster[t], stand_up(restaurants, tables, i))

        weight, scale = weigh(menu, alpha_across, former(menu, cluster[t]))
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
            t = take_table(restaurants, d)
            cluster[t] = attach(menu, k, 1)
        sit_down(tables, i, t)
    for t in range(len(table)):
        if size[t] < 2:
            continue
        i = first[t]
        while i != NONE:
            add_to_s(menu, i)
            i = after[i]
        detach(menu, cluster[t], 1)
        total, scale = weigh(menu, alpha_across, former(menu, cluster[t]))
        k = pick(menu, alpha_across, scale, uniform(random) * total)
        cluster[t] = attach(menu, k, 1)
