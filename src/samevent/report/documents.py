"""The documents: a list of them, and their texts with event mentions linked to their events."""

from __future__ import annotations

from collections.abc import Callable

from samevent.corpus import Document, Mention
from samevent.report.index import Index, name
from samevent.report.markup import Safe, html
from samevent.report.parts import Mark, counted, marked, spelled, stretches


def row(document: Document, index: Index) -> Safe:
    """Return a document as a line of the list."""
    events = {mention.event for mention in _event_mentions(document)}
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
            href=f"#{index.document(document.id)}",
        ),
    )


def article(document: Document, index: Index) -> Safe:
    """Return a document with its text."""
    date = index.result.dates[document.id]
    about = (
        document.title and document.id,
        date and spelled(date),
        document.topic and f"topic {document.topic}",
    )
    drawn: set[str] = set()
    text = _text(document, index, drawn)
    # A mention hidden under another one still needs a place that links can lead to.
    hidden = [index.mention(mention.id) for mention in _event_mentions(document) if mention.id not in drawn]
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


def _text(document: Document, index: Index, drawn: set[str]) -> list[Safe | str]:
    """Return the text, with a `span` around each sentence that mentions events, for the script to quote."""
    marks: dict[int, list[Mark]] = {}
    for mention in _event_mentions(document):
        mark = Mark(stretches(document, mention), _link_to_event(mention, index, drawn))
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


def _link_to_event(mention: Mention, index: Index, drawn: set[str]) -> Callable[[str], Safe]:
    """Return how a piece of a mention is rendered; the first piece drawn carries the mention's anchor."""
    event = index.result.events[str(mention.event)]
    href = f"#{index.event(event)}" if index.has_article(event) else None
    colour = index.colour(event)

    def render(piece: str) -> Safe:
        anchor = index.mention(mention.id) if mention.id not in drawn else None
        drawn.add(mention.id)
        return html("a", piece, href=href, id=anchor, class_=colour)

    return render


def _event_mentions(document: Document) -> list[Mention]:
    return [m for m in document.mentions if m.kind == "action" and m.event is not None]
