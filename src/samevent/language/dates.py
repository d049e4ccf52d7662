"""The date of a document: given, or found where newspapers put it.

Only full dates count: no year is guessed, and 10/11/2011, which is two days, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from samevent.corpus import Document

_HEAD = 300
"""How many characters at the start of a text may hold its date."""

_MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?P<day>\d\d?)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_NO_RANGE = r"(?<!\d[-–.,/:])"
_FORMS = tuple(
    re.compile(rf"(?<![^\W_]){form}(?![^\W_T])", re.IGNORECASE)
    for form in (
        rf"{_YEAR}\s?(?P<mark>[-/._])\s?(?P<month>\d\d?)\s?(?P=mark)\s?(?P<day>\d\d?)",
        rf"{_MONTH}\s*\.?\s*{_DAY}(?:\s*,\s*|\s+){_YEAR}",
        rf"{_NO_RANGE}{_DAY}(?:\s+of)?[\s-]+{_MONTH}\s*[.,-]?\s*{_YEAR}",
        rf"{_NO_RANGE}(?P<one>\d\d?)\s?(?P<mark>[-/.])\s?(?P<other>\d\d?)\s?(?P=mark)\s?{_YEAR}",
    )
)
_COMPACT = re.compile(rf"(?<!\d){_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?!\d)")

_PUBLISHED = re.compile(
    r"\b(?:publish(?:ed)?(?:\s+date)?|posted|date\s*:)\W*(?:on\W+)?(?:\w+day\W+)?$", re.IGNORECASE
)
_PLACE = re.compile(r"\s*(?:[A-Z][\w.'’-]*+[\s,/]*+){0,5}+(?:\([^)\n]+\))?\W*")
"""What stands before the date in a dateline: *CAIRO,* or *NEW YORK (AP) -* or nothing."""
_END = re.compile(r"\s*(?:\([^)\n]+\))?\s*(?:[-–—:|]|,?\s*(?:at\s+)?\d\d?\s?[:.]\s?\d\d|\n|$)", re.IGNORECASE)
"""What follows it: an agency, a dash, the time of day, or nothing."""


def document_date(document: Document) -> str | None:
    """Return the date of a document (ISO): as given, from the head of its text, its id or title, or of its file.

    >>> document_date(Document.from_text("a", "CAIRO, Nov. 10, 2011 (Reuters) - Jets bombed Yida."))
    '2011-11-10'
    """
    if given := _first(document.date):
        return given
    created = document.extra.get("created")
    return (
        _in_head(_head(document.text))
        or _first(document.id)
        or _first(document.title)
        or _first(created if isinstance(created, str) else None)
    )


def _first(text: str | None) -> str | None:
    return next((found.isoformat() for _, found in _dates(text or "", *_FORMS, _COMPACT)), None)


def _head(text: str) -> str:
    """Return the start of a text, cut between words: half a date is another date."""
    return text if len(text) <= _HEAD else re.sub(r"\S+\Z", "", text[:_HEAD])


def _in_head(head: str) -> str | None:
    """Return the date of a dateline or of publication, or else the first one."""
    dates = list(_dates(head, *_FORMS))
    dates.sort(key=lambda item: not _dates_the_text(head, item[0]))
    return dates[0][1].isoformat() if dates else None


def _dates(text: str, *forms: re.Pattern[str]) -> Iterator[tuple[re.Match[str], date]]:
    """Yield the valid dates of a text in order."""
    matches = sorted((m for form in forms for m in form.finditer(text)), key=lambda m: m.start())
    for match in matches:
        if found := _date(match.groupdict()):
            yield match, found


def _date(parts: dict[str, str]) -> date | None:
    year = int(parts["year"])
    if "one" in parts:
        month, day = sorted((int(parts["one"]), int(parts["other"])))
        if month != day and day <= 12:
            return None
    else:
        name = parts["month"]
        month, day = _MONTHS.get(name[:3].lower()) or int(name), int(parts["day"])
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _dates_the_text(text: str, match: re.Match[str]) -> bool:
    """Return whether a date says when the text was written, as *CAIRO, Nov 10, 2011 -* and *Published: ...* do."""
    before = text[: match.start()]
    line = before.rpartition("\n")[2]
    return bool(_PUBLISHED.search(before) or (_PLACE.fullmatch(line) and _END.match(text, match.end())))
