"""What a metric is: sums that add up over units, and the scores that follow from the sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from samevent.scoring.table import Floats, Table


@dataclass(frozen=True, slots=True)
class Metric:
    """A coreference metric.

    `tally` gives one row of sums a unit; sums of several units are simply added (micro average).
    `score` turns sums (last axis) into recall, precision and F1 (last axis).
    """

    name: str
    tally: Callable[[Table], Floats]
    score: Callable[[Floats], Floats]


def ratios(sums: Floats) -> Floats:
    """Score (recall numerator, recall denominator, precision numerator, precision denominator).

    0/0 counts as 0, as in the official scorer.

    >>> ratios(np.array([1.0, 2.0, 1.0, 1.0])).round(3).tolist()
    [0.5, 1.0, 0.667]
    """
    recall, precision = divided(sums[..., 0], sums[..., 1]), divided(sums[..., 2], sums[..., 3])
    return np.stack([recall, precision, harmonic(recall, precision)], axis=-1)


def harmonic(a: Floats, b: Floats) -> Floats:
    """Return the harmonic mean, 0 where both are 0."""
    return divided(2 * a * b, a + b)


def divided(numerator: Floats, denominator: Floats) -> Floats:
    """Divide, with 0/0 = 0."""
    out = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)
