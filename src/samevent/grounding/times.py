"""Time expressions as intervals of dates or durations.

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
from typing import NamedTuple

from samevent.corpus import When
from samevent.grounding import calendar
from samevent.grounding.calendar import HOLIDAYS, MONTHS, SEASONS, WEEKDAYS, Interval, shifted
from samevent.grounding.numbers import SMALL
from samevent.grounding.tense import Tense


class _Context(NamedTuple):
    text: str
    anchor: date | None
    tense: Tense


_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"  # noqa: E501
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:])"
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d)(?!\d)"
_WEEKDAY = r"(?P<weekday>(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b"
_NUMBER = (
    rf"(?P<number>\d+(?:[.,]\d+)*|a few|several|a couple(?: of)?|couple(?: of)?|few|an?|{'|'.join(SMALL)})"
)
_UNIT = r"(?P<unit>second|minute|hour|night|day|week|month|year|decade|centur)(?:ies|s|y)?\b"
_VAGUE = {"few": (2, 5), "several": (3, 9), "couple": (2, 2)}
_DAYS = {"night": 1, "day": 1, "week": 7, "month": 30, "year": 365, "decade": 3652, "centur": 36525}
_CODES = {
    "second": "T{}S", "minute": "T{}M", "hour": "T{}H", "night": "{}D", "day": "{}D", "week": "{}W", "month": "{}M",
    "year": "{}Y", "decade": "{}0Y", "centur": "{}00Y",
}  # fmt: skip
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "last": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
_ZONE = r"(?:gmt|utc|bst|cet|[ecmp][sd]?t|local time)\b"
_ABBREVIATIONS = {"hr": "hour", "min": "minute", "sec": "second", "yr": "year", "wk": "week"}
_CLOCK = re.compile(
    r"\b\d\d?(?:[:.]\d\d)?(?:[:.]\d\d)?\s?[ap]\.?\s?m\b|\b\d\d?:\d\d\b|\bnoon\b|\bmidnight\b|\bo'clock\b"
    r"|\b(?:morning|afternoon|evening|night|dawn|dusk|overnight)\b"
    rf"|\b(?:[01]\d|2[0-3])[0-5]\d {_ZONE}"
)
_REMAINING = re.compile(r"\b(?:left|remaining|to go|to play)\b")
"""What a game takes until its end is no time of day: *with 7:42 left*."""
_VAGUE_TIMES = re.compile(
    r"\b(?:time|times|again|annual(?:ly)?|weekly|daily|monthly|yearly|hourly|once|twice|every|each|season|-time)\b"
)
_ADDRESS = re.compile(
    r"(?:\w+ )?\d+ (?:block\b|(?:[a-z]\.? )?(?:\w+ ){1,2}"
    r"(?:street|st|avenue|ave|road|rd|drive|dr|lane|boulevard|blvd|court|highway|trail)\b(?!['’]))"
)
_SOME_DAY = date(2000, 6, 15)
_RECENT = 30
"""*Recently* is within so many days."""


@lru_cache(maxsize=16_384)
def resolve_time(text: str, anchor: date | None = None, tense: Tense = "unknown") -> When | None:
    """Return what a time expression means in a text written on the day `anchor`; None if that is unknown.

    >>> str(resolve_time("two weeks ago", date(2031, 3, 31)))
    '2031-03-14/2031-03-20'
    """
    context = _Context(normalised(text), anchor, tense)
    if is_address(context.text):
        return None
    try:
        return next((found for rule in _RULES if (found := rule(context))), None)
    except (OverflowError, ValueError):  # before the year 1 or after 9999
        return None


def is_address(text: str) -> bool:
    """Return whether a text begins with the number of a house or block: *1915 Birch Street*, *the 2000 block*."""
    return bool(_ADDRESS.match(text.lower()))


@lru_cache(maxsize=16_384)
def is_time_of_day(text: str) -> bool:
    """Return whether an expression only says what time of the day it was, not which day."""
    text = normalised(text)
    return _is_clock(text) and not any(rule(_Context(text, _SOME_DAY, "past")) for rule in _DATED)


def _is_clock(text: str) -> bool:
    return bool(_CLOCK.search(text)) and not _REMAINING.search(text)


@lru_cache(maxsize=16_384)
def normalised(text: str) -> str:
    """Return an expression in small letters, with punctuation where a writer puts it, not a tokeniser.

    >>> normalised("11 : 41 a . m . on Feb . 17 , 2013 / 02"), normalised("1hr 4 mins")
    ('11:41 a.m. on feb. 17, 2013/02', '1 hour 4 minutes')
    """
    text = " ".join(text.lower().replace("’", "'").replace("`", "'").split())
    for pattern, into in _SPACING:
        text = pattern.sub(into, text)
    return text


_SPACING: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), into)
    for pattern, into in (
        (r"\s*([/:])\s*(?=\d)", r"\1"),
        (r"\b([ap])\s?\.\s?m\b(?:\s?\.)?", r"\1.m."),
        (r"(\d)\s*-\s*(?=\w)", r"\1-"),
        (rf"(?<=\w)\s-\s(?={_UNIT})", "-"),
        (r"(?<=\d)\s\.\s(?=\d\d)", "."),
        (r"(?<=\d)[ -]?(hr|min|sec|yr|wk)(s?)\b", lambda match: f" {_ABBREVIATIONS[match[1]]}{match[2]}"),
        (r"\s+([.,]|'(?!\d))", r"\1"),
    )
)


def _when(span: Interval | None) -> When | None:
    return When(span[0].isoformat(), span[1].isoformat()) if span else None


def _direction(context: _Context) -> When | None:
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
    if word in ("as of", "through") or (word in ("before", "after") and _CLOCK.search(rest)):
        return inner
    if word == "since" and inner.start:
        end = context.anchor.isoformat() if context.anchor else None
        return When(inner.start, end if end and end >= inner.start else None)
    if word in ("after", "following"):
        return When(shifted(date.fromisoformat(inner.end), 1).isoformat()) if inner.end else None
    if word in ("before", "prior to"):
        return When(None, shifted(date.fromisoformat(inner.start), -1).isoformat()) if inner.start else None
    return When(None, inner.end) if inner.end else None


def _range(context: _Context) -> When | None:
    """Resolve *from 1995 to 1998*, *between Monday and Friday*, *2001 and 2005*, *from 2008-09*."""
    text = context.text
    if match := re.fullmatch(rf"(?:the |in |from |during )?{_YEAR}-(?P<end>\d\d)", text):
        start = int(match["year"])
        end = start - start % 100 + int(match["end"])
        return _when((date(start, 1, 1), date(end, 12, 31))) if start < end else None
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


def _full_date(context: _Context) -> When | None:
    text = context.text
    for form in _FULL_DATES:
        for match in form.finditer(text):
            parts = match.groupdict()
            year = int(parts["year"]) if len(parts["year"]) == 4 else 2000 + int(parts["year"])
            if "one" in parts:
                span = _numeric(year, int(parts["one"]), int(parts["other"]), context.anchor)
            else:
                number = parts["month"]
                span = calendar.valid(year, MONTHS.get(number[:3]) or int(number), int(parts["day"]))
            if span:
                return _when(span)
    return None


def _numeric(year: int, one: int, other: int, anchor: date | None) -> Interval | None:
    """Resolve 8/2/2013: by what is a date, and if both are, by what is closer to the document's date."""
    spans = [span for span in (calendar.valid(year, one, other), calendar.valid(year, other, one)) if span]
    if len(spans) == 2 and spans[0] != spans[1] and anchor is None:
        return None
    return min(spans, key=lambda span: calendar.distance(span, anchor) if anchor else 0, default=None)


