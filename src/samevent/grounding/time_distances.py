"""Times by their distance from the document, and how long something takes."""

from __future__ import annotations

import re
from datetime import date

from samevent.corpus import When
from samevent.grounding import calendar
from samevent.grounding.calendar import Interval, shifted
from samevent.grounding.numbers import SMALL
from samevent.grounding.time_words import (
    NUMBER,
    REMAINING,
    UNIT,
    ZONE,
    Context,
    is_clock,
    part_of,
    when_of,
)

_AGO = re.compile(
    rf"\b{NUMBER}(?: and a half)? {UNIT}(?P<half> and a half)? (?P<to>ago|from now|earlier this)"
)
_IN = re.compile(rf"(?:with)?in {NUMBER} {UNIT}")
_SPAN = re.compile(rf"\b(?P<side>last|past|next|coming|recent)(?: {NUMBER})? {UNIT}(?P<two> or (?:two|so))?")
_LONG = re.compile(rf"\b{NUMBER}(?:[ -](?P<half>1/2|and a half))?[ -]{UNIT}(?P<half_more> and a half)?")
_WITH_CLOCK = re.compile(rf"\d\s?(?:[ap]\.?m|:|{ZONE})")
_VAGUE = {"few": (2, 5), "several": (3, 9), "couple": (2, 2)}
_DAYS = {"night": 1, "day": 1, "week": 7, "month": 30, "year": 365, "decade": 3652, "centur": 36525}
_CODES = {
    "second": "T{}S", "minute": "T{}M", "hour": "T{}H", "night": "{}D", "day": "{}D", "week": "{}W", "month": "{}M",
    "year": "{}Y", "decade": "{}0Y", "centur": "{}00Y",
}  # fmt: skip
_VAGUE_TIMES = re.compile(
    r"\b(?:time|times|again|annual(?:ly)?|weekly|daily|monthly|yearly|hourly|once|twice|every|each|season|-time)\b"
)
_RECENT = 30
"""*Recently* is within so many days."""


def near_day(context: Context) -> When | None:
    """Resolve *today*, *yesterday*, *tomorrow* and their like."""
    anchor = context.anchor
    if anchor is None:
        return None
    for pattern, days in _NEAR_DAYS:
        if pattern.search(context.text):
            return when_of((shifted(anchor, days),) * 2)
    if re.search(r"\b(?:recently|lately|in recent (?:days|weeks))\b", context.text):
        return when_of((shifted(anchor, -_RECENT), anchor))
    return None


_NEAR_DAYS = tuple(
    (re.compile(pattern), days)
    for pattern, days in (
        (r"\bday before yesterday\b", -2),
        (r"\bday after tomorrow\b", 2),
        (r"\byesterday\b|\blast night\b|\b(?:previous|last) evening\b", -1),
        (r"\btomorrow\b", 1),
        (r"\btoday\b|\btonight\b|\bthis (?:very )?(?:early |late )?(?:morning|afternoon|evening)\b", 0),
        (
            r"^(?:right |just |even )?now\b|^currently\b|^at (?:the moment|present)\b|\bearlier in the day\b",
            0,
        ),
        (r"\blater in the day\b", 0),
    )
)


def calendar_unit(context: Context) -> When | None:
    """Resolve *last week*, *this month*, *next year*, *earlier this year*, *the current decade*."""
    match = re.search(
        r"\b(?P<which>last|next|this|previous|coming|current|past)(?: calendar| fiscal)? "
        r"(?P<unit>week|month|quarter|year|decade|century)\b",
        context.text,
    )
    anchor = context.anchor
    if anchor is None:
        return None
    if not match:
        match = re.search(r"\b(?P<which>earlier in) the (?P<unit>week|month|year)\b", context.text)
    if not match and context.tense != "past":
        match = re.search(r"\b(?P<which>end) of the (?P<unit>week|month|year)\b", context.text)
    if not match:
        return None
    if re.search(r"\b(?:over|in|within|during|for) the (?:last|past) ", context.text):
        return when_of((shifted(anchor, -_DAYS.get(match["unit"].removesuffix("y"), 91)), anchor))
    shift = {"last": -1, "previous": -1, "past": -1, "next": 1, "coming": 1}.get(match["which"], 0)
    span = _unit_of(match["unit"], anchor, shift)
    if re.search(r"\bearlier\b|\bso far\b", context.text) and shift == 0:
        span = span[0], anchor
    elif re.search(r"\blater\b", context.text) and shift == 0:
        span = anchor, span[1]
    return when_of(part_of(context.text, span))


