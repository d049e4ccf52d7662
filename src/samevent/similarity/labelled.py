"""Mentions whose events are known: what a pair model learns from and is measured on."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from samevent.corpus.corpus import event_key
from samevent.language.lexicon.base import Lexicon
from samevent.language.vectors.base import Vectors
from samevent.similarity.bags import Booleans, Indices
from samevent.similarity.mentions import Annotated, MentionTable, compile_mentions
from samevent.similarity.pairs import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A table with the event of each mention and the topic of each document, both by number."""

    table: MentionTable
    event: Indices
    topic: Indices
    topics: tuple[str, ...]

    def same(self, pairs: Pairs) -> Booleans:
        """Say which pairs tell of the same event."""
        return pairs.agree(self.event)


def labelled(annotated: Collection[Annotated], *, lexicon: Lexicon, vectors: Vectors) -> Labelled:
    """Compile annotated documents with what is known of their events.

    A mention without an event is one of its own, and so is, as a topic, a document without a topic.
    """
    table = compile_mentions(annotated, lexicon=lexicon, vectors=vectors)
    keys = {m.id: event_key(m) for document, _ in annotated for m in document.mentions}
    names = {document.id: document.topic or document.id for document, _ in annotated}
    topics = tuple(sorted(set(names.values())))
    return Labelled(
        table=table,
        event=_numbers(keys[id] for id in table.ids),
        topic=np.array([topics.index(names[id]) for id in table.documents], np.int32),
        topics=topics,
    )


def _numbers(keys: Iterable[Hashable]) -> Indices:
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(key, len(seen)) for key in keys], np.int32)
