"""From the posterior to the probabilities that are shown: pairs are looked up among the links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import logit

from samevent.hddcrp import Mixture
from samevent.partitions.posterior import AS_COUNTED, Line
from samevent.similarity.bags import Floats, Indices
from samevent.similarity.links import MentionLinks
from samevent.similarity.shown import THE_POSTERIOR, Shown

UNLINKED = float(logit(0.02))
"""The log-odds of pairs that are no links: less similar pairs are never scored, or dropped."""
_CHUNK = 1 << 20
"""Number of pairs looked up at a time."""


def as_shown(mixture: Mixture, links: MentionLinks, shown: Shown) -> Mixture:
    """Return a posterior whose probabilities are those to show."""
    if shown == THE_POSTERIOR:
        return mixture
    log_odds = log_odds_of(links, mixture.left, mixture.right, mixture.customers)
    together = shown.of(mixture.together, log_odds)
    return replace(mixture, together=together, counted=counted_as(shown))


def counted_as(shown: Shown) -> Line:
    """Return what a share of samples stands for, of pairs that are no links."""
    return AS_COUNTED if shown == THE_POSTERIOR else shown.unlinked(UNLINKED)


def learn_shown(mixture: Mixture, links: MentionLinks, event: Indices) -> Shown:
    """Return how far to trust the posterior and the pair model, given the true event of each mention."""
    left, right = mixture.possible()
    probability = mixture.probabilities(left, right)
    found = probability > 0
    left, right = left[found], right[found]
    log_odds = log_odds_of(links, left, right, mixture.customers)
    return Shown.fitted(probability[found], log_odds, event[left] == event[right])


def log_odds_of(links: MentionLinks, left: Indices, right: Indices, mentions: int) -> Floats:
    """Return the log-odds of pairs with left < right by their links, and `UNLINKED` for those without."""
    i, j = links.pairs.i.astype(np.int64), links.pairs.j
    keys = np.minimum(i, j) * mentions + np.maximum(i, j)
    del i
    order = np.argsort(keys)
    keys, scores = np.append(keys[order], -1), np.append(logit(links.similarity[order]), UNLINKED)
    del order
    found = np.empty(len(left))
    for start in range(0, len(left), _CHUNK):
        part = slice(start, start + _CHUNK)
        wanted = left[part].astype(np.int64) * mentions + right[part]
        at = np.searchsorted(keys[:-1], wanted)
        found[part] = np.maximum(np.where(keys[at] == wanted, scores[at], UNLINKED), UNLINKED)
    return found
