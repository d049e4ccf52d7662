from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from franchise import expected_total_variation, links_posterior, p_value, total_variation
from problems import random_problem
from samevent.errors import SameventError, UsageError
from samevent.hddcrp import crp
from samevent.hddcrp.crp_groups import HELD
from samevent.hddcrp.crp_observations import Observations
from samevent.hddcrp.crp_reference import Links
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.randoms import seeded
from samevent.hddcrp.weights import customer_links
from samevent.partitions.labels import canonical

THIN = 8


def drawer(problem: Problem, seed: int, *, alpha: float) -> crp.State:
    state = crp.init(problem, seeded(seed, "test"), alpha_across=alpha)
    crp.sweep(state, sweeps=50)
    return state


def draw(state: crp.State) -> tuple[int, ...]:
    crp.sweep(state, sweeps=THIN)
    return tuple(state.labels.tolist())


@pytest.mark.parametrize("words", [0, 2, 3])
def test_hddcrp_star_draws_from_the_posterior(words: int) -> None:
    values = []
    for seed in range(6):
        problem = random_problem(
            seed, customers=4 + seed % 3, documents=1 + seed % 3, words=words, density=0.7
        )
        state = drawer(problem, seed, alpha=0.7)
        values.append(p_value(links_posterior(problem, 0.7), partial(draw, state), 2000))
    assert min(values) > 1e-3, values


def test_hddcrp_star_is_as_close_as_independent_draws() -> None:
    problem = random_problem(3, customers=6, documents=2, words=2)
    posterior = links_posterior(problem, 1.0)
    state = drawer(problem, 5, alpha=1.0)
    found = total_variation(posterior, lambda: draw(state), 6000)
    assert found < 1.25 * expected_total_variation(posterior, 6000)


@pytest.mark.parametrize("seed", range(4))
def test_hddcrp_star_draws_what_plain_python_draws(seed: int) -> None:
    problem = random_problem(seed, customers=60, documents=5, density=0.25, vocabulary=12, words=3)
    state = crp.init(problem, seeded(seed, "same"))
    random = state.random.copy()
    seen = Observations.of_problem(problem)
    plain = Links(customer_links(problem), seen, state.choices.tolist(), crp.ALPHA_ACROSS)
    for _ in range(8):
        crp.sweep(state)
        plain.sweep(random)
        assert plain.choices == state.choices.tolist()
        assert canonical(plain.cluster).tolist() == state.labels.tolist()
    assert random.tolist() == state.random.tolist()


def test_log_joint_is_that_of_the_enumerated_state() -> None:
    problem = random_problem(2, customers=5, documents=2, words=3)
    posterior = links_posterior(problem, crp.ALPHA_ACROSS)
    # States of one partition differ in their links, so their joints add up to the partition's mass.
    heights: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}
    state = crp.init(problem, seeded(0, "joint"))
    for _ in range(8_000):
        crp.sweep(state)
        key = (*state.choices.tolist(), *state.labels.tolist())
        labels = tuple(state.labels.tolist())
        if key not in heights.setdefault(labels, {}):
            heights[labels][key] = state.log_joint()
    masses = {labels: np.exp(list(found.values())).sum() for labels, found in heights.items()}
    total = sum(masses.values())
    for labels, mass in posterior.items():
        assert masses.get(labels, 0.0) / total == pytest.approx(mass, abs=2e-3)


def test_counts_stay_those_of_the_state() -> None:
    problem = random_problem(7, customers=120, documents=6, density=0.2, vocabulary=20, words=4)
    assert len(crp.sample_crp(problem, runs=1, sweeps=30, debug=True)[0].clusters) == 30
    state = crp.init(problem, seeded(1, "drift"))
    state.menu.clusters[state.cluster[0], HELD] += 1
    with pytest.raises(SameventError, match="tables drifted away"):
        state.check()


def test_runs_are_the_same_for_any_number_of_jobs_and_differ_from_each_other() -> None:
    problem = random_problem(8, customers=50, documents=4, density=0.3, vocabulary=9)
    alone, together = (crp.sample_crp(problem, seed=3, runs=4, sweeps=5, jobs=jobs) for jobs in (1, 3))
    for one, other in zip(alone, together, strict=True):
        assert one.labels.tolist() == other.labels.tolist()
        assert one.log_joint.tolist() == other.log_joint.tolist()
        assert one.clusters.tolist() == other.clusters.tolist()
        assert one.clusters[-1] == one.labels.max() + 1
    assert len({run.log_joint.tobytes() for run in alone}) == 4
    longer = crp.sample_crp(problem, seed=3, runs=5, sweeps=5)
    assert longer[2].labels.tolist() == alone[2].labels.tolist()


def test_problems_with_little_in_them_are_sampled() -> None:
    nobody = Problem(
        document=np.zeros(0, int), words=Rows.empty(0), within=Rows.empty(0), across=Rows.empty(0)
    )
    assert crp.sample_crp(nobody, runs=1, sweeps=2)[0].labels.tolist() == []
    single = Problem(document=np.array([3]), words=Rows.empty(1), within=Rows.empty(1), across=Rows.empty(1))
    assert crp.sample_crp(single, runs=1, sweeps=2)[0].labels.tolist() == [0]


def test_impossible_settings_are_refused() -> None:
    problem = random_problem(0)
    with pytest.raises(UsageError, match="'alpha_across' is 0"):
        crp.sample_crp(problem, alpha_across=0)
    with pytest.raises(UsageError, match="'runs' is 0"):
        crp.sample_crp(problem, runs=0)
    with pytest.raises(UsageError, match="'sweeps' is -1"):
        crp.sample_crp(problem, sweeps=-1)
