"""P(same cluster), counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samevent.errors import DataError
from samevent.partitions.posterior import Posterior
from samevent.seeds import stream


def random_posterior(seed: int, customers: int = 9, samples: int = 6) -> Posterior:
    random = stream(seed, "posterior")
    drawn = random.integers(0, 4, (samples, customers)).astype(np.int32)
    left, right = (ends.astype(np.int32) for ends in np.triu_indices(customers, 1))
    known = random.random(len(left)) < 0.3
    return Posterior(
        samples=drawn, left=left[known], right=right[known], together=random.random(int(known.sum()))
    )


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_prefer_known_pairs_to_counting(seed: int) -> None:
    posterior = random_posterior(seed)
    pairs = zip(posterior.left.tolist(), posterior.right.tolist(), strict=True)
    known = dict(zip(pairs, posterior.together.tolist(), strict=True))
    for i in range(9):
        for j in range(9):
            share = np.mean([row[i] == row[j] for row in posterior.samples])
            assert posterior.probability(i, j) == known.get((min(i, j), max(i, j)), share)
    rows, columns = np.divmod(np.arange(81), 9)
    one_by_one = [posterior.probability(i, j) for i in range(9) for j in range(9)]
    assert posterior.probabilities(rows, columns).tolist() == one_by_one


@pytest.mark.parametrize("seed", range(20))
def test_mean_with_is_the_mean_over_the_other_members(seed: int) -> None:
    posterior = random_posterior(seed)
    labels = stream(seed, "labels").integers(0, 4, 9)
    means = posterior.mean_with(labels)
    for i in range(9):
        others = [posterior.probability(i, j) for j in range(9) if j != i and labels[i] == labels[j]]
        assert np.isnan(means[i]) if not others else means[i] == pytest.approx(np.mean(others))


def test_posterior_of_no_customers_answers_nothing() -> None:
    empty = Posterior(samples=np.empty((1, 0), np.int32))
    assert empty.customers == 0
    assert len(empty.mean_with([])) == len(empty.probabilities([], [])) == len(empty.consensus().labels) == 0


def test_arrays_of_a_posterior_are_int32_and_float64() -> None:
    posterior = Posterior(samples=[[0, 1, 1]], left=[0], right=[2], together=[1], component=[0, 0, 0])  # type: ignore[arg-type]
    assert posterior.component is not None
    for values in (posterior.samples, posterior.left, posterior.right, posterior.component):
        assert values.dtype == np.int32
    assert posterior.together.dtype == np.float64


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"samples": np.empty((0, 3), int)}, r"shape \(0, 3\); expected at least one row"),
        ({"samples": [0, 1, 1]}, r"shape \(3,\)"),
        ({"samples": [[0.5, 1, 1]]}, "float64; expected whole numbers"),
        ({"left": [0]}, "expected one of each per pair"),
        ({"left": [1], "right": [1], "together": [0.5]}, "left >= right"),
        ({"left": [1], "right": [3], "together": [0.5]}, "names no customer"),
        ({"left": [1, 0], "right": [2, 2], "together": [0.5, 0.5]}, "not sorted"),
        ({"left": [0, 0], "right": [2, 2], "together": [0.5, 0.5]}, "occurs twice"),
        ({"left": [0], "right": [2], "together": [1.5]}, r"outside \[0, 1\]"),
        ({"component": [0, 0]}, "expected one label per customer"),
    ],
)
def test_posterior_rejects_arrays_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Posterior(**{"samples": [[0, 1, 1]], **changes})


@pytest.mark.parametrize("pair", [(0, 9), (-1, 2)])
def test_probability_names_a_customer_that_does_not_exist(pair: tuple[int, int]) -> None:
    with pytest.raises(DataError, match=rf"no customer {pair[0] or pair[1]}; expected customers 0 to 8"):
        random_posterior(0).probability(*pair)


def test_a_cluster_is_as_sure_as_its_least_sure_pair() -> None:
    samples = np.array([[0, 0, 0, 1, 2], [0, 0, 1, 1, 2], [0, 0, 0, 1, 1], [3, 3, 3, 0, 0]], np.int32)
    left, right = np.array([3], np.int32), np.array([4], np.int32)
    posterior = Posterior(samples=samples, left=left, right=right, together=np.array([0.9]))
    labels = [7, 7, 7, 2, 2]
    assert posterior.least_with(labels).tolist() == [0.75, 0.75, 0.75, 0.9, 0.9]
    alone = posterior.least_with([0, 0, 0, 1, 2])
    assert np.isnan(alone[3:]).all()
    assert alone[:3].tolist() == [0.75] * 3


def test_matrix_agrees_with_probabilities_of_pairs() -> None:
    posterior, rows = random_posterior(3), [3, 1, 0]
    expected = [[posterior.probability(i, j) for j in rows] for i in rows]
    assert posterior.matrix(rows).tolist() == expected


def test_matrix_of_a_large_block_agrees_with_those_of_its_parts() -> None:
    posterior = random_posterior(3, customers=120, samples=8)  # too many to be compared in one step
    whole = posterior.matrix(np.arange(120))
    for start in range(0, 120, 30):
        rows = np.arange(start, start + 30)
        assert whole[np.ix_(rows, rows)].tolist() == posterior.matrix(rows).tolist()
