"""A tagger of tokens over the states of an encoder that stays as it is.

The encoder's own tagger is learned while the encoder changes, on the topics of one half. This one is fitted afterwards,
on the states of all topics as the encoder of the other half reads them, and also sees the tokens before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from samevent.language.encoder.tagging import KINDS, TAGS, TokenTags

TAGGED = TAGS[: len(KINDS) + 1]
"""The tags that are scored: kinds, and whether a mention starts."""
WINDOW = (0, -1, 1)
"""The places of the tokens that are read, relative to the one that is tagged."""

Floats = NDArray[np.float32]
States = NDArray[np.float16]
Borders = NDArray[np.int64]

_TINY = 1e-6


class TaggedText(NamedTuple):
    """The states of a document's tokens, the borders of its sentences, and what is known about some tokens."""

    states: States
    borders: Borders
    tags: Mapping[int, TokenTags]


@dataclass(frozen=True, eq=False)
class Tagger:
    """Scores that are linear in the states around a token; `weight` has one row per number of the window."""

    mean: Floats
    """The mean state; a token beyond the sentence, or one of which nothing is read, counts as this."""
    weight: Floats
    bias: Floats

    def scores(self, states: States, borders: Borders) -> Floats:
        """Return the scores of `TAGGED`, one row per token; `borders` are those of the sentences."""
        if not states.shape[1]:  # nothing was read
            states = np.zeros((len(states), len(self.mean)), np.float16)
        rows = _window(_centred(states, self.mean), borders, np.arange(len(states)))
        return np.asarray(rows @ self.weight + self.bias, np.float32)

    @cached_property
    def digest(self) -> str:
        """A hash of the weights."""
        content = blake2b(digest_size=16)
        for part in (self.mean, self.weight, self.bias):
            content.update(np.ascontiguousarray(part).tobytes())
        return content.hexdigest()


def fit_tagger(texts: Sequence[TaggedText], *, penalty: float = 0.1, rounds: int = 40) -> Tagger | None:
    """Return the tagger with the least log-loss; None if no tags are known.

    Weights of standardised states are regularised by half their square, times `penalty` for each token.
    """
    known = [text for text in texts if text.tags]
    if not known:
        return None
    inside = np.concatenate([text.states[sorted(text.tags)] for text in known]).astype(np.float32)
    mean, deviation = inside.mean(axis=0), inside.std(axis=0) + np.float32(_TINY)
    rows = np.concatenate(
        [
            _window(_centred(text.states, mean) / deviation, text.borders, np.array(sorted(text.tags)))
            for text in known
        ]
    )
    labels = [text.tags[token] for text in known for token in sorted(text.tags)]
    truth = np.zeros((len(labels), len(TAGGED)), np.float32)
    truth[np.arange(len(labels)), [label.kind for label in labels]] = 1
    truth[:, len(KINDS)] = [label.start for label in labels]
    size, strength = rows.shape[1], penalty * len(rows)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weight, bias = np.split(flat.reshape(size + 1, len(TAGGED)).astype(np.float32), [size])
        probability = _probabilities(rows @ weight + bias)
        error = probability - truth
        right = np.where(truth > 0, probability, 1)
        right[:, len(KINDS)] = 1 - np.abs(error[:, len(KINDS)])
        value = -float(np.log(np.maximum(right, _TINY)).sum(dtype=np.float64))
        gradient = np.vstack([rows.T @ error + np.float32(strength) * weight, error.sum(axis=0)])
        value += 0.5 * strength * float((weight.astype(np.float64) ** 2).sum())
        return value, gradient.ravel().astype(np.float64)

    best = minimize(
        loss, np.zeros((size + 1) * len(TAGGED)), jac=True, method="L-BFGS-B", options={"maxiter": rounds}
    )
    weight, bias = np.split(best.x.reshape(size + 1, len(TAGGED)).astype(np.float32), [size])
    return Tagger(mean, weight / np.tile(deviation, len(WINDOW))[:, None], bias[0])


def _centred(states: States, mean: Floats) -> Floats:
    """Return states relative to their mean; those of which nothing is read are at the mean."""
    return np.where(states.any(axis=1, keepdims=True), states.astype(np.float32) - mean, np.float32(0))


def _window(states: Floats, borders: Borders, tokens: NDArray[np.int64]) -> Floats:
    """Return the states around some tokens, side by side; those beyond the sentence are 0."""
    sentence = np.searchsorted(borders, tokens, side="right")
    first, last = borders[sentence - 1], borders[np.minimum(sentence, len(borders) - 1)]
    parts = []
    for by in WINDOW:
        places = tokens + by
        inside = (places >= first) & (places < last)
        part = np.zeros((len(tokens), states.shape[1]), np.float32)
        part[inside] = states[places[inside]]
        parts.append(part)
    return np.hstack(parts)


def _probabilities(scores: Floats) -> Floats:
    """Return the probabilities of kinds, which exclude one another, and of a start."""
    kinds = np.exp(scores[:, : len(KINDS)] - scores[:, : len(KINDS)].max(axis=1, keepdims=True))
    starts = 1 / (1 + np.exp(-scores[:, len(KINDS) :]))
    return np.asarray(np.hstack([kinds / kinds.sum(axis=1, keepdims=True), starts]), np.float32)
