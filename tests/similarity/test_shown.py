"""The probability that is shown for a pair: weights that pairs were drawn with are found again."""

from __future__ import annotations

import numpy as np
import pytest

from samevent.seeds import stream
from samevent.similarity.shown import THE_POSTERIOR, Shown


def test_weights_that_pairs_were_drawn_with_are_fitted() -> None:
    random = stream(1, "pairs")
    probability, log_odds = random.uniform(0.01, 0.99, 30_000), random.normal(0, 2, 30_000)
    true = Shown(intercept=-0.3, together=0.6, alone=0.4)
    same = random.random(30_000) < true.of(probability, log_odds)
    fitted = Shown.fitted(probability, log_odds, same)
    assert (fitted.intercept, fitted.together, fitted.alone) == pytest.approx((-0.3, 0.6, 0.4), abs=0.05)


def test_without_pairs_the_posterior_is_shown() -> None:
    nothing = np.empty(0)
    assert Shown.fitted(nothing, nothing, nothing.astype(np.bool_)) == THE_POSTERIOR
    assert THE_POSTERIOR.of(np.array([0.0, 0.3, 1.0]), np.zeros(3)).tolist() == [0.0, 0.3, 1.0]


def test_pairs_that_are_never_together_stay_apart_and_unlinked_pairs_follow_the_same_rule() -> None:
    shown, probability = Shown(0.1, 0.7, 0.4), np.array([0.0, 0.2, 0.8])
    values = shown.of(probability, np.full(3, -3.5))
    assert values[0] == 0
    assert values == pytest.approx(shown.unlinked(-3.5).of(probability))
