from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest

from franchise import Partition, expected_total_variation, links_posterior, p_value, total_variation
from franchise_reference import Links
from problems import random_problem
from samevent.errors import SameventError, UsageError
from samevent.hddcrp import hddcrp_star
from samevent.hddcrp.menu import TABLES
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.randoms import seeded
from samevent.partitions.labels import canonical
from samevent.seeds import stream

THIN = 8
CONSTRAINTS: list[dict[str, Any]] = [
    {"must_link": [(0, 3)]},
    {"must_link": [(0, 1), (1, 4)]},
    {"cannot_link": [(0, 1)]},
    {"cannot_link": [(0, 2), (1, 4), (2, 3)]},
    {"must_link": [(1, 3)], "cannot_link": [(0, 3), (2, 4)]},
    {"must_link": [(0, 4), (2, 3)], "cannot_link": [(3, 4)]},
]


def burnt_in(problem: Problem, seed: int, *, alpha: float) -> hddcrp_star.State:
    state = hddcrp_star.init(problem, seeded(seed, "test"), alpha_across=alpha)
    hddcrp_star.sweep(state, sweeps=50)
    return state


def draw(state: hddcrp_star.State) -> Partition:
    hddcrp_star.sweep(state, sweeps=THIN)
    return tuple(state.labels.tolist())


@pytest.mark.parametrize("words", [0, 2, 3])
def test_hddcrp_star_draws_from_the_posterior(words: int) -> None:
    values = []
    for seed in range(6):
        problem = random_problem(
            seed, customers=4 + seed % 3, documents=1 + seed % 3, words=words, density=0.7
        )
        state = burnt_in(problem, seed, alpha=0.7)
        values.append(p_value(links_posterior(problem, 0.7), partial(draw, state), 2000))
    assert min(values) > 1e-3, values


@pytest.mark.slow
def test_hddcrp_star_is_as_close_as_independent_draws() -> None:
    problem = random_problem(3, customers=6, documents=2, words=2)
    posterior = links_posterior(problem, 1.0)
    state = burnt_in(problem, 5, alpha=1.0)
    distance = total_variation(posterior, lambda: draw(state), 6000)
    assert distance < 1.25 * expected_total_variation(posterior, 6000)


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.7])
def test_likelihood_weight_is_the_exponent_of_the_likelihood(weight: float) -> None:
    values = []
    for seed in range(4):
        problem = random_problem(seed, customers=5, documents=2, words=3, likelihood_weight=weight)
        state = burnt_in(problem, seed, alpha=0.7)
        values.append(p_value(links_posterior(problem, 0.7), partial(draw, state), 2000))
    assert min(values) > 1e-3, values


def test_likelihood_weight_0_leaves_the_prior_alone() -> None:
    problem = random_problem(1, customers=6, documents=2, words=3, likelihood_weight=0.0)
    wordless = random_problem(1, customers=6, documents=2, words=3, likelihood_weight=0.0)
    object.__setattr__(wordless, "words", Rows.empty(6))
    assert links_posterior(problem, 0.7) == pytest.approx(links_posterior(wordless, 0.7))
    info = hddcrp_star.Info.of(hddcrp_star.init(problem, seeded(1, "prior")))
    assert info.log_joint == hddcrp_star.Info.of(hddcrp_star.init(wordless, seeded(1, "prior"))).log_joint


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_constraints_leave_the_exact_posterior(constraints: dict[str, Any]) -> None:
    values = []
    for seed in range(3):
        problem = random_problem(seed, customers=5, documents=2, words=2, density=0.8, **constraints)
        state = burnt_in(problem, seed, alpha=0.7)
        values.append(p_value(links_posterior(problem, 0.7), partial(draw, state), 2000))
        state.check()
    assert min(values) > 1e-3, values


@pytest.mark.slow
def test_constrained_chains_are_as_close_as_independent_draws() -> None:
    problem = random_problem(
        3, customers=6, documents=2, words=2, must_link=[(0, 5), (1, 2)], cannot_link=[(0, 3), (2, 4)]
    )
    posterior = links_posterior(problem, 1.0)
    state = burnt_in(problem, 5, alpha=1.0)
    distance = total_variation(posterior, lambda: draw(state), 6000)
    assert distance < 1.25 * expected_total_variation(posterior, 6000)


@pytest.mark.parametrize("seed", range(4))
def test_constrained_chains_visit_every_allowed_partition_and_no_other(seed: int) -> None:
    constraints: dict[str, Any] = {"must_link": [(1, 3)], "cannot_link": [(0, 1), (2, 4)]}
    problem = random_problem(seed, customers=5, documents=2, words=0, density=0.9, **constraints)
    posterior = links_posterior(problem, 1.0)
    state = hddcrp_star.init(problem, seeded(seed, "visits"))
    visits: Counter[Partition] = Counter()
    for _ in range(4000):
        hddcrp_star.sweep(state)
        visits[tuple(state.labels.tolist())] += 1
    assert set(visits) == set(posterior)


