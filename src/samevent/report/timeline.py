"""When events were told of: a lane an event, a dot a date, larger where more mentions are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date

from samevent.report.index import Index, Links
from samevent.report.markup import Safe, html
from samevent.report.parts import empty
from samevent.report.words import counted, day, period, spelled
from samevent.results import Event

LANES = 40
TICKS = 6


def timeline(index: Index, links: Links) -> Safe:
    """Return the timeline of the largest events that have dates."""
    dates = {
        document: found for document, text in index.result.dates.items() if text and (found := day(text))
    }
    lanes = [event for event in index.told_often if any(document in dates for document in event.documents)]
    if not lanes:
        return empty("No document of an event with several mentions has a date, so there is nothing to draw.")
    shown = sorted(lanes[:LANES], key=lambda event: _first(event, dates))
    scale = _Scale([dates[document] for event in shown for document in event.documents if document in dates])
    count = (
        counted(len(lanes), "event")
        if len(shown) == len(lanes)
        else f"The {LANES} largest of {len(lanes):,} events"
    )
    undated = len(index.documents) - len(dates)
    notes = [
        f"{count} with several mentions, by the dates of the documents that tell of them.",
        f" {counted(undated, 'document')} without a date {'is' if undated == 1 else 'are'} left out."
        if undated
        else None,
    ]
    return html(
        "div",
        html("p", notes, class_="note"),
        html(
            "ol",
            html("li", html("span"), _grid(scale), class_="grid", aria_hidden="true"),
            html("li", html("span"), _axis(scale), class_="axis", aria_hidden="true"),
            (_lane(event, dates, scale, index, links) for event in shown),
            class_="lanes",
        ),
    )


class _Scale:
    """Days as percentages of the width, with a little room on both sides."""

    def __init__(self, days: list[date]) -> None:
        room = max(1, (max(days) - min(days)).days // 25)
        self.first = date.fromordinal(max(date.min.toordinal(), min(days).toordinal() - room))
        self.last = date.fromordinal(min(date.max.toordinal(), max(days).toordinal() + room))

    def place(self, when: date) -> str:
        return f"{100 * (when - self.first).days / (self.last - self.first).days:.4g}%"

    def ticks(self) -> list[tuple[date, str]]:
        """Return days at even steps of years, months or days, with what to call them."""
        span = (self.last - self.first).days
        if span > 365 * TICKS / 2:
            step = -(-span // (365 * TICKS))
            years = range(self.first.year + 1, self.last.year + 1)
            return [(date(year, 1, 1), str(year)) for year in years if year % step == 0]
        if span > 31 * TICKS / 2:
            step = next(step for step in (1, 2, 3, 6) if span <= 31 * step * TICKS)
            first, last = (12 * day.year + day.month for day in (self.first, self.last))
            months = [divmod(month, 12) for month in range(first, last) if month % step == 0]
            return [
                (date(year, month + 1, 1), spelled(f"{year:04}-{month + 1:02}")) for year, month in months
            ]
        days = range(self.first.toordinal() + 1, self.last.toordinal(), -(-span // TICKS))
        return [(when, spelled(when.isoformat()).rpartition(" ")[0]) for when in map(date.fromordinal, days)]


def _first(event: Event, dates: Mapping[str, date]) -> tuple[date, date]:
    days = [dates[document] for document in event.documents if document in dates]
    return min(days), max(days)


def _grid(scale: _Scale) -> Safe:
    places = [scale.place(when) for when, _ in scale.ticks()]
    return html("svg", (html("line", x1=place, x2=place, y1=0, y2="100%") for place in places))


def _axis(scale: _Scale) -> Safe:
    return html("svg", (html("text", words, x=scale.place(when), y=14) for when, words in scale.ticks()))


def _lane(event: Event, dates: Mapping[str, date], scale: _Scale, index: Index, links: Links) -> Safe:
    told = Counter(dates[m.document] for m in event.mentions if m.document in dates)
    first, last = scale.place(min(told)), scale.place(max(told))
    dots = [
        html(
            "circle",
            html("title", f"{spelled(when.isoformat())}: {count}"),
            cx=scale.place(when),
            r=min(10, 4 + round(count**0.5)),
        )
        for when, count in sorted(told.items())
    ]
    drawing = html(
        "svg",
        html("line", x1=first, x2=last, y1="50%", y2="50%"),
        dots,
        role="img",
        aria_label=f"{counted(len(event), 'mention')}, {period(event.dates)}",
    )
    return html(
        "li", html("a", event.label, href=links.to(index.event(event))), drawing, class_=index.colour(event)
    )