_FULL_DATES = tuple(
    re.compile(form)
    for form in (
        r"\b(?P<year>(?:1[5-9]|20)\d\d)[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)(?!\d)",
        rf"\b{_MONTH}\s*{_DAY},?[\s–-]*{_YEAR}",
        rf"\b{_DAY}(?: of)?[\s-]{_MONTH},?[\s-]*{_YEAR}",
        rf"\b{_DAY}\s{_MONTH}\s'?(?P<year>\d\d)(?![\d:])",
        r"(?<![\d/])(?P<one>\d\d?)[/.-](?P<other>\d\d?)[/.-](?P<year>(?:19|20)?\d\d)(?![\d/])",
    )
)


def _nine_eleven(context: _Context) -> When | None:
    return _when(calendar.valid(2001, 9, 11)) if re.search(r"\b9/11\b", context.text) else None


def _day_of_month(context: _Context) -> When | None:
    """Resolve *March 4*, *the 4th of March*."""
    anchor = context.anchor
    match = re.search(rf"\b{_MONTH}\s*{_DAY}", context.text) or re.search(
        rf"\b(?<!/){_DAY}(?: of)?[\s-]{_MONTH}", context.text
    )
    if not match or anchor is None:
        return None
    number, day = MONTHS[match["month"][:3]], int(match["day"])
    last = re.search(r"\blast (?:year|month)", context.text)
    if last:
        return _when(calendar.valid(anchor.year - ("year" in last[0]), number, day))
    return _when(calendar.nearest(lambda year: calendar.valid(year, number, day), anchor, context.tense))


