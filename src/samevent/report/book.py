"""The content of a report, in blocks that fit on one page or on several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal

from samevent.corpus import Document, Mention
from samevent.events import Event, Member
from samevent.report import documents, events, stories
from samevent.report.comparison import Spans, compare
from samevent.report.index import Index, Reportable
from samevent.report.markup import Safe, html
from samevent.report.parts import counted, empty
from samevent.report.review import review_data
from samevent.stories import Story

MAX_QUOTED_CHARACTERS = 1_000_000
"""Limit on the text of documents and quoted sentences together; beyond it, events name mentions without quoting."""

MAX_REASONS = 5
"""How many reasons per member the script can show, strongest first."""

MAX_LISTED = 5_000
"""How many events with several mentions, and how many with one, the list names."""

MAX_STORIES = 1_000
"""How many stories the report tells."""

MAX_INDEXED = 2_500
"""The same for the index of a report of several pages, and for its documents: it stays below 5 MB."""


@dataclass(frozen=True, slots=True)
class Block:
    """One story, event or document: its markup and the anchors in it."""

    kind: Literal["stories", "events", "documents"]
    anchors: tuple[str, ...]
    markup: Safe
    members: tuple[Member, ...] = ()


class Book:
    """The content of a report. Every block is rendered once, with links that stay on the page."""

    def __init__(self, result: Reportable) -> None:
        self.index = Index(result)
        self.whole = True
        """Whether everything is on one page. Otherwise the first page is an index, with shorter lists."""
        self.title = str(result.about.get("title") or self.headline)

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
        quoted = _affordable_quotes(self.index)
        events_first = [self.event_block(event, quoted) for event in self.index.articles]
        return [*events_first, *(self.document_block(document) for document in self.index.documents)]

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
        index = self.index
        blocks = [
            Block("stories", (index.story(story),), stories.article(story, index)) for story in self.told
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
            "events", (index.event(event),), events.article(event, index, quoted=quoted), event.members
        )

    def document_block(self, document: Document) -> Block:
        """Return a document, with the anchors of its mentions."""
        index = self.index
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
            yield [
                *(self.event_block(event, quoted) for event in articles),
                *(self.document_block(index.documents[at]) for at in texts),
            ]

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
        listed = islice(self.index.documents, None if self.whole else MAX_INDEXED)
        rows = [documents.row(document, self.index) for document in listed]
        parts = [html("ol", rows, class_="rows") if rows else empty("There are no documents.")]
        if left := len(self.index.documents) - len(rows):
            parts.append(html("p", f"{counted(left, 'more document')} on the pages below.", class_="note"))
        return [*parts, html("ol", pages)] if pages else parts

    def data(self, blocks: Sequence[Block], *, rows: bool = True) -> dict[str, Any]:
        """Return what the script needs besides the markup: sort keys, and the reasons of members."""
        index = self.index
        listed = [event for part in self.listed for event in part] if rows else []
        words: dict[str, int] = {}
        whys: dict[str, list[int]] = {}
        points: dict[str, list[Any]] = {}
        for mention, why in ((m.mention, m.why) for block in blocks for m in block.members):
            if why is None or why.mention not in index.mentions:
                continue
            closest = int(index.mention(why.mention)[1:])
            numbers = [closest, round(100 * why.similarity), round(100 * why.probability)]
            for reason in why.reasons[:MAX_REASONS]:
                numbers += [words.setdefault(reason.about, len(words)), round(10 * reason.added)]
            number = index.mention(mention.id)[1:]
            whys[number] = numbers
            if found := compare(mention, index.mentions[why.mention], index):
                points[number] = [
                    [
                        int(point.agrees),
                        words.setdefault(point.words, len(words)),
                        _in_sentence(index, mention, point.first),
                        _in_sentence(index, index.mentions[why.mention], point.second),
                    ]
                    for point in found
                ]
        return {
            "rows": [events.row_keys(event, index) for event in listed],
            "words": list(words),
            "whys": whys,
            "points": points,
        }

    def review(self, blocks: Sequence[Block], *, first: bool = False) -> str:
        """Return what the script needs for corrections: mentions as decisions name them, and first of all questions."""
        mentions = (member.mention for block in blocks for member in block.members)
        return review_data(self.index, mentions, with_questions=first)


def _in_sentence(index: Index, mention: Mention, spans: Spans) -> list[int]:
    """Return where spans begin and end in the sentence of a mention, as scripts count; those elsewhere are left out."""
    document = index.result.corpus[mention.document]
    sentence = document.sentences[document.sentence_of(mention.start)]
    start, end = document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
    edges = [edge for a, b in spans if start <= a and b <= end for edge in (a, b)]
    return [len(document.text[start:edge].encode("utf-16-le")) // 2 for edge in edges]


def _affordable_quotes(index: Index) -> int:
    """Return how many mentions per event can be quoted within the limit; the script looks up the others."""
    text = sentences = 0
    for document in index.documents:
        text += len(document.text)
        sentences += len(document.sentences)
    average = text / max(1, sentences)
    sizes = [len(event) for event in index.articles]
    for quoted in (max(sizes, default=1), 50, 20, 10, 7, 5, 4, 3, 2):
        if text + average * sum(min(quoted, size) for size in sizes) <= MAX_QUOTED_CHARACTERS:
            return quoted
    return 1
