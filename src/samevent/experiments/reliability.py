"""Whether probabilities are true: of the pairs shown with .9, nine in ten should refer to the same event.

Everything here is arrays: pairs with their probabilities, gold labels, and the groups (topics or documents) that a
bootstrap draws. A pair within a group counts as often as its group is drawn, a pair across groups as often as both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.experiments.scores import interval
from samevent.partitions.posterior import Posterior
from samevent.seeds import stream

Integers = NDArray[np.integer]
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

BINS = 10
SURE = 0.95
"""Pairs above this probability are taken for certain by people who read them."""
DRAWS = 500
_UNKNOWN = -1
"""The gold label of a mention that the gold corpus does not have."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Pairs of mentions: P(same event), whether they are the same event, and the groups of both."""

    probability: Floats
    same: Booleans
    first: Integers
    second: Integers

    def __len__(self) -> int:
        return len(self.same)

    def __getitem__(self, which: Booleans) -> JudgedPairs:
        return JudgedPairs(self.probability[which], self.same[which], self.first[which], self.second[which])


def judged(
    i: Integers,
    j: Integers,
    probability: Floats,
    gold: Integers,
    group: Integers,
    chained: Booleans | None = None,
) -> JudgedPairs:
    """Return pairs of rows with their probabilities; pairs of mentions without a gold label are left out.

    With `chained`, so are pairs of two mentions that are both outside it.

    >>> zero, one = np.array([0]), np.array([1])
    >>> judged(zero, one, np.array([0.5]), np.array([3, 3]), np.array([0, 0])).same.tolist()
    [True]
    """
    known = (gold[i] != _UNKNOWN) & (gold[j] != _UNKNOWN)
    if chained is not None:
        known &= chained[i] | chained[j]
    i, j = i[known], j[known]
    return JudgedPairs(probability[known], gold[i] == gold[j], group[i], group[j])


def possible_pairs(posterior: Posterior) -> tuple[Integers, Integers]:
    """Return the pairs of customers with P(same cluster) > 0, sorted.

    >>> low, high = possible_pairs(Posterior(samples=[[0, 0, 1], [0, 1, 1]]))
    >>> list(zip(low.tolist(), high.tolist(), strict=True))
    [(0, 1), (1, 2)]
    """
    low, high = posterior.possible()
    positive = posterior.probabilities(low, high) > 0
    return low[positive], high[positive]


def _together(labels: Integers) -> NDArray[np.int64]:
    """Return the keys of all pairs with the same label."""
    n = len(labels)
    parts = [np.empty(0, np.int64)]
    for members in clusters_of(labels):
        a, b = np.triu_indices(len(members), 1)
        parts.append(members[a].astype(np.int64) * n + members[b])
    return np.concatenate(parts)


def clusters_of(labels: Integers) -> Iterator[Integers]:
    """Yield the members of each cluster of two or more, ascending."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order])) + 1
    return (members for members in np.split(order, starts) if len(members) > 1)


def reliability(pairs: JudgedPairs, *, groups: int, seed: int = 0) -> dict[str, Any]:
    """Return the reliability table, the expected calibration error and the share of sure pairs that is true.

    The error (ECE) is the distance between the mean probability of an interval and the share of its pairs that is true,
    averaged over all pairs. Intervals are from draws of groups.
    """
    sums = _sums(pairs, np.ones(len(pairs)))
    weights = [_pair_weights(pairs, times) for times in _draws(groups, seed)] if groups > 1 else []
    drawn = [_sums(pairs, each) for each in weights]
    sure = pairs.probability > SURE
    sure_drawn = [
        float(np.average(pairs.same[sure], weights=each[sure])) for each in weights if each[sure].any()
    ]
    count = int(sure.sum())
    return {
        "pairs": len(pairs),
        "same": int(pairs.same.sum()),
        "ece": _error(sums),
        "ece_interval": interval(np.array([_error(each) for each in drawn])) if drawn else None,
        "brier": float(np.mean((pairs.probability - pairs.same) ** 2)) if len(pairs) else 0.0,
        "bins": [
            {
                "low": k / BINS,
                "high": (k + 1) / BINS,
                "pairs": int(size),
                "said": float(said / size),
                "true": float(true / size),
            }
            for k, (size, said, true) in enumerate(sums.T)
            if size
        ],
        "above_95": {
            "pairs": count,
            "same": int(pairs.same[sure].sum()),
            "true": float(pairs.same[sure].mean()) if count else None,
            "interval": interval(np.array(sure_drawn)) if sure_drawn else None,
        },
    }


def _sums(pairs: JudgedPairs, weight: Floats) -> Floats:
    """Return the total weight, probability and truth of the pairs of each interval."""
    number = np.minimum((pairs.probability * BINS).astype(np.int64), BINS - 1)
    values = (weight, weight * pairs.probability, weight * pairs.same)
    return np.stack([np.bincount(number, value, minlength=BINS) for value in values])


def _error(sums: Floats) -> float:
    size, said, true = sums
    return float(np.abs(said - true).sum() / size.sum()) if size.any() else 0.0


def _pair_weights(pairs: JudgedPairs, times: Integers) -> Floats:
    first, second = times[pairs.first], times[pairs.second]
    weight: Floats = np.where(pairs.first == pairs.second, first, first * second).astype(np.float64)
    return weight


def _draws(count: int, seed: int) -> Iterator[Integers]:
    """Yield how often each group is drawn."""
    picks = stream(seed, "reliability", count).integers(count, size=(DRAWS, count))
    return (np.bincount(row, minlength=count) for row in picks)


def event_reliability(
    labels: Integers, shown: Floats, gold: Integers, chained: Booleans | None = None
) -> dict[str, Any]:
    """Return how many events are pure, by the probability they are shown with.

    `shown` has the probability of each mention's event. An event counts if two of its mentions have a gold label
    (and, if it is given, one of these is in `chained`), and is pure if all that have one refer to the same event.
    """
    probability, pure = [], []
    for members in clusters_of(labels):
        known = members[gold[members] != _UNKNOWN]
        if len(known) > 1 and (chained is None or chained[known].any()):
            probability.append(float(shown[members[0]]))
            pure.append(bool((gold[known] == gold[known[0]]).all()))
    return _event_table(np.array(probability), np.array(pure, np.bool_))


def _event_table(probability: Floats, pure: Booleans) -> dict[str, Any]:
    nobody = np.zeros(len(pure), np.int64)
    sums = _sums(JudgedPairs(probability, pure, nobody, nobody), np.ones(len(pure)))
    return {
        "events": len(pure),
        "pure": float(pure.mean()) if len(pure) else None,
        "ece": _error(sums),
        "bins": [
            {
                "low": k / BINS,
                "high": (k + 1) / BINS,
                "events": int(size),
                "said": float(said / size),
                "pure": float(true / size),
            }
            for k, (size, said, true) in enumerate(sums.T)
            if size
        ],
    }


def inside_clusters(posterior: Posterior, labels: Integers) -> tuple[Integers, Integers, Floats]:
    """Return all pairs of mentions that an answer puts into one event, with P(same event)."""
    n = len(labels)
    keys = _together(labels)
    low, high = keys // n, keys % n
    return low, high, posterior.probabilities(low, high)
