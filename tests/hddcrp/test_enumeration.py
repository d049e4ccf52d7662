from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from problems import (
    frequencies,
    posterior_by_hand,
    posterior_of_partitions,
    random_problem,
    whole,
    with_constraints,
    with_fields,
    without_words,
)
from samevent.hddcrp import enumeration, reference
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Rows
from samevent.seeds import stream


@pytest.mark.parametrize("sampler", ["collapsed", "ddcrp"])
@pytest.mark.parametrize("seed", range(8))
def test_compiled_and_plain_enumeration_are_equal(sampler: str, seed: int) -> None:
    problem = random_problem(seed, customers=5, words=3, likelihood_weight=seed / 4)
    if seed % 2:
        problem = with_constraints(problem, seed)
    block, logs = whole(problem, sampler), Logs.of(problem)
    points = stream(seed, "points").random(20)
    slow, fast = reference.exact(block, logs, points), enumeration.exact(block, logs, points)
    assert (slow.log_evidence, slow.best_log_joint) == (fast.log_evidence, fast.best_log_joint)
    for name in ("together", "best_labels", "draws"):
        assert np.array_equal(getattr(slow, name), getattr(fast, name))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0, 3.0])
def test_enumeration_agrees_with_the_model_by_hand(seed: int, constrained: bool, weight: float) -> None:
    problem = random_problem(seed, customers=5, density=0.5, likelihood_weight=weight)
    if constrained:
        problem = with_constraints(problem, seed)
    block, posterior = whole(problem), posterior_by_hand(problem)
    exact = enumeration.exact(block, Logs.of(problem), stream(seed, "points").random(50))
    for i, j, together in zip(block.left, block.right, exact.together, strict=True):
        assert together == pytest.approx(sum(p for z, p in posterior.items() if z[i] == z[j]), abs=1e-8)
    for i, j in problem.must_link:
        assert exact.together[(block.left == i) & (block.right == j)] == pytest.approx([1.0], abs=1e-12)
    for labels in (exact.best_labels, *exact.draws):
        assert posterior[tuple(labels.tolist())] > 0


def test_likelihood_weight_0_leaves_the_prior_alone() -> None:
    problem = random_problem(2, customers=6, words=3)
    points = stream(0, "points").random(50)
    prior, weightless = without_words(problem), with_fields(problem, likelihood_weight=0)
    one, other = (enumeration.exact(whole(p), Logs.of(p), points) for p in (prior, weightless))
    assert one.together.tobytes() == other.together.tobytes()
    assert one.draws.tobytes() == other.draws.tobytes()


def test_constraints_condition_the_posterior() -> None:
    problem = random_problem(5, customers=5)
    free = posterior_of_partitions(problem)
    constrained = with_fields(problem, cannot_link=[(0, 3), (1, 2)])
    kept = {z: p for z, p in free.items() if z[0] != z[3] and z[1] != z[2]}
    total = sum(kept.values())
    assert 0 < total < 1
    assert posterior_of_partitions(constrained) == pytest.approx({z: p / total for z, p in kept.items()})
    exact = enumeration.exact(whole(constrained), Logs.of(constrained), np.zeros(0))
    everything = enumeration.exact(whole(problem), Logs.of(problem), np.zeros(0))
    assert exact.log_evidence - everything.log_evidence == pytest.approx(np.log(total))


def test_evidence_of_the_prior_is_one() -> None:
    problem = without_words(random_problem(2, customers=6))
    assert enumeration.exact(whole(problem), Logs.of(problem), np.zeros(0)).log_evidence == pytest.approx(
        0, abs=1e-7
    )


def test_draws_come_from_the_posterior() -> None:
    problem = random_problem(7, customers=5)
    exact = enumeration.exact(whole(problem), Logs.of(problem), stream(0, "points").random(20_000))
    posterior, seen = posterior_of_partitions(problem), frequencies(exact.draws)
    common = [z for z, p in posterior.items() if p * 20_000 >= 5]
    observed = [seen[z] for z in common]
    expected = np.array([posterior[z] for z in common])
    assert chisquare(observed, expected / expected.sum() * sum(observed)).pvalue > 0.001


def test_enumeration_survives_far_apart_likelihoods() -> None:
    heavy = Rows.from_triples(4, [0, 1, 2, 3], [0, 0, 1, 2], [900, 900, 900, 900])
    problem = with_fields(
        random_problem(1, customers=4, vocabulary=50, density=1.0), words=heavy, dirichlet=1e-7
    )
    block = whole(problem)
    exact = enumeration.exact(block, Logs.of(problem), np.array([0.0, 0.5, 0.999999]))
    assert np.isfinite(exact.log_evidence)
    expected = [1.0 if pair == (0, 1) else 0.0 for pair in zip(block.left, block.right, strict=True)]
    assert exact.together == pytest.approx(expected, abs=1e-3)
