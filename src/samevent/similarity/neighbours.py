"""The document gate: the documents that are similar enough for their mentions to be compared.

Two documents are neighbours if their topical similarity reaches a threshold. In a large corpus that alone would leave a
share of all pairs, whose number grows with the square of the corpus, so two rules bound it there:

- neighbours share a word that few documents have (`most_documents`): a name, a place, an unusual noun;
- of the neighbours of a document, the `most_neighbours` nearest count; one of the two being among the nearest of the
  other is enough.

Neither changes anything in a corpus of up to 1,000 documents; docs/growth.md says what they leave out in larger ones.

Given the rules the search is exact. An inverted index of the rare words adds up what documents share in these. All
other words are divided among a few buckets, and a document keeps the length of its part in each: by Cauchy and Schwarz,
the products of these lengths add up to no less than what two documents share in other words. Cosines are computed
where both sums together reach the threshold. The first rule bounds the work per document. Documents are searched in
blocks, in threads, in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.parallel import map_ahead
from samevent.similarity.bags import Floats, Indices, Starts
from samevent.similarity.documents import all_topical_documents, topical_values
from samevent.similarity.mentions import MentionTable

PAIRS = 1_000_000
"""So many pairs of documents are kept in any case, and as many pairs of a document and one that shares a word."""
NEAREST = 32
"""And so many neighbours of each document."""
RARE = 100
"""A word that so many documents have makes neighbours in a corpus of any size."""
FEW = 200
"""Up to so many documents are all compared with each other."""
_BUCKETS = 64
"""Number of buckets for words that are not rare."""
_BLOCK = 2048
"""Number of documents searched at a time."""
_SLACK = 1e-5
"""Rounding errors that bounds in single precision allow for."""

Neighbours = tuple[Indices, Indices, Floats]
"""Pairs of documents d > e, sorted, each once, and their similarities."""
Singles = NDArray[np.float32]


def most_neighbours(documents: int) -> int:
    """Return how many neighbours of a document count.

    >>> most_neighbours(100), most_neighbours(10_000), most_neighbours(1_000_000)
    (10000, 100, 32)
    """
    return max(NEAREST, PAIRS // max(documents, 1))


def most_documents(documents: int) -> int:
    """Return how many documents may have a word that makes neighbours.

    >>> most_documents(1_000), most_documents(5_000), most_documents(1_000_000)
    (1000, 200, 100)
    """
    return max(RARE, PAIRS // max(documents, 1))


@dataclass(frozen=True, slots=True, eq=False)
class DocumentIndex:
    """The words of documents as vectors of unit length, the documents of each rare word, and buckets for other words.

    The list of a word that is not rare is empty.
    """

    starts: Starts
    words: Indices
    values: Floats
    list_starts: Starts
    list_documents: Indices
    list_values: Singles
    buckets: Singles
    nearest: int

    @classmethod
    def of(cls, table: MentionTable, *, rare: int | None = None, nearest: int | None = None) -> DocumentIndex:
        """Index the documents of a table; the rules are by default those of a corpus of its size."""
        bags, values = table.contents, topical_values(table)
        count, width = len(bags), len(table.vocabulary)
        frequency = np.bincount(bags.words, minlength=width)
        is_rare = (frequency <= (most_documents(count) if rare is None else rare))[bags.words]
        document = np.repeat(np.arange(count, dtype=np.int32), np.diff(bags.starts))
        entries = np.flatnonzero(is_rare)
        entries = entries[np.argsort(bags.words[entries], kind="stable")]
        # The most common words are first to have buckets of their own.
        place = np.argsort(np.argsort(-frequency, kind="stable"), kind="stable") % _BUCKETS
        others = np.flatnonzero(~is_rare)
        cells = document[others] * np.int64(_BUCKETS) + place[bags.words[others]]
        squares = np.bincount(cells, values[others] ** 2, minlength=count * _BUCKETS)
        return cls(
            starts=bags.starts,
            words=bags.words,
            values=values,
            list_starts=np.searchsorted(bags.words[entries], np.arange(width + 1)).astype(np.int64),
            list_documents=document[entries],
            list_values=values[entries].astype(np.float32),
            buckets=np.sqrt(squares).astype(np.float32).reshape(count, _BUCKETS),
            nearest=most_neighbours(count) if nearest is None else nearest,
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def limited(self) -> bool:
        """Whether a document may have more neighbours than count."""
        return self.nearest < len(self) - 1

    def block(self, start: int, stop: int, least: float) -> Neighbours:
        """Return the neighbours of some documents: the nearest, or all earlier ones if there is no limit."""
        d, e, similarity = _search(
            start, stop, least, self.nearest if self.limited else 0, self.starts, self.words, self.values,
            self.list_starts, self.list_documents, self.list_values, self.buckets,
        )  # fmt: skip
        return d, e, np.minimum(similarity, 1.0)

    def join(self, blocks: list[Neighbours]) -> Neighbours:
        """Return the neighbours of all documents from those of blocks that cover them, in any order."""
        d, e, similarity = (np.concatenate(part) for part in zip(_NONE, *blocks, strict=True))
        d, e = np.maximum(d, e), np.minimum(d, e)
        _, first = np.unique(d.astype(np.int64) * len(self) + e, return_index=True)
        return d[first], e[first], similarity[first]


_NONE: Neighbours = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)


def topical_documents(table: MentionTable, least: float, *, first: int = 0, jobs: int = 1) -> Neighbours:
    """Return all neighbours with a topical similarity of `least` > 0 or more, searched by `jobs` threads.

    With a `first` document, only the neighbours of those from there on.
    """
    index = DocumentIndex.of(table)
    starts = range(first, len(index), _BLOCK)
    blocks = map_ahead(lambda start: index.block(start, min(start + _BLOCK, len(index)), least), starts, jobs)
    return index.join(list(blocks))


def neighbour_documents(table: MentionTable, least: float, *, first: int = 0, jobs: int = 1) -> Neighbours:
    """Return the neighbours of the documents from number `first` on, by the way that is quicker for so many."""
    if len(table.documents) <= FEW:
        d, e, similarity = all_topical_documents(table, least)
        new = d >= first
        return d[new], e[new], similarity[new]
    return topical_documents(table, least, first=first, jobs=jobs)


@njit(cache=True, nogil=True)
def _search(  # type: ignore[no-untyped-def]
    start, stop, least, nearest, starts, words, values, list_starts, list_documents, list_values, buckets
):
    documents = len(starts) - 1
    shared, touched = np.zeros(documents, np.float32), np.empty(documents, np.int32)
    chosen, bounds, similarities = np.empty(documents, np.int32), np.empty(documents), np.empty(documents)
    own = np.zeros(len(list_starts) - 1)
    capacity, count = 1024, 0
    first, second, similarity = np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity)
    for d in range(start, stop):
        candidates = 0
        for at in range(starts[d], starts[d + 1]):
            word, value = words[at], np.float32(values[at])
            own[word] = values[at]
            for entry in range(list_starts[word], list_starts[word + 1]):
                e = list_documents[entry]
                if e >= d:
                    if nearest == 0:
                        break
                    if e == d:
                        continue
                if shared[e] == 0.0:
                    touched[candidates] = e
                    candidates += 1
                shared[e] += value * list_values[entry]
        kept = 0
        for k in range(candidates):
            e = touched[k]
            bound = shared[e] + _dot(buckets, d, e) + _SLACK
            shared[e] = 0.0
            if bound >= least:
                touched[kept], bounds[kept] = e, bound
                kept += 1
        order = np.argsort(-bounds[:kept]) if 0 < nearest < kept else np.arange(kept)
        found, worst = 0, least
        for k in order:
            if bounds[k] < worst:
                break
            e = touched[k]
            dot = 0.0
            # Words ascend, so the sum has the bits that merging both bags gives.
            for at in range(starts[e], starts[e + 1]):
                dot += own[words[at]] * values[at]
            if dot >= worst:
                chosen[found], similarities[found] = e, dot
                found += 1
                if nearest and found % nearest == 0:
                    worst = np.sort(similarities[:found])[found - nearest]
        for at in range(starts[d], starts[d + 1]):
            own[words[at]] = 0.0
        while count + found > capacity:
            capacity *= 2
        if capacity > len(first):
            first, second = _grown(first, capacity), _grown(second, capacity)
            similarity = _grown(similarity, capacity)
        by_number = np.argsort(chosen[:found])
        if 0 < nearest < found:
            # The nearest, and of equally near ones the first in order.
            by_number = by_number[np.argsort(-similarities[:found][by_number], kind="mergesort")][:nearest]
        for k in by_number:
            first[count], second[count], similarity[count] = d, chosen[k], similarities[k]
            count += 1
    return first[:count], second[:count], similarity[:count]


@njit(cache=True, nogil=True, fastmath=True)
def _dot(rows, d, e):  # type: ignore[no-untyped-def]
    """Return the product of two rows, added in any order."""
    total = np.float32(0.0)
    for k in range(rows.shape[1]):
        total += rows[d, k] * rows[e, k]
    return total


@njit(cache=True, nogil=True)
def _grown(array, capacity):  # type: ignore[no-untyped-def]
    larger = np.empty(capacity, array.dtype)
    larger[: len(array)] = array
    return larger
