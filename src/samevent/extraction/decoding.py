"""From the probabilities of segments to mentions that do not overlap.

Several spans may tell of one event (*driving*, *drunk driving*), each with its own probability, all with the same
head. So what is asked first is how probable it is that a word heads a mention of a kind, the sum over all segments
that it heads; its mention is the most probable of these. Best first: a word whose span was taken by a more probable
one makes do with what is left of its own, or goes without. Mentions of one kind never overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.extraction.semicrf import Floats

FLOOR = 1e-6
"""Words less probable than this head nothing."""


class Candidates(NamedTuple):
    """Mentions of one kind that do not overlap, in the order of the text."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    head: NDArray[np.int64]
    probability: Floats
    """That the head word heads a mention of this kind."""


def candidates(
    segments: Floats, heads: NDArray[np.int8], limit: int, borders: NDArray[np.int64]
) -> Candidates:
    """Return the mentions of one kind, given the probability of each of its segments by start and length.

    `heads` says how far the head of each segment is from its start.
    """
    segments, n = np.ascontiguousarray(segments), len(segments)
    probability, first, last = np.zeros(n), np.empty(n, np.int64), np.empty(n, np.int64)
    _pool(segments, heads, limit, borders, probability, first, last)
    likely = np.flatnonzero(probability >= FLOOR)
    order = likely[np.argsort(-probability[likely], kind="stable")]
    start, end, taken = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    _best_first(order, segments, heads, limit, first, last, start, end, taken)
    head = np.flatnonzero(end)
    return Candidates(start[head], end[head], head, np.minimum(probability[head], 1))


@njit(cache=True)
def _pool(segments, heads, limit, borders, probability, first, last):  # type: ignore[no-untyped-def]
    """Fill in how probable it is that each token heads a mention, and the borders of its sentence."""
    for s in range(len(borders) - 1):
        for a in range(borders[s], borders[s + 1]):
            first[a], last[a] = borders[s], borders[s + 1]
            for length in range(1, min(limit, last[a] - a) + 1):
                probability[a + heads[a * segments.shape[1] + length - 1]] += segments[a, length - 1]


@njit(cache=True)
def _best_first(order, segments, heads, limit, first, last, start, end, taken):  # type: ignore[no-untyped-def]
    """Fill in the span of the mention that each token heads; it ends at 0 where there is none.

    Mentions never leave their sentence, so one `order` serves all sentences.
    """
    for h in order:
        best = 0.0
        for a in range(h, max(first[h], h - limit + 1) - 1, -1):
            if taken[a]:
                break
            for b in range(h + 1, min(last[h], a + limit) + 1):
                if taken[b - 1]:
                    break
                if a + heads[a * segments.shape[1] + b - a - 1] == h and segments[a, b - a - 1] > best:
                    best, start[h], end[h] = segments[a, b - a - 1], a, b
        for i in range(start[h], end[h]):
            taken[i] = True
