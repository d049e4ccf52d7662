from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from samevent.similarity.calibration import calibration


def test_calibration_agrees_with_scikit_learn() -> None:
    draw = np.random.default_rng(0)
    probability = draw.beta(0.5, 2, 500)
    same = draw.random(500) < probability**2
    found = calibration(probability, same)
    true, said = calibration_curve(same, probability, n_bins=10)
    assert [b.true for b in found.bins] == pytest.approx(true)
    assert [b.said for b in found.bins] == pytest.approx(said)
    assert sum(b.pairs for b in found.bins) == 500
    assert found.brier == pytest.approx(brier_score_loss(same, probability))


def test_calibration_puts_probability_one_into_the_last_bin() -> None:
    found = calibration(np.array([1.0, 0.0]), np.array([True, False]))
    assert [(b.low, b.high) for b in found.bins] == [(0.0, 0.1), (0.9, 1.0)]
    assert found.brier == 0


def test_calibration_of_no_pairs_has_no_bins() -> None:
    found = calibration(np.empty(0), np.empty(0, np.bool_))
    assert found.bins == ()
