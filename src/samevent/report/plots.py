"""The views that draw: the sampler's traces, events over time, and events by documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from samevent.corpus import Document
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
    """Days as percentages of the width, with a little room on both sides."""

    def __init__(self, days: list[date]) -> None:
        room = max(1, (max(days) - min(days)).days // 25)
        self.first = date.fromordinal(max(date.min.toordinal(), min(days).toordinal() - room))
        self.last = date.fromordinal(min(date.max.toordinal(), max(days).toordinal() + room))

    def place(self, when: date) -> str:
        return f"{100 * (when - self.first).days / (self.last - self.first).days:.4g}%"

    def ticks(self) -> list[tuple[date, str]]:
        """Return days at even steps of years, months or days, with their labels."""
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


def _lane(event: Event, dates: Mapping[str, date], scale: _Scale, index: Index) -> Safe:
    counts = Counter(dates[m.document] for m in event.mentions if m.document in dates)
    first, last = scale.place(min(counts)), scale.place(max(counts))
    dots = [
        html(
            "circle",
            html("title", f"{spelled(when.isoformat())}: {count}"),
            cx=scale.place(when),
            r=min(10, 4 + round(count**0.5)),
        )
        for when, count in sorted(counts.items())
    ]
    drawing = html(
        "svg",
        html("line", x1=first, x2=last, y1="50%", y2="50%"),
        dots,
        role="img",
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
    counts = Counter(mention.document for mention in event.mentions)
    cells = [
        html("td", counts[d.id], class_=f"k{min(SHADES, counts[d.id])}") if counts[d.id] else html("td")
        for d in documents
    ]
    head = html("th", html("a", event.label, href=f"#{index.event(event)}"), scope="row")
    return html("tr", head, cells, class_=index.colour(event))
