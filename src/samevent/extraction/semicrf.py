"""The semi-Markov CRF: exact sums and maxima over all ways to cut sentences into segments with kinds.

A path cuts a sentence into segments, one after the other. A segment of kind `k` that starts at token `t` and has
`length` tokens scores `segments[t, length - 1, k - 1]`, kinds counted from 1; kind 0 is *other*, always one token
long, and scores `other[t]`. Between kinds there are `transitions`, and an extra row and column of these for the
border of the sentence. The score of a path is the sum, P(path) = exp(score - log Z).

One recursion serves sum and maximum. All sentences of a text lie one after the other in the same arrays; `borders`
says where each starts, with one more for the end. Nothing here knows features or words.
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
    """Scores of everything that a path can be made of."""

    segments: Floats
    """By first token, length less one, kind less one; what reaches beyond a sentence is never looked at."""
    other: Floats
    """By token."""
    transitions: Floats
    """By kind before and kind after; the last row and column stand for the border of the sentence."""
    limits: Indices
    """The most tokens that a segment of each kind has, the kind *other* left out."""


class Marginals(NamedTuple):
    """What is expected of a random path: the gradient of the log partition function."""

    segments: Floats
    """The probability of each segment, in the shape of its potentials."""
    other: Floats
    transitions: Floats
    """How often each transition is expected, summed over all sentences."""


def log_partition(potentials: Potentials, borders: Indices) -> Floats:
    """Return the logarithm of the sum over all paths of each sentence."""
    return _summed(potentials, borders, best=False)[-1]


def marginals(potentials: Potentials, borders: Indices) -> tuple[Floats, Marginals]:
    """Return the log partition function of each sentence and its gradient."""
    ahead, entry, totals = _summed(potentials, borders, best=False)
    found = Marginals(*(np.zeros_like(part) for part in potentials[:3]))
    behind, exit_ = np.empty_like(ahead), np.empty(ahead.shape[1])
    _backward(*potentials, borders, ahead, entry, totals, behind, exit_, *found)
    return totals, found


def best_path(potentials: Potentials, borders: Indices) -> tuple[Floats, list[tuple[int, int, int]]]:
    """Return the score of the best path of each sentence, and all segments but *other* as (start, end, kind)."""
    ahead, entry, totals = _summed(potentials, borders, best=True)
    found = _trace(*potentials, borders, ahead, entry)
    return totals, [(int(start), int(end), int(kind)) for start, end, kind in found]


def path_score(potentials: Potentials, start: int, end: int, path: list[tuple[int, int, int]]) -> float:
    """Return the score of one path of the sentence from `start` to `end`, told by its segments but *other*."""
    border = len(potentials.transitions) - 1
    before, at, score = border, start, 0.0
    for first, last, kind in [*sorted(path), (end, end, border)]:
        for token in range(at, first):
            score += potentials.transitions[before, OTHER] + potentials.other[token]
            before = OTHER
        if first < end:
            score += potentials.segments[first, last - first - 1, kind - 1]
        score += potentials.transitions[before, kind] if start < end else 0.0
        before, at = kind, last
    return float(score)


def _summed(potentials: Potentials, borders: Indices, *, best: bool) -> tuple[Floats, Floats, Floats]:
    """Return sums, or maxima, over paths up to each border between tokens, and over all paths of each sentence.

    The former by the kind that ends there, and by the one that starts there, which after a sentence is its border. The
    end of one sentence and the start of the next need a row each, so sentence `s` has its rows shifted by `s`.
    """
    sentences, kinds = len(borders) - 1, len(potentials.limits) + 1
    rows = len(potentials.other) + sentences
    ahead, entry = np.full((rows, kinds), -np.inf), np.full((rows, kinds + 1), -np.inf)
    _forward(*potentials, borders, best, ahead, entry)
    totals = np.where(np.diff(borders) > 0, entry[borders[1:] + np.arange(sentences), kinds], 0.0)
    return ahead, entry, totals


@njit(cache=True, inline="always")
def _joined(a, b, best):  # type: ignore[no-untyped-def]
    """Add two numbers given by their logarithms, or take the larger."""
    high, low = max(a, b), min(a, b)
    if best or low == -np.inf:
        return high
    return high + np.log1p(np.exp(low - high))


@njit(cache=True)
def _forward(segments, other, transitions, limits, borders, best, ahead, entry):  # type: ignore[no-untyped-def]
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
                    total = _joined(
                        total, entry[row - length, k] + segments[t - length, length - 1, k - 1], best
                    )
                ahead[row, k] = total
            for k in range(kinds) if t < last else range(kinds, kinds + 1):
                total = -np.inf
                for before in range(kinds):
                    total = _joined(total, ahead[row, before] + transitions[before, k], best)
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
    """Fill in the marginals; `behind` are sums over paths from a border on, by the kind that ends there, and `exit_`
    the same at one border by the kind that starts there."""
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
                    total = _joined(total, score, False)
                exit_[k] = total
            for before in range(kinds):
                if t == first:
                    expected[kinds, before] += np.exp(transitions[kinds, before] + exit_[before] - totals[s])
                    continue
                total = -np.inf
                for k in range(kinds):
                    score = transitions[before, k] + exit_[k]
                    expected[before, k] += np.exp(ahead[row, before] + score - totals[s])
                    total = _joined(total, score, False)
                behind[row, before] = total


@njit(cache=True)
def _trace(segments, other, transitions, limits, borders, ahead, entry):  # type: ignore[no-untyped-def]
    """Walk back along the best path; of equals the first kind and the shortest segment win."""
    kinds = len(limits) + 1
    found = np.empty((len(other), 3), np.int64)
    size = 0
    for s in range(len(borders) - 2, -1, -1):
        first, t, after = borders[s], borders[s + 1], kinds
        while t > first:
            row = t + s
            k = int(np.argmax(ahead[row] + transitions[:kinds, after]))
            length = 1
            if k:
                score = np.full(min(limits[k - 1], t - first), -np.inf)
                for i in range(len(score)):
                    score[i] = entry[row - 1 - i, k] + segments[t - 1 - i, i, k - 1]
                length = int(np.argmax(score)) + 1
                found[size, 0], found[size, 1], found[size, 2] = t - length, t, k
                size += 1
            t, after = t - length, k
    return found[:size][::-1]
