"""Concentrations of Chinese restaurants with gamma priors, drawn given the seats (Teh et al. 2006, appendix A).

Several CRPs share a concentration alpha with the prior Gamma(a, b), a rate b. Where n_j customers sit in restaurant j,
and t tables are taken in all, the seats have the likelihood

    alpha^t * prod over j of Gamma(alpha) / Gamma(alpha + n_j)

As a function of alpha, Gamma(alpha) / Gamma(alpha + n) is proportional to the integral over w from 0 to 1 of

    w^alpha (1 - w)^(n - 1) (1 + n / alpha)

so with auxiliary variables w_j, and s_j that is 1 for the term n_j / alpha, all conditionals have a name:

    w_j ~ Beta(alpha + 1, n_j)
    s_j ~ Bernoulli(n_j / (n_j + alpha))
    alpha ~ Gamma(a + t - sum of s_j, b - sum of log w_j)

The documents of a franchise are such restaurants. So is the top level: its customers are all tables of the documents,
and its tables are the clusters (Escobar & West 1995).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from samevent.errors import UsageError
from samevent.hddcrp.problem import LEAST
from samevent.hddcrp.randoms import RandomState, uniform

_LEAST_PRIOR, _MOST_PRIOR = 1e-6, 1e6


class GammaPrior(NamedTuple):
    """A gamma distribution with the mean shape / rate."""

    shape: float
    rate: float

    def log_density(self, value: float) -> float:
        """Return the log density at a positive number.

        >>> round(GammaPrior(1, 2).log_density(3.0), 4)  # log 2 - 6
        -5.3069
        """
        constant = self.shape * np.log(self.rate) - gammaln(self.shape)
        return float(constant + (self.shape - 1) * np.log(value) - self.rate * value)

    def check(self, name: str) -> None:
        """Refuse parameters that are not positive numbers of a sensible size."""
        for value in self:
            if not _LEAST_PRIOR <= value <= _MOST_PRIOR:
                raise UsageError(
                    f"the parameter {name!r} is {tuple(self)}",
                    expected=f"shape and rate, numbers from {_LEAST_PRIOR:g} to {_MOST_PRIOR:g}",
                )


def draw_concentration(
    alpha: float,
    prior: GammaPrior,
    customers: NDArray[np.integer],
    tables: int,
    generator: np.random.Generator,
) -> float:
    """Draw a concentration given its last value, the customers of each restaurant and the number of all tables."""
    sizes = customers[customers > 0]
    log_w = np.log(np.maximum(generator.beta(alpha + 1.0, sizes), LEAST)).sum()
    s = int((generator.random(len(sizes)) * (sizes + alpha) < sizes).sum())
    return max(LEAST, float(generator.gamma(prior.shape + tables - s) / (prior.rate - log_w)))


def generator_of(random: RandomState) -> np.random.Generator:
    """Return a generator seeded by the next draw of a chain, so that a saved chain continues with the same draws."""
    return np.random.Generator(np.random.Philox(int(uniform(random) * 2**53)))
