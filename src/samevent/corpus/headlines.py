"""Headlines, bylines, datelines and web addresses: the lines above a news article that are not yet its prose.

In prose a single line end is white space. At the top of an article it separates the headline from a byline or dateline,
so it ends a sentence there. Only the opening lines are looked at.
"""

from __future__ import annotations

import re
from itertools import dropwhile, islice, pairwise

OPENING = 6
"""How many lines may come before the prose."""
LONGEST = 160
"""The length of a headline in characters, at most; longer lines are prose."""
_FEWEST_WORDS = 2

_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_BLANK = re.compile(r"\r\n[^\S\r\n]*\r\n|\n[^\S\n]*\n|\r[^\S\r\n]*\r(?!\n)")
_STOPS = tuple(".,;:…-–—")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = (
    rf"(?:{_MONTH}\s\d\d?(?:st|nd|rd|th)?(?:,?\s\d{{4}})?|\d\d?\s{_MONTH}(?:\s\d{{4}})?|\d{{4}}-\d\d-\d\d)"
)
_PLACE_LINE = re.compile(
    r"[A-Z][A-Z.'’-]+(?:[ ,/]+[A-Z][\w.'’-]*){0,5}[ ,]*\d{0,2}[ ,]*"  # NEW YORK, Nov. 10
    r"(?:\([^()\r\n]{1,40}\)(?:\s*[-–—:]|\s|$)|\s?[–—]|\s-{1,2}\s|-{2})"  # (AP) -
)
_DATE_LINE = re.compile(
    rf"(?:(?:published|posted|updated|date)\b\W*(?:on\s)?)?(?:\w{{3,9}}day,?\s)?{_DATE}\b[^.!?\r\n]{{0,40}}",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?:https? : / /|www \.) .*", re.IGNORECASE)
"""The second form is that of an address in words, as tokenised corpora have it."""
_BYLINE = re.compile(r"[Bb][Yy] (?:[A-Z][\w.'’-]+(?: and | |, |$)){1,6}(?:[^.!?\r\n]{0,40})?")


def headline(text: str) -> str | None:
    """Return the first line of a text if it looks like a headline, without surrounding white space.

    Web addresses, dates and bylines may stand above it.

    A headline is short, has no final stop, and a blank line, a byline, a dateline, another headline or a paragraph on
    one line follows it.

    >>> headline("Sudan bombs refugee camp\\n\\nJets bombed Yida on Thursday.")
    'Sudan bombs refugee camp'
    >>> headline("Sudan bombs refugee camp\\nCAIRO (AP) - Jets bombed Yida.")
    'Sudan bombs refugee camp'
    >>> headline("www.news.org/yida\\nSudan bombs refugee camp\\n\\nJets bombed Yida.")
    'Sudan bombs refugee camp'
    >>> headline("Jets of the army bombed a camp\\nin Yida on Thursday.") is None
    True
    """
    lines = list(dropwhile(lambda each: is_no_prose(each[1]), _opening(text)))
    if len(lines) < 2 or not _looks_like_headline(lines[0][1]):
        return None
    if not _is_above(text, lines, 0):
        return None
    return lines[0][1]


def line_sentences(text: str) -> frozenset[int]:
    """Return the characters where a new sentence begins although only a single line end comes before.

    >>> text = "Sudan bombs camp\\nCAIRO (AP) - Jets bombed Yida\\non Thursday."
    >>> [text[start:][:5] for start in line_sentences(text)]
    ['CAIRO']
    """
    lines = _opening(text)
    return frozenset(lines[at + 1][0] for at in range(len(lines) - 1) if _is_above(text, lines, at))


def addresses(text: str) -> list[tuple[int, int]]:
    """Return where lines at the top that are the address of a web page begin and end.

    >>> addresses("https://news.org/yida\\nSudan bombs refugee camp")
    [(0, 21)]
    """
    return [(start, start + len(line)) for start, line in _opening(text) if _ADDRESS.fullmatch(line)]


def is_no_prose(line: str) -> bool:
    """Return whether a line is nothing but a web address, a date or a byline.

    >>> is_no_prose("2011-11-10"), is_no_prose("By Ann Walker"), is_no_prose("Jets bombed Yida.")
    (True, True, False)
    """
    return bool(_ADDRESS.fullmatch(line)) or _is_whole(line)


def _opening(text: str) -> list[tuple[int, str]]:
    """Return the first lines that are not blank, each with the place where its words begin."""
    return [
        (match.end() - len(match[0].lstrip()), match[0].strip())
        for match in islice(_LINE.finditer(text), OPENING)
    ]


def _is_above(text: str, lines: list[tuple[int, str]], at: int) -> bool:
    """Return whether a line and the next one are not the same sentence."""
    (start, line), (below, following) = lines[at], lines[at + 1]
    if _ADDRESS.fullmatch(line) or _ADDRESS.fullmatch(following):
        return True
    if _BLANK.search(text, start + len(line), below) or _is_dateline(following) or _is_whole(line):
        return True
    # Nobody wraps prose at such lengths, so a short line in front of a long one is not its beginning.
    wrapped = at > 0 or len(following) <= LONGEST
    return _looks_like_headline(line) and (not wrapped or _stacked(text, lines, at))


def _stacked(text: str, lines: list[tuple[int, str]], at: int) -> bool:
    """Return whether only headlines and bylines stand between a line and the next blank line or dateline."""
    for (start, line), (below, following) in pairwise(lines[at:]):
        if not _looks_like_headline(line):
            return False
        if _BLANK.search(text, start + len(line), below) or _is_dateline(following):
            return True
    return False


def _looks_like_headline(line: str) -> bool:
    return (
        len(line) <= LONGEST
        and len(line.split()) >= _FEWEST_WORDS
        and not line.endswith(_STOPS)
        and any(map(str.isalpha, line))
        and not line[0].islower()
        and "://" not in line
        and not _ADDRESS.fullmatch(line)
        and not _is_dateline(line)
    )


def _is_dateline(line: str) -> bool:
    return bool(_PLACE_LINE.match(line)) or _is_whole(line)


def _is_whole(line: str) -> bool:
    """Return whether a line is nothing but a date or a byline."""
    return bool(_DATE_LINE.fullmatch(line) or _BYLINE.fullmatch(line))
