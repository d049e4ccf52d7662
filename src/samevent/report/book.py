"""The content of a report, in blocks that fit on one page or on several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from samevent.events import Member
from samevent.report import documents, events
from samevent.report.index import Index, Reportable
from samevent.report.markup import Safe, html
from samevent.report.parts import counted, empty

MAX_QUOTED_CHARACTERS = 1_000_000
"""Limit on the text of documents and quoted sentences together; beyond it, events name mentions without quoting."""

MAX_REASONS = 5
"""How many reasons per member the script can show, strongest first."""

MAX_LISTED = 5_000
"""How many events with several mentions, and how many with one, the list names."""


@dataclass(frozen=True, slots=True)
class Block:
    """One event or document: its markup and the anchors in it."""

    kind: Literal["events", "documents"]
    anchors: tuple[str, ...]
    markup: Safe
    members: tuple[Member, ...] = ()


class Book:
    """The content of a report. Every block is rendered once, with links that stay on the page."""

    def __init__(self, result: Reportable) -> None:
        self.index = Index(result)
        self.title = str(result.about.get("title") or self.headline)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of documents, mentions, events, and events in more than one document."""
        index = self.index
        across = sum(len(event.documents) > 1 for event in index.coreferent)
        return len(index.documents), len(index.mentions), len(index.by_size), across

    @property
    def headline(self) -> str:
        """One line that counts events and documents."""
        documents, _, events, _ = self.counts
        return f"{counted(events, 'event')} in {counted(documents, 'document')}"

    def event_blocks(self, quoted: int | None = None) -> list[Block]:
        """Return the events, largest first, each with `quoted` mentions in their sentences, or as many as fit."""
        index = self.index
        quoted = quoted or _affordable_quotes(index)
        return [
            Block("events", (index.event(e),), events.article(e, index, quoted=quoted), e.members)
            for e in index.articles
        ]

    @cached_property
    def document_blocks(self) -> list[Block]:
        """The documents in corpus order."""
        index = self.index
        return [
            Block(
                "documents",
                (index.document(d.id), *(index.mention(m.id) for m in d.mentions if m.id in index.mentions)),
                documents.article(d, index),
            )
            for d in index.documents
        ]

    def event_list(self) -> list[Safe]:
        """Return the list of events: those with several mentions, and singletons folded away."""
        coreferent, singletons = (
            [events.row(event, self.index) for event in listed[:MAX_LISTED]]
            for listed in (self.index.coreferent, self.index.singletons)
        )
        parts: list[Safe] = [
            html("ol", coreferent, class_="rows") if coreferent else empty("No event has several mentions.")
        ]
        if singletons:
            words = f"{counted(len(self.index.singletons), 'event')} with a single mention"
            parts.append(html("details", html("summary", words), html("ol", singletons)))
        if left := len(self.index.by_size) - len(coreferent) - len(singletons):
            parts.append(
                html("p", f"{counted(left, 'more event')} can be found through the documents.", class_="note")
            )
        return parts

    def document_list(self) -> list[Safe]:
        """Return the list of documents."""
        rows = [documents.row(document, self.index) for document in self.index.documents]
        return [html("ol", rows, class_="rows") if rows else empty("There are no documents.")]

    def data(self, blocks: Sequence[Block], *, rows: bool = True) -> dict[str, Any]:
        """Return what the script needs besides the markup: sort keys, and the reasons of members."""
        index = self.index
        listed = [*index.coreferent[:MAX_LISTED], *index.singletons[:MAX_LISTED]] if rows else []
        words: dict[str, int] = {}
        whys: dict[str, list[int]] = {}
        for mention, why in ((m.mention, m.why) for block in blocks for m in block.members):
            if why is None or why.mention not in index.mentions:
                continue
            closest = int(index.mention(why.mention)[1:])
            numbers = [closest, round(100 * why.similarity), round(100 * why.probability)]
            for reason in why.reasons[:MAX_REASONS]:
                numbers += [words.setdefault(reason.about, len(words)), round(10 * reason.added)]
            whys[index.mention(mention.id)[1:]] = numbers
        return {
            "rows": [events.row_keys(event, index) for event in listed],
            "words": list(words),
            "whys": whys,
        }


def _affordable_quotes(index: Index) -> int:
    """Return how many mentions per event can be quoted within the limit; the script looks up the others."""
    text = sum(len(document.text) for document in index.documents)
    average = text / max(1, sum(len(document.sentences) for document in index.documents))
    sizes = [len(event) for event in index.articles]
    for quoted in (max(sizes, default=1), 50, 20, 10, 7, 5, 4, 3, 2):
        if text + average * sum(min(quoted, size) for size in sizes) <= MAX_QUOTED_CHARACTERS:
            return quoted
    return 1
