"""A weekday and the date behind it are one time: *Thursday, Nov 10th, 2011*.

Where the parser attaches such a date to something else, the model may see two times. Those who annotated ECB+ never
did: the comma between a weekday and its date divides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samevent.extraction.decoding import Candidates

_WEEKDAY = re.compile(r"(mon|tue|wed|thu|fri|sat|sun)(s|nes|rs|ur)?(day)?", re.IGNORECASE)
_MONTH, _DAY = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b[ .]*", r"\d\d?(st|nd|rd|th)?\b *"
_DATE = re.compile(rf"{_MONTH}{_DAY}|{_DAY}(of )?{_MONTH}", re.IGNORECASE)


def whole_dates(times: Candidates, words: Sequence[str], borders: NDArray[np.int64]) -> Candidates:
    """Return times with each weekday joined to the date behind it.

    `borders` are those of the sentences. Which of the two probabilities is the greater is that of both.
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