def _month(context: _Context) -> When | None:
    """Resolve *May 2013*, *last March*, *in September*."""
    anchor, text = context.anchor, context.text
    if match := re.search(rf"\b{_MONTH},?(?: of)? {_YEAR}", text):
        return _when(_part(text, calendar.month(int(match["year"]), MONTHS[match["month"][:3]])))
    match = re.search(
        rf"(?:\b(?P<which>last|past|next|this|previous|coming) )?(?<!')\b{_MONTH}(?![-\w])", text
    )
    if not match or anchor is None:
        return None
    if match["month"] == "may" and not (match["which"] or _IN_MAY.search(text)):
        return None
    number = MONTHS[match["month"][:3]]
    if re.search(r"\b(?:this|last|next) year\b", text) and not match["which"]:
        shift = {"this": 0, "last": -1, "next": 1}[re.search(r"\b(this|last|next) year\b", text)[1]]  # type: ignore[index]
        return _when(_part(text, calendar.month(anchor.year + shift, number)))
    tense: Tense = {
        "next": "future",
        "coming": "future",
        "last": "past",
        "past": "past",
        "previous": "past",
    }.get(match["which"] or "", context.tense)  # type: ignore[assignment]
    if match["which"] in ("last", "past", "previous", "next", "coming") and number == anchor.month:
        shift = -1 if tense == "past" else 1
        return _when(calendar.month(anchor.year + shift, number))
    span = calendar.nearest(lambda year: calendar.month(year, number), anchor, tense)
    return _when(_part(text, span) if span else None)


_IN_MAY = re.compile(r"^may$|\b(?:in|of|since|until|till|by|during|from|around|early|mid|late)[ -]may\b")
"""What shows that *may* is the month."""


def _near_day(context: _Context) -> When | None:
    """Resolve *today*, *yesterday*, *tomorrow* and their like."""
    anchor = context.anchor
    if anchor is None:
        return None
    for pattern, days in _NEAR_DAYS:
        if pattern.search(context.text):
            return _when((shifted(anchor, days),) * 2)
    if re.search(r"\b(?:recently|lately|in recent (?:days|weeks))\b", context.text):
        return _when((shifted(anchor, -_RECENT), anchor))
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


def _weekday(context: _Context) -> When | None:
    match = re.search(
        rf"(?:\b(?P<which>last|past|next|this|previous|coming|the following) )?\b{_WEEKDAY}", context.text
    )
    anchor = context.anchor
    if not match or anchor is None or re.search(r"\b(?:a|an|every|each) " + match["weekday"], context.text):
        return None
    if match["weekday"] in ("sun", "sat", "wed", "mon") and not re.match(
        r"\W*(?:\d|$)", context.text[match.end() :]
    ):
        return None
    number, which = WEEKDAYS[match["weekday"][:3]], match["which"]
    if which == "the following":
        return None
    back = (anchor.weekday() - number) % 7
    ahead = (number - anchor.weekday()) % 7
    if which in ("last", "past", "previous"):
        return _when((shifted(anchor, -(back or 7)),) * 2)
    if which in ("next", "coming"):
        return _when((shifted(anchor, ahead or 7),) * 2)
    if context.tense == "future" or (which == "this" and context.tense != "past"):
        return _when((shifted(anchor, ahead),) * 2)
    return _when((shifted(anchor, -back),) * 2)


def _weekend(context: _Context) -> When | None:
    anchor = context.anchor
    if (
        anchor is None
        or "weekend" not in context.text
        or re.search(r"\b(?:every|each) weekend", context.text)
    ):
        return None
    saturday = shifted(anchor, 5 - anchor.weekday())
    ahead = "next weekend" in context.text or "coming weekend" in context.text or context.tense == "future"
    if "last weekend" in context.text or "past weekend" in context.text or not ahead:
        saturday = shifted(saturday, -7) if saturday > anchor or "last weekend" in context.text else saturday
    if "next weekend" in context.text and anchor.weekday() >= 5:
        saturday = shifted(saturday, 7)
    return _when((saturday, shifted(saturday, 1)))


def _calendar_unit(context: _Context) -> When | None:
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
        return _when((shifted(anchor, -_DAYS.get(match["unit"].removesuffix("y"), 91)), anchor))
    shift = {"last": -1, "previous": -1, "past": -1, "next": 1, "coming": 1}.get(match["which"], 0)
    span = _unit_of(match["unit"], anchor, shift)
    if re.search(r"\bearlier\b|\bso far\b", context.text) and shift == 0:
        span = span[0], anchor
    elif re.search(r"\blater\b", context.text) and shift == 0:
        span = anchor, span[1]
    return _when(_part(context.text, span))


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


