"""What the calendar names: dates, days of the week and month, months, holidays, quarters, seasons, years."""

from __future__ import annotations

import re
from datetime import date

from samevent.corpus import When
from samevent.grounding import calendar
from samevent.grounding.calendar import HOLIDAYS, MONTHS, SEASONS, WEEKDAYS, Interval, shifted
from samevent.grounding.tense import Tense
from samevent.grounding.time_words import DAY, MONTH, WEEKDAY, YEAR, ZONE, Context, part_of, when_of

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


def full_date(context: Context) -> When | None:
    """Resolve *March 4, 2031*, *2031-03-04*, *4/3/2031*."""
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
                return when_of(span)
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
        rf"\b{MONTH}\s*{DAY},?[\s–-]*{YEAR}",
        rf"\b{DAY}(?: of)?[\s-]{MONTH},?[\s-]*{YEAR}",
        rf"\b{DAY}\s{MONTH}\s'?(?P<year>\d\d)(?![\d:])",
        r"(?<![\d/])(?P<one>\d\d?)[/.-](?P<other>\d\d?)[/.-](?P<year>(?:19|20)?\d\d)(?![\d/])",
    )
)


_MONTH_DAY = re.compile(rf"\b{MONTH}\s*{DAY}")
_DAY_MONTH = re.compile(rf"\b(?<!/){DAY}(?: of)?[\s-]{MONTH}")
_MONTH_YEAR = re.compile(rf"\b{MONTH},?(?: of)? {YEAR}")
_MONTH_ALONE = re.compile(rf"(?:\b(?P<which>last|past|next|this|previous|coming) )?(?<!')\b{MONTH}(?![-\w])")
_WHICH_WEEKDAY = re.compile(
    rf"(?:\b(?P<which>last|past|next|this|previous|coming|the following) )?\b{WEEKDAY}"
)
_SEASON = re.compile(
    rf"\b(?:(?P<which>last|next|this) )?(?P<season>{'|'.join(SEASONS)})(?: of)?(?: {YEAR})?\b"
)
_ANY_YEAR = re.compile(rf"\b{YEAR}")
_YEAR_ALONE = re.compile(rf"(?<![\d$.,:/]){YEAR}(?![.,]?\d)")
_NO_YEAR = re.compile(rf"-year|\s+(?:people|dollars|euros|miles|troops|{ZONE})")
"""What follows a number that only looks like a year."""


def nine_eleven(context: Context) -> When | None:
    """Resolve *9/11*, which is always that of 2001."""
    return when_of(calendar.valid(2001, 9, 11)) if re.search(r"\b9/11\b", context.text) else None


def day_of_month(context: Context) -> When | None:
    """Resolve *March 4*, *the 4th of March*."""
    anchor = context.anchor
    match = _MONTH_DAY.search(context.text) or _DAY_MONTH.search(context.text)
    if not match or anchor is None:
        return None
    number, day = MONTHS[match["month"][:3]], int(match["day"])
    last = re.search(r"\blast (?:year|month)", context.text)
    if last:
        return when_of(calendar.valid(anchor.year - ("year" in last[0]), number, day))
    return when_of(calendar.nearest(lambda year: calendar.valid(year, number, day), anchor, context.tense))


def month_name(context: Context) -> When | None:
    """Resolve *May 2013*, *last March*, *in September*."""
    anchor, text = context.anchor, context.text
    if match := _MONTH_YEAR.search(text):
        return when_of(part_of(text, calendar.month(int(match["year"]), MONTHS[match["month"][:3]])))
    match = _MONTH_ALONE.search(text)
    if not match or anchor is None:
        return None
    if match["month"] == "may" and not (match["which"] or _IN_MAY.search(text)):
        return None
    number = MONTHS[match["month"][:3]]
    if re.search(r"\b(?:this|last|next) year\b", text) and not match["which"]:
        shift = {"this": 0, "last": -1, "next": 1}[re.search(r"\b(this|last|next) year\b", text)[1]]  # type: ignore[index]
        return when_of(part_of(text, calendar.month(anchor.year + shift, number)))
    tense: Tense = {
        "next": "future",
        "coming": "future",
        "last": "past",
        "past": "past",
        "previous": "past",
    }.get(match["which"] or "", context.tense)  # type: ignore[assignment]
    if match["which"] in ("last", "past", "previous", "next", "coming") and number == anchor.month:
        shift = -1 if tense == "past" else 1
        return when_of(calendar.month(anchor.year + shift, number))
    span = calendar.nearest(lambda year: calendar.month(year, number), anchor, tense)
    return when_of(part_of(text, span) if span else None)