@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_hddcrp_star_draws_what_plain_python_draws(seed: int, constrained: bool) -> None:
    pairs = stream(seed, "pairs").permutation(60)[:24].reshape(-1, 2).tolist() if constrained else []
    constraints: dict[str, Any] = {"must_link": pairs[:6], "cannot_link": pairs[6:]}
    problem = random_problem(
        seed, customers=60, documents=5, density=0.25, vocabulary=12, words=3, **constraints
    )
    state = hddcrp_star.init(problem, seeded(seed, "same"))
    random = state.random.copy()
    plain = Links(problem, state.seating.choices.tolist(), hddcrp_star.ALPHA_ACROSS)
    for _ in range(8):
        hddcrp_star.sweep(state)
        plain.sweep(random)
        assert plain.choices == state.seating.choices.tolist()
        assert canonical(plain.cluster).tolist() == state.labels.tolist()
    assert random.tolist() == state.random.tolist()


@pytest.mark.parametrize("constraints", [{}, {"must_link": [(0, 4)], "cannot_link": [(1, 2)]}], ids=str)
def test_log_joint_is_that_of_the_enumerated_state(constraints: dict[str, Any]) -> None:
    problem = random_problem(2, customers=5, documents=2, words=3, **constraints)
    posterior = links_posterior(problem, hddcrp_star.ALPHA_ACROSS)
    # States of one partition differ in their links, so their joints add up to the partition's mass.
    log_joints: dict[Partition, dict[tuple[int, ...], float]] = {}
    state = hddcrp_star.init(problem, seeded(0, "joint"))
    for _ in range(8_000):
        hddcrp_star.sweep(state)
        labels = tuple(state.labels.tolist())
        key = (*state.seating.choices.tolist(), *labels)
        if key not in log_joints.setdefault(labels, {}):
            log_joints[labels][key] = hddcrp_star.Info.of(state).log_joint
    masses = {labels: np.exp(list(states.values())).sum() for labels, states in log_joints.items()}
    total = sum(masses.values())
    for labels, mass in posterior.items():
        assert masses.get(labels, 0.0) / total == pytest.approx(mass, abs=2e-3)


@pytest.mark.parametrize(
    "constraints", [{}, {"must_link": [(0, 50), (50, 80)], "cannot_link": [(1, 2)]}], ids=str
)
def test_counts_stay_those_of_the_state(constraints: dict[str, Any]) -> None:
    problem = random_problem(
        7, customers=120, documents=6, density=0.2, vocabulary=20, words=4, **constraints
    )
    assert hddcrp_star.sample(problem, runs=1, sweeps=30, check=True).clusters.shape == (1, 30)
    state = hddcrp_star.init(problem, seeded(1, "drift"))
    state.menu.clusters[state.seating.cluster[0], TABLES] += 1
    with pytest.raises(SameventError, match="tables drifted away"):
        state.check()


def test_runs_are_the_same_for_any_number_of_jobs_and_differ_from_each_other() -> None:
    problem = random_problem(8, customers=50, documents=4, density=0.3, vocabulary=9)
    alone, together = (hddcrp_star.sample(problem, seed=3, runs=4, sweeps=5, jobs=jobs) for jobs in (1, 3))
    assert alone.samples.tolist() == together.samples.tolist()
    assert alone.log_joint.tolist() == together.log_joint.tolist()
    assert alone.clusters.tolist() == together.clusters.tolist()
    assert alone.clusters[:, -1].tolist() == (alone.samples[:, -1].max(axis=1) + 1).tolist()
    assert len({trace.tobytes() for trace in alone.log_joint}) == 4
    longer = hddcrp_star.sample(problem, seed=3, runs=5, sweeps=5)
    assert longer.samples[2].tolist() == alone.samples[2].tolist()


def test_problems_with_little_in_them_are_sampled() -> None:
    nobody = Problem(
        document=np.zeros(0, int), words=Rows.empty(0), within=Rows.empty(0), across=Rows.empty(0)
    )
    assert hddcrp_star.sample(nobody, runs=1, sweeps=2).samples.shape == (1, 1, 0)
    single = Problem(document=np.array([3]), words=Rows.empty(1), within=Rows.empty(1), across=Rows.empty(1))
    assert hddcrp_star.sample(single, runs=1, sweeps=2).samples.tolist() == [[[0]]]


def test_impossible_settings_are_refused() -> None:
    problem = random_problem(0)
    with pytest.raises(UsageError, match="'alpha_across' is 0"):
        hddcrp_star.sample(problem, alpha_across=0)
    with pytest.raises(UsageError, match="'runs' is 0"):
        hddcrp_star.sample(problem, runs=0)
    with pytest.raises(UsageError, match="'sweeps' is -1"):
        hddcrp_star.sample(problem, sweeps=-1)
