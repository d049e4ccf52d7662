"""How often events of a stated probability are pure: a correction of P(all mentions are one event).

Pairs are calibrated over all pairs, of which large events have most. An event of two mentions is one pair, and such
events are wrong more often. So the log-odds of an event are corrected by its size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.calibration import correction

_LEAST = 0.01
"""Probabilities are counted in about a hundred samples."""


@dataclass(frozen=True, slots=True)
class Purity:
    """The corrected log-odds are `intercept` + `slope` x log-odds + `size` x log2(mentions / 2)."""

    intercept: float = 0.0
    slope: float = 1.0
    size: float = 0.0

    def of(self, probability: Floats, sizes: Indices) -> Floats:
        """Correct the probabilities of events with these numbers of mentions; NaN stays.

        >>> Purity(intercept=-1).of(np.array([0.5, np.nan]), np.array([2, 1])).round(2).tolist()
        [0.27, nan]
        """
        if self == AS_IT_IS:
            return probability
        corrected: Floats = expit(_columns(probability, sizes) @ (self.intercept, self.slope, self.size))
        return corrected

    @classmethod
    def fitted(cls, probability: Floats, sizes: Indices, pure: Booleans) -> Purity:
        """Fit the correction to events of which it is known whether they are pure: one row each."""
        usual = np.array([0.0, 1.0, 0.0])
        return cls(*correction(_columns(probability, sizes), pure, usual).tolist())


AS_IT_IS = Purity()
"""No correction."""


def _columns(probability: Floats, sizes: Indices) -> Floats:
    log_odds = logit(np.clip(probability, _LEAST, 1 - _LEAST))
    return np.stack([np.ones(len(sizes)), log_odds, np.log2(np.maximum(sizes, 2) / 2)], axis=1)