_IN_MAY = re.compile(r"^may$|\b(?:in|of|since|until|till|by|during|from|around|early|mid|late)[ -]may\b")
"""What shows that *may* is the month."""


def weekday(context: Context) -> When | None:
    """Resolve *Monday*, *last Friday*, *next Sun*."""
    match = _WHICH_WEEKDAY.search(context.text)
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
        return when_of((shifted(anchor, -(back or 7)),) * 2)
    if which in ("next", "coming"):
        return when_of((shifted(anchor, ahead or 7),) * 2)
    if context.tense == "future" or (which == "this" and context.tense != "past"):
        return when_of((shifted(anchor, ahead),) * 2)
    return when_of((shifted(anchor, -back),) * 2)


def weekend(context: Context) -> When | None:
    """Resolve *at the weekend*, *last weekend*."""
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
    return when_of((saturday, shifted(saturday, 1)))


def holiday(context: Context) -> When | None:
    """Resolve *Christmas Eve*, *last Easter*, *the Labor Day weekend*, *Thanksgiving 2012*."""
    text = context.text.replace("new years", "new year's")
    name = next((name for name in HOLIDAYS if name in text), None)
    if not name:
        return None
    if year := _ANY_YEAR.search(context.text):
        return when_of((HOLIDAYS[name](int(year["year"])),) * 2)
    if context.anchor is None:
        return None
    tense: Tense = context.tense
    tense = "past" if "last " in context.text else "future" if "next " in context.text else tense
    days = calendar.weekend_of if "weekend" in context.text else lambda day: (day, day)
    return when_of(calendar.nearest(lambda year: days(HOLIDAYS[name](year)), context.anchor, tense))


def quarter(context: Context) -> When | None:
    """Resolve *the third quarter*, *Q1 2013*."""
    match = re.search(
        r"\b(?:(?P<word>first|second|third|fourth|last|[1-4](?:st|nd|rd|th)) quarter|q(?P<n>[1-4]))\b",
        context.text,
    )
    if not match or "season" in context.text or "game" in context.text:
        return None
    first = 3 * (int(match["n"]) if match["n"] else _ORDINALS[match["word"]]) - 2
    if year := _ANY_YEAR.search(context.text):
        return when_of(calendar.months(int(year["year"]), first, 3))
    if context.anchor is None:
        return None
    return when_of(
        calendar.nearest(lambda year: calendar.months(year, first, 3), context.anchor, context.tense)
    )


def season(context: Context) -> When | None:
    """Resolve *last summer*, *fall 2012*."""
    match = _SEASON.search(context.text)
    if not match:
        return None
    first = SEASONS[match["season"]]
    if match["year"]:
        return when_of(calendar.months(int(match["year"]), first, 3))
    if context.anchor is None:
        return None
    tense: Tense = {"last": "past", "next": "future"}.get(match["which"] or "", context.tense)  # type: ignore[assignment]
    return when_of(calendar.nearest(lambda year: calendar.months(year, first, 3), context.anchor, tense))


def decade(context: Context) -> When | None:
    """Resolve *the 1990s*, *the mid-80s*, *the 19th century*."""
    if match := re.search(r"(?<![\d,])(?P<decade>1[5-9]\d0|20\d0)'?s\b", context.text):
        first = int(match["decade"])
    elif match := re.search(r"(?:^|\s)'?(?P<decade>[2-9]0)'?s\b", context.text):
        first = 1900 + int(match["decade"])
    elif match := re.search(r"\b(?P<nth>1\d|20|21)(?:th|st) century", context.text):
        first = (int(match["nth"]) - 1) * 100
        return when_of(part_of(context.text, (date(first + 1, 1, 1), date(first + 100, 12, 31))))
    else:
        return None
    return when_of(
        part_of(
            context.text,
            (date(first, 1, 1), date(first + (100 if first % 100 == 0 and first < 2000 else 10) - 1, 12, 31)),
        )
    )


def year(context: Context) -> When | None:
    """Resolve *2013*, *early 2013*, *in '09*."""
    match = _YEAR_ALONE.search(context.text)
    if not match:
        match = re.search(r"(?:^|\b(?:in|of|since|early|mid|late)[ -])'(?P<year>[0-2]\d)$", context.text)
    if not match or _NO_YEAR.match(context.text, match.end()):
        return None
    year = int(match["year"]) if len(match["year"]) == 4 else 2000 + int(match["year"])
    return when_of(part_of(context.text, (date(year, 1, 1), date(year, 12, 31))))
