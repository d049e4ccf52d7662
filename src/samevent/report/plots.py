"""The views that draw: the sampler's traces, events over time, and events by documents."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import pairwise

from samevent.corpus import Document, Mention
from samevent.events import Event
from samevent.report.index import Index, Traces, name
from samevent.report.markup import Safe, html
from samevent.report.parts import counted, day, empty, period, spelled

MAX_POINTS = 400
"""How many points of a line are drawn; a longer one is drawn by the extremes of even stretches of it."""

LINE_COLOURS = 6
MAX_LANES, TICKS = 40, 6
MAX_EVENTS, MAX_DOCUMENTS = 40, 60
SHADES = 5
TIP_WORDS, TIP_TITLES = 4, 3
BREAK = 4.0
"""Percent of the width of a break in the time axis."""
WIDE_GAP, LEAST_GAP, MAX_BREAKS = 0.5, 60, 3
"""A gap is cut out if it has more than this share of the days that are left, and at least so many."""
ORDERING_ROUNDS = 20


def chains(diagnostics: Traces) -> list[Safe]:
    """Return the verdict on the sampler, and one plot per quantity with one line per run."""
    verdict = html("p", diagnostics.verdict, class_="verdict") if diagnostics.verdict else None
    plots = [plot for name, trace in diagnostics.traces.items() if (plot := _plot(name, trace)) is not None]
    drawn = html("div", plots, class_="plots") if plots else empty("This run has no sampler traces.")
    return [part for part in (verdict, drawn) if part is not None]


def _plot(name: str, trace: Sequence[Sequence[float]]) -> Safe | None:
    values = [value for run in trace for value in run if math.isfinite(value)]
    if not values:
        return None
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 1, high + 1
    sweeps = max(len(run) for run in trace)
    lines = [
        html("path", d=path, class_=f"l{number % LINE_COLOURS}")
        for number, run in enumerate(trace)
        if (path := _path(run, low, high, sweeps))
    ]
    extent = f"over {counted(sweeps, 'sweep')}, from {_number(low)} to {_number(high)}"
    return html(
        "figure",
        html("figcaption", name, html("small", counted(len(lines), "run"))),
        html("div", html("span", _number(high)), html("span", _number(low)), class_="y", aria_hidden="true"),
        html(
            "svg",
            lines,
            viewBox="0 0 1000 1000",
            preserveAspectRatio="none",
            role="img",
            aria_label=f"{name} of {counted(len(lines), 'run')} {extent}",
        ),
        html(
            "div", html("span", "1"), html("span", counted(sweeps, "sweep")), class_="x", aria_hidden="true"
        ),
    )


def _path(run: Sequence[float], low: float, high: float, sweeps: int) -> str:
    width = max(1, sweeps - 1)
    pieces, pen = [], "M"
    for sweep in _kept(run):
        value = run[sweep]
        if not math.isfinite(value):
            pen = "M"
            continue
        across, down = 1000 * sweep / width, 1000 * (high - value) / (high - low)
        pieces.append(f"{pen}{across:.0f} {down:.0f}")
        pen = "L"
    return "".join(pieces) + ("h1000" if len(pieces) == 1 else "")


def _kept(run: Sequence[float]) -> list[int]:
    """Return the sweeps to draw: all, or the lowest and highest of each stretch, so that no peak is lost."""
    if len(run) <= MAX_POINTS:
        return list(range(len(run)))
    kept: set[int] = {0, len(run) - 1}
    for stretch in range(MAX_POINTS // 2):
        part = range(stretch * len(run) * 2 // MAX_POINTS, (stretch + 1) * len(run) * 2 // MAX_POINTS)
        kept |= {min(part, key=run.__getitem__), max(part, key=run.__getitem__)}
    return sorted(kept)


def _number(value: float) -> str:
    text = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return text.replace("-", "−")


def timeline(index: Index) -> Safe:
    """Return the largest dated events over time: one lane per event, one dot per date, larger with more mentions."""
    dates = {document: when for document, text in index.result.dates.items() if text and (when := day(text))}
    lanes = [event for event in index.coreferent if any(document in dates for document in event.documents)]
    if not lanes:
        return empty("No document of an event with several mentions has a date, so there is nothing to draw.")
    shown = sorted(lanes[:MAX_LANES], key=lambda event: _first(event, dates))
    scale = _Scale([dates[document] for event in shown for document in event.documents if document in dates])
    count = (
        counted(len(lanes), "event")
        if len(shown) == len(lanes)
        else f"The {MAX_LANES} largest of {len(lanes):,} events"
    )
    undated = len(index.documents) - len(dates)
    notes = [
        f"{count} with several mentions, by the dates of their documents.",
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
            (_lane(event, dates, scale, index) for event in shown),
            class_="lanes",
        ),
    )


class _Scale:
    """Days as percentages of the width, with a little room on both sides.

    A stretch without dates that would take most of the width is cut out, so that one late date does not squeeze the
    rest: each of the `parts` between has a share of the width, and the breaks between them have a little.
    """

    def __init__(self, days: list[date]) -> None:
        self.parts = [
            _Part(first, last) for first, last in _without_gaps(sorted({d.toordinal() for d in days}))
        ]
        room = 100 - BREAK * (len(self.parts) - 1)
        least = room / (2 * len(self.parts))
        whole = sum(part.days for part in self.parts)
        start = 0.0
        for part in self.parts:
            part.start, part.width = start, least + (room / 2) * part.days / whole
            start += part.width + BREAK

    @property
    def breaks(self) -> list[str]:
        """Where the middle of each break is."""
        return [f"{part.start - BREAK / 2:.4g}%" for part in self.parts[1:]]

    def place(self, when: date) -> str:
        part = next(part for part in self.parts if when <= part.last)
        return f"{part.start + part.width * (when - part.first).days / part.days:.4g}%"

    def ticks(self) -> list[tuple[date, str]]:
        """Return days at even steps of years, months or days, with their labels; each part has some."""
        return [
            tick
            for part in self.parts
            for tick in part.ticks(max(1, round(TICKS * part.width / 100)), alone=len(self.parts) == 1)
        ]


class _Part:
    """Days without a break, and the share of the width that they have."""

    def __init__(self, first: int, last: int) -> None:
        room = max(1, (last - first) // 25)
        self.first = date.fromordinal(max(date.min.toordinal(), first - room))
        self.last = date.fromordinal(min(date.max.toordinal(), last + room))
        self.start, self.width = 0.0, 100.0

    @property
    def days(self) -> int:
        return (self.last - self.first).days

    def ticks(self, most: int, *, alone: bool) -> list[tuple[date, str]]:
        """Return about `most` days with their labels; those of a part that is not alone have the year."""
        if most == 1:
            middle = date.fromordinal((self.first.toordinal() + self.last.toordinal()) // 2)
            return [(middle, spelled(middle.isoformat() if self.days < 62 else f"{middle:%Y-%m}"))]
        if self.days > 365 * most / 2:
            step = -(-self.days // (365 * most))
            years = range(self.first.year + 1, self.last.year + 1)
            return [(date(year, 1, 1), str(year)) for year in years if year % step == 0]
        if self.days > 31 * most / 2:
            step = next(step for step in (1, 2, 3, 6) if self.days <= 31 * step * most)
            first, last = (12 * day.year + day.month for day in (self.first, self.last))
            months = [divmod(month, 12) for month in range(first, last) if month % step == 0]
            return [
                (date(year, month + 1, 1), spelled(f"{year:04}-{month + 1:02}")) for year, month in months
            ]
        days = range(self.first.toordinal() + 1, self.last.toordinal(), -(-self.days // most))
        named = [(when, spelled(when.isoformat())) for when in map(date.fromordinal, days)]
        return [
            (when, name.rpartition(" ")[0] if alone or at else name) for at, (when, name) in enumerate(named)
        ]


def _without_gaps(days: list[int]) -> list[tuple[int, int]]:
    """Return the stretches of sorted days that are left when wide gaps are cut out.

    >>> _without_gaps([1, 2, 9, 5000]), _without_gaps([1, 5000])
    ([(1, 9), (5000, 5000)], [(1, 5000)])
    """
    gaps = sorted(((b - a, a, b) for a, b in pairwise(days)), reverse=True)
    left = days[-1] - days[0]
    cut: list[tuple[int, int]] = []
    for gap, a, b in gaps[: min(MAX_BREAKS, len(gaps) - 1)]:
        if gap <= WIDE_GAP * left or gap < LEAST_GAP:
            break
        cut.append((a, b))
        left -= gap
    cut.sort()
    return list(zip([days[0], *(b for _, b in cut)], [*(a for a, _ in cut), days[-1]], strict=True))


def _first(event: Event, dates: Mapping[str, date]) -> tuple[date, date]:
    days = [dates[document] for document in event.documents if document in dates]
    return min(days), max(days)


def _grid(scale: _Scale) -> Safe:
    places = [scale.place(when) for when, _ in scale.ticks()]
    lines = [html("line", x1=place, x2=place, y1=0, y2="100%") for place in places]
    breaks = [html("line", x1=place, x2=place, y1=0, y2="100%", class_="break") for place in scale.breaks]
    return html("svg", lines, breaks)


def _axis(scale: _Scale) -> Safe:
    words = [html("text", words, x=scale.place(when), y=14) for when, words in scale.ticks()]
    return html("svg", words, (html("text", "⋯", x=place, y=14) for place in scale.breaks))


def _lane(event: Event, dates: Mapping[str, date], scale: _Scale, index: Index) -> Safe:
    told: dict[date, list[Mention]] = {}
    for mention in event.mentions:
        if mention.document in dates:
            told.setdefault(dates[mention.document], []).append(mention)
    first, last = scale.place(min(told)), scale.place(max(told))
    dots = [
        html(
            "a",
            html(
                "circle",
                html("title", _tip(spelled(when.isoformat()), mentions, index)),
                cx=scale.place(when),
                r=min(10, 4 + round(len(mentions) ** 0.5)),
            ),
            href=f"#{index.mention(mentions[0].id)}",
        )
        for when, mentions in sorted(told.items())
    ]
    drawing = html(
        "svg",
        html("line", x1=first, x2=last, y1="50%", y2="50%"),
        dots,
        role="group",
        aria_label=f"{counted(len(event), 'mention')}, {period(event.dates)}",
    )
    return html(
        "li", html("a", event.label, href=f"#{index.event(event)}"), drawing, class_=index.colour(event)
    )


def matrix(index: Index) -> Safe:
    """Return the table of the largest cross-document events: one row per event, one column per document."""
    across = [event for event in index.coreferent if len(event.documents) > 1]
    if not across:
        return empty("No event appears in more than one document.")
    events, documents = _drawn(across, index)
    notes = f"{_of(len(events), len(across), 'event')} in several documents, "
    notes += f"and {_of(len(documents), len(index.documents), 'document')}. Numbers are mention counts."
    heads = [
        html("th", html("a", name(document), href=f"#{index.document(document.id)}"), scope="col")
        for document in documents
    ]
    return html(
        "div",
        html("p", notes, class_="note"),
        html(
            "div",
            html(
                "table",
                html("thead", html("tr", html("td"), heads)),
                html("tbody", (_row(event, documents, index) for event in events)),
            ),
            class_="wide",
            tabindex=0,
            role="region",
            aria_label="Documents by events",
        ),
    )


def linked_mentions(index: Index) -> set[str]:
    """Return the anchors of the mentions that dots and cells lead to."""
    return set(re.findall(r"href=#(m\d+)", f"{timeline(index)}{matrix(index)}"))


def _of(shown: int, whole: int, thing: str) -> str:
    return counted(whole, thing) if shown == whole else f"{shown} of {counted(whole, thing)}"


def _drawn(across: list[Event], index: Index) -> tuple[list[Event], list[Document]]:
    """Choose what is drawn, and order it so that events and documents that belong together are neighbours."""
    largest = across[:MAX_EVENTS]
    mentions = Counter(mention.document for event in largest for mention in event.mentions)
    chosen = {document for document, _ in mentions.most_common(MAX_DOCUMENTS)}
    links = {event.id: [d for d in event.documents if d in chosen] for event in largest}
    events, documents = side_by_side({id: linked for id, linked in links.items() if linked})
    return [index.result.events[id] for id in events], [index.result.corpus[id] for id in documents]


def side_by_side(links: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Order both sides of a bipartite graph so that linked nodes are close: the barycentre heuristic.

    >>> side_by_side({"a": ["1", "3"], "b": ["2", "4"], "c": ["1", "3"]})
    (['a', 'c', 'b'], ['1', '3', '2', '4'])
    """
    rows, columns = list(links), list(dict.fromkeys(other for linked in links.values() for other in linked))
    back = {column: [row for row in rows if column in links[row]] for column in columns}
    for _ in range(ORDERING_ROUNDS):
        rows.sort(key=_middle(links, columns))
        columns.sort(key=_middle(back, rows))
    return rows, columns


