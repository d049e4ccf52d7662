"""The content of a report, in blocks that fit on one page or on several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import inf
from typing import Any, Literal

from samevent.corpus import Document
from samevent.events import Event, Member
from samevent.report import documents, events, stories
from samevent.report.index import Index, Reportable, name
from samevent.report.markup import Safe, html
from samevent.report.parts import counted, empty
from samevent.report.reasons import Reasons, packed, reasons_of
from samevent.report.review import review_data
from samevent.stories import Story

MAX_QUOTED_CHARACTERS = 1_000_000
"""Limit on the text of documents and quoted sentences together; beyond it, events name mentions without quoting."""

MAX_LISTED = 5_000
"""How many events with several mentions, and how many with one, the list names."""

MAX_STORIES = 1_000
"""How many stories the report tells."""

MAX_INDEXED = 2_500
"""The same for the index of a report of several pages, and for its documents: it stays below 5 MB."""

MAX_TOLD = 7_500
"""How many events, and how many documents, the stories of such an index list together: the same number of each."""


@dataclass(frozen=True, slots=True)
class Block:
    """One story, event or document: its markup and the anchors in it."""

    kind: Literal["stories", "events", "documents"]
    anchors: tuple[str, ...]
    markup: Safe
    members: tuple[Member, ...] = ()
    reasons: tuple[Reasons, ...] = ()


class Survey:
    """What a first look at documents tells: how long they are, and their lines in the list."""

    def __init__(self) -> None:
        self.characters = self.sentences = 0
        self.rows: list[Safe] = []


class Book:
    """The content of a report. Every block is rendered once, with links that stay on the page."""

    def __init__(self, result: Reportable) -> None:
        self.index = Index(result)
        self.whole = True
        """Whether everything is on one page. Otherwise the first page is an index, with shorter lists."""
        self.title = str(result.about.get("title") or self.headline)
        self._survey = Survey()

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of documents, mentions, events, and events in more than one document."""
        index = self.index
        across = sum(len(event.documents) > 1 for event in index.coreferent)
        return len(index.documents), len(index.mentions), len(index.ranked), across

    @property
    def headline(self) -> str:
        """One line that counts stories, events and documents."""
        documents, _, events, _ = self.counts
        told = len(self.index.result.stories)
        stories = f"{f'{told:,} stories' if told > 1 else '1 story'}, " if told else ""
        return f"{stories}{counted(events, 'event')} in {counted(documents, 'document')}"

    def blocks(self) -> list[Block]:
        """Return everything for one page but stories: events, as far quoted as fits, and documents in order."""
        quoted = _affordable_quotes(self.index, self.survey())
        return self._rendered(self.index.articles, range(len(self.index.documents)), quoted)

    def survey(self, most: float = inf) -> Survey:
        """Look at documents one by one, until they have more than `most` characters and the index has its lines."""
        seen, every = self._survey, self.index.documents
        while len(seen.rows) < len(every) and (seen.characters <= most or len(seen.rows) < MAX_INDEXED):
            document = every[len(seen.rows)]
            self.index.names[document.id] = name(document)
            seen.characters += len(document.text)
            seen.sentences += len(document.sentences)
            seen.rows.append(documents.row(document, self.index))
        return seen

    @property
    def told(self) -> Sequence[Story]:
        """The stories that the report tells."""
        most = MAX_STORIES if self.whole else min(MAX_STORIES, MAX_INDEXED)
        return list(islice(self.index.result.stories, most))

    @cached_property
    def untold(self) -> Sequence[Event]:
        """Events of several mentions that are in no story, without background."""
        stories = self.index.result.stories
        return [
            event
            for event in self.index.coreferent
            if not event.background and not any(stories.of(document) for document in event.documents)
        ]

    def story_blocks(self) -> list[Block]:
        """Return all stories, and the events that are in none; they stand on the first page."""
        index, told = self.index, self.told
        room = inf if self.whole else MAX_TOLD
        most = {
            "events": _fair_share([len(story.events) for story in told], room),
            "documents": _fair_share([min(len(story), stories.MAX_DOCUMENTS) for story in told], room),
        }
        blocks = [
            Block("stories", (index.story(story),), stories.article(story, index, **most)) for story in told
        ]
        if self.untold:
            blocks.append(Block("stories", (stories.OTHERS,), stories.others_article(self.untold, index)))
        return blocks

    def story_list(self) -> list[Safe]:
        """Return the list of stories."""
        rows = [stories.row(story, self.index) for story in self.told]
        if self.untold:
            rows.append(stories.others_row(self.untold))
        parts = [html("ol", rows, class_="rows") if rows else empty("No documents share events.")]
        if left := len(self.index.result.stories) - len(self.told):
            parts.append(html("p", f"{left:,} smaller stories are listed in stories.csv.", class_="note"))
        return parts

    def event_block(self, event: Event, quoted: int) -> Block:
        """Return an event, with `quoted` mentions in their sentences."""
        index = self.index
        return Block(
            "events",
            (index.event(event),),
            events.article(event, index, quoted=quoted),
            event.members,
            reasons_of(event.members, index),
        )

    def document_block(self, document: Document) -> Block:
        """Return a document, with the anchors of its mentions."""
        index = self.index
        index.names[document.id] = name(document)
        mentions = (index.mention(m.id) for m in document.mentions if m.id in index.mentions)
        return Block(
            "documents", (index.document(document.id), *mentions), documents.article(document, index)
        )

    def groups(self, quoted: int) -> Iterator[list[Block]]:
        """Yield events and documents in groups between which there are no links: documents that share events.

        Events with an article come before the documents that mention them; groups are in order of their documents.
        """
        index = self.index
        place = {id: at for at, id in enumerate(index.result.corpus.ids)}
        root = list(range(len(place)))

        def first(at: int) -> int:
            while root[at] != at:
                root[at] = root[root[at]]
                at = root[at]
            return at

        for event in index.articles:
            here, *others = (first(place[document]) for document in event.documents)
            for other in others:
                low, high = sorted((first(here), first(other)))
                root[high] = low
        members: dict[int, tuple[list[Event], list[int]]] = {}
        for at in range(len(place)):
            members.setdefault(first(at), ([], []))[1].append(at)
        for event in index.articles:
            members[first(place[event.documents[0]])][0].append(event)
        for articles, texts in members.values():
            yield self._rendered(articles, texts, quoted)

    def _rendered(self, articles: Sequence[Event], texts: Sequence[int], quoted: int) -> list[Block]:
        """Return the blocks of events, and then those of documents by their places.

        Events are rendered beside the first of their documents, so that few documents have to be at hand at a time.
        """
        beginning: dict[str, list[Event]] = {}
        for event in articles:
            beginning.setdefault(event.documents[0], []).append(event)
        shown: dict[str, Block] = {}
        read: list[Block] = []
        for at in texts:
            document = self.index.documents[at]
            read.append(self.document_block(document))
            for event in beginning.get(document.id, ()):
                shown[event.id] = self.event_block(event, quoted)
        return [*(shown[event.id] for event in articles), *read]

    @property
    def listed(self) -> tuple[Sequence[Event], Sequence[Event]]:
        """The events that the list names: those with several mentions, and those with one."""
        most = MAX_LISTED if self.whole else MAX_INDEXED
        return self.index.coreferent[:most], self.index.singletons[:most]

    def event_list(self) -> list[Safe]:
        """Return the list of events: those with several mentions, and singletons folded away."""
        coreferent, singletons = (
            [events.row(event, self.index) for event in listed] for listed in self.listed
        )
        parts: list[Safe] = [
            html("ol", coreferent, class_="rows") if coreferent else empty("No event has several mentions.")
        ]
        if singletons:
            words = f"{counted(len(self.index.singletons), 'event')} with a single mention"
            parts.append(html("details", html("summary", words), html("ol", singletons)))
        if left := len(self.index.ranked) - len(coreferent) - len(singletons):
            parts.append(
                html("p", f"{counted(left, 'more event')} can be found through the documents.", class_="note")
            )
        return parts

    def document_list(self, pages: Sequence[Safe] = ()) -> list[Safe]:
        """Return the list of documents, and of the further pages if there are too many."""
        rows = self.survey().rows if self.whole else self.survey(0).rows[:MAX_INDEXED]
        parts = [html("ol", rows, class_="rows") if rows else empty("There are no documents.")]
        if left := len(self.index.documents) - len(rows):
            parts.append(html("p", f"{counted(left, 'more document')} on the pages below.", class_="note"))
        return [*parts, html("ol", pages)] if pages else parts

    def data(self, blocks: Sequence[Block], *, rows: bool = True) -> dict[str, Any]:
        """Return what the script needs besides the markup: sort keys, and the reasons of members."""
        index = self.index
        listed = [event for part in self.listed for event in part] if rows else []
        keys = [events.row_keys(event, index) for event in listed]
        return {"rows": keys, **packed(reasons for block in blocks for reasons in block.reasons)}

    def review(self, blocks: Sequence[Block], *, first: bool = False) -> str:
        """Return what the script needs for corrections: mentions as decisions name them, and first of all questions."""
        mentions = (member.mention for block in blocks for member in block.members)
        return review_data(self.index, mentions, with_questions=first)


def _fair_share(sizes: Sequence[int], room: float) -> int:
    """Return how many members of each group can be listed, so that all groups list at most `room` together.

    >>> _fair_share([9, 2, 1], 12), _fair_share([9, 2, 1], 7), _fair_share([9, 2, 1], 3)
    (9, 4, 1)
    """
    fits = (most for most in range(max(sizes, default=0), 0, -1) if sum(min(most, n) for n in sizes) <= room)
    return next(fits, 0)


def _affordable_quotes(index: Index, survey: Survey) -> int:
    """Return how many mentions per event can be quoted within the limit; the script looks up the others."""
    text, average = survey.characters, survey.characters / max(1, survey.sentences)
    sizes = [len(event) for event in index.articles]
    for quoted in (max(sizes, default=1), 50, 20, 10, 7, 5, 4, 3, 2):
        if text + average * sum(min(quoted, size) for size in sizes) <= MAX_QUOTED_CHARACTERS:
            return quoted
    return 1
