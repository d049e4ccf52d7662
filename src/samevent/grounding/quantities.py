"""Quantities: numbers with their units, from the tokens and tags of a text.

*4 people* is 4 person, *a 5.8-magnitude quake* is 5.8 magnitude, *$2.5 million* is 2500000 USD, *at least thirty
victims* is >=30 person, *a 6-year-old* is 6 year old, *dozens of homes* is 24-96 home.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from samevent.corpus import Quantity
from samevent.grounding.numbers import SCALES, SMALL, number_of
from samevent.grounding.time_words import is_address
from samevent.language.annotation import Annotation

_AT_LEAST = frozenset(
    ("at least", "more than", "no fewer than", "no less than", "over", "above", "upwards of")
)
_AT_MOST = frozenset(
    ("at most", "up to", "fewer than", "less than", "no more than", "under", "below", "as many as")
)
_ABOUT = frozenset("about around approximately roughly nearly almost some".split())
_ABOUT_SHARE = 0.1
"""*About 200* is within a tenth of 200."""
_MANY = {"tens": (20, 99), "hundreds": (200, 999)}
"""*Tens of thousands* and *hundreds of thousands* are so many thousands."""
_VAGUE = {
    "dozens": (24, 96),
    "scores": (40, 99),
    "hundreds": (200, 999),
    "thousands": (2e3, 9999),
    "millions": (2e6, 1e7),
}
_WORDS = frozenset(("a", "an", *SMALL, *_MANY, *_VAGUE))
"""The first words of numbers without figures."""
_PEOPLE = frozenset(
    "people person victim man woman child boy girl worker employee passenger resident student officer soldier civilian "
    "suspect individual patient protester teenager adult teen other kid survivor".split()
)
_CURRENCIES = {
    "$": "USD",
    "us$": "USD",
    "dollar": "USD",
    "€": "EUR",
    "euro": "EUR",
    "£": "GBP",
    "pound": "GBP",
    "¥": "JPY",
}
_POUNDS = 1000
"""Fewer pounds are a weight, unless they have a sign: *a man of 180 pounds*."""
_MEASURES = {"mile": 1.609344, "kilometer": 1.0, "kilometre": 1.0, "km": 1.0}
_TIMES = frozenset("year month week day hour minute second".split())
_CASUALTIES = {
    "kill": "dead", "die": "dead", "slay": "dead", "death": "dead", "dead": "dead", "fatality": "dead",
    "injure": "injured", "wound": "injured", "hurt": "injured", "injury": "injured",
}  # fmt: skip
_OLD = re.compile(r"(?:- )?old\b")
_HARMED = frozenset("dead death fatality hurt injured wounded".split())
_NAMES = frozenset(("ORG", "FAC", "EVENT", "WORK_OF_ART", "LAW"))
"""Numbers in such names count nothing: *One News*."""
_THREE = re.compile(r"\d{3}")
_WHOLE = re.compile(r"(\d+(?:\.\d+)?)-?(magnitude|year|month|day|week|foot|mile|hour|point|story)s?(-old)?")


class Found(NamedTuple):
    """A quantity and the tokens that state it."""

    start: int
    end: int
    quantity: Quantity


def quantities(words: Sequence[str], annotation: Annotation) -> list[Found]:
    """Return the quantities of a document, in order; dates, times of the day and ages of things are none."""
    lowered = [word.lower() for word in words]
    dated = {
        token
        for start, end, label in annotation.entities
        if label in _NAMES or (label in ("DATE", "TIME", "ORDINAL") and not _is_age(lowered, start, end))
        for token in range(start, end)
    }
    found: list[Found] = []
    free = 0
    for token, (word, pos) in enumerate(zip(lowered, annotation.pos, strict=True)):
        if token < free or not may_begin(word, pos):
            continue  # part of the number before, or none
        stop = number_end(lowered, annotation, token)
        if stop == token or token in dated or _is_no_count(lowered, token, stop):
            continue
        if words[token].isupper() and "".join(words[stop : stop + 1]).istitle():
            continue  # a name: *told ONE News*
        if quantity := _quantity(lowered, annotation, token, stop):
            if found and _is_range(lowered, found[-1], token, quantity):
                first = found.pop()
                quantity = Quantity(first.quantity.low, quantity.high, quantity.unit)
                found.append(Found(first.start, stop, quantity))
            else:
                found.append(Found(token, stop, quantity))
        free = stop
    return found


def may_begin(word: str, pos: str) -> bool:
    """Return whether a number may begin with a word; of most words, that is quickly ruled out."""
    return pos == "NUM" or word[:1].isdigit() or word.partition("-")[0] in _WORDS


def _is_range(words: Sequence[str], first: Found, start: int, last: Quantity) -> bool:
    """Return whether two numbers are the ends of one: *between 20 and 30 people*, *20 to 30*; not *from 20 to 30*."""
    before, low = words[first.start - 1 : first.start], first.quantity
    joined = ("and",) if before == ["between"] else ("to",) if before != ["from"] else ()
    return (
        words[first.end : start] in [[word] for word in joined]
        and low.unit in ("", last.unit)
        and None not in (low.low, last.high)
        and low.low == low.high
        and last.low == last.high
        and (low.low or 0) < (last.high or 0)
    )


def _is_age(words: Sequence[str], start: int, end: int) -> bool:
    return any(word in ("old", "year-old") or word.endswith("-old") for word in words[start : end + 1])


def _is_no_count(words: Sequence[str], start: int, stop: int) -> bool:
    """Return whether a number is part of a clock time, an address in a web page or street, or a result such as 2-1."""
    before, after = " ".join(words[max(start - 2, 0) : start]), " ".join(words[stop : stop + 2])
    return (
        before.endswith((":", "/", "_"))
        or after.startswith((":", "/", "_"))
        or bool(
            words[start].isdigit() and (_DASHED_BEFORE.fullmatch(before) or _DASHED_AFTER.fullmatch(after))
        )
        or bool(words[start].isdigit() and is_address(" ".join(words[start : stop + 4])))
    )


_DASHED_BEFORE, _DASHED_AFTER = re.compile(r"\d+ [-–]"), re.compile(r"[-–] \d+")


def number_end(words: Sequence[str], annotation: Annotation, start: int) -> int:
    """Return where a number that begins at a token ends; the token itself if none begins."""
    word = words[start]
    if word in _MANY and words[start + 1 : start + 3] == ["of", "thousands"]:
        return start + 3
    if word.isdigit() and len(word) <= 3:  # 20 , 000
        stop = start + 1
        while words[stop : stop + 1] == [","] and _THREE.fullmatch(" ".join(words[stop + 1 : stop + 2])):
            stop += 2
        if stop > start + 1 and word != "0":
            return stop
    if word in _VAGUE and annotation.pos[start] in ("NOUN", "NUM"):
        return start + 1
    if _WHOLE.fullmatch(word):
        return start + 1
    if (
        annotation.pos[start] != "NUM"
        and word.split("-")[0] not in SMALL
        and not (
            word in ("a", "an")
            and words[start + 1 : start + 2]
            and words[start + 1] in ("dozen", "hundred", "thousand", "million")
        )
    ):
        return start
    stop = start + 1
    while (
        stop < len(words)
        and (words[stop] in SCALES or words[stop].split("-")[0] in SMALL)
        and number_of(list(words[start : stop + 1]))
    ):
        stop += 1
    return stop if number_of(list(words[start:stop])) is not None else start


def _quantity(words: Sequence[str], annotation: Annotation, start: int, stop: int) -> Quantity | None:
    if match := _WHOLE.fullmatch(words[start]):
        unit = f"{match[2]}{' old' if match[3] or _OLD.match(' '.join(words[stop : stop + 2])) else ''}"
        return Quantity(float(match[1]), float(match[1]), unit)
    if words[start] in _VAGUE and stop == start + 1:
        low, high = _VAGUE[words[start]]
        return Quantity(low, high, _unit(words, annotation, start, stop))
    if words[start] in _MANY:
        low, high = _MANY[words[start]]
        return Quantity(low * 1e3, high * 1e3, _unit(words, annotation, start, stop))
    number = number_of(_joined(words[start:stop]))
    if number is None or number > 1e15:
        return None
    unit = _unit(words, annotation, start, stop)
    if unit in _MEASURES:
        number, unit = round(number * _MEASURES[unit], 3), "km"
    if unit is _NO_UNIT or (not unit and (words[start] == "one" or words[start - 1 : start] == ["at"])):
        return None
    least, most = _bounds(words, start, number)
    return Quantity(least, most, unit)


def _joined(words: Sequence[str]) -> list[str]:
    """Return the words of a number, with thousands in one piece."""
    return ["".join(words)] if "," in words[1:2] else list(words)


_NO_UNIT = "#"
"""Stands for what is a number, but not how many: a year, an address, a score."""


def _bounds(words: Sequence[str], start: int, number: float) -> tuple[float | None, float | None]:
    before = start - 1 if start and words[start - 1] in ("a", "$", "us$", "€", "£") else start
    for length in (3, 2, 1):
        phrase = " ".join(words[max(before - length, 0) : before])
        if phrase in _AT_LEAST:
            return number, None
        if phrase in _AT_MOST:
            return None, number
    if before and words[before - 1] in _ABOUT and number >= 10:
        return round(number * (1 - _ABOUT_SHARE), 3), round(number * (1 + _ABOUT_SHARE), 3)
    return number, number


def _unit(words: Sequence[str], annotation: Annotation, start: int, stop: int) -> str:
    """Return what is counted: a currency, a measure, or the noun that the number modifies."""
    if start and words[start - 1] in _CURRENCIES:
        return _CURRENCIES[words[start - 1]]
    after = words[stop : stop + 4]
    if after[:1] in (["%"], ["percent"]) or after[:2] == ["per", "cent"]:
        return "percent"
    if after[:1] == ["-"] and len(after) > 1:
        after = after[1:]
    if after and after[0].rstrip("s") in _TIMES and "old" in after[1:4]:
        return f"{after[0].rstrip('s')} old"
    if "magnitude" in after[:2] or "magnitude" in words[max(start - 3, 0) : start]:
        return "magnitude"
    head = annotation.heads[stop - 1]
    for near in _following(annotation, start, stop, head):
        lemma = _counted(annotation.lemmas[near].lower(), annotation.tags[near])
        if lemma == "pound" and (number_of(_joined(words[start:stop])) or 0) < _POUNDS:
            return lemma
        return _CURRENCIES.get(lemma) or ("person" if lemma in _PEOPLE or lemma in _HARMED else lemma)
    casualty = next(
        (_CASUALTIES[lemma] for lemma in (annotation.lemmas[head].lower(),) if lemma in _CASUALTIES), None
    )
    if casualty:
        return "person"
    number = number_of(_joined(words[start:stop])) or 0
    return _NO_UNIT if number >= 100 else ""


def _counted(lemma: str, tag: str) -> str:
    """Return one of what is counted: the parser leaves the plural of names, and a word with digits is no unit."""
    if any(letter.isdigit() for letter in lemma):
        return ""
    plural = tag == "NNPS" and lemma.endswith("s") and not lemma.endswith("ss")
    return lemma.removesuffix("s") if plural else lemma


def _following(annotation: Annotation, start: int, stop: int, head: int) -> Iterator[int]:
    """Yield the noun that a number modifies, which is its head or the noun after *of*."""
    if (
        not start <= head < stop
        and annotation.pos[head] in ("NOUN", "PROPN")
        and head >= stop
        and head - stop < 5
    ):
        yield head
    for token in range(stop, min(stop + 5, len(annotation))):
        if annotation.pos[token] == "NOUN":
            yield token
            return
        if annotation.pos[token] == "ADP" and annotation.lemmas[token].lower() != "of":
            return  # *took 23 into custody*
        if annotation.pos[token] not in ("ADP", "DET", "ADJ", "PUNCT") or annotation.tags[token] in (
            ",",
            ".",
        ):
            return
