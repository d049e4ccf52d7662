"""Events that are pure as often as they say: the correction that events were drawn with is found again."""

from __future__ import annotations

import numpy as np
import pytest

from samevent.seeds import stream
from samevent.similarity.purity import AS_IT_IS, Purity


def test_correction_that_events_were_drawn_with_is_fitted() -> None:
    random = stream(1, "events")
    probability = random.uniform(0.1, 0.95, 20_000)
    sizes = random.integers(2, 20, 20_000).astype(np.int32)
    true = Purity(intercept=-0.5, slope=0.8, size=-0.3)
    pure = random.random(20_000) < true.of(probability, sizes)
    fitted = Purity.fitted(probability, sizes, pure)
    assert (fitted.intercept, fitted.slope, fitted.size) == pytest.approx((-0.5, 0.8, -0.3), abs=0.08)


def test_without_events_there_is_no_correction() -> None:
    nothing = np.empty(0)
    assert Purity.fitted(nothing, nothing.astype(np.int32), nothing.astype(np.bool_)) == AS_IT_IS
    given = np.array([0.0, 0.3, 1.0, np.nan])
    assert AS_IT_IS.of(given, np.array([2, 3, 4, 1], np.int32)).tolist()[:3] == [0.0, 0.3, 1.0]


def test_correction_keeps_the_order_of_events_of_one_size() -> None:
    shown = Purity(0.2, 0.7, -0.1).of(np.array([0.2, 0.5, 0.9]), np.array([3, 3, 3], np.int32))
    assert (np.diff(shown) > 0).all()
