"""Time expressions as intervals of dates or durations: the order of the rules, and what has times as its parts.

    resolve_time("early on Friday", date(2031, 3, 8), "past")  ->  2031-03-07/2031-03-07

Rules are tried from the most to the least specific, and the first one that applies decides. Some conventions: weeks
begin on Monday; *early*, *mid* and *late* are thirds of a month or year; *two weeks ago* is the week around that day,
*three months ago* that month; a time of day alone is the day of the document or the one before; *since 2010* ends
with the document. What refers to another event (*two days later*) or to no certain time (*again*) is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache

from samevent.corpus import When
from samevent.grounding.calendar import MONTHS, shifted
from samevent.grounding.tense import Tense
from samevent.grounding.time_distances import ago, calendar_unit, duration, near_day, past_span, time_of_day
from samevent.grounding.time_names import (
    day_of_month,
    decade,
    full_date,
    holiday,
    month_name,
    nine_eleven,
    quarter,
    season,
    weekday,
    weekend,
    year,
)
from samevent.grounding.time_words import CLOCK, YEAR, Context, is_address, is_clock, normalised, when_of

_SOME_DAY = date(2000, 6, 15)


@lru_cache(maxsize=16_384)
def resolve_time(text: str, anchor: date | None = None, tense: Tense = "unknown") -> When | None:
    """Return what a time expression means in a text written on the day `anchor`; None if that is unknown.

    >>> str(resolve_time("two weeks ago", date(2031, 3, 31)))
    '2031-03-14/2031-03-20'
    """
    context = Context(normalised(text), anchor, tense)
    if is_address(context.text):
        return None
    try:
        return next((found for rule in _RULES if (found := rule(context))), None)
    except (OverflowError, ValueError):  # before the year 1 or after 9999
        return None


@lru_cache(maxsize=16_384)
def is_time_of_day(text: str) -> bool:
    """Return whether an expression only says what time of the day it was, not which day."""
    text = normalised(text)
    return is_clock(text) and not any(rule(Context(text, _SOME_DAY, "past")) for rule in _DATED)


def _direction(context: Context) -> When | None:
    """Resolve *since May*, *until Friday*, *before 2010*, *by Monday*, *after 3 March*."""
    match = re.match(
        r"(?:ever )?(since|until|till|before|prior to|by|after|as of|following|through) (.+)", context.text
    )
    if not match:
        return None
    word, rest = match.groups()
    if rest.startswith(("then", "that", "this time")):
        return None
    tense: Tense = "past" if word in ("since", "as of") else context.tense
    inner = resolve_time(rest, context.anchor, tense)
    if inner is None or inner.duration or is_time_of_day(rest):
        return None
    if word in ("as of", "through") or (word in ("before", "after") and CLOCK.search(rest)):
        return inner
    if word == "since" and inner.start:
        end = context.anchor.isoformat() if context.anchor else None
        return When(inner.start, end if end and end >= inner.start else None)
    if word in ("after", "following"):
        return When(shifted(date.fromisoformat(inner.end), 1).isoformat()) if inner.end else None
    if word in ("before", "prior to"):
        return When(None, shifted(date.fromisoformat(inner.start), -1).isoformat()) if inner.start else None
    return When(None, inner.end) if inner.end else None


def _range(context: Context) -> When | None:
    """Resolve *from 1995 to 1998*, *between Monday and Friday*, *2001 and 2005*, *from 2008-09*."""
    text = context.text
    if match := _YEARS.fullmatch(text):
        start = int(match["year"])
        end = start - start % 100 + int(match["end"])
        return when_of((date(start, 1, 1), date(end, 12, 31))) if start < end else None
    match = re.match(r"(?:from |between |in )?(.+?) (?:to|through|until|and|-|–) (.+)", text)
    if (
        not match
        or re.search(r"\b(?:a|an|half)$", match[1])
        or not re.search(r"\d|day|" + "|".join(MONTHS), match[2])
    ):
        return None
    ends = [resolve_time(part, context.anchor, context.tense) for part in match.groups()]
    if any(end is None or not end.start or not end.end for end in ends):
        return None
    first, last = (end for end in ends if end)
    return When(first.start, last.end) if first.start and last.end and first.start <= last.end else None


_YEARS = re.compile(rf"(?:the |in |from |during )?{YEAR}-(?P<end>\d\d)")

Rule = Callable[[Context], When | None]
_DATED: tuple[Rule, ...] = (
    full_date, day_of_month, near_day, weekday, weekend, holiday, calendar_unit, year,
)  # fmt: skip
_RULES: tuple[Rule, ...] = (
    _direction, _range, full_date, nine_eleven, day_of_month, holiday, weekend, month_name, near_day, ago, weekday,
    quarter, calendar_unit, past_span, season, decade, year, duration, time_of_day,
)  # fmt: skip
