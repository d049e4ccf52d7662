"""What the tagger of a contextual encoder says about tokens, as columns for the extractor.

Each token has the log-odds that it belongs to a mention of each kind, and that a mention starts with it; its own and
those of its neighbours, because a segment ends where the next token starts another one or belongs to none. Further
columns are the log-odds of each class, if the token belongs to an action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import EVENT_CLASSES, KINDS, Kind
from samevent.language.encoder.tagging import TAGS

Scores = NDArray[np.float32]

TAGS_OF_KIND: Mapping[Kind, tuple[str, ...]] = {
    "action": EVENT_CLASSES,
    "participant": ("human", "non-human"),
    "time": ("time",),
    "location": ("location",),
}
"""The tags that tokens of each kind of mention have; the rest is none."""

_KIND_TAGS = ("none", *(tag for kind in KINDS for tag in TAGS_OF_KIND[kind]))
_START = TAGS.index("start")
_LARGEST = 8.0
"""Log-odds beyond this say no more."""
_UNIT = 1.5
"""Columns are log-odds divided by this, so that their weights are regularised like those of other features."""

CONTEXT_COLUMNS = 3 * (len(KINDS) + 1) + len(EVENT_CLASSES)


def context_columns(tags: Scores, borders: NDArray[np.int64]) -> Scores:
    """Return the columns of each token; `borders` are those of the sentences."""
    probability = dict(zip(_KIND_TAGS, _shares(tags, _KIND_TAGS).T, strict=True))
    kinds = np.stack([sum(probability[tag] for tag in TAGS_OF_KIND[kind]) for kind in KINDS], axis=1)
    own = np.concatenate([_log_odds(kinds), _clipped(tags[:, [_START]])], axis=1)
    before, after = np.roll(own, 1, axis=0), np.roll(own, -1, axis=0)
    full = np.diff(borders) > 0
    # Beyond a sentence there is nothing: no mention, and another one may start.
    before[borders[:-1][full]] = after[borders[1:][full] - 1] = [-_LARGEST] * len(KINDS) + [0.0]
    classes = _log_odds(_shares(tags, EVENT_CLASSES))
    return (np.concatenate([own, before, after, classes], axis=1) / _UNIT).astype(np.float32)


def _shares(tags: Scores, names: Sequence[str]) -> NDArray[np.float64]:
    """Return the probability of each of some tags, if a token has one of them."""
    scores = tags[:, [TAGS.index(name) for name in names]].astype(np.float64)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    least = np.exp(-_LARGEST)
    p = np.clip(probability, least, 1 - least)
    return np.asarray(np.log(p / (1 - p)))


def _clipped(scores: Scores) -> Scores:
    return np.clip(scores, -_LARGEST, _LARGEST)
