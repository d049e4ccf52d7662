"""Both samplers and their plain twin honour must-links and cannot-links exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laws import assert_drawn_from
from problems import (
    LINKS,
    allowed,
    joined,
    posterior_of_partitions,
    random_problem,
    whole,
    with_constraints,
    with_fields,
)
from samevent.hddcrp import fit, reference, sample
from samevent.hddcrp.chains import Initial, LinkChain, start
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Problem
from samevent.hddcrp.weights import active
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.labels import canonical

DRAWS, THIN = 6_000, 8


def constrained(seed: int, customers: int = 0) -> Problem:
    customers = customers or 4 + seed % 4
    problem = random_problem(
        seed, customers=customers, documents=2 + seed % 2, density=0.55 if customers < 7 else 0.4
    )
    return with_constraints(problem, seed, must=seed % 3, cannot=1 + (seed // 3) % 3)


def chain_of(
    problem: Problem, sampler: str, *, seed: int = 0, initial: Initial = "links", **options: Any
) -> LinkChain:
    return start(whole(problem, sampler), Logs.of(problem), seed=seed, chain=2, initial=initial, **options)


@pytest.mark.parametrize("sampler", LINKS)
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]
)
def test_samplers_draw_constrained_partitions_as_often_as_enumeration_says(sampler: str, seed: int) -> None:
    problem = constrained(seed)
    chain = chain_of(problem, sampler, seed=seed, keep=DRAWS)
    chain.begin_round(DRAWS * THIN)
    chain.advance(DRAWS * THIN)
    law = "ddcrp" if sampler == "ddcrp" else "collapsed"
    assert_drawn_from(posterior_of_partitions(problem, law), chain.info.samples)


@pytest.mark.parametrize("sampler", LINKS)
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))]
)
def test_compiled_and_plain_samplers_draw_the_same_constrained_links(sampler: str, seed: int) -> None:
    problem = with_constraints(
        random_problem(seed, customers=14, documents=4, density=0.3, words=4), seed, must=seed, cannot=6
    )
    chains = [
        chain_of(problem, sampler, seed=seed, compiled=compiled, check=compiled) for compiled in (True, False)
    ]
    for chain in chains:
        chain.begin_round(12)
        chain.advance(12)
    fast, slow = (chain.arrays() for chain in chains)
    fast.pop("best_labels")  # numbered as it happens
    assert all(np.array_equal(array, slow[name]) for name, array in fast.items())


@pytest.mark.parametrize("sampler", LINKS)
@pytest.mark.parametrize("initial", ["links", "spread", "alone"])
def test_chains_start_in_a_valid_state(sampler: str, initial: Initial) -> None:
    for seed in range(20):
        problem = with_constraints(random_problem(seed, customers=12, density=0.8), seed, must=2, cannot=8)
        chain = chain_of(problem, sampler, seed=seed, initial=initial)
        labels = tuple(chain.labels.tolist())
        assert labels == joined(active(chain.block.links, chain.choices).tolist(), problem.must_link.tolist())
        assert allowed(labels, problem)
        if initial == "links":
            assert max(labels) < 10  # not all of them are alone


def test_customers_may_stay_together_by_a_must_link_when_a_link_is_cut() -> None:
    problem = with_constraints(random_problem(3, customers=6, density=0.8), 3, must=3, cannot=0)
    chain = chain_of(problem, "collapsed", keep=400)
    chain.begin_round(400)
    chain.advance(400)
    i, j = problem.must_link.T
    assert (chain.info.samples[:, i] == chain.info.samples[:, j]).all()
    assert len(np.unique(chain.info.samples.max(axis=1))) > 1


@pytest.mark.parametrize("options", [{}, {"sampler": "paper"}, {"model": "ddcrp"}])
def test_fit_samples_what_it_would_enumerate_under_constraints(options: dict[str, Any]) -> None:
    problem = with_constraints(random_problem(4, customers=8, documents=3, density=0.3), 4, must=2, cannot=3)
    exact = fit(problem, **options)
    sampled = fit(problem, exact_limit=1, sweeps=6000, **options)
    assert exact.components.exact.all()
    assert not sampled.components.exact[sampled.components.size > 1].any()
    assert sampled.together == pytest.approx(exact.together, abs=0.05)
    assert sampled.best_log_joint == exact.best_log_joint
    for labels in (*sampled.samples, *exact.samples, sampled.best, sampled.consensus().labels):
        assert allowed(tuple(labels.tolist()), problem)
        assert all(labels[i] == labels[j] for i, j in problem.must_link.tolist())


@pytest.mark.parametrize("options", [{}, {"sampler": "paper"}, {"model": "ddcrp"}])
def test_plain_runs_honour_constraints(options: dict[str, Any]) -> None:
    problem = with_constraints(
        random_problem(5, customers=60, density=0.1, vocabulary=9), 5, must=6, cannot=12
    )
    runs = sample(problem, runs=3, sweeps=40, **options)
    for labels in runs.samples:
        assert allowed(tuple(labels.tolist()), problem)
        assert all(labels[i] == labels[j] for i, j in problem.must_link.tolist())


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
def test_constraints_leave_other_components_alone() -> None:
    problem = random_problem(4, customers=40, documents=8, density=0.02, vocabulary=8)
    free = fit(problem, exact_limit=1, sweeps=16)
    largest = int(np.argmax(free.components.size))
    others = free.component != largest
    likeliest = int(np.argmax(np.where(others[free.left], 0.0, free.together)))
    i, j = free.left[likeliest], free.right[likeliest]
    held = fit(with_fields(problem, cannot_link=[(i, j)]), exact_limit=1, sweeps=16)
    assert (free.components.size > 1).sum() > 1
    assert np.array_equal(canonical(free.samples[:, others]), canonical(held.samples[:, others]))
    assert (free.samples[:, i] == free.samples[:, j]).any()
    assert (held.samples[:, i] != held.samples[:, j]).all()


@pytest.mark.parametrize("sampler", LINKS)
def test_without_likelihood_samplers_draw_from_the_prior(sampler: str) -> None:
    problem = with_fields(random_problem(6, customers=5, density=0.5), likelihood_weight=0.0)
    nothing_observed = with_fields(problem, words=np.zeros((5, 0)), vocabulary=-1, likelihood_weight=1.0)
    chain = chain_of(problem, sampler, keep=DRAWS)
    chain.begin_round(DRAWS * THIN)
    chain.advance(DRAWS * THIN)
    law = "ddcrp" if sampler == "ddcrp" else "collapsed"
    prior = posterior_of_partitions(nothing_observed, law)
    assert posterior_of_partitions(problem, law) == pytest.approx(prior, abs=1e-12)
    assert_drawn_from(prior, chain.info.samples)


@pytest.mark.parametrize("sampler", LINKS)
@pytest.mark.parametrize("weight", [0.3, 2.5])
def test_likelihood_weight_is_an_exponent_for_the_samplers(sampler: str, weight: float) -> None:
    problem = with_fields(random_problem(7, customers=5, density=0.5), likelihood_weight=weight)
    chain = chain_of(problem, sampler, keep=DRAWS)
    chain.begin_round(DRAWS * THIN)
    chain.advance(DRAWS * THIN)
    law = "ddcrp" if sampler == "ddcrp" else "collapsed"
    assert_drawn_from(posterior_of_partitions(problem, law), chain.info.samples)


def test_compiled_and_plain_samplers_agree_for_any_likelihood_weight() -> None:
    problem = with_fields(random_problem(8, customers=14, density=0.3, words=4), likelihood_weight=1 / 3)
    logs = Logs.of(problem)
    ends = []
    for compiled in (True, False):
        chain = chain_of(problem, "collapsed", compiled=compiled, check=compiled)
        chain.begin_round(10)
        chain.advance(10)
        ends.append((chain.choices[0].tolist(), chain.info.log_joint.tolist()))
    assert ends[0] == ends[1]
    assert ends[0][1][-1] == reference.log_joint(chain.block, chain.choices, logs)
