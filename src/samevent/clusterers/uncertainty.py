"""How far a pair model is off on texts that it has not seen, estimated from pairs whose events are known.

Errors of a pair model are shared: all pairs of a would-be event are too similar or not similar enough together. The
spread of what they have in common is that of a random effect, as in a mixed logistic regression. It does not say how
often chains of links connect what pairs alone would not, so the shift is chosen last: events are expected to have as
many pairs as they have.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import logit, logsumexp

from samevent.clusterers.base import Evidence
from samevent.clusterers.linked import Hddcrp
from samevent.hddcrp import Uncertainty
from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.links import MentionLinks

_NODES = 31
"""Points of the Gauss-Hermite quadrature over a random effect."""
_TRIES = 3
"""How often pairs are counted to find the shift; each time everything is sampled."""
_FIRST_SHIFT, _STEP, _MOST_SHIFT = -0.4, -0.4, 2.0
_LARGEST_SPREAD = 5.0
_LEAST = 1e-6


def estimate_uncertainty(
    evidence: Evidence, links: MentionLinks, event: Indices, system: Hddcrp, *, seed: int = 0
) -> Uncertainty:
    """Estimate the uncertainty of similarities that come from models which have not seen these mentions.

    `event` numbers the true event of each mention. Links may come from several models, if none of them joins what
    another has scored.
    """
    same = links.pairs.equal(event)
    scores = logit(np.clip(links.similarity, _LEAST, 1 - _LEAST))
    group = would_be_events(links, len(evidence), system.minimum_similarity)
    inside = links.pairs.equal(group)
    spread = estimate_spread(scores[inside], same[inside], group[links.pairs.i[inside]])
    return _balanced(evidence, links, same, system, spread, seed)


def would_be_events(links: MentionLinks, mentions: int, minimum_similarity: float) -> Indices:
    """Label mentions so that those connected by similar pairs share a label."""
    near = links.pairs[links.similarity >= minimum_similarity]
    graph = coo_array((np.ones(len(near), np.int8), (near.i, near.j)), shape=(mentions, mentions))
    label: Indices = connected_components(graph, directed=False)[1].astype(np.int32)
    return label


def estimate_spread(scores: Floats, same: Booleans, group: Indices) -> float:
    """Return the standard deviation of what the pairs of each group have in common, beyond their scores (log-odds).

    This maximises the likelihood of P(same) = logistic(score + m + s x) over m and s, where x is a standard normal
    variable of the group that is integrated out.
    """
    if same.all() or not same.any():
        return 0.0
    _, member = np.unique(group, return_inverse=True)
    points, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    log_weights = np.log(weights / weights.sum())

    def loss(parameters: Floats) -> float:
        mean, log_spread = parameters
        shifted = scores[:, np.newaxis] + mean + np.exp(log_spread) * points
        fit = same[:, np.newaxis] * shifted - np.logaddexp(0, shifted)
        by_group = np.stack([np.bincount(member, column) for column in fit.T], axis=1)
        return -float(logsumexp(by_group + log_weights, axis=1).sum())

    bounds = [(-_LARGEST_SPREAD, _LARGEST_SPREAD), (-4.0, np.log(_LARGEST_SPREAD))]
    return float(np.exp(minimize(loss, [0.0, 0.0], method="L-BFGS-B", bounds=bounds).x[1]))


def _balanced(
    evidence: Evidence, links: MentionLinks, same: Booleans, system: Hddcrp, spread: float, seed: int
) -> Uncertainty:
    """Find the shift at which as many pairs are expected in all events as there are, by the secant method."""

    def counted(shift: float) -> tuple[float, Uncertainty]:
        uncertainty = Uncertainty(shift=round(shift, 3), spread=round(spread, 3))
        mixture = system.integrated(evidence, links, uncertainty, seed=seed)
        sizes = [np.bincount(sample) for sample in mixture.samples]
        expected = np.mean([(size * (size - 1) / 2).sum() for size in sizes])
        return float(np.log(max(expected, 1) / max(1, same.sum()))), uncertainty

    tries = [counted(_FIRST_SHIFT), counted(_FIRST_SHIFT + _STEP)]
    while len(tries) < _TRIES:
        (before, a), (last, b) = tries[-2:]
        slope = (last - before) / (b.shift - a.shift) if b.shift != a.shift else 0.0
        step = -last / slope if slope > 0 else 0.0
        tries.append(counted(float(np.clip(b.shift + step, -_MOST_SHIFT, _MOST_SHIFT))))
    return min(tries, key=lambda each: abs(each[0]))[1]
