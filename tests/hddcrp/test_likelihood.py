from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from problems import log_likelihood_by_hand, random_problem
from samevent.hddcrp.likelihood import Logs, log_likelihood, merge_change
from samevent.hddcrp.problem import Problem
from samevent.seeds import stream


def words_of(problem: Problem, customers: list[int]) -> Counter[int]:
    inside = np.isin(problem.words.rows, customers)
    counts: Counter[int] = Counter()
    for word, count in zip(problem.words.columns[inside], problem.words.values[inside], strict=True):
        counts[int(word)] += int(count)
    return counts


@pytest.mark.parametrize("dirichlet", [1e-7, 0.5, 20.0])
def test_log_likelihood_is_that_of_log_gammas(dirichlet: float) -> None:
    problem = random_problem(2, customers=30, words=5, vocabulary=6, dirichlet=dirichlet)
    logs = Logs.of(problem)
    for seed in range(5):
        labels = stream(seed, "labels").integers(8, size=30)
        expected = log_likelihood_by_hand(problem, tuple(labels.tolist()))
        assert log_likelihood(problem.words, labels, logs) == pytest.approx(expected, abs=1e-6)


def test_merge_change_is_the_difference_of_likelihoods() -> None:
    problem = random_problem(4, customers=9, words=4)
    logs = Logs.of(problem)
    apart, joined = np.array([0] * 4 + [1] * 3 + [2] * 2), np.array([0] * 7 + [2] * 2)
    change = log_likelihood(problem.words, joined, logs) - log_likelihood(problem.words, apart, logs)
    assert merge_change(words_of(problem, [0, 1, 2, 3]), words_of(problem, [4, 5, 6]), logs) == change


def test_sums_of_logarithms_do_not_depend_on_their_order() -> None:
    logs = Logs.of(random_problem(5, customers=200, words=9, dirichlet=1e-7))
    terms = np.concatenate([logs.word, -logs.total])
    sums = {float(np.add.reduce(stream(k, "order").permutation(terms))) for k in range(20)}
    assert len(sums) == 1


def test_customers_without_words_cost_nothing() -> None:
    problem = random_problem(6, customers=4, words=0)
    assert log_likelihood(problem.words, np.arange(4), Logs.of(problem)) == 0.0
