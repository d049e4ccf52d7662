"""Numbers, dates and roles as people write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from samevent.corpus import Mention
from samevent.results import Event

DOUBTFUL = 0.5
"""A mention that is less likely than this to tell of the same event as the others is doubtful."""

ASKED = ("who", "whom or what", "when", "where", "also named")
"""What the arguments of an event answer, in the order of the report."""

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def counted(count: int, thing: str) -> str:
    """Return how many things there are.

    >>> counted(1, "mention"), counted(1200, "mention")
    ('1 mention', '1,200 mentions')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def probability(value: float) -> str:
    """Return a probability with two digits that stays on its side of certain and of doubtful.

    >>> probability(0.9991), probability(0.25), probability(1.0), probability(0.4999)
    ('0.99', '0.25', '1.00', '0.49')
    """
    limit = 0.49 if value < DOUBTFUL else 0.99 if value < 0.9995 else 1.0
    return f"{min(value, limit):.2f}"


def day(text: str) -> date | None:
    """Return the day of an ISO date, the first one of a month or a year, or None if it is another kind of date."""
    try:
        return date.fromisoformat(
            (text + "-01-01"[len(text) - 4 :])[:10] if len(text) in (4, 7) else text[:10]
        )
    except ValueError:
        return None


def spelled(text: str) -> str:
    """Return a date as people read it; one that is not ISO stays as it is.

    >>> spelled("2012-11-05"), spelled("2012-11"), spelled("Monday")
    ('5 Nov 2012', 'Nov 2012', 'Monday')
    """
    found = day(text)
    if found is None or len(text) == 4:
        return text
    month = f"{_MONTHS[found.month - 1]} {found.year}"
    return month if len(text) == 7 else f"{found.day} {month}"


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
    shared = 0  # what both end with is said once: a year, or a month and a year
    if all(len(text) == 10 and day(text) for text in (dates[0], dates[-1])) and first[-4:] == last[-4:]:
        shared = 9 if first[-8:] == last[-8:] else 5
    return f"{first[: len(first) - shared]}{'–' if shared == 9 else ' – '}{last}"


def brief(dates: Sequence[str]) -> str:
    """Return a period with no more detail than its length asks for.

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
    """Return the size of an event, its documents and its dates, in a line."""
    parts = [counted(len(event), "mention"), counted(len(event.documents), "document"), spell(event.dates)]
    return " · ".join(part for part in parts if part)


def asked(mention: Mention, role: str | None) -> str:
    """Return the question that an argument answers: its kind decides, and among participants the role."""
    match mention.kind:
        case "time":
            return "when"
        case "location":
            return "where"
        case _:
            return "also named" if role is None else "who" if role in ("ARG0", "A0") else "whom or what"