def _middle(links: Mapping[str, Sequence[str]], others: Sequence[str]) -> Callable[[str], float]:
    place = {other: number for number, other in enumerate(others)}
    return lambda one: sum(place[other] for other in links[one]) / len(links[one])


def _row(event: Event, documents: list[Document], index: Index) -> Safe:
    told: dict[str, list[Mention]] = {}
    for mention in event.mentions:
        told.setdefault(mention.document, []).append(mention)
    cells = [_cell(told[d.id], index) if d.id in told else html("td") for d in documents]
    head = html("th", html("a", event.label, href=f"#{index.event(event)}"), scope="row")
    return html("tr", head, cells, class_=index.colour(event))


def _cell(mentions: list[Mention], index: Index) -> Safe:
    """Return how often a document mentions an event, with a link to the first mention in it."""
    link = html(
        "a",
        len(mentions),
        href=f"#{index.mention(mentions[0].id)}",
        title=_tip("", mentions, index),
    )
    return html("td", link, class_=f"k{min(SHADES, len(mentions))}")


def _tip(about: str, mentions: list[Mention], index: Index) -> str:
    """Return what is shown of mentions under the pointer: their documents and their words."""
    words = list(dict.fromkeys(mention.text for mention in mentions))
    titles = list(dict.fromkeys(name(index.result.corpus[m.document]) for m in mentions))
    said = ", ".join(words[:TIP_WORDS]) + (" …" if len(words) > TIP_WORDS else "")
    where = "; ".join(titles[:TIP_TITLES]) + (" …" if len(titles) > TIP_TITLES else "")
    return f"{about}: {where} ({said})" if about else f"{where}: {said}"
