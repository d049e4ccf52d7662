"""What names say by themselves: their words, and whether two of them can be names of one entity.

*Trail Blazers* can be the *Portland Trail Blazers*, and *Reid* can be *Tara Reid*; *Portland* and *Paul Reid* cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

SUFFIXES = frozenset("'s ’s inc inc. corp corp. ltd ltd. co co. jr jr. sr sr. the".split())
"""Words that are no part of a name."""
PLACE_LABELS = frozenset("GPE LOC NORP".split())
"""The parser's labels of places and of who comes from there."""
_THINGS = PLACE_LABELS | {"FAC", "ORG"}

QUOTES = "'\"`‘’“”,;:!?®™()[]*"
"""Marks that are no part of a word."""
_POSSESSIVE = re.compile(r"['’]s?$")
_LINKING = frozenset("of for in at on against".split())
"""What comes before these words is the head of a name: a Bank of America is a bank."""
_SMALL = _LINKING | frozenset("and & de la le al el bin ibn van von der den di da del dos - – ’ '".split())


@dataclass(frozen=True, slots=True)
class Name:
    """The words of a name in lower case, those of its head, and its capitals (`capitals_of`)."""

    words: tuple[str, ...]
    head: tuple[str, ...]
    capitals: str

    @property
    def keys(self) -> frozenset[str]:
        """What a name shares with other names of the same entity: a word, or its capitals."""
        words = {word for word in self.words if word not in _SMALL} or set(self.words)
        return frozenset(words | ({f"capitals {self.capitals}"} if len(self.capitals) > 1 else set()))


@lru_cache(maxsize=65_536)
def parse_name(text: str) -> Name:
    """Return what a name says.

    >>> parse_name("Bank of America").head, parse_name("'Tara Reid's").words
    (('bank',), ('tara', 'reid'))
    """
    texts = bare_words(text.split()) or text.split()
    words = tuple(word.lower() for word in texts)
    end = next((at for at, word in enumerate(words) if at and word in _LINKING), len(words))
    return Name(words, words[:end], capitals_of(texts))


def bare_words(words: Iterable[str]) -> list[str]:
    """Return the words of a name without quotes, possessives and endings, which are no part of it.

    >>> bare_words(["'Reid", "'s", "Law", "&", "Co.", "'"]), bare_words(["Reid", "’", "s"]), bare_words(["O'Brien's"])
    (['Reid', 'Law', '&'], ['Reid'], ["O'Brien"])
    """
    bare: list[str] = []
    before = ""
    for word in words:
        if word.lower() not in SUFFIXES and not (word == "s" and before in ("'", "’")):
            bare.append(_POSSESSIVE.sub("", word.strip(QUOTES)).strip(QUOTES))
        before = word
    return [word for word in bare if word]


def capitals_of(name: Sequence[str]) -> str:
    """Return the letters of an acronym, or the initials of a longer name.

    >>> capitals_of(["NATO"]), capitals_of(["U.N."]), capitals_of(["World", "Health", "Organization"])
    ('NATO', 'UN', 'WHO')
    """
    if len(name) == 1:
        letters = name[0].replace(".", "")
        return letters if len(letters) > 1 and letters.isupper() else ""
    return "".join(word[0] for word in name if word[0].isupper())


@lru_cache(maxsize=262_144)
def compatible(first: str, second: str, first_label: str = "", second_label: str = "") -> bool:
    """Return whether two names can be of one entity, by their words and the parser's labels.

    Equal names can, an acronym with what it is short for, and a part with the whole if it is the head of the name or
    its end or beginning. The end and the beginning of a name are other places: *Korea* is not *North Korea*. Of two
    names that end alike, the first letters must agree: *Jim O'Brien* can be *James O'Brien*.

    >>> compatible("Reid", "Tara Reid"), compatible("Paul Reid", "Tara Reid"), compatible("UN", "United Nations")
    (True, False, True)
    >>> compatible("Portland", "Portland Trail Blazers", "GPE", "ORG"), compatible("Jim", "Jim Reid", "", "PERSON")
    (False, True)
    """
    a, b = parse_name(first), parse_name(second)
    if len(a.words) > len(b.words):
        a, b = b, a
        first_label, second_label = second_label, first_label
    if a.words == b.words:
        return True
    if len(a.words) == 1 and len(a.capitals) > 1 and a.capitals == b.capitals:
        return True
    if a.words == b.head:
        return True
    size = len(a.words)
    if size < len(b.words) and a.words == b.head[-size:]:
        return first_label not in PLACE_LABELS or second_label not in _THINGS
    if size < len(b.words) and a.words == b.words[:size]:
        return first_label not in PLACE_LABELS or second_label == "PERSON"
    return size > 1 and a.head[-1] == b.head[-1] and a.words[0][0] == b.words[0][0]
