"""Numbers, anchors and colours for events, documents and mentions.

Names that come with a corpus are shown but never used as anchors; those are `s1`, `e1`, `d1`, `m1` and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from samevent.corpus import Corpus, Document, Mention
from samevent.events import Event, Events, PairQuestion
from samevent.stories import Stories, Story

if TYPE_CHECKING:
    from samevent.report.comparison import Point

COLOURS = 12

MAX_SINGLETON_ARTICLES = 500
"""With more singletons than this, none has an article: each is read where it is mentioned."""

_DOCUMENTS = 1024
"""Of how many documents the arguments are kept at hand."""


class Traces(Protocol):
    """A verdict on the sampler, and traces to plot: one row per run."""

    @property
    def verdict(self) -> str:
        """The verdict in words."""

    @property
    def traces(self) -> Mapping[str, Sequence[Sequence[float]]]:
        """The traces by name."""


class Reportable(Protocol):
    """What a report shows. `results.Result` is one; the report does not import it, so that it can import the report."""

    @property
    def corpus(self) -> Corpus:
        """The documents."""

    @property
    def events(self) -> Events:
        """The events, in order of their first mentions."""

    @property
    def stories(self) -> Stories:
        """Documents that share events, those with most documents first."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Preset, seed, settings, model, versions."""

    @property
    def dates(self) -> Mapping[str, str | None]:
        """The date of each document (ISO), where it is known."""

    @property
    def questions(self) -> Sequence[PairQuestion]:
        """What to ask a person, the most consequential question first."""

    @property
    def diagnostics(self) -> Traces:
        """How the run went."""


class Index:
    """The parts of a result by number; events that matter most come first, and background last."""

    def __init__(self, result: Reportable) -> None:
        self.result = result
        self.documents = result.corpus.documents
        self.ranked = result.events.ranked(background=True)
        self.coreferent = tuple(event for event in self.ranked if len(event) > 1)
        self.singletons = tuple(event for event in self.ranked if len(event) == 1)
        compact = len(self.singletons) > MAX_SINGLETON_ARTICLES
        self.articles = self.coreferent if compact else self.ranked
        self.mentions = {mention.id: mention for event in result.events for mention in event.mentions}
        self.names: dict[str, str] = {}
        """The names of documents that were looked at."""
        self.compared: dict[tuple[str, str], list[Point]] = {}
        """What pairs of mentions agree on, of those that were compared last (`comparison`)."""
        self.fillers = lru_cache(maxsize=_DOCUMENTS)(self._fillers)
        self._event = {event.id: number for number, event in enumerate(result.events, 1)}
        self._document = {id: number for number, id in enumerate(result.corpus.ids, 1)}
        self._story = {story.id: number for number, story in enumerate(result.stories, 1)}
        self._mention = {id: number for number, id in enumerate(self.mentions, 1)}
        self._with_article = {event.id for event in self.articles}
        self._colour = _colours(self.coreferent)

    def _fillers(self, document: str) -> dict[str, Mention]:
        """Return the participants, times and locations of a document by their ids."""
        return {m.id: m for m in self.result.corpus[document].mentions if m.kind != "action"}

    @cached_property
    def marks(self) -> dict[int, list[list[str]]]:
        """The decisions that hold for mentions, with their ids, by the mentions' numbers."""
        return {
            self._mention[member.mention.id]: [[mark.decision, mark.id] for mark in member.marks]
            for event in self.result.events
            for member in event.members
            if member.marks
        }

    def event(self, event: Event) -> str:
        """Return the anchor of an event."""
        return f"e{self._event[event.id]}"

    def document(self, id: str) -> str:
        """Return the anchor of a document."""
        return f"d{self._document[id]}"

    def story(self, story: Story) -> str:
        """Return the anchor of a story."""
        return f"s{self._story[story.id]}"

    def mention(self, id: str) -> str:
        """Return the anchor of an event mention in its document."""
        return f"m{self._mention[id]}"

    def name(self, id: str) -> str:
        """Return the name of a document, which is looked at only if it has not been yet."""
        known = self.names.get(id)
        if known is None:
            known = self.names[id] = name(self.result.corpus[id])
        return known

    def has_article(self, event: Event) -> bool:
        """Return whether an event has an article of its own."""
        return event.id in self._with_article

    def lead(self, event: Event) -> str:
        """Return the anchor where an event is read: its article, or the only mention."""
        return self.event(event) if self.has_article(event) else self.mention(event.mentions[0].id)

    def number(self, event: Event) -> int:
        """Return the position of an event in order of first mentions."""
        return self._event[event.id]

    def colour(self, event: Event) -> str:
        """Return the CSS class of an event's colour; singletons have none."""
        return f"c{self._colour[event.id]}" if event.id in self._colour else "s"


def name(document: Document) -> str:
    """Return the title of a document, or its id."""
    return document.title or document.id


def _colours(events: tuple[Event, ...]) -> dict[str, int]:
    """Give each event the colour least used in its documents so far, the next in turn among equals."""
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
