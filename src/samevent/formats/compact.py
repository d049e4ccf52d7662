"""Documents as plain lists, for files that only the program which wrote them reads back.

    line = json.dumps(compact(document))
    document = restored(json.loads(line))

Nothing is lost, and nothing is checked again: a corpus that is too large to be held is read back several times, and
most of that time would go into checks. Files for others are JSON Lines (`jsonl`).
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from samevent.corpus import Argument, Document, Mention, Reference, Sentence, Token
from samevent.formats.references import reference_from_json, reference_to_json

_PLAIN = ("id", "text", "tokens_given", "title", "date", "topic", "subtopic", "extra")
"""Fields of a document that are written as they are."""
_REFERENCES = 4096
"""How many references are kept: mentions of one document often refer to the same time and place."""


def compact(document: Document) -> list[Any]:
    """Return a document as a list of plain values.

    >>> compact(Document.from_tokens("a", [["It", "fell"]]))[:3]
    ['a', 'It fell', True]
    """
    return [
        *(getattr(document, name) for name in _PLAIN),
        [edge for token in document.tokens for edge in (token.start, token.end)],
        [[s.start, s.end, s.is_url, s.annotated] for s in document.sentences],
        list(map(_compact_mention, document.mentions)),
    ]


def restored(values: list[Any]) -> Document:
    """Return the document that `compact` made a list of."""
    *plain, edges, sentences, mentions = values
    fields = dict(zip(_PLAIN, plain, strict=True))
    id, text = fields["id"], fields["text"]
    fields["tokens"] = tuple(
        Token(text[start:end], start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)
    )
    fields["sentences"] = tuple(Sentence(*sentence) for sentence in sentences)
    fields["mentions"] = tuple(_restored_mention(id, text, *mention) for mention in mentions)
    fields["_starts"] = tuple(sentence[0] for sentence in sentences)
    document = object.__new__(Document)  # its parts were checked before they were written
    for name, value in fields.items():
        object.__setattr__(document, name, value)
    return document


def _compact_mention(m: Mention) -> list[Any]:
    return [
        m.id, m.kind, m.start, m.end, m.char_start, m.char_end, m.anchors, m.head, m.event, m.within,
        [[argument.mention, argument.role] for argument in m.arguments], m.tag, m.event_class, m.negated,
        m.clause, m.probability, json.dumps(reference_to_json(m.refers)) if m.refers is not None else None,
        dict(m.extra),
    ]  # fmt: skip


def _restored_mention(
    document: str, text: str, id: str, kind: Any, start: int, end: int, char_start: int, char_end: int,
    anchors: list[int], head: int | None, event: str | None, within: str | None,
    arguments: list[tuple[str, str | None]], tag: str | None, event_class: Any, negated: bool,
    clause: str | None, probability: float | None, refers: str | None, extra: dict[str, Any],
) -> Mention:  # fmt: skip
    return Mention(
        id=id,
        document=document,
        kind=kind,
        start=start,
        end=end,
        char_start=char_start,
        char_end=char_end,
        text=text[char_start:char_end],
        anchors=tuple(anchors),
        head=head,
        event=event,
        within=within,
        arguments=tuple(Argument(mention, role) for mention, role in arguments),
        tag=tag,
        event_class=event_class,
        negated=negated,
        clause=clause,
        probability=probability,
        refers=None if refers is None else _reference(refers),
        extra=extra,
    )


@lru_cache(maxsize=_REFERENCES)
def _reference(text: str) -> Reference | None:
    return reference_from_json(json.loads(text))
