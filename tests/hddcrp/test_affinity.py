from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from samevent.errors import DataError, UsageError
from samevent.hddcrp.affinity import DECAYS, Decay, affinity_from_distance, cosine_affinity, split_affinity
from samevent.seeds import stream

FORMULAS: dict[Decay, Callable[[float], float]] = {
    "exponential": lambda d: math.exp(-d / 1.5),
    "window": lambda d: float(d < 1.5),
    "logistic": lambda d: math.exp(1.5 - d) / (1 + math.exp(1.5 - d)),
}


@pytest.mark.parametrize("decay", DECAYS)
def test_affinity_follows_the_formula(decay: Decay) -> None:
    distance = stream(1, "distance").uniform(0, 5, size=(6, 6))
    affinity = affinity_from_distance(distance, decay=decay, scale=1.5).toarray()
    for i in range(6):
        for j in range(6):
            assert affinity[i, j] == pytest.approx(FORMULAS[decay](distance[i, j]) if i != j else 0)
    again = affinity_from_distance(sparse.csc_array(distance), decay=decay, scale=1.5)
    assert (again.toarray() == affinity).all()


@pytest.mark.parametrize("decay", DECAYS)
def test_infinite_distances_have_no_affinity(decay: Decay) -> None:
    distance = np.array([[0, np.inf, 1e4], [1, 0, np.inf], [0, 2, 0]])
    affinity = affinity_from_distance(distance, decay=decay, scale=3)
    assert np.argwhere(affinity.toarray()).tolist() == [[1, 0], [2, 0], [2, 1]]


def test_stored_zeros_are_distances_and_absent_entries_are_not() -> None:
    stored = sparse.coo_array(([0.0, 1.0, 0.0], ([1, 2, 2], [0, 0, 2])), shape=(3, 3))
    assert affinity_from_distance(stored).toarray()[:, 0].tolist() == [0, 1, math.exp(-1)]
    assert affinity_from_distance(stored, minimum=0.5).nnz == 1


@pytest.mark.parametrize(
    ("distance", "options", "message"),
    [
        ([[0, -1], [0, 0]], {}, "customers 0 and 1 is -1.0; expected 0 or more"),
        ([[0, np.nan], [0, 0]], {}, "is nan"),
        ([[0, 1]], {}, "a square matrix"),
        ([0, 1], {}, "two dimensions"),
        ([[0]], {"decay": "linear"}, "no decay 'linear'; expected 'exponential' or 'window' or 'logistic'"),
        ([[0]], {"scale": 0}, "scale of a decay is 0; expected a number above 0"),
    ],
)
def test_invalid_distances_are_rejected(distance: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, UsageError), match=message):
        affinity_from_distance(distance, **options)


def test_cosine_affinity_is_the_thresholded_cosine() -> None:
    counts = stream(2, "cosine").poisson(0.5, size=(30, 8))
    counts[3] = 0
    expected = cosine_similarity(counts)
    np.fill_diagonal(expected, 0)
    expected[expected < 0.4] = 0
    assert cosine_affinity(counts, minimum=0.4).toarray() == pytest.approx(expected)
    assert (cosine_affinity(sparse.csr_matrix(counts), minimum=0.0).diagonal() == 0).all()


def test_split_affinity_rejects_another_shape() -> None:
    with pytest.raises(DataError, match=r"shape \(2, 2\); expected \(3, 3\)"):
        split_affinity(np.ones((2, 2)), [0, 0, 1])
