"""All that a report says, in blocks that can be put on one page or on several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from samevent.corpus import Document
from samevent.report import documents, events
from samevent.report.index import Index, Links
from samevent.report.markup import Safe, html
from samevent.report.parts import empty
from samevent.report.words import counted
from samevent.results import Event, Member, Result

PROSE = 1_000_000
"""How many characters documents and events may show together before events name mentions instead of quoting them."""

REASONS = 5
"""How many reasons of a member the script can show: those that matter most."""

LISTED = 5_000
"""How many events with several mentions, and how many with one, the list names."""


@dataclass(frozen=True, slots=True)
class Block:
    """An event or a document: what links may lead to in it, and how it is written."""

    kind: Literal["events", "documents"]
    anchors: tuple[str, ...]
    render: Callable[[Links], Safe]
    members: tuple[Member, ...] = ()


class Book:
    """The content of a report; `quoted` mentions of each event stand in their sentences, or as many as fit."""

    def __init__(self, result: Result, *, quoted: int | None = None) -> None:
        self.index = Index(result)
        self.title = str(result.about.get("title") or self.headline)
        self._quoted = quoted or _quoted(self.index)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many documents, mentions, events, and events told of in several documents."""
        index = self.index
        across = sum(len(event.documents) > 1 for event in index.told_often)
        return len(index.documents), len(index.mentions), len(index.by_size), across

    @property
    def headline(self) -> str:
        """What was found, in a line."""
        documents, _, events, _ = self.counts
        return f"{counted(events, 'event')} in {counted(documents, 'document')}"

    def blocks(self) -> Iterator[Block]:
        """Go through events, the largest first, and documents."""
        for event in self.index.articles:
            yield self._event(event)
        for document in self.index.documents:
            yield self._document(document)

    def event_list(self, links: Links) -> list[Safe]:
        """Return the events as lines: those told of several times, and folded away those told of once."""
        often, once = (
            [events.row(event, self.index, links) for event in told[:LISTED]]
            for told in (self.index.told_often, self.index.told_once)
        )
        parts: list[Safe] = [
            html("ol", often, class_="rows") if often else empty("No event has several mentions.")
        ]
        if once:
            words = f"{counted(len(self.index.told_once), 'event')} with a single mention"
            parts.append(html("details", html("summary", words), html("ol", once)))
        if left := len(self.index.by_size) - len(often) - len(once):
            parts.append(
                html("p", f"{counted(left, 'more event')} can be found through the documents.", class_="note")
            )
        return parts

    def document_list(self, links: Links) -> list[Safe]:
        """Return the documents as lines."""
        rows = [documents.row(document, self.index, links) for document in self.index.documents]
        return [html("ol", rows, class_="rows") if rows else empty("There are no documents.")]

    def data(self, blocks: Sequence[Block], *, rows: bool = True) -> dict[str, Any]:
        """Return what the script needs beside the page itself: sort keys, and the reasons of members."""
        listed = [*self.index.told_often[:LISTED], *self.index.told_once[:LISTED]] if rows else []
        words: dict[str, int] = {}
        whys: dict[str, list[int]] = {}
        for mention, why in ((m.mention, m.why) for block in blocks for m in block.members):
            if why is None or why.mention not in self.index.mentions:
                continue
            closest = int(self.index.mention(why.mention)[1:])
            numbers = [closest, round(100 * why.similarity), round(100 * why.probability)]
            for reason in why.reasons[:REASONS]:
                numbers += [words.setdefault(reason.about, len(words)), round(10 * reason.added)]
            whys[self.index.mention(mention.id)[1:]] = numbers
        return {
            "rows": [events.row_keys(event, self.index) for event in listed],
            "words": list(words),
            "whys": whys,
        }

    def _event(self, event: Event) -> Block:
        def render(links: Links) -> Safe:
            return events.article(event, self.index, links, quoted=self._quoted)

        return Block("events", (self.index.event(event),), render, event.members)

    def _document(self, document: Document) -> Block:
        def render(links: Links) -> Safe:
            return documents.article(document, self.index, links)

        told = (self.index.mention(m.id) for m in document.mentions if m.id in self.index.mentions)
        return Block("documents", (self.index.document(document.id), *told), render)


def _quoted(index: Index) -> int:
    """Return how many mentions of each event are shown in their sentences; the script fetches the others."""
    text = sum(len(document.text) for document in index.documents)
    usual = text / max(1, sum(len(document.sentences) for document in index.documents))
    sizes = [len(event) for event in index.articles]
    for quoted in (max(sizes, default=1), 50, 20, 10, 7, 5, 4, 3, 2):
        if text + usual * sum(min(quoted, size) for size in sizes) <= PROSE:
            return quoted
    return 1
