"""Days and intervals of the calendar: months, weeks, quarters, seasons, holidays."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta

from samevent.grounding.tense import Tense

Interval = tuple[date, date]
"""The first and the last day, both inclusive."""

MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}
"""The first three letters of each month."""
WEEKDAYS = {name: number for number, name in enumerate("mon tue wed thu fri sat sun".split())}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Their first months, on the northern half of the Earth."""


def shifted(day: date, days: int) -> date:
    """Return the day so many days later; the first and last days of the calendar are its ends."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))


def month(year: int, number: int) -> Interval:
    """Return a month; numbers below 1 and above 12 count into other years."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return date(year, number, 1), date(year, number, monthrange(year, number)[1])


def months(year: int, first: int, count: int) -> Interval:
    """Return consecutive months."""
    return month(year, first)[0], month(year, first + count - 1)[1]


def week(day: date) -> Interval:
    """Return the week of a day, Monday to Sunday."""
    monday = shifted(day, -day.weekday())
    return monday, shifted(monday, 6)


def weekend_of(holiday: date) -> Interval:
    """Return a holiday with the Saturday and Sunday nearest to it, and the days between."""
    saturday = shifted(holiday, (8 - holiday.weekday()) % 7 - 3)
    return min(holiday, saturday), max(holiday, shifted(saturday, 1))


def valid(year: int, month: int, day: int) -> Interval | None:
    """Return a day, or None if there is no such day."""
    try:
        return (date(year, month, day),) * 2
    except ValueError:
        return None


def nearest(of_year: Callable[[int], Interval | None], anchor: date, tense: Tense) -> Interval | None:
    """Return what comes once a year: the last one, the coming one, or, if the tense is unknown, the closest one."""
    known = [span for year in (anchor.year - 1, anchor.year, anchor.year + 1) if (span := of_year(year))]
    if tense == "past":
        known = [span for span in known if span[0] <= anchor][-1:]
    elif tense == "future":
        known = [span for span in known if span[1] >= anchor][:1]
    return min(known, key=lambda span: distance(span, anchor), default=None)


def distance(span: Interval, day: date) -> int:
    """Return how many days lie between an interval and a day; 0 if it contains it."""
    return max((span[0] - day).days, (day - span[1]).days, 0)


def easter(year: int) -> date:
    """Return Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    number, day = divmod(moon + sunday - 7 * ((golden + 11 * moon + 22 * sunday) // 451) + 114, 31)
    return date(year, number, day + 1)


def nth_weekday(year: int, number: int, weekday: int, nth: int) -> date:
    """Return the nth weekday of a month; the last one if `nth` is -1."""
    first, last = month(year, number)
    if nth < 0:
        return last - timedelta((last.weekday() - weekday) % 7)
    return first + timedelta((weekday - first.weekday()) % 7 + 7 * (nth - 1))


HOLIDAYS: dict[str, Callable[[int], date]] = {
    "new year's eve": lambda year: date(year, 12, 31),
    "new year's": lambda year: date(year, 1, 1),
    "martin luther king": lambda year: nth_weekday(year, 1, 0, 3),
    "valentine's": lambda year: date(year, 2, 14),
    "presidents' day": lambda year: nth_weekday(year, 2, 0, 3),
    "st. patrick's": lambda year: date(year, 3, 17),
    "good friday": lambda year: easter(year) - timedelta(2),
    "easter monday": lambda year: easter(year) + timedelta(1),
    "easter": easter,
    "mother's day": lambda year: nth_weekday(year, 5, 6, 2),
    "memorial day": lambda year: nth_weekday(year, 5, 0, -1),
    "father's day": lambda year: nth_weekday(year, 6, 6, 3),
    "independence day": lambda year: date(year, 7, 4),
    "fourth of july": lambda year: date(year, 7, 4),
    "labor day": lambda year: nth_weekday(year, 9, 0, 1),
    "columbus day": lambda year: nth_weekday(year, 10, 0, 2),
    "halloween": lambda year: date(year, 10, 31),
    "veterans day": lambda year: date(year, 11, 11),
    "thanksgiving": lambda year: nth_weekday(year, 11, 3, 4),
    "black friday": lambda year: nth_weekday(year, 11, 3, 4) + timedelta(1),
    "christmas eve": lambda year: date(year, 12, 24),
    "christmas": lambda year: date(year, 12, 25),
    "boxing day": lambda year: date(year, 12, 26),
}
"""Holidays of English-speaking countries by what their names contain, the longer names first."""
