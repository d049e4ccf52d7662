"""What training minimises: softmax-margin, or plain maximum likelihood, with L2 regularisation.

Softmax-margin (Gimpel & Smith 2010, used for segments by Yang & Cardie 2014) adds to the score of every path what it
would cost to be wrong that way, so that dear mistakes must be beaten by a margin: the loss of a sentence is
log sum over paths of exp(score + cost), less the score of the right path. The cost is a sum over segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.extraction.features import Features
from samevent.extraction.semicrf import OTHER, Floats, Marginals, marginals
from samevent.extraction.weights import Weights, gradient, potentials

Segment = tuple[int, int, int]
"""Start, end and kind."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a path pays for each segment that is not right."""

    boundary: float = 1.0
    """A segment that shares tokens with a right one of its kind, but not its borders."""
    kind: float = 1.0
    """A segment with the borders of a right one, but another kind."""
    spurious: float = 1.0
    """Any other segment that is not right."""
    missed: float = 1.0
    """A right segment under which all is *other*; each token its share."""


LIKELIHOOD = Cost(0, 0, 0, 0)
"""Plain maximum likelihood."""


class Truth(NamedTuple):
    """The right path of a text, and what it costs to leave it."""

    segments: Floats
    """1 for the right segments, in the shape of the potentials."""
    transitions: Floats
    """How often the right path takes each."""
    segment_cost: NDArray[np.float32]
    other_cost: NDArray[np.float32]


def truth(borders: NDArray[np.int64], right: list[Segment], longest: int, kinds: int, cost: Cost) -> Truth:
    """Return the right path as arrays; `right` lists its segments but *other*, which do not overlap."""
    n = int(borders[-1])
    segments = np.zeros((n, longest, kinds))
    taken = np.zeros((kinds, n), np.bool_)
    kind_at, starts = np.zeros(n, np.int64), np.zeros(n, np.int64)
    missed = np.zeros(n, np.float32)
    for start, end, kind in right:
        segments[start, end - start - 1, kind - 1] = 1
        taken[kind - 1, start:end] = True
        kind_at[start:end] = kind
        starts[start:end] = start
        missed[start:end] = cost.missed / (end - start)
    inside = np.concatenate([np.zeros((kinds, 1)), taken.cumsum(axis=1)], axis=1)
    costs = np.full((n, longest, kinds), cost.spurious, np.float32)
    for length in range(1, min(longest, n) + 1):
        shared = inside[:, length:] > inside[:, : n + 1 - length]
        costs[: n + 1 - length, length - 1][shared.T] = cost.boundary
    bounded = segments.any(axis=2)
    costs[bounded] = cost.kind
    costs[segments > 0] = 0
    return Truth(segments, _transitions(borders, kind_at, starts, kinds), costs, missed)


def loss(
    flat: Floats, shape: Weights, features: Features, right: Truth, limits: NDArray[np.int64], l2: Floats
) -> tuple[float, Floats]:
    """Return the objective and its gradient; `l2` is the strength of regularisation for every weight."""
    weights = shape.shaped(flat)
    plain = potentials(features, weights, limits)
    dear = plain._replace(segments=plain.segments + right.segment_cost, other=plain.other + right.other_cost)
    totals, expected = marginals(dear, features.borders)
    own = float((plain.segments * right.segments).sum() + (weights.transitions * right.transitions).sum())
    error = Marginals(
        expected.segments - right.segments, expected.other, expected.transitions - right.transitions
    )
    value = float(totals.sum()) - own + 0.5 * float((l2 * flat) @ flat)
    return value, gradient(features, weights, limits, error).flat() + l2 * flat


def _transitions(
    borders: NDArray[np.int64], kind_at: NDArray[np.int64], starts: NDArray[np.int64], kinds: int
) -> Floats:
    counts = np.zeros((kinds + 2, kinds + 2))
    for first, last in pairwise(borders.tolist()):
        before = kinds + 1
        for t in range(first, last):
            if kind_at[t] == OTHER or starts[t] == t:
                counts[before, kind_at[t]] += 1
                before = int(kind_at[t])
        if first < last:
            counts[before, kinds + 1] += 1
    return counts
