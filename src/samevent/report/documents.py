"""The documents: a list of them, and their texts with event mentions that lead to their events."""

from __future__ import annotations

from collections.abc import Callable

from samevent.corpus import Document, Mention
from samevent.report.index import Index, Links, name
from samevent.report.marks import Mark, marked, stretches
from samevent.report.markup import Safe, html
from samevent.report.words import counted, spelled


def row(document: Document, index: Index, links: Links) -> Safe:
    """Return a document as a line of the list."""
    events = {mention.event for mention in _told(document)}
    date = index.result.dates[document.id]
    about = [
        document.id if document.title else "",
        spelled(date) if date else "",
        counted(len(events), "event"),
    ]
    return html(
        "li",
        html(
            "a",
            html("b", name(document)),
            html("small", " · ".join(part for part in about if part)),
            href=links.to(index.document(document.id)),
        ),
    )


def article(document: Document, index: Index, links: Links) -> Safe:
    """Return a document with its text."""
    date = index.result.dates[document.id]
    about = (
        document.title and document.id,
        date and spelled(date),
        document.topic and f"topic {document.topic}",
    )
    drawn: set[str] = set()
    text = _text(document, index, links, drawn)
    # A mention under another one still has a place that links can lead to.
    hidden = [index.mention(mention.id) for mention in _told(document) if mention.id not in drawn]
    return html(
        "article",
        html(
            "header",
            html("p", " · ".join(part for part in about if part), class_="eyebrow"),
            html("h3", name(document)),
        ),
        (html("a", id=anchor) for anchor in hidden),
        html("div", text, class_="text"),
        id=index.document(document.id),
        tabindex=-1,
    )


def _text(document: Document, index: Index, links: Links, drawn: set[str]) -> list[Safe | str]:
    """Return the text, with a `span` around each sentence that tells of events, for the script to show elsewhere."""
    marks: dict[int, list[Mark]] = {}
    for mention in _told(document):
        mark = Mark(stretches(document, mention), _dress(mention, index, links, drawn))
        for number in range(document.sentence_of(mention.start), document.sentence_of(mention.end - 1) + 1):
            marks.setdefault(number, []).append(mark)
    pieces: list[Safe | str] = []
    at = 0
    for number in sorted(marks):
        sentence = document.sentences[number]
        start, end = document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
        pieces += [document.text[at:start], html("span", marked(document.text, start, end, marks[number]))]
        at = end
    return [*pieces, document.text[at:]]


def _dress(mention: Mention, index: Index, links: Links, drawn: set[str]) -> Callable[[str], Safe]:
    """Return how a piece of a mention looks; the first one to be drawn is where links to the mention lead."""
    event = index.result.events[str(mention.event)]
    href = links.to(index.event(event)) if index.has_article(event) else None
    colour = index.colour(event)

    def dress(piece: str) -> Safe:
        anchor = index.mention(mention.id) if mention.id not in drawn else None
        drawn.add(mention.id)
        return html("a", piece, href=href, id=anchor, class_=colour)

    return dress


def _told(document: Document) -> list[Mention]:
    return [m for m in document.mentions if m.kind == "action" and m.event is not None]
