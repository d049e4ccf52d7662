"""Pairs of event mentions: those a model is trained on, and whether they refer to the same event."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from samevent.corpus.corpus import event_key
from samevent.language.lexicon import Lexicon
from samevent.language.vectors import WordVectors
from samevent.similarity.bags import Booleans, Indices, Starts
from samevent.similarity.documents import similar_documents
from samevent.similarity.mentions import Annotated, MentionTable
from samevent.similarity.tables import compile_in_parts


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of rows of a table, with `i` greater than `j`."""

    i: Indices
    j: Indices

    def __len__(self) -> int:
        return len(self.i)

    def __getitem__(self, which: Booleans | slice) -> Pairs:
        return Pairs(self.i[which], self.j[which])

    @classmethod
    def concatenate(cls, parts: Iterable[Pairs]) -> Pairs:
        """Concatenate pairs."""
        parts = (_NONE, *parts)
        return cls(np.concatenate([part.i for part in parts]), np.concatenate([part.j for part in parts]))

    def look_up(self, values: Indices) -> tuple[Indices, Indices]:
        """Return the values of both rows of each pair: `pairs.look_up(table.document)`."""
        return values[self.i], values[self.j]

    def equal(self, values: Indices) -> Booleans:
        """Return which pairs have equal values: `pairs.equal(table.document)`."""
        equal: Booleans = values[self.i] == values[self.j]
        return equal

    def codes(self, size: int) -> Starts:
        """Return one number per pair of rows of a table of this size."""
        codes: Starts = self.i.astype(np.int64) * size + self.j
        return codes


UNKNOWN = -1
"""The number of an event that is not known."""
_NONE = Pairs(np.empty(0, np.int32), np.empty(0, np.int32))


def in_chunks(blocks: Iterable[Pairs], size: int) -> Iterator[Pairs]:
    """Yield the pairs of all blocks in chunks of `size`."""
    waiting = _NONE
    for block in blocks:
        waiting = Pairs.concatenate([waiting, block])
        while len(waiting) >= size:
            yield waiting[:size]
            waiting = waiting[size:]
    if len(waiting):
        yield waiting


def training_pairs(table: MentionTable, *, document_threshold: float = 0.4) -> Pairs:
    """Return all pairs within a document, and all across documents more similar than `document_threshold` (sigma)."""
    similar = across_documents(table, *similar_documents(table, document_threshold))
    return Pairs.concatenate([within_documents(table), similar])


def within_documents(table: MentionTable, documents: Indices | None = None) -> Pairs:
    """Return all pairs of mentions of one document, of some documents or of all."""
    if documents is None:
        documents = np.arange(len(table.documents), dtype=np.int32)
    pairs = across_documents(table, documents, documents)
    return pairs[pairs.i > pairs.j]


def same_phrase(table: MentionTable) -> Pairs:
    """Return all pairs of mentions with the same words, if they have any."""
    present = np.flatnonzero(table.fields["words"].present)
    rows: Indices = present[np.argsort(table.knowledge.phrase[present], kind="stable")].astype(np.int32)
    sizes = np.unique(table.knowledge.phrase[rows], return_counts=True)[1]
    earlier = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    later = np.repeat(np.arange(len(rows)), earlier)
    place = np.arange(len(later)) - np.repeat(np.cumsum(earlier) - earlier, earlier)
    return Pairs(rows[later], rows[(later - earlier[later]) + place])


def across_documents(table: MentionTable, d: Indices, e: Indices) -> Pairs:
    """Return all pairs with one mention in document `d` and one in document `e`, for each pair of documents."""
    starts = first_rows(table)
    sizes = np.diff(starts)
    each = sizes[d] * sizes[e]
    pair = np.repeat(np.arange(len(d)), each)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(each) - each, each)
    width = sizes[e][pair]
    i = (starts[d][pair] + place // width).astype(np.int32)
    j = (starts[e][pair] + place % width).astype(np.int32)
    return Pairs(i, j)


def first_rows(table: MentionTable) -> Starts:
    """Return the first row of each document, followed by the number of rows."""
    return np.searchsorted(table.document, np.arange(len(table.documents) + 1)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledMentions:
    """A mention table with gold labels: the event of each mention and the topic of each document, by number.

    The event is `UNKNOWN` where nobody looked.
    """

    table: MentionTable
    event: Indices
    topic: Indices
    topics: tuple[str, ...]

    def same(self, pairs: Pairs) -> Booleans:
        """Return which pairs are known to refer to the same event."""
        return pairs.equal(self.event) & self.known(pairs)

    def known(self, pairs: Pairs) -> Booleans:
        """Return of which pairs both events are known."""
        known = self.event != UNKNOWN
        both: Booleans = known[pairs.i] & known[pairs.j]
        return both

    def unjudged(self, pairs: Pairs) -> Booleans:
        """Return which pairs have an unknown event, or are across documents, of one head, and in no chain of several.

        Annotators chain the events they look for. Two mentions of a word that nobody chained, as in two articles that
        quote one sentence, may well be the same event. In one document, they would have been chained.
        """
        alone = event_sizes(self.event) == 1
        head = self.table.heads.lemma[self.table.head]
        unchained: Booleans = alone[pairs.i] & alone[pairs.j] & pairs.equal(head)
        return (unchained & ~pairs.equal(self.table.document)) | ~self.known(pairs)


def event_sizes(event: Indices, counted: Booleans | None = None) -> Starts:
    """Return how many mentions each one's event has, by number; only those `counted` count, and unknown ones as 0."""
    known = event != UNKNOWN
    sizes = np.bincount(
        event[known if counted is None else known & counted], minlength=int(event.max(initial=0)) + 1
    )
    return np.where(known, sizes[event], 0).astype(np.int64)


def label_mentions(
    annotated: Collection[Annotated], *, lexicon: Lexicon, vectors: WordVectors
) -> LabelledMentions:
    """Compile documents with gold events into a labelled table.

    A mention without an event is a singleton, and a document without a topic is a topic of its own.
    """
    table = compile_in_parts(annotated, lexicon=lexicon, vectors=vectors)
    keys = {m.id: event_key(m) for document, _ in annotated for m in document.mentions if m.kind == "action"}
    names = {document.id: document.topic or document.id for document, _ in annotated}
    topics = tuple(sorted(set(names.values())))
    number = {topic: at for at, topic in enumerate(topics)}
    return LabelledMentions(
        table=table,
        event=_numbers(keys[id] for id in table.ids),
        topic=np.array([number[names[id]] for id in table.documents], np.int32),
        topics=topics,
    )


def _numbers(keys: Iterable[Hashable]) -> Indices:
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(key, len(seen)) for key in keys], np.int32)
