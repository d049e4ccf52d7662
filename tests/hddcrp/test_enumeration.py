from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from problems import frequencies, posterior_of_partitions, random_problem, whole, with_fields, without_words
from samevent.hddcrp import enumeration, reference
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Rows
from samevent.seeds import stream


@pytest.mark.parametrize("sampler", ["collapsed", "ddcrp"])
@pytest.mark.parametrize("seed", range(8))
def test_compiled_and_plain_enumeration_are_equal(sampler: str, seed: int) -> None:
    problem = random_problem(seed, customers=5, words=3)
    block, logs = whole(problem, sampler), Logs.of(problem)
    points = stream(seed, "points").random(20)
    slow, fast = reference.exact(block, logs, points), enumeration.exact(block, logs, points)
    assert (slow.log_evidence, slow.best_log_joint) == (fast.log_evidence, fast.best_log_joint)
    for name in ("together", "best_labels", "draws"):
        assert np.array_equal(getattr(slow, name), getattr(fast, name))


@pytest.mark.parametrize("seed", range(4))
def test_probabilities_of_pairs_add_up_over_partitions(seed: int) -> None:
    problem = random_problem(seed, customers=5)
    block = whole(problem)
    posterior = posterior_of_partitions(problem)
    exact = enumeration.exact(block, Logs.of(problem), np.zeros(0))
    for i, j, together in zip(block.left, block.right, exact.together, strict=True):
        assert together == pytest.approx(sum(p for z, p in posterior.items() if z[i] == z[j]), abs=1e-8)


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
