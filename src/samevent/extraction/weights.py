"""The weights of the extractor, and the potentials that features and weights make.

The score of a segment is the sum of the weights of its own features, of the features of its tokens by their place (the
head, any, the first, the last), of the mean of its word vectors, and of what an encoder says of its tokens by their
place. Kind *other* scores 0: all else is relative to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.extraction.features import Features
from samevent.extraction.semicrf import Floats, Marginals, Potentials

HEAD, ANY, FIRST, LAST = range(4)
PLACES = 4
"""Places of a token in a segment; each has its own weights."""
NEGLIGIBLE = 1e-9
"""Segments below this probability are skipped in gradients; nearly all are."""


class Weights(NamedTuple):
    """One array per sort of weights; columns are places and kinds, kinds alone, or kinds after kinds."""

    token: Floats
    """By feature; place, kind."""
    segment: Floats
    """By feature; kind."""
    vector: Floats
    """By dimension; place, kind."""
    phrase: Floats
    """By dimension; kind."""
    context: Floats
    """By column; place, kind."""
    transitions: Floats

    @classmethod
    def zeros(cls, tokens: int, segments: int, vector: int, phrase: int, context: int, kinds: int) -> Weights:
        """Return zero weights of these sizes; with dimension 0 word vectors or context are not used."""
        return cls(
            np.zeros((tokens, PLACES * kinds)),
            np.zeros((segments, kinds)),
            np.zeros((vector, PLACES * kinds)),
            np.zeros((phrase, kinds)),
            np.zeros((context, PLACES * kinds)),
            np.zeros((kinds + 2, kinds + 2)),
        )

    def flat(self) -> Floats:
        """Return all weights as one vector."""
        return np.concatenate([part.ravel() for part in self])

    def shaped(self, flat: Floats) -> Weights:
        """Return weights of the same sizes from one vector."""
        edges = np.cumsum([part.size for part in self])[:-1]
        parts = np.split(flat, edges)
        return Weights(*(part.reshape(own.shape) for part, own in zip(parts, self, strict=True)))


def potentials(features: Features, weights: Weights, limits: NDArray[np.int64]) -> Potentials:
    """Return the scores of all parts of paths."""
    n, kinds = len(features.token_starts) - 1, len(limits)
    tokens = (features.vectors[:, : len(weights.vector)] @ weights.vector).astype(np.float64)
    tokens += features.context[:, : len(weights.context)] @ weights.context
    _gather(tokens, features.token_starts, features.token_features, weights.token)
    phrases = (features.vectors[:, : len(weights.phrase)] @ weights.phrase).astype(np.float64)
    longest = len(features.segment_heads) // n if n else 1
    segments = np.zeros((n, longest, kinds))
    _assemble(
        segments, tokens, phrases, features.segment_features, features.segment_heads, weights.segment,
        features.borders)  # fmt: skip
    return Potentials(segments, np.zeros(n), weights.transitions, limits)


def gradient(features: Features, weights: Weights, limits: NDArray[np.int64], error: Marginals) -> Weights:
    """Return the gradient by the weights from the gradient by the potentials."""
    n, kinds = len(features.token_starts) - 1, len(limits)
    out = Weights(*(np.zeros_like(part) for part in weights))
    tokens, phrases = np.zeros((n, PLACES * kinds)), np.zeros((n, kinds))
    _backpropagate(
        error.segments, tokens, phrases, features.segment_features, features.segment_heads, out.segment,
        features.borders)  # fmt: skip
    _scatter(tokens, features.token_starts, features.token_features, out.token)
    out.vector[:] = features.vectors.T[: len(out.vector)] @ tokens
    out.context[:] = features.context.T[: len(out.context)] @ tokens
    out.phrase[:] = features.vectors.T[: len(out.phrase)] @ phrases
    out.transitions[:] = error.transitions
    return out


@njit(cache=True)
def _gather(tokens, starts, features, weights):  # type: ignore[no-untyped-def]
    for i in range(len(tokens)):
        for at in range(starts[i], starts[i + 1]):
            if features[at] >= 0:
                for column in range(tokens.shape[1]):
                    tokens[i, column] += weights[features[at], column]


@njit(cache=True)
def _scatter(tokens, starts, features, out):  # type: ignore[no-untyped-def]
    for i in range(len(tokens)):
        for at in range(starts[i], starts[i + 1]):
            if features[at] >= 0:
                for column in range(tokens.shape[1]):
                    out[features[at], column] += tokens[i, column]


@njit(cache=True)
def _assemble(segments, tokens, phrases, features, heads, weights, borders):  # type: ignore[no-untyped-def]
    longest, kinds = segments.shape[1], segments.shape[2]
    any_, mean = np.zeros(kinds), np.zeros(kinds)
    for s in range(len(borders) - 1):
        for t in range(borders[s], borders[s + 1]):
            for k in range(kinds):
                any_[k] = mean[k] = 0
            for length in range(1, min(longest, borders[s + 1] - t) + 1):
                last, row = t + length - 1, t * longest + length - 1
                head = t + heads[row]
                for k in range(kinds):
                    any_[k] += tokens[last, ANY * kinds + k]
                    mean[k] += phrases[last, k]
                    segments[t, length - 1, k] = (
                        any_[k]
                        + mean[k] / length
                        + tokens[head, HEAD * kinds + k]
                        + tokens[t, FIRST * kinds + k]
                        + tokens[last, LAST * kinds + k]
                    )
                for column in range(features.shape[1]):
                    if features[row, column] >= 0:
                        for k in range(kinds):
                            segments[t, length - 1, k] += weights[features[row, column], k]


@njit(cache=True)
def _backpropagate(error, tokens, phrases, features, heads, out, borders):  # type: ignore[no-untyped-def]
    """Propagate the gradient of segments to all terms of `_assemble`."""
    longest, kinds = error.shape[1], error.shape[2]
    for s in range(len(borders) - 1):
        for t in range(borders[s], borders[s + 1]):
            for length in range(1, min(longest, borders[s + 1] - t) + 1):
                last, row = t + length - 1, t * longest + length - 1
                head = t + heads[row]
                for k in range(kinds):
                    e = error[t, length - 1, k]
                    if abs(e) < NEGLIGIBLE:
                        continue
                    tokens[head, HEAD * kinds + k] += e
                    tokens[t, FIRST * kinds + k] += e
                    tokens[last, LAST * kinds + k] += e
                    for i in range(t, t + length):
                        tokens[i, ANY * kinds + k] += e
                        phrases[i, k] += e / length
                    for column in range(features.shape[1]):
                        if features[row, column] >= 0:
                            out[features[row, column], k] += e
