"""The words of time expressions, and expressions in their normal form."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from samevent.corpus import When
from samevent.grounding.calendar import Interval, shifted
from samevent.grounding.numbers import SMALL
from samevent.grounding.tense import Tense


class Context(NamedTuple):
    """A normalised expression, the day it was written on if that is known, and the tense of its clause."""

    text: str
    anchor: date | None
    tense: Tense


MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"  # noqa: E501
DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:])"
YEAR = r"(?P<year>1[5-9]\d\d|20\d\d)(?!\d)"
WEEKDAY = r"(?P<weekday>(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b"
NUMBER = (
    r"(?<![\d/])(?P<number>\d+(?:[.,]\d+)*|a few|several|a couple(?: of)?|couple(?: of)?|few|an?"
    rf"|{'|'.join(SMALL)})"
)
UNIT = r"(?P<unit>second|minute|hour|night|day|week|month|year|decade|centur)(?:ies|s|y)?\b"
ZONE = r"(?:gmt|utc|bst|cet|[ecmp][sd]?t|local time)\b"
_ABBREVIATIONS = {"hr": "hour", "min": "minute", "sec": "second", "yr": "year", "wk": "week"}
CLOCK = re.compile(
    r"\b\d\d?(?:[:.]\d\d)?(?:[:.]\d\d)?\s?[ap]\.?\s?m\b|\b\d\d?:\d\d\b|\bnoon\b|\bmidnight\b|\bo'clock\b"
    r"|\b(?:morning|afternoon|evening|night|dawn|dusk|overnight)\b"
    rf"|\b(?:[01]\d|2[0-3])[0-5]\d {ZONE}"
)
REMAINING = re.compile(r"\b(?:left|remaining|to go|to play)\b")
"""What a game takes until its end is no time of day: *with 7:42 left*."""
_ADDRESS = re.compile(
    r"(?:\w+ )?\d+ (?:block\b|(?:[a-z]\.? )?(?:\w+ ){1,2}"
    r"(?:street|st|avenue|ave|road|rd|drive|dr|lane|boulevard|blvd|court|highway|trail)\b(?!['’]))"
)


_MAKES = frozenset(
    "acura audi bmw buick cadillac chevrolet chevy chrysler dodge fiat ford gmc honda hyundai infiniti jaguar jeep kia "
    "lexus lincoln mazda mercedes mercury mitsubishi nissan pontiac porsche saturn subaru suzuki tesla toyota "
    "volkswagen volvo".split()
)


def is_model_year(word: str) -> bool:
    """Return whether a year before this word is that of a car: *a gray 2013 Toyota*."""
    return word.lower() in _MAKES


def is_address(text: str) -> bool:
    """Return whether a text begins with the number of a house or block: *1915 Birch Street*, *the 2000 block*."""
    return bool(_ADDRESS.match(text.lower()))


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
        (rf"(?<=\w)\s-\s(?={UNIT})", "-"),
        (r"(?<=\d)\s\.\s(?=\d\d)", "."),
        (r"(?<=\d)[ -]?(hr|min|sec|yr|wk)(s?)\b", lambda match: f" {_ABBREVIATIONS[match[1]]}{match[2]}"),
        (r"\s+([.,]|'(?!\d))", r"\1"),
    )
)


def is_clock(text: str) -> bool:
    """Return whether an expression says what time of the day it was."""
    return bool(CLOCK.search(text)) and not REMAINING.search(text)


def when_of(span: Interval | None) -> When | None:
    """Return an interval as it is stored."""
    return When(span[0].isoformat(), span[1].isoformat()) if span else None


def part_of(text: str, span: Interval) -> Interval:
    """Return the third of a month or year that *early*, *mid* or *late* picks."""
    days = (span[1] - span[0]).days + 1
    match = re.search(r"\b(early|mid|middle|late|beginning|end)\b(?! as)", text)
    if not match or days < 28:
        return span
    third = days / 3
    number = {"early": 0, "beginning": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}[match[1]]
    start = shifted(span[0], round(number * third))
    return start, shifted(span[0], round((number + 1) * third) - 1)
