"""Verbs that an extractor has left out, as event mentions: the authors of the paper added them all."""

from __future__ import annotations

from collections.abc import Iterable

from samevent.corpus import Document, Mention
from samevent.extraction.gold import head_of
from samevent.language.annotation import Annotation


def left_verbs(document: Document, annotation: Annotation, mentions: Iterable[Mention]) -> list[Mention]:
    """Return an event mention for each verb that is the head of no mention; auxiliaries and URLs are left out."""
    taken = {head_of(mention, annotation) for mention in mentions}
    prose = (range(s.start, s.end) for s in document.sentences if not s.is_url)
    return [
        document.mention("action", token, token + 1, head=token)
        for tokens in prose
        for token in tokens
        if annotation.tags[token].startswith("V") and annotation.pos[token] == "VERB" and token not in taken
    ]
