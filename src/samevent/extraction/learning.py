"""How weights are learned: AdaGrad over small batches of sentences, a fixed number of rounds.

A batch is a small text whose features are numbered among its own, so that a step touches the weights of these
features alone. Each weight is regularised in the batches that touch it, in proportion, so that a whole round
regularises every weight once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samevent.extraction.features import Features, chosen_sentences
from samevent.extraction.objective import Cost, Segment, Truth, loss, truth
from samevent.extraction.weights import Weights
from samevent.seeds import stream

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """What is minimised, and how."""

    cost: Cost = field(default_factory=Cost)
    regularisation: float = 3.0
    """L2, for every weight, against the sum over all sentences."""
    rounds: int = 12
    rate: float = 0.15
    """The length of a step; it falls to a tenth in the last round."""
    batch: int = 8
    """How many sentences make a batch."""
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some sentences, with their features numbered among their own."""

    features: Features
    right: Truth
    tokens: NDArray[np.int64]
    """The rows of the weights that its token features are."""
    segments: NDArray[np.int64]

    def own(self, weights: Weights) -> Weights:
        """Return a copy of the weights that the batch touches."""
        return weights._replace(token=weights.token[self.tokens], segment=weights.segment[self.segments])

    def put(self, weights: Weights, own: Weights) -> None:
        """Write them back."""
        weights.token[self.tokens], weights.segment[self.segments] = own.token, own.segment
        weights.vector[:], weights.phrase[:], weights.transitions[:] = own[2:]


def learn(
    weights: Weights,
    features: Features,
    path: Sequence[Segment],
    limits: NDArray[np.int64],
    settings: Learning,
    progress: Progress = lambda _: None,
) -> None:
    """Change the weights so that the right path becomes probable."""
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
            value, gradient = loss(shape.flat(), shape, batch.features, batch.right, limits, strength)
            seen = batch.own(squares).flat() + gradient**2
            batch.put(weights, shape.shaped(shape.flat() - rate * gradient / np.sqrt(seen)))
            batch.put(squares, shape.shaped(seen))
            total += value
        progress(f"round {number + 1} of {settings.rounds}: loss {total:,.0f}")


def _batches(
    features: Features, path: Sequence[Segment], limits: NDArray[np.int64], settings: Learning
) -> list[Batch]:
    """Deal sentences out at random."""
    count, longest = len(features.borders) - 1, int(limits.max())
    order = stream(settings.seed, "batches").permutation(count)
    parts = [np.sort(order[at : at + settings.batch]) for at in range(0, count, settings.batch)]
    starts = [start for start, _, _ in path]
    batches = []
    for part in parts:
        own = chosen_sentences(features, part.tolist())
        shifted: list[Segment] = []
        for number, at in zip(part, own.borders.tolist(), strict=False):
            first, last = features.borders[number], features.borders[number + 1]
            inside = path[bisect_left(starts, first) : bisect_left(starts, last)]
            shift = at - int(first)
            shifted += [(start + shift, end + shift, kind) for start, end, kind in inside]
        tokens, token_features = _among_own(own.token_features)
        segments, segment_features = _among_own(own.segment_features)
        batches.append(
            Batch(
                own._replace(token_features=token_features, segment_features=segment_features),
                truth(own.borders, shifted, longest, len(limits), settings.cost),
                tokens,
                segments,
            )
        )
    return batches


def _among_own(features: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the known features among these, and these numbered among them; unknown ones stay -1."""
    own, places = np.unique(features, return_inverse=True)
    unknown = int(len(own) > 0 and own[0] < 0)
    return own[unknown:].astype(np.int64), (places.reshape(features.shape) - unknown).astype(np.int32)


def _shares(weights: Weights, batches: Sequence[Batch]) -> Weights:
    """Return in how many batches each weight is touched."""
    counts = Weights(*(np.full_like(part, len(batches)) for part in weights))
    counts.token[:], counts.segment[:] = 0, 0
    for batch in batches:
        counts.token[batch.tokens] += 1
        counts.segment[batch.segments] += 1
    return counts
