"""Calibration: of pairs with probability 0.7, seven in ten should refer to the same event."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from samevent.similarity.bags import Booleans, Floats


@dataclass(frozen=True, slots=True)
class Bin:
    """The pairs with a probability in an interval: `said` is their mean probability, `true` the share that is true."""

    low: float
    high: float
    pairs: int
    said: float
    true: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability table, without empty intervals, and the Brier score (mean squared error; 0 is perfect)."""

    bins: tuple[Bin, ...]
    brier: float


def calibration(probability: Floats, same: Booleans, *, bins: int = 10) -> Calibration:
    """Compare probabilities with gold labels.

    >>> calibration(np.array([0.1, 0.15, 0.9]), np.array([False, False, True])).bins[0].pairs
    2
    """
    number = np.minimum((probability * bins).astype(np.int64), bins - 1)
    rows = [
        Bin(
            low=k / bins,
            high=(k + 1) / bins,
            pairs=int((number == k).sum()),
            said=float(probability[number == k].mean()),
            true=float(same[number == k].mean()),
        )
        for k in np.unique(number).tolist()
    ]
    brier = float(np.mean((probability - same) ** 2)) if len(same) else 0.0
    return Calibration(tuple(rows), brier)


def correction(columns: Floats, true: Booleans, usual: Floats) -> Floats:
    """Fit a logistic regression whose weights stay near the `usual` ones where there are few rows, to three digits.

    >>> few, many = np.ones((1, 1)), np.ones((1000, 1))
    >>> correction(few, np.ones(1, bool), np.zeros(1)).tolist()
    [0.401]
    >>> correction(many, np.arange(1000) < 731, np.zeros(1)).tolist()
    [0.995]
    """

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores, off = columns @ weights, weights - usual
        value = (np.logaddexp(0, scores) - true * scores).sum() + off @ off / 2
        return float(value), columns.T @ (expit(scores) - true) + off

    weights: Floats = minimize(loss, usual, jac=True, method="L-BFGS-B").x.round(3)
    return weights
