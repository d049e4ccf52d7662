"""The probability that is shown for a pair: the posterior's, weighed against the pair model's own.

Both see the same words and err in different ways. The posterior knows the other mentions, but chains of links connect
what does not belong together; the pair alone cannot be misled by them. Held-out pairs say how far to trust each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from samevent.partitions.posterior import LEAST_SHARE, Line
from samevent.similarity.bags import Booleans, Floats
from samevent.similarity.calibration import correction

_STRONGEST = 6.0
"""Log-odds of a pair beyond this are not more certain."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The shown log-odds are `intercept` + `together` x those of the posterior + `alone` x those of the pair model."""

    intercept: float = 0.0
    together: float = 1.0
    alone: float = 0.0

    def of(self, probability: Floats, log_odds: Floats) -> Floats:
        """Return what to show for pairs, by P(same event) and the log-odds of the pair model; 0 stays 0.

        >>> Shown(together=0.5, alone=0.5).of(np.array([0.9, 0.9]), np.array([3.0, -3.0])).round(2).tolist()
        [0.93, 0.4]
        """
        if self == THE_POSTERIOR:
            return probability
        _, together, alone = _columns(probability, log_odds).T
        # Not a product of matrices, whose last bits depend on how many pairs there are.
        line = self.intercept + self.together * together + self.alone * alone
        shown: Floats = np.where(probability > 0, expit(line), 0.0)
        return shown

    def unlinked(self, log_odds: float) -> Line:
        """Return the same for pairs of which it is only known that the pair model gives them these log-odds."""
        return Line(self.intercept + self.alone * log_odds, self.together)

    @classmethod
    def fitted(cls, probability: Floats, log_odds: Floats, same: Booleans) -> Shown:
        """Fit the weights to pairs of which it is known whether they are the same event."""
        usual = np.array([0.0, 1.0, 0.0])
        return cls(*correction(_columns(probability, log_odds), same, usual).tolist())


THE_POSTERIOR = Shown()
"""Nothing but the posterior counts."""


def _columns(probability: Floats, log_odds: Floats) -> Floats:
    together = logit(np.clip(probability, LEAST_SHARE, 1 - LEAST_SHARE))
    alone = np.clip(log_odds, -_STRONGEST, _STRONGEST)
    return np.stack([np.ones(len(together)), together, alone], axis=1)
