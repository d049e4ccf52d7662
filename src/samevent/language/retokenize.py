"""Retokenization of a document; mentions keep their characters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise

from samevent.corpus import Document, Mention, Token
from samevent.corpus.document import Sentence, reading_order, sentences_of
from samevent.corpus.headlines import addresses
from samevent.language.annotation import Annotation, Span
from samevent.language.heads import head


@dataclass(frozen=True, slots=True)
class Layout:
    """The tokens of a text as character spans, and the number of tokens per sentence."""

    tokens: tuple[Span, ...]
    sentences: tuple[int, ...]

    def to_bytes(self) -> bytes:
        """Return the layout as one line of JSON."""
        edges = chain([0], *self.tokens)
        steps = [b - a for a, b in pairwise(edges)]
        return json.dumps([steps, self.sentences], separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Layout:
        """Return the layout that `to_bytes` wrote."""
        steps, sentences = json.loads(data)
        edges = list(accumulate(steps))
        return cls(tuple(zip(edges[::2], edges[1::2], strict=True)), tuple(sentences))


def mention_pieces(document: Document) -> list[list[Span]]:
    """Return the character spans of each mention, in reading order: several if it is discontinuous."""
    return sorted(_pieces(document, m) for m in document.mentions)


def retokenized(document: Document, layout: Layout, annotation: Annotation) -> Document:
    """Return the document with the tokens and sentences of a layout, and its mentions re-aligned.

    No token may cross the boundaries of `mention_pieces`. A mention keeps everything but its token offsets; a given
    head that becomes several tokens goes to the one that heads the others.
    """
    tokens = tuple(Token(document.text[start:end], start, end) for start, end in layout.tokens)
    first = {token.start: i for i, token in enumerate(tokens)}
    after = {token.end: i + 1 for i, token in enumerate(tokens)}

    def realigned(m: Mention) -> Mention:
        own = [i for start, end in _pieces(document, m) for i in range(first[start], after[end])]
        start, end = own[0], own[-1] + 1
        new_head = None
        if m.head is not None:
            old = document.tokens[m.head]
            shared = [i for i in own if tokens[i].start < old.end and old.start < tokens[i].end]
            new_head = head(annotation, start, end, shared)
        anchors = () if len(own) == end - start else tuple(own)
        return replace(m, start=start, end=end, anchors=anchors, head=new_head)

    return replace(
        document,
        tokens=tokens,
        sentences=_sentences(document.text, tokens, layout.sentences),
        mentions=tuple(sorted(map(realigned, document.mentions), key=reading_order)),
        tokens_given=True,
    )


def _sentences(text: str, tokens: Sequence[Token], sizes: Iterable[int]) -> tuple[Sentence, ...]:
    """Return the sentences of so many tokens each; those inside the address of a web page are no prose."""
    lines = addresses(text)
    return tuple(
        replace(s, is_url=any(b <= tokens[s.start].start and tokens[s.end - 1].end <= e for b, e in lines))
        if s.end > s.start
        else s
        for s in sentences_of(sizes)
    )


def _pieces(document: Document, mention: Mention) -> list[Span]:
    return [(document.tokens[start].start, document.tokens[end - 1].end) for start, end in mention.runs]
