from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from franchise import (
    expected_total_variation,
    franchise_posterior,
    likelihood,
    links_posterior,
    p_value,
    total_variation,
    words_of,
)
from franchise_reference import Tables
from problems import random_problem
from samevent.errors import DataError, SameventError, UsageError
from samevent.hddcrp import hddcrp_star, hdp
from samevent.hddcrp.menu import GROUPS_COUNT
from samevent.hddcrp.observations import Channel, Observations
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.randoms import seeded
from samevent.partitions.labels import canonical
from samevent.seeds import stream

THIN = 8


def random_channels(seed: int, customers: int) -> list[Channel]:
    """Draw a channel of words, one of single values, and one whose values have parents; gaps in all."""
    random = stream(seed, "channels", customers)

    def values(most: int, top: int) -> Rows:
        return Rows.counted(
            [random.integers(top, size=random.integers(most + 1)).tolist() for _ in range(customers)]
        )

    return [
        Channel(values(2, 3), 3, 0.5),
        Channel(values(1, 2), 4, 1.5),
        Channel(values(2, 5), 3, 0.3, parent=np.array([0, 0, 1, 1, 1])),
    ]


def burnt_in(
    document: NDArray[np.integer], channels: list[Channel], seed: int, *, weight: float = 1.0
) -> hdp.State:
    state = hdp.init(
        document, channels, seeded(seed, "test"), alpha_within=0.6, alpha_across=0.8, likelihood_weight=weight
    )
    hdp.sweep(state, sweeps=50)
    return state


def draw(state: hdp.State) -> tuple[int, ...]:
    hdp.sweep(state, sweeps=THIN)
    return tuple(state.labels.tolist())


def draw_by_links(state: hddcrp_star.State) -> tuple[int, ...]:
    hddcrp_star.sweep(state, sweeps=THIN)
    return tuple(state.labels.tolist())


def constant(problem: Problem) -> Problem:
    """Link every customer to all earlier ones of its document with affinity 1."""
    earlier = [
        (i, j)
        for i in range(problem.customers)
        for j in range(i)
        if problem.document[i] == problem.document[j]
    ]
    rows, columns = np.array(earlier, int).reshape(-1, 2).T
    within = Rows.from_triples(problem.customers, rows, columns, np.ones(len(rows)))
    return replace(problem, within=within, alpha_within=0.6)


@pytest.mark.parametrize("kind", ["prior", "words", "channels"])
def test_hdp_draws_from_the_posterior(kind: str) -> None:
    values = []
    for seed in range(6):
        customers = 4 + seed % 3
        document = stream(seed, "documents").integers(1 + seed % 3, size=customers)
        channels = random_channels(seed, customers)[: {"prior": 0, "words": 1, "channels": 3}[kind]]
        state = burnt_in(document, channels, seed)
        posterior = franchise_posterior(document, channels, 0.6, 0.8)
        values.append(p_value(posterior, partial(draw, state), 2000))
    assert min(values) > 1e-3, values


@pytest.mark.slow
def test_hdp_is_as_close_as_independent_draws() -> None:
    document, channels = np.array([0, 1, 0, 1, 1, 0]), random_channels(9, 6)
    posterior = franchise_posterior(document, channels, 0.6, 0.8)
    state = burnt_in(document, channels, 9)
    distance = total_variation(posterior, lambda: draw(state), 6000)
    assert distance < 1.25 * expected_total_variation(posterior, 6000)


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.7])
def test_likelihood_weight_is_the_exponent_of_the_likelihood(weight: float) -> None:
    values = []
    for seed in range(4):
        document, channels = stream(seed, "documents").integers(2, size=5), random_channels(seed, 5)
        posterior = franchise_posterior(document, channels, 0.6, 0.8, weight)
        state = burnt_in(document, channels, seed, weight=weight)
        values.append(p_value(posterior, partial(draw, state), 2000))
    assert min(values) > 1e-3, values


def test_likelihood_weight_0_leaves_the_prior_alone() -> None:
    document, channels = np.array([0, 0, 1, 1, 2]), random_channels(3, 5)
    prior = franchise_posterior(document, [], 0.6, 0.8)
    assert franchise_posterior(document, channels, 0.6, 0.8, 0.0) == pytest.approx(prior)
    weightless, blind = (
        hdp.Info.of(hdp.init(document, seen, seeded(1, "prior"), likelihood_weight=weight)).log_joint
        for seen, weight in ((channels, 0.0), ([], 1.0))
    )
    assert weightless == blind


def test_hdp_is_hddcrp_star_with_constant_affinity() -> None:
    for seed in range(4):
        problem = constant(random_problem(seed, customers=5, documents=2, words=2))
        as_links = links_posterior(problem, 0.8)
        as_tables = franchise_posterior(problem.document, words_of(problem), 0.6, 0.8)
        assert as_links == pytest.approx(as_tables)
        state = hddcrp_star.init(problem, seeded(seed, "constant"), alpha_across=0.8)
        assert p_value(as_tables, partial(draw_by_links, state), 2000) > 1e-3


