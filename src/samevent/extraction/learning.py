"""Learning the weights: softmax-margin (or plain maximum likelihood) with L2 regularisation, minimised by AdaGrad.

Softmax-margin (Gimpel & Smith 2010, used for segments by Yang & Cardie 2014) adds to the score of each path the cost of
its errors, so that costly errors must be beaten by a margin: the loss of a sentence is the log of the sum over paths of
exp(score + cost), minus the score of the gold path. The cost is a sum over segments.

A batch is a small text whose features are numbered among themselves, so that a step touches the weights of these
features only. Each weight is regularised in proportion in the batches that touch it, so that a whole round regularises
every weight once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.extraction.features import Features, select_sentences
from samevent.extraction.gold import Segment
from samevent.extraction.semicrf import OTHER, Floats, Marginals, marginals
from samevent.extraction.weights import Weights, gradient, potentials
from samevent.seeds import stream

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of each wrong segment of a path."""

    boundary: float = 1.0
    """A segment that overlaps a gold one of its kind, but has other borders."""
    kind: float = 1.0
    """A segment with the borders of a gold one, but another kind."""
    spurious: float = 1.0
    """Any other wrong segment."""
    missed: float = 1.0
    """A gold segment covered by *other*, shared among its tokens."""


LIKELIHOOD = Cost(0, 0, 0, 0)
"""Plain maximum likelihood."""


class GoldPath(NamedTuple):
    """The gold path of a text, and the cost of leaving it."""

    segments: Floats
    """1 for the gold segments, in the shape of the potentials."""
    transitions: Floats
    """How often the gold path takes each."""
    segment_cost: NDArray[np.float32]
    other_cost: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningSettings:
    """The objective and the optimiser."""

    cost: Cost = field(default_factory=Cost)
    regularisation: float = 100.0
    """L2 strength per weight, relative to the sum over all sentences."""
    rounds: int = 12
    rate: float = 0.15
    """Step size; it falls to a tenth in the last round."""
    batch: int = 8
    """Sentences per batch."""
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some sentences, with their features numbered among themselves."""

    features: Features
    gold: GoldPath
    tokens: NDArray[np.int64]
    """The rows of the weights of its token features."""
    segments: NDArray[np.int64]

    def own(self, weights: Weights) -> Weights:
        """Return a copy of the weights that the batch touches."""
        return weights._replace(token=weights.token[self.tokens], segment=weights.segment[self.segments])

    def put(self, weights: Weights, own: Weights) -> None:
        """Write the weights of the batch back."""
        weights.token[self.tokens], weights.segment[self.segments] = own.token, own.segment
        for part, new in zip(weights[2:], own[2:], strict=True):
            part[:] = new


def learn(
    weights: Weights,
    features: Features,
    path: Sequence[Segment],
    limits: NDArray[np.int64],
    settings: LearningSettings,
    progress: Progress = lambda _: None,
) -> None:
    """Change the weights in place so that the gold path becomes probable."""
    batches = _batches(features, path, limits, settings)
    shares = _shares(weights, batches)
    squares = Weights(*(np.full_like(part, 1e-8) for part in weights))
    for number in range(settings.rounds):
        rate = settings.rate * (1 - 0.9 * number / max(1, settings.rounds - 1))
        total = 0.0
        for i in stream(settings.seed, "extractor", number).permutation(len(batches)):
            batch = batches[i]
            shape = batch.own(weights)
            strength = settings.regularisation / batch.own(shares).flat()
            value, gradient = loss(shape.flat(), shape, batch.features, batch.gold, limits, strength)
            sums = batch.own(squares).flat() + gradient**2
            batch.put(weights, shape.shaped(shape.flat() - rate * gradient / np.sqrt(sums)))
            batch.put(squares, shape.shaped(sums))
            total += value
        progress(f"round {number + 1} of {settings.rounds}: loss {total:,.0f}")


def gold_arrays(
    borders: NDArray[np.int64], gold: list[Segment], longest: int, kinds: int, cost: Cost
) -> GoldPath:
    """Return the gold path as arrays; `gold` has its segments except *other*, which do not overlap."""
    n = int(borders[-1])
    segments = np.zeros((n, longest, kinds))
    taken = np.zeros((kinds, n), np.bool_)
    kind_at, starts = np.zeros(n, np.int64), np.zeros(n, np.int64)
    missed = np.zeros(n, np.float32)
    for start, end, kind in gold:
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
    return GoldPath(segments, _count_transitions(borders, kind_at, starts, kinds), costs, missed)


def loss(
    flat: Floats, shape: Weights, features: Features, gold: GoldPath, limits: NDArray[np.int64], l2: Floats
) -> tuple[float, Floats]:
    """Return the objective and its gradient; `l2` is the strength of regularisation for every weight."""
    weights = shape.shaped(flat)
    plain = potentials(features, weights, limits)
    costly = plain._replace(segments=plain.segments + gold.segment_cost, other=plain.other + gold.other_cost)
    totals, expected = marginals(costly, features.borders)
    own = float((plain.segments * gold.segments).sum() + (weights.transitions * gold.transitions).sum())
    error = Marginals(
        expected.segments - gold.segments, expected.other, expected.transitions - gold.transitions
    )
    value = float(totals.sum()) - own + 0.5 * float((l2 * flat) @ flat)
    return value, gradient(features, weights, limits, error).flat() + l2 * flat


def _batches(
    features: Features, path: Sequence[Segment], limits: NDArray[np.int64], settings: LearningSettings
) -> list[Batch]:
    """Divide the sentences into random batches."""
    count, longest = len(features.borders) - 1, int(limits.max())
    order = stream(settings.seed, "batches").permutation(count)
    parts = [np.sort(order[at : at + settings.batch]) for at in range(0, count, settings.batch)]
    starts = [start for start, _, _ in path]
    batches = []
    for part in parts:
        own = select_sentences(features, part.tolist())
        shifted: list[Segment] = []
        for number, at in zip(part, own.borders.tolist(), strict=False):
            first, last = features.borders[number], features.borders[number + 1]
            inside = path[bisect_left(starts, first) : bisect_left(starts, last)]
            shift = at - int(first)
            shifted += [(start + shift, end + shift, kind) for start, end, kind in inside]
        tokens, token_features = _renumber(own.token_features)
        segments, segment_features = _renumber(own.segment_features)
        batches.append(
            Batch(
                own._replace(token_features=token_features, segment_features=segment_features),
                gold_arrays(own.borders, shifted, longest, len(limits), settings.cost),
                tokens,
                segments,
            )
        )
    return batches


def _renumber(features: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct known features, and the features numbered among them; unknown ones stay -1."""
    own, places = np.unique(features, return_inverse=True)
    unknown = int(len(own) > 0 and own[0] < 0)
    return own[unknown:].astype(np.int64), (places.reshape(features.shape) - unknown).astype(np.int32)


def _shares(weights: Weights, batches: Sequence[Batch]) -> Weights:
    """Return the number of batches that touch each weight."""
    counts = Weights(*(np.full_like(part, len(batches)) for part in weights))
    counts.token[:], counts.segment[:] = 0, 0
    for batch in batches:
        counts.token[batch.tokens] += 1
        counts.segment[batch.segments] += 1
    return counts


def _count_transitions(
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
