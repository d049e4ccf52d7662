"""Small pieces that several views share: numbers and dates as text, bars, and text with marked stretches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from samevent.corpus import Document, Mention
from samevent.errors import counted as counted
from samevent.events import LIKELY, Event
from samevent.report.markup import Safe, escape, html, together

DOUBTFUL = LIKELY
"""A mention less likely than this to refer to the same event as the others is doubtful."""

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def probability(value: float) -> str:
    """Return a probability with two digits that stays on its side of certain and of doubtful.

    >>> probability(0.9991), probability(0.25), probability(1.0), probability(0.4999)
    ('0.99', '0.25', '1.00', '0.49')
    """
    limit = 0.49 if value < DOUBTFUL else 0.99 if value < 0.9995 else 1.0
    return f"{min(value, limit):.2f}"


def day(text: str) -> date | None:
    """Return the day of an ISO date, the first of a month or a year, or None if it is not an ISO date."""
    try:
        return date.fromisoformat(
            (text + "-01-01"[len(text) - 4 :])[:10] if len(text) in (4, 7) else text[:10]
        )
    except ValueError:
        return None


def spelled(text: str) -> str:
    """Return an ISO date in words; any other date is returned unchanged.

    >>> spelled("2012-11-05"), spelled("2012-11"), spelled("Monday")
    ('5 Nov 2012', 'Nov 2012', 'Monday')
    """
    when = day(text)
    if when is None or len(text) == 4:
        return text
    month = f"{_MONTHS[when.month - 1]} {when.year}"
    return month if len(text) == 7 else f"{when.day} {month}"


def period(dates: Sequence[str]) -> str:
    """Return the first and the last of sorted dates, or the only one.

    >>> period(["2012-11-05", "2012-11-09"]), period(["2012-11-05", "2012-12-01"]), period(["2012"])
    ('5–9 Nov 2012', '5 Nov – 1 Dec 2012', '2012')
    """
    if not dates:
        return ""
    first, last = spelled(dates[0]), spelled(dates[-1])
    if first == last:
        return first
    shared = 0  # a common ending is written once: a year, or a month and a year
    if all(len(text) == 10 and day(text) for text in (dates[0], dates[-1])) and first[-4:] == last[-4:]:
        shared = 9 if first[-8:] == last[-8:] else 5
    return f"{first[: len(first) - shared]}{'–' if shared == 9 else ' – '}{last}"


def brief(dates: Sequence[str]) -> str:
    """Return a period, coarser the longer it is.

    >>> brief(["2012-11-05", "2013-01-09"]), brief(["2012-11-05", "2012-12-01"]), brief(["2012-11-05"])
    ('2012–2013', 'Nov–Dec 2012', '5 Nov 2012')
    """
    days = [day(text) for text in dates]
    if not days or days[0] is None or days[-1] is None:
        return period(dates)
    first, last = days[0], days[-1]
    if first.year != last.year:
        return f"{first.year}–{last.year}"
    if first.month != last.month:
        return f"{_MONTHS[first.month - 1]}–{_MONTHS[last.month - 1]} {last.year}"
    return period(dates)


def extent(event: Event, spell: Callable[[Sequence[str]], str] = period) -> str:
    """Return an event's mention count, document count and dates in one line."""
    copied = f" and {event.copies:,} cop{'y' if event.copies == 1 else 'ies'}" if event.copies else ""
    documents = counted(event.distinct_documents, "document") + copied
    parts = [counted(len(event), "mention"), documents, spell(event.dates)]
    return " · ".join(part for part in parts if part)


def bar(value: float | None) -> Safe | None:
    """Return a probability as a number that the style draws a small bar beside, in steps of a twentieth."""
    if value is None:
        return None
    return html("var", probability(value), class_=f"p{int(20 * value)}{' low' if value < DOUBTFUL else ''}")


def judged(event: Event) -> Safe | None:
    """Return how sure an event is, as a number and in words; nothing if it is unknown."""
    if event.probability is None:
        return None
    return html("span", bar(event.probability), html("em", event.in_words), class_="sure")


def empty(*words: str) -> Safe:
    """Return the note shown where there is nothing to show."""
    return html("p", *words, class_="empty")


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """Stretches of characters that belong together, and how one piece of them is rendered."""

    stretches: tuple[tuple[int, int], ...]
    render: Callable[[str], Safe]

    @property
    def length(self) -> int:
        """The number of characters covered."""
        return sum(end - start for start, end in self.stretches)


def stretches(document: Document, mention: Mention) -> tuple[tuple[int, int], ...]:
    """Return the characters of a mention, without the gaps of a discontinuous one."""
    tokens = document.tokens
    return tuple((tokens[a].start, tokens[b - 1].end) for a, b in mention.runs)


def marked(text: str, start: int, end: int, marks: Iterable[Mark]) -> Safe:
    """Return text from `start` to `end` with its marks; where several overlap, the shortest is visible.

    >>> bold = Mark(((2, 6),), lambda piece: html("b", piece))
    >>> marked("a fire & smoke", 0, 8, [bold])
    'a <b>fire</b> &amp;'
    """
    inside = [
        (mark, max(a, start), min(b, end))
        for mark in marks
        for a, b in mark.stretches
        if a < end and b > start
    ]
    if not inside:
        return escape(text[start:end])
    edges = sorted({start, end, *(edge for _, a, b in inside for edge in (a, b))})
    place = {edge: number for number, edge in enumerate(edges)}
    owners: list[Mark | None] = [None] * (len(edges) - 1)
    for mark, a, b in sorted(inside, key=lambda stretch: -stretch[0].length):
        owners[place[a] : place[b]] = [mark] * (place[b] - place[a])
    pieces = []
    for owner, run in groupby(range(len(owners)), key=owners.__getitem__):
        places = list(run)
        piece = text[edges[places[0]] : edges[places[-1] + 1]]
        pieces.append(owner.render(piece) if owner else escape(piece))
    return together(pieces)
