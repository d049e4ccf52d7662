"""From the probabilities of segments to mentions that do not overlap.

Several spans may refer to one event (*driving*, *drunk driving*), each with its own probability, all with the same
head. So the probability that a word heads a mention of a kind is the sum over all segments that it heads, and its
mention is the most probable of these. Words are processed in order of probability: a word whose span overlaps that of a
more probable one takes what remains of its own, or nothing. Mentions of one kind never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.extraction.semicrf import Floats

FLOOR = 1e-6
"""Words with a lower probability head no mention."""

_WEEKDAY = re.compile(r"(mon|tue|wed|thu|fri|sat|sun)(s|nes|rs|ur)?(day)?", re.IGNORECASE)
_MONTH, _DAY = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b[ .]*", r"\d\d?(st|nd|rd|th)?\b *"
_DATE = re.compile(rf"{_MONTH}{_DAY}|{_DAY}(of )?{_MONTH}", re.IGNORECASE)


class Candidates(NamedTuple):
    """Mentions of one kind that do not overlap, in the order of the text."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    head: NDArray[np.int64]
    probability: Floats
    """The probability that the head word heads a mention of this kind."""


def decode(segments: Floats, heads: NDArray[np.int8], limit: int, borders: NDArray[np.int64]) -> Candidates:
    """Return the mentions of one kind from the probabilities of its segments by start and length.

    `heads` is the distance of the head of each segment from its start.
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


def merge_dates(times: Candidates, words: Sequence[str], borders: NDArray[np.int64]) -> Candidates:
    """Merge a weekday and the date after it into one time: *Thursday, Nov 10th, 2011*.

    Where the parser attaches the date elsewhere, the model may see two times; ECB+ always annotates one. The merged
    time keeps the higher probability. `borders` are those of the sentences.
    """
    start, end, probability = times.start, times.end.copy(), times.probability.copy()
    kept = np.ones(len(start), np.bool_)
    for i in range(len(start) - 1, 0, -1):
        before, comma = i - 1, end[i - 1]
        if (
            start[i] == comma + 1
            and words[comma] == ","
            and _WEEKDAY.fullmatch(words[comma - 1])
            and _DATE.match(" ".join(words[start[i] : end[i]]))
            and comma + 1 not in borders
        ):
            end[before], probability[before] = end[i], max(probability[before], probability[i])
            kept[i] = False
    return Candidates(start[kept], end[kept], times.head[kept], probability[kept])


@njit(cache=True)
def _pool(segments, heads, limit, borders, probability, first, last):  # type: ignore[no-untyped-def]
    """Fill in the probability that each token heads a mention, and the borders of its sentence."""
    for s in range(len(borders) - 1):
        for a in range(borders[s], borders[s + 1]):
            first[a], last[a] = borders[s], borders[s + 1]
            for length in range(1, min(limit, last[a] - a) + 1):
                probability[a + heads[a * segments.shape[1] + length - 1]] += segments[a, length - 1]


@njit(cache=True)
def _best_first(order, segments, heads, limit, first, last, start, end, taken):  # type: ignore[no-untyped-def]
    """Fill in the span of the mention that each token heads; the end is 0 where there is none.

    Mentions stay within their sentence, so one `order` serves all sentences.
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
