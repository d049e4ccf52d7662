"""What the page needs for corrections: questions to a person, and mentions as decisions name them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from samevent.corpus import Mention
from samevent.events import PairQuestion
from samevent.report.comparison import Point, Spans, compare
from samevent.report.events import sentence
from samevent.report.index import Index, name
from samevent.report.markup import Child, Safe, html
from samevent.report.parts import empty, probability

_SURE, _LIKELY = 0.9, 0.6
"""Above these, a probability is put into stronger words."""


def questions(index: Index) -> Safe:
    """Return the pairs that a person should judge, with both sentences side by side; the script adds buttons."""
    asked = index.result.questions
    if not asked:
        return empty("There is nothing to ask: no answer would change the events.")
    return html(
        "div",
        html(
            "p",
            "Do the two sentences refer to the same event? The answers that would change most come first. ",
            html(
                "span", "Decisions are collected here, and downloaded as corrections.jsonl.", class_="static"
            ),
            class_="note",
        ),
        html("ol", (_card(number, question, index) for number, question in enumerate(asked)), class_="cards"),
    )


def _card(number: int, question: PairQuestion, index: Index) -> Safe:
    same = question.first.event is not None and question.first.event == question.second.event
    now = "They are one event now" if same else "They are two events now"
    pairs = max(1, round(question.change))
    points = compare(question.first, question.second, index)
    return html(
        "li",
        html(
            "p",
            f"{now}; {likely(question.probability)} to be the same ({probability(question.probability)}). ",
            html(
                "small",
                f"An answer should change about {pairs:,} {'pair' if pairs == 1 else 'pairs'} of mentions.",
            ),
        ),
        html(
            "div",
            (
                _side(mention, index, [(point.agrees, getattr(point, side)) for point in points])
                for side, mention in (("first", question.first), ("second", question.second))
            ),
            class_="sides",
        ),
        html("ul", (_point(point) for point in points), class_="points") if points else None,
        class_="card",
        id=f"q{number}",
    )


def _point(point: Point) -> Safe:
    return html("li", point.words, class_="agree" if point.agrees else "against")


def _side(mention: Mention, index: Index, spans: Sequence[tuple[bool, Spans]]) -> Safe:
    document = index.result.corpus[mention.document]
    date = index.result.dates[document.id]
    known = mention.id in index.mentions
    marks = (
        tuple(span for agrees, those in spans if agrees is kind for span in those) for kind in (True, False)
    )
    where: Child = (
        html("a", name(document), href=f"#{index.mention(mention.id)}") if known else name(document)
    )
    event = index.result.events[str(mention.event)] if mention.event is not None else None
    return html(
        "div",
        html("small", where, f" · {date}" if date else None),
        html("q", sentence(document, mention, index, *marks)),
        html("small", "in ", html("a", event.label, href=f"#{index.lead(event)}")) if event else None,
    )


def likely(value: float) -> str:
    """Return a probability in words.

    >>> likely(0.97), likely(0.5), likely(0.02)
    ('almost certain', 'unsure', 'very unlikely')
    """
    for least, words in ((_SURE, "almost certain"), (_LIKELY, "likely"), (1 - _LIKELY, "unsure")):
        if value >= least:
            return words
    return "unlikely" if value >= 1 - _SURE else "very unlikely"


def review_data(index: Index, shown: Iterable[Mention], *, with_questions: bool) -> str:
    """Return JSON in ASCII about the mentions on a page: nothing in it is changed to be shown.

    A mention is its document, first and last character and text, by numbers where they repeat.
    """
    documents: dict[str, int] = {}
    texts: dict[str, int] = {}

    def spans(mentions: Iterable[Mention]) -> list[list[int]]:
        return [
            [
                documents.setdefault(m.document, len(documents)),
                m.char_start,
                m.char_end,
                texts.setdefault(m.text, len(texts)),
            ]
            for m in mentions
        ]

    listed = list(shown)
    numbers = [int(index.mention(m.id)[1:]) for m in listed]
    asked: Sequence[PairQuestion] = index.result.questions if with_questions else ()
    data: dict[str, Any] = {
        "mentions": dict(zip(numbers, spans(listed), strict=True)),
        "questions": [spans((question.first, question.second)) for question in asked],
        "marks": index.marks,
        "documents": list(documents),
        "texts": list(texts),
    }
    data["key"] = hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]
    return json.dumps(data, separators=(",", ":"))
