"""What is where: numbers and colours for events, documents and mentions, and links between them.

Names that come with a corpus are shown but never used as anchors; those are `e1`, `d1`, `m1` and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from samevent.corpus import Document
from samevent.results import Event, Result

COLOURS = 12

SINGLES = 500
"""If more events than this are told of only once, they have no articles and are read where they are told of."""


@dataclass(frozen=True, slots=True)
class Links:
    """Where anchors are: the file of each one that is not on this page."""

    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def to(self, anchor: str) -> str:
        """Return what a link to an anchor says."""
        return f"{self.elsewhere.get(anchor, '')}#{anchor}"


class Index:
    """The parts of a result by number; events with most mentions come first."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.documents = result.corpus.documents
        self.by_size = tuple(sorted(result.events, key=lambda event: (-len(event), -len(event.documents))))
        self.told_often = tuple(event for event in self.by_size if len(event) > 1)
        self.told_once = tuple(event for event in self.by_size if len(event) == 1)
        self.articles = self.told_often if len(self.told_once) > SINGLES else self.by_size
        self.mentions = {mention.id: mention for event in result.events for mention in event.mentions}
        self.fillers = {m.id: m for m in result.corpus.mentions() if m.kind != "action"}
        self._event = {event.id: number for number, event in enumerate(result.events, 1)}
        self._document = {document.id: number for number, document in enumerate(self.documents, 1)}
        self._mention = {id: number for number, id in enumerate(self.mentions, 1)}
        self._read_apart = {event.id for event in self.articles}
        self._colour = _colours(self.told_often)

    def event(self, event: Event) -> str:
        """Return the anchor of an event."""
        return f"e{self._event[event.id]}"

    def document(self, id: str) -> str:
        """Return the anchor of a document."""
        return f"d{self._document[id]}"

    def mention(self, id: str) -> str:
        """Return the anchor of an event mention in its document."""
        return f"m{self._mention[id]}"

    def has_article(self, event: Event) -> bool:
        """Say whether an event has an article of its own."""
        return event.id in self._read_apart

    def lead(self, event: Event) -> str:
        """Return where to read of an event: its article, or the one place where it is told of."""
        return self.event(event) if self.has_article(event) else self.mention(event.mentions[0].id)

    def number(self, event: Event) -> int:
        """Return the place of an event among all, by its first mention."""
        return self._event[event.id]

    def colour(self, event: Event) -> str:
        """Return the class that gives an event its colour; those that are told of once have none."""
        return f"c{self._colour[event.id]}" if event.id in self._colour else "s"


def name(document: Document) -> str:
    """Return what a document is called."""
    return document.title or document.id


def _colours(events: tuple[Event, ...]) -> dict[str, int]:
    """Give each event the colour that is least used in its documents so far, the next in turn among equals."""
    used: dict[str, Counter[int]] = {}
    colour_of = {}
    for turn, event in enumerate(events):
        near = [used.setdefault(document, Counter()) for document in event.documents]
        colour = min(
            ((turn + step) % COLOURS for step in range(COLOURS)),
            key=lambda colour: sum(colours[colour] for colours in near),
        )
        for colours in near:
            colours[colour] += 1
        colour_of[event.id] = colour
    return colour_of
