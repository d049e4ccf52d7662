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
    start, end, probability = _best_first(np.ascontiguousarray(segments), heads, limit, borders, FLOOR)
    head = np.flatnonzero(end)
    return Candidates(start[head], end[head], head, np.minimum(probability[head], 1))


@njit(cache=True)
def _best_first(segments, heads, limit, borders, floor):  # type: ignore[no-untyped-def]
    """Return the span of the mention that each token heads; it ends at 0 where there is none."""
    n, longest = segments.shape
    probability = np.zeros(n)
    start, end = np.zeros(n, np.int64), np.zeros(n, np.int64)
    taken = np.zeros(n, np.bool_)
    for s in range(len(borders) - 1):
        first, last = borders[s], borders[s + 1]
        for a in range(first, last):
            for length in range(1, min(limit, last - a) + 1):
                probability[a + heads[a * longest + length - 1]] += segments[a, length - 1]
        for place in np.argsort(-probability[first:last], kind="mergesort"):
            h = first + place
            if probability[h] < floor:
                break
            best = 0.0
            for a in range(h, max(first, h - limit + 1) - 1, -1):
                if taken[a]:
                    break
                for b in range(h + 1, min(last, a + limit) + 1):
                    if taken[b - 1]:
                        break
                    if a + heads[a * longest + b - a - 1] == h and segments[a, b - a - 1] > best:
                        best, start[h], end[h] = segments[a, b - a - 1], a, b
            taken[start[h] : end[h]] = True
    return start, end, probability