def _unit_of(unit: str, anchor: date, shift: int) -> Interval:
    if unit == "week":
        return calendar.week(shifted(anchor, 7 * shift))
    if unit == "month":
        return calendar.month(anchor.year, anchor.month + shift)
    if unit == "quarter":
        return calendar.months(anchor.year, (anchor.month - 1) // 3 * 3 + 1 + 3 * shift, 3)
    size = {"year": 1, "decade": 10, "century": 100}[unit]
    first = (anchor.year // size + shift) * size
    return date(first, 1, 1), date(first + size - 1, 12, 31)


def _count(match: re.Match[str]) -> tuple[float, float]:
    """Return the lowest and highest number that a phrase may mean."""
    words = match["number"].removeprefix("a ").removesuffix(" of")
    if words in _VAGUE:
        return _VAGUE[words]
    if words in ("a", "an"):
        return 1, 1
    number = float(SMALL[words]) if words in SMALL else float(words.replace(",", ""))
    return number, number


def ago(context: Context) -> When | None:
    """Resolve *two weeks ago*, *a few days ago*, *in three days*, *three days from now*."""
    anchor, text = context.anchor, context.text
    match = _AGO.search(text)
    sign = -1 if match and match["to"] != "from now" else 1
    if not match and context.tense == "future":
        match = _IN.fullmatch(text)
    if not match or anchor is None:
        return None
    least, most = _count(match)
    unit = match["unit"]
    if most * _DAYS.get(unit, 1) > 700_000:
        return None
    if unit in ("second", "minute", "hour"):
        days = int(most * {"second": 1, "minute": 60, "hour": 3600}[unit] // 86400) + 1
        return when_of((shifted(anchor, -days), anchor) if sign < 0 else (anchor, shifted(anchor, days)))
    if least == most:
        steps = sign * int(least)
        if unit == "month":
            return when_of(calendar.month(anchor.year, anchor.month + steps))
        if unit in ("year", "decade", "centur"):
            step = {"year": 1, "decade": 10, "centur": 100}[unit]
            year = anchor.year + steps * step
            around = 0 if unit == "year" else step // 2
            return when_of((date(max(year - around, 1), 1, 1), date(min(year + around, 9999), 12, 31)))
        around = 3 if unit == "week" else 0
        middle = shifted(anchor, steps * _DAYS[unit])
        return when_of((shifted(middle, -around), shifted(middle, around)))
    ends = sorted(shifted(anchor, sign * int(count * _DAYS[unit])) for count in (least, most))
    return when_of((ends[0], ends[1]))


def past_span(context: Context) -> When | None:
    """Resolve *over the last eight years*, *in the past few days*, *in the next two weeks*, *in recent years*."""
    match = _SPAN.search(context.text)
    anchor = context.anchor
    if not match or anchor is None or match["unit"] not in _DAYS:
        return None
    most = _count(match)[1] if match["number"] else 2 if match["two"] else 5
    days = int(min(most * _DAYS[match["unit"]], 700_000))
    if match["side"] in ("next", "coming"):
        return when_of((anchor, shifted(anchor, days)))
    return when_of((shifted(anchor, -days), anchor))


def duration(context: Context) -> When | None:
    """Resolve *for three weeks*, *less than a month*, *2 1/2 hours*, *week-long*, but not *two days later*."""
    text = context.text
    if long := re.search(r"(?<!-)\b(?P<unit>hour|day|week|month|year|decade)-?long\b", text):
        return When(duration=f"P{_CODES[long['unit']].format(1)}")
    if half := re.search(
        r"\bhalf(?:[ -]an?)?[ -](?P<unit>hour|day|year|decade|century)\b(?! ago| later)", text
    ):
        return When(duration=f"P{_HALVES[half['unit']]}")
    if both := re.search(r"\b(\d+) hours?(?:,| and)? (\d+) minutes?\b", text):
        return None if REMAINING.search(text) else When(duration=f"PT{int(both[1])}H{int(both[2])}M")
    match = _LONG.search(text)
    if not match or re.search(
        r"\b(?:after|later|before|earlier|following|prior|old|from|ago|to go|to play)\b|-old\b|'s\b", text
    ):
        return None
    if (
        match["number"] in ("a few", "several", "few")
        or _VAGUE_TIMES.search(text)
        or text.startswith(("the second", "on a ", "on one "))
    ):
        return None
    number, unit, more = _count(match)[0], match["unit"], bool(match["half"] or match["half_more"])
    if number != int(number) or number > 9999 or (more and unit not in _WITH_HALF):
        return None
    code = _CODES[unit].format(int(number))
    if more:
        code = _WITH_HALF[unit].format(int(number))
    return When(duration=f"P{code}")


_WITH_HALF = {"minute": "T{}M30S", "hour": "T{}H30M", "year": "{}Y6M"}
_HALVES = {"hour": "T30M", "day": "T12H", "year": "6M", "decade": "5Y", "century": "50Y"}


def time_of_day(context: Context) -> When | None:
    """Resolve *5:12 a.m.*: today or yesterday; of what is to come, today or tomorrow."""
    if (
        context.anchor is None
        or not is_clock(context.text)
        or context.text.startswith(("until", "till", "since"))
    ):
        return None
    if re.search(
        r"\b(?:that|the (?:next|following|same)|every|each|two|\d+|nights)\b (?:morning|night|evening|afternoon)?",
        context.text,
    ) and not _WITH_CLOCK.search(context.text):
        return None
    if context.tense == "future":
        return when_of((context.anchor, shifted(context.anchor, 1)))
    return when_of((shifted(context.anchor, -1), context.anchor))