@pytest.mark.parametrize("merges", [0, 7])
@pytest.mark.parametrize("seed", range(4))
def test_hdp_draws_what_plain_python_draws(seed: int, merges: int) -> None:
    document, channels = stream(seed, "documents").integers(5, size=60), random_channels(seed, 60)
    state = hdp.init(document, channels, seeded(seed, "same"), merges=merges)
    random = state.random.copy()
    observations = Observations.of_channels(channels, 60)
    plain = Tables(document, observations, hdp.ALPHA_WITHIN, hdp.ALPHA_ACROSS, merges=merges)
    for _ in range(6):
        hdp.sweep(state)
        plain.sweep(random)
        assert plain.table == state.tables.table.tolist()
        assert canonical([plain.cluster[t] for t in plain.table]).tolist() == state.labels.tolist()
    assert random.tolist() == state.random.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_clusters_out_of_reach_change_no_draw(seed: int) -> None:
    """Many values with a tiny Dirichlet parameter: most clusters are never looked at closely."""
    random = stream(seed, "out of reach")
    topic = random.integers(4, size=40)
    channels = [
        Channel(Rows.counted((topic[:, None] * 6 + random.integers(8, size=(40, 9))).tolist()), 40, 1e-7)
        for _ in range(3)
    ]
    document = random.integers(5, size=40)
    state = hdp.init(document, channels, seeded(seed, "same"))
    twin = state.random.copy()
    plain = Tables(document, Observations.of_channels(channels, 40), hdp.ALPHA_WITHIN, hdp.ALPHA_ACROSS)
    for _ in range(4):
        hdp.sweep(state)
        plain.sweep(twin)
        assert plain.table == state.tables.table.tolist()
    assert twin.tolist() == state.random.tolist()
    assert state.menu.counters[GROUPS_COUNT] == 0


def test_log_likelihood_is_that_of_tokens_one_by_one() -> None:
    for seed in range(5):
        channels = random_channels(seed, 8)
        labels = canonical(stream(seed, "labels").integers(3, size=8))
        expected = np.log(likelihood(tuple(labels.tolist()), channels))
        for weight in (0.0, 0.5, 1.0):
            observations = Observations.of_channels(channels, 8, likelihood_weight=weight)
            assert observations.log_likelihood(labels) == pytest.approx(weight * expected, abs=1e-6)


def test_features_of_the_same_customers_are_one_and_those_of_one_customer_none() -> None:
    same, alone = Rows.counted([[0, 1, 2], [3], [0, 1, 2, 2], [3, 4, 4]]), Rows.counted([[0], [1], [2], [3]])
    parents = np.array([0, 0, 1, 1, 1])
    channels = [
        Channel(alone, 4, 0.5),
        Channel(same, 5, 0.3),
        Channel(alone, 4, 0.2),
        Channel(same, 5, 0.4, parent=parents),
    ]
    observations = Observations.of_channels(channels, 4)
    # The first channel as it is; 0 and 1, 2, 3; nothing; the same under their parents; the parents, by their counts.
    assert observations.table.tolist() == [0, 0, 0, 0, 1, 1, 1, 3, 3, 3, 4, 4]
    assert observations.times.tolist() == [1, 1, 1, 1, 2, 1, 1, 2, 1, 1, 1, 1]
    for labels in ([0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 2, 3]):
        expected = np.log(likelihood(tuple(labels), channels))
        assert observations.log_likelihood(np.array(labels)) == pytest.approx(expected, abs=1e-6)
        state = hdp.init([0, 0, 1, 1], channels, seeded(0, "same"), labels=labels)
        blind = hdp.init([0, 0, 1, 1], [], seeded(0, "same"), labels=labels)
        assert hdp.Info.of(state).log_joint - hdp.Info.of(blind).log_joint == pytest.approx(
            expected, abs=1e-6
        )


def test_a_parent_that_never_changes_changes_nothing() -> None:
    plain = random_channels(4, 10)[0]
    with_parent = replace(plain, parent=np.zeros(3, int))
    labels = np.array([0, 0, 1, 1, 2, 2, 0, 1, 2, 0])
    one, other = (
        Observations.of_channels([channel], 10).log_likelihood(labels) for channel in (plain, with_parent)
    )
    assert one == pytest.approx(other)


def test_conditioned_values_are_smoothed_under_the_parent_of_their_customer() -> None:
    values, parents = Rows.counted([[0, 1], [0], [1], [0]]), [1, 1, 3, 3]
    channel = Channel.conditioned(values, parents, vocabulary=2, dirichlet=0.5)
    log_likelihood = Observations.of_channels([channel], 4).log_likelihood(np.zeros(4, int))
    # Under parent 1: values 0, 1, 0; under parent 3: values 1, 0.
    expected = (0.5 / 1 * 0.5 / 2 * 1.5 / 3) * (0.5 / 1 * 0.5 / 2)
    assert log_likelihood == pytest.approx(np.log(expected), abs=1e-6)
    with pytest.raises(DataError, match="for each of 4 customers"):
        Channel.conditioned(values, [0, 1], vocabulary=2)


