"""Which pairs of event mentions a model learns from: all within a document, and all across similar documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from samevent.similarity.bags import Booleans, Indices, Starts
from samevent.similarity.documents import similar_documents
from samevent.similarity.mentions import MentionTable


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of rows of a table, `i` greater than `j`."""

    i: Indices
    j: Indices

    def __len__(self) -> int:
        return len(self.i)

    def __getitem__(self, which: Booleans | slice) -> Pairs:
        return Pairs(self.i[which], self.j[which])

    @classmethod
    def joined(cls, parts: Iterable[Pairs]) -> Pairs:
        """Put pairs one after the other."""
        parts = (_NONE, *parts)
        return cls(np.concatenate([part.i for part in parts]), np.concatenate([part.j for part in parts]))

    def of(self, values: Indices) -> tuple[Indices, Indices]:
        """Return a value a row for both sides: `pairs.of(table.document)`."""
        return values[self.i], values[self.j]

    def agree(self, values: Indices) -> Booleans:
        """Say which pairs have the same value on both sides."""
        equal: Booleans = values[self.i] == values[self.j]
        return equal


_NONE = Pairs(np.empty(0, np.int32), np.empty(0, np.int32))


def in_chunks(blocks: Iterable[Pairs], size: int) -> Iterator[Pairs]:
    """Go through the pairs of all blocks, so many at a time."""
    waiting = _NONE
    for block in blocks:
        waiting = Pairs.joined([waiting, block])
        while len(waiting) >= size:
            yield waiting[:size]
            waiting = waiting[size:]
    if len(waiting):
        yield waiting


def training_pairs(table: MentionTable, *, document_threshold: float = 0.4) -> Pairs:
    """Return all pairs within a document and all pairs across documents more similar than sigma."""
    similar = across_documents(table, *similar_documents(table, document_threshold))
    return Pairs.joined([within_documents(table), similar])


def within_documents(table: MentionTable) -> Pairs:
    """Return all pairs of mentions of one document."""
    everything = np.arange(len(table.documents), dtype=np.int32)
    pairs = across_documents(table, everything, everything)
    return pairs[pairs.i > pairs.j]


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
    """Return where the rows of each document begin, and where the last one's end."""
    return np.searchsorted(table.document, np.arange(len(table.documents) + 1)).astype(np.int64)
