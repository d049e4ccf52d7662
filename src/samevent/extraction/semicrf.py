"""The semi-Markov CRF: exact sums over all ways to cut sentences into segments with kinds.

A path cuts a sentence into consecutive segments. A segment of kind `k` that starts at token `t` and has `length` tokens
scores `segments[t, length - 1, k - 1]`, kinds counted from 1; kind 0 is *other*, always one token long, and scores
`other[t]`. `transitions` score pairs of kinds, with an extra row and column for the border of the sentence. The score
of a path is the sum, P(path) = exp(score - log Z).

The sentences of a text are consecutive in the same arrays; `borders` has the start of each, and the end. Nothing here
knows features or words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

OTHER = 0


class Potentials(NamedTuple):
    """Scores of all parts of paths."""

    segments: Floats
    """By first token, length - 1, kind - 1; entries that reach beyond a sentence are never used."""
    other: Floats
    """By token."""
    transitions: Floats
    """By kind before and kind after; the last row and column are the border of the sentence."""
    limits: Indices
    """The maximal length of segments of each kind except *other*."""


class Marginals(NamedTuple):
    """Expected counts under the distribution over paths: the gradient of the log partition function."""

    segments: Floats
    """The probability of each segment, in the shape of its potentials."""
    other: Floats
    transitions: Floats
    """The expected number of each transition, summed over all sentences."""


def marginals(potentials: Potentials, borders: Indices) -> tuple[Floats, Marginals]:
    """Return the log partition function of each sentence and its gradient."""
    # `ahead` and `entry`: sums over paths up to each border between tokens, by the kind that ends there and by the kind
    # that starts there (after a sentence: its border). The end of one sentence and the start of the next need separate
    # rows, so the rows of sentence `s` are shifted by `s`.
    sentences, kinds = len(borders) - 1, len(potentials.limits) + 1
    rows = len(potentials.other) + sentences
    ahead, entry = np.full((rows, kinds), -np.inf), np.full((rows, kinds + 1), -np.inf)
    _forward(*potentials, borders, ahead, entry)
    totals = np.where(np.diff(borders) > 0, entry[borders[1:] + np.arange(sentences), kinds], 0.0)
    expected = Marginals(*(np.zeros_like(part) for part in potentials[:3]))
    behind, exit_ = np.empty_like(ahead), np.empty(ahead.shape[1])
    _backward(*potentials, borders, ahead, entry, totals, behind, exit_, *expected)
    return totals, expected


@njit(cache=True)
def _log_add(a, b):  # type: ignore[no-untyped-def]
    """Return log(exp(a) + exp(b))."""
    high, low = max(a, b), min(a, b)
    if low == -np.inf:
        return high
    return high + np.log1p(np.exp(low - high))


@njit(cache=True)
def _forward(segments, other, transitions, limits, borders, ahead, entry):  # type: ignore[no-untyped-def]
    kinds = len(limits) + 1
    for s in range(len(borders) - 1):
        first, last = borders[s], borders[s + 1]
        if first == last:
            continue
        for k in range(kinds):
            entry[first + s, k] = transitions[kinds, k]
        for t in range(first + 1, last + 1):
            row = t + s
            ahead[row, 0] = entry[row - 1, 0] + other[t - 1]
            for k in range(1, kinds):
                total = -np.inf
                for length in range(1, min(limits[k - 1], t - first) + 1):
                    total = _log_add(total, entry[row - length, k] + segments[t - length, length - 1, k - 1])
                ahead[row, k] = total
            for k in range(kinds) if t < last else range(kinds, kinds + 1):
                total = -np.inf
                for before in range(kinds):
                    total = _log_add(total, ahead[row, before] + transitions[before, k])
                entry[row, k] = total


@njit(cache=True)
def _backward(  # type: ignore[no-untyped-def]
    segments,
    other,
    transitions,
    limits,
    borders,
    ahead,
    entry,
    totals,
    behind,
    exit_,
    probable,
    apart,
    expected,
):
    """Fill in the marginals.

    `behind` has the sums over paths from a border on, by the kind that ends there; `exit_` the same at one border, by
    the kind that starts there.
    """
    kinds = len(limits) + 1
    for s in range(len(borders) - 1):
        first, last = borders[s], borders[s + 1]
        for t in range(last, first - 1, -1):
            if first == last:
                break
            row = t + s
            if t == last:
                for k in range(kinds):
                    behind[row, k] = transitions[k, kinds]
                    expected[k, kinds] += np.exp(ahead[row, k] + transitions[k, kinds] - totals[s])
                continue
            exit_[0] = other[t] + behind[row + 1, 0]
            apart[t] = np.exp(entry[row, 0] + exit_[0] - totals[s])
            for k in range(1, kinds):
                total = -np.inf
                for length in range(1, min(limits[k - 1], last - t) + 1):
                    score = segments[t, length - 1, k - 1] + behind[row + length, k]
                    probable[t, length - 1, k - 1] = np.exp(entry[row, k] + score - totals[s])
                    total = _log_add(total, score)
                exit_[k] = total
            for before in range(kinds):
                if t == first:
                    expected[kinds, before] += np.exp(transitions[kinds, before] + exit_[before] - totals[s])
                    continue
                total = -np.inf
                for k in range(kinds):
                    score = transitions[before, k] + exit_[k]
                    expected[before, k] += np.exp(ahead[row, before] + score - totals[s])
                    total = _log_add(total, score)
                behind[row, before] = total
