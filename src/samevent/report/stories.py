"""The list of stories, and one article per story: its events, the most important first, and its documents."""

from __future__ import annotations

from collections.abc import Sequence

from samevent.events import Event
from samevent.report.index import Index
from samevent.report.markup import Safe, html
from samevent.report.parts import brief, counted, extent, judged, period, spelled
from samevent.stories import Story

OTHERS = "s0"
"""The anchor of the events that are in no story."""

MAX_OTHERS = 100
"""How many events that are in no story are listed."""

MAX_DOCUMENTS = 100
"""How many documents of a story are listed."""


def row(story: Story, index: Index) -> Safe:
    """Return a story as a line of the list."""
    extent = " · ".join(part for part in (counted(len(story), "document"), brief(story.dates)) if part)
    link = html("a", html("b", story.headline), html("small", extent), href=f"#{index.story(story)}")
    return html("li", link)


def others_row(events: Sequence[Event]) -> Safe:
    """Return the line of the events that are in no story."""
    words = counted(len(events), "event")
    return html("li", html("a", html("b", "In no story"), html("small", words), href=f"#{OTHERS}"))


def article(story: Story, index: Index, *, events: int, documents: int) -> Safe:
    """Return the article of a story, which lists so many of its events and documents at most."""
    parts = (story.id, counted(len(story), "document"), period(story.dates))
    eyebrow = " · ".join(part for part in parts if part)
    listed = [index.result.events[id] for id in story.events[:events]]
    more = len(story) - documents
    return html(
        "article",
        html("header", html("p", eyebrow, class_="eyebrow"), html("h3", story.headline)),
        html("section", html("h4", "What happened"), _event_list(listed, index)) if listed else None,
        html(
            "section",
            html("h4", "Documents"),
            html("ol", (_document(id, index) for id in story.documents[:documents]), class_="links"),
            html("p", f"{counted(more, 'more document')} in stories.csv.", class_="note")
            if more > 0
            else None,
        ),
        id=index.story(story),
        tabindex=-1,
    )


def others_article(events: Sequence[Event], index: Index) -> Safe:
    """Return the article of the events that are in no story."""
    shown = events[:MAX_OTHERS]
    more = len(events) - len(shown)
    return html(
        "article",
        html("header", html("h3", "Events in no story")),
        html("section", _event_list(shown, index)),
        html("p", f"{counted(more, 'more event')} in the list of events.", class_="note") if more else None,
        id=OTHERS,
        tabindex=-1,
    )


def _event_list(events: Sequence[Event], index: Index) -> Safe:
    """Return events as links, with how large and how sure they are."""
    return html("ol", (_event(event, index) for event in events), class_="links")


def _event(event: Event, index: Index) -> Safe:
    link = html("a", event.label, href=f"#{index.lead(event)}")
    known = html("small", extent(event, brief), " ", judged(event))
    return html("li", link, known, class_=index.colour(event))


def _document(id: str, index: Index) -> Safe:
    date = index.result.dates[id]
    link = html("a", index.name(id), href=f"#{index.document(id)}")
    return html("li", link, html("small", spelled(date)) if date else None)