def test_counts_stay_those_of_the_state() -> None:
    document, channels = stream(1, "documents").integers(8, size=150), random_channels(1, 150)
    assert hdp.sample(document, channels, runs=1, sweeps=20, check=True).clusters.shape == (1, 20)
    state = hdp.init(document, channels, seeded(1, "drift"))
    state.menu.entries[0, 1] += 1
    with pytest.raises(SameventError, match="counts drifted away"):
        state.check()


def test_log_joint_adds_up_both_levels() -> None:
    state = hdp.init([0, 0, 1], [], seeded(0, "joint"), alpha_within=0.5, alpha_across=2.0)
    seated = np.log(0.5 / 0.5 * 0.5 / 1.5) + np.log(1.0)
    assert hdp.Info.of(state).log_joint == pytest.approx(seated + np.log(2 / 2 * 2 / 3 * 2 / 4))


def test_runs_are_the_same_for_any_number_of_jobs() -> None:
    document, channels = stream(2, "documents").integers(4, size=40), random_channels(2, 40)
    alone, together = (hdp.sample(document, channels, runs=3, sweeps=4, jobs=jobs) for jobs in (1, 3))
    assert alone.samples.tolist() == together.samples.tolist()
    assert alone.log_joint.tolist() == together.log_joint.tolist()


def test_hdp_without_customers_is_empty() -> None:
    assert hdp.sample([], [], runs=1, sweeps=1).samples.shape == (1, 1, 0)


def test_broken_channels_and_settings_are_refused() -> None:
    rows = Rows.counted([[0], [2]])
    with pytest.raises(DataError, match="'vocabulary' is 2; expected 3 at least"):
        Channel(rows, 2)
    with pytest.raises(DataError, match="counts the value -1"):
        Channel(Rows(rows.starts, rows.columns - 1, rows.values), 3)
    with pytest.raises(DataError, match="a parent, numbered from 0, for each value"):
        Channel(rows, 3, parent=np.array([0, 0]))
    with pytest.raises(DataError, match="'vocabulary' is 1; expected 2 at least"):
        Channel(rows, 1, parent=np.array([0, 0, 0]))
    with pytest.raises(DataError, match="'dirichlet' is 0"):
        Channel(rows, 3, 0.0)
    with pytest.raises(DataError, match="channel 0 has 2 rows; expected 3"):
        hdp.sample([0, 0, 1], [Channel(rows, 3)])
    with pytest.raises(DataError, match="numbers from 0"):
        hdp.sample([-1, 0], [Channel(rows, 3)])
    with pytest.raises(DataError, match="'likelihood_weight' is -1"):
        hdp.sample([0, 0], [Channel(rows, 3)], likelihood_weight=-1)
    with pytest.raises(UsageError, match="'alpha_within' is nan"):
        hdp.sample([0, 0], [Channel(rows, 3)], alpha_within=float("nan"))


def test_channels_of_different_sizes_have_weights_of_their_own() -> None:
    customers = 250
    many = Channel(Rows.counted([[i % 7, i % 3, i % 5] for i in range(customers)]), 7, 0.5)
    few = Channel(Rows.counted([[i % 2] for i in range(customers)]), 2, 0.5)
    together = Observations.of_channels([many, few], customers).total_ratios
    for number, channel in enumerate((many, few)):
        np.testing.assert_array_equal(
            together[number], Observations.of_channels([channel], customers).total_ratios[0]
        )
    state = hdp.init(np.repeat(np.arange(25), 10), [many, few], seeded(3, "unequal"))
    hdp.sweep(state, sweeps=5)
    state.check()


def test_annealed_steps_have_an_exponent_and_later_ones_draw_as_ever() -> None:
    document, channels = stream(4, "documents").integers(4, size=40), random_channels(4, 40)
    state = hdp.init(document, channels, seeded(4, "annealed"), annealed=5)
    weakened = hdp.init(
        document, channels, seeded(4, "annealed"), likelihood_weight=state.least_weight, labels=None
    )
    hdp.step(state)
    hdp.sweep(weakened)
    assert state.labels.tolist() == weakened.labels.tolist()
    for _ in range(5):
        hdp.step(state)
    later = hdp.init(document, channels, state.random.copy(), labels=state.labels)
    for name, values in later.menu._asdict().items():
        if name in ("feature_logs", "total_logs", "total_ratios"):
            assert np.array_equal(values, getattr(state.menu, name))
    assert (
        hdp.Info.of(state).log_joint > hdp.Info.of(hdp.init(document, channels, seeded(0, "alone"))).log_joint
    )


def test_annealed_chains_from_different_starts_agree() -> None:
    """One cluster for everything and singletons: in between, chains forget which it was."""
    document, channels = (
        np.arange(300) // 10,
        [
            Channel(
                Rows.counted([[w] for w in (stream(1, "words").integers(40, size=300) // 3 * 3).tolist()]),
                40,
                1e-7,
            )
        ],
    )
    heights = []
    for number, labels in enumerate((None, np.zeros(300, int))):
        state = hdp.init(document, channels, seeded(number, "starts"), labels=labels, annealed=40)
        heights.append(np.mean([hdp.step(state).log_joint for _ in range(100)][60:]))
    assert abs(heights[0] - heights[1]) < 25