def _ago(context: _Context) -> When | None:
    """Resolve *two weeks ago*, *a few days ago*, *in three days*, *three days from now*."""
    anchor, text = context.anchor, context.text
    match = re.search(
        rf"\b{_NUMBER}(?: and a half)? {_UNIT}(?P<half> and a half)? (?P<to>ago|from now|earlier this)", text
    )
    sign = -1 if match and match["to"] != "from now" else 1
    if not match and context.tense == "future":
        match = re.fullmatch(rf"(?:with)?in {_NUMBER} {_UNIT}", text)
    if not match or anchor is None:
        return None
    least, most = _count(match)
    unit = match["unit"]
    if most * _DAYS.get(unit, 1) > 700_000:
        return None
    if unit in ("second", "minute", "hour"):
        days = int(most * {"second": 1, "minute": 60, "hour": 3600}[unit] // 86400) + 1
        return _when((shifted(anchor, -days), anchor) if sign < 0 else (anchor, shifted(anchor, days)))
    if least == most:
        steps = sign * int(least)
        if unit == "month":
            return _when(calendar.month(anchor.year, anchor.month + steps))
        if unit in ("year", "decade", "centur"):
            step = {"year": 1, "decade": 10, "centur": 100}[unit]
            year = anchor.year + steps * step
            around = 0 if unit == "year" else step // 2
            return _when((date(max(year - around, 1), 1, 1), date(min(year + around, 9999), 12, 31)))
        around = 3 if unit == "week" else 0
        middle = shifted(anchor, steps * _DAYS[unit])
        return _when((shifted(middle, -around), shifted(middle, around)))
    ends = sorted(shifted(anchor, sign * int(count * _DAYS[unit])) for count in (least, most))
    return _when((ends[0], ends[1]))


def _past_span(context: _Context) -> When | None:
    """Resolve *over the last eight years*, *in the past few days*, *in the next two weeks*, *in recent years*."""
    match = re.search(
        rf"\b(?P<side>last|past|next|coming|recent)(?: {_NUMBER})? {_UNIT}(?P<two> or (?:two|so))?",
        context.text,
    )
    anchor = context.anchor
    if not match or anchor is None or match["unit"] not in _DAYS:
        return None
    most = _count(match)[1] if match["number"] else 2 if match["two"] else 5
    days = int(min(most * _DAYS[match["unit"]], 700_000))
    if match["side"] in ("next", "coming"):
        return _when((anchor, shifted(anchor, days)))
    return _when((shifted(anchor, -days), anchor))


def _holiday(context: _Context) -> When | None:
    name = next((name for name in HOLIDAYS if name in context.text.replace("new years", "new year's")), None)
    if not name:
        return None
    if year := re.search(rf"\b{_YEAR}", context.text):
        return _when((HOLIDAYS[name](int(year["year"])),) * 2)
    if context.anchor is None:
        return None
    tense: Tense = context.tense
    tense = "past" if "last " in context.text else "future" if "next " in context.text else tense
    days = calendar.weekend_of if "weekend" in context.text else lambda day: (day, day)
    return _when(calendar.nearest(lambda year: days(HOLIDAYS[name](year)), context.anchor, tense))


def _quarter(context: _Context) -> When | None:
    match = re.search(
        r"\b(?:(?P<word>first|second|third|fourth|last|[1-4](?:st|nd|rd|th)) quarter|q(?P<n>[1-4]))\b",
        context.text,
    )
    if not match or "season" in context.text or "game" in context.text:
        return None
    first = 3 * (int(match["n"]) if match["n"] else _ORDINALS[match["word"]]) - 2
    if year := re.search(rf"\b{_YEAR}", context.text):
        return _when(calendar.months(int(year["year"]), first, 3))
    if context.anchor is None:
        return None
    return _when(
        calendar.nearest(lambda year: calendar.months(year, first, 3), context.anchor, context.tense)
    )


def _season(context: _Context) -> When | None:
    match = re.search(
        rf"\b(?:(?P<which>last|next|this) )?(?P<season>{'|'.join(SEASONS)})(?: of)?(?: {_YEAR})?\b",
        context.text,
    )
    if not match:
        return None
    first = SEASONS[match["season"]]
    if match["year"]:
        return _when(calendar.months(int(match["year"]), first, 3))
    if context.anchor is None:
        return None
    tense: Tense = {"last": "past", "next": "future"}.get(match["which"] or "", context.tense)  # type: ignore[assignment]
    return _when(calendar.nearest(lambda year: calendar.months(year, first, 3), context.anchor, tense))


def _decade(context: _Context) -> When | None:
    if match := re.search(r"(?<![\d,])(?P<decade>1[5-9]\d0|20\d0)'?s\b", context.text):
        first = int(match["decade"])
    elif match := re.search(r"(?:^|\s)'?(?P<decade>[2-9]0)'?s\b", context.text):
        first = 1900 + int(match["decade"])
    elif match := re.search(r"\b(?P<nth>1\d|20|21)(?:th|st) century", context.text):
        first = (int(match["nth"]) - 1) * 100
        return _when(_part(context.text, (date(first + 1, 1, 1), date(first + 100, 12, 31))))
    else:
        return None
    return _when(
        _part(
            context.text,
            (date(first, 1, 1), date(first + (100 if first % 100 == 0 and first < 2000 else 10) - 1, 12, 31)),
        )
    )


def _year(context: _Context) -> When | None:
    match = re.search(rf"(?<![\d$.,:/]){_YEAR}(?![.,]?\d)", context.text)
    if not match:
        match = re.search(r"(?:^|\b(?:in|of|since|early|mid|late)[ -])'(?P<year>[0-2]\d)$", context.text)
    if not match or re.match(
        rf"-year|\s+(?:people|dollars|euros|miles|troops|{_ZONE})", context.text[match.end() :]
    ):
        return None
    year = int(match["year"]) if len(match["year"]) == 4 else 2000 + int(match["year"])
    return _when(_part(context.text, (date(year, 1, 1), date(year, 12, 31))))


def _part(text: str, span: Interval) -> Interval:
    """Return the third of a month or year that *early*, *mid* or *late* picks."""
    days = (span[1] - span[0]).days + 1
    match = re.search(r"\b(early|mid|middle|late|beginning|end)\b(?! as)", text)
    if not match or days < 28:
        return span
    third = days / 3
    number = {"early": 0, "beginning": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}[match[1]]
    start = shifted(span[0], round(number * third))
    return start, shifted(span[0], round((number + 1) * third) - 1)


def _duration(context: _Context) -> When | None:
    """Resolve *for three weeks*, *less than a month*, *2 1/2 hours*, *week-long*, but not *two days later*."""
    text = context.text
    if long := re.search(r"(?<!-)\b(?P<unit>hour|day|week|month|year|decade)-?long\b", text):
        return When(duration=f"P{_CODES[long['unit']].format(1)}")
    if half := re.search(
        r"\bhalf(?:[ -]an?)?[ -](?P<unit>hour|day|year|decade|century)\b(?! ago| later)", text
    ):
        return When(duration=f"P{_HALVES[half['unit']]}")
    if both := re.search(r"\b(\d+) hours?(?:,| and)? (\d+) minutes?\b", text):
        return None if _REMAINING.search(text) else When(duration=f"PT{int(both[1])}H{int(both[2])}M")
    match = re.search(
        rf"\b{_NUMBER}(?:[ -](?P<half>1/2|and a half))?[ -]{_UNIT}(?P<half_more> and a half)?", text
    )
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


def _time_of_day(context: _Context) -> When | None:
    """Resolve *5:12 a.m.*: today or yesterday; of what is to come, today or tomorrow."""
    if (
        context.anchor is None
        or not _is_clock(context.text)
        or context.text.startswith(("until", "till", "since"))
    ):
        return None
    if re.search(
        r"\b(?:that|the (?:next|following|same)|every|each|two|\d+|nights)\b (?:morning|night|evening|afternoon)?",
        context.text,
    ) and not re.search(rf"\d\s?(?:[ap]\.?m|:|{_ZONE})", context.text):
        return None
    if context.tense == "future":
        return _when((context.anchor, shifted(context.anchor, 1)))
    return _when((shifted(context.anchor, -1), context.anchor))


Rule = Callable[[_Context], When | None]
_DATED: tuple[Rule, ...] = (
    _full_date, _day_of_month, _near_day, _weekday, _weekend, _holiday, _calendar_unit, _year,
)  # fmt: skip
_RULES: tuple[Rule, ...] = (
    _direction, _range, _full_date, _nine_eleven, _day_of_month, _holiday, _weekend, _month, _near_day, _ago, _weekday,
    _quarter, _calendar_unit, _past_span, _season, _decade, _year, _duration, _time_of_day,
)  # fmt: skip
