"""Which documents tell of which events: a table with a row an event and a column a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from samevent.corpus import Document
from samevent.report.index import Index, Links, name
from samevent.report.markup import Safe, html
from samevent.report.parts import empty
from samevent.report.words import counted
from samevent.results import Event

EVENTS, DOCUMENTS = 40, 60
SHADES = 5
ROUNDS = 20


def matrix(index: Index, links: Links) -> Safe:
    """Return the table of the largest events that are told of in several documents."""
    across = [event for event in index.told_often if len(event.documents) > 1]
    if not across:
        return empty("No event is told of in more than one document.")
    events, documents = _drawn(across, index)
    notes = f"{_of(len(events), len(across), 'event')} told of in several documents, "
    notes += f"and {_of(len(documents), len(index.documents), 'document')}. A number counts mentions."
    heads = [
        html("th", html("a", name(document), href=links.to(index.document(document.id))), scope="col")
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
                html("tbody", (_row(event, documents, index, links) for event in events)),
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
    """Choose what is drawn, and put events and documents that belong together next to each other."""
    largest = across[:EVENTS]
    told = Counter(mention.document for event in largest for mention in event.mentions)
    chosen = {document for document, _ in told.most_common(DOCUMENTS)}
    links = {event.id: [d for d in event.documents if d in chosen] for event in largest}
    events, documents = side_by_side({id: linked for id, linked in links.items() if linked})
    return [index.result.events[id] for id in events], [index.result.corpus[id] for id in documents]


def side_by_side(links: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Order both sides of a graph so that neighbours belong together.

    In turns, each goes to the middle of those it is linked with (the barycentre heuristic).

    >>> side_by_side({"a": ["1", "3"], "b": ["2", "4"], "c": ["1", "3"]})
    (['a', 'c', 'b'], ['1', '3', '2', '4'])
    """
    rows, columns = list(links), list(dict.fromkeys(other for linked in links.values() for other in linked))
    back = {column: [row for row in rows if column in links[row]] for column in columns}
    for _ in range(ROUNDS):
        rows.sort(key=_middle(links, columns))
        columns.sort(key=_middle(back, rows))
    return rows, columns


def _middle(links: Mapping[str, Sequence[str]], others: Sequence[str]) -> Callable[[str], float]:
    place = {other: number for number, other in enumerate(others)}
    return lambda one: sum(place[other] for other in links[one]) / len(links[one])


def _row(event: Event, documents: list[Document], index: Index, links: Links) -> Safe:
    told = Counter(mention.document for mention in event.mentions)
    cells = [
        html("td", told[d.id], class_=f"k{min(SHADES, told[d.id])}") if told[d.id] else html("td")
        for d in documents
    ]
    head = html("th", html("a", event.label, href=links.to(index.event(event))), scope="row")
    return html("tr", head, cells, class_=index.colour(event))
