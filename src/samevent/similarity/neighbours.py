"""The document gate: the documents that are similar enough for their mentions to be compared.

Two documents are neighbours if their topical similarity reaches a threshold. In a large corpus that alone would leave a
share of all pairs, whose number grows with the square of the corpus, so two rules bound it there:

- neighbours share a word that at most `RARE` documents have: a name, a place, an unusual noun;
- of the neighbours of a document, the `most_neighbours` nearest count; one of the two being among the nearest of the
  other is enough.

Neither changes anything in a corpus of up to `RARE` documents. The search is exact: rare words find candidates by an
inverted index, words that are not too common add to these, and a candidate is left out only where that and the lengths
of what remains cannot reach the threshold. Beyond some hundred thousand documents, where rare words have as many
documents as they may, its cost grows with the number of documents. They are searched in blocks, in threads, in any
order; a block needs one number per document.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from samevent.parallel import map_ahead
from samevent.similarity.bags import Booleans, Floats, Indices, Starts
from samevent.similarity.documents import topical_values
from samevent.similarity.mentions import MentionTable

RARE = 1000
"""In how many documents a word may occur that makes documents neighbours."""
PAIRS = 1_000_000
"""So many pairs of documents are kept in any case."""
NEAREST = 32
"""And so many neighbours of each document."""
_COMMON = 8
"""Words that more than so many times `RARE` documents have are not in the index: they only bound what is left."""
_BLOCK = 256
"""Number of documents searched at a time."""
_SLACK = 1e-9
"""Rounding errors that a bound allows for."""

Neighbours = tuple[Indices, Indices, Floats]
"""Pairs of documents d > e, sorted, each once, and their similarities."""


def most_neighbours(documents: int) -> int:
    """Return how many neighbours of a document count.

    >>> most_neighbours(100), most_neighbours(10_000), most_neighbours(1_000_000)
    (10000, 100, 32)
    """
    return max(NEAREST, PAIRS // max(documents, 1))


@dataclass(frozen=True, slots=True, eq=False)
class DocumentIndex:
    """The words of documents as vectors of unit length, and the documents of each word that is not too common.

    `rare` marks the words that make neighbours. `not_rare` is the length of the part of each vector that other words
    make up, and `rest` that of the part which is in no list.
    """

    starts: Starts
    words: Indices
    values: Floats
    list_starts: Starts
    list_documents: Indices
    list_values: Floats
    rare: Booleans
    not_rare: Floats
    rest: Floats
    nearest: int

    @classmethod
    def of(cls, table: MentionTable, *, rare: int = RARE, nearest: int | None = None) -> DocumentIndex:
        """Index the documents of a table; `nearest` is by default what `most_neighbours` says."""
        bags, values = table.contents, topical_values(table)
        width = len(table.vocabulary)
        document = np.repeat(np.arange(len(bags), dtype=np.int32), np.diff(bags.starts))
        frequency = np.bincount(bags.words, minlength=width)
        listed = frequency[bags.words] <= _COMMON * max(rare, 1)
        entries = np.flatnonzero(listed)
        order = entries[np.argsort(bags.words[entries], kind="stable")]
        is_rare = frequency <= max(rare, 1)

        def length(left_out: Booleans) -> Floats:
            squares = np.bincount(document[left_out], values[left_out] ** 2, minlength=len(bags))
            return np.sqrt(squares.astype(np.float64))

        return cls(
            starts=bags.starts,
            words=bags.words,
            values=values,
            list_starts=np.searchsorted(bags.words[order], np.arange(width + 1)).astype(np.int64),
            list_documents=document[order],
            list_values=values[order],
            rare=is_rare,
            not_rare=length(~is_rare[bags.words]),
            rest=length(~listed),
            nearest=most_neighbours(len(bags)) if nearest is None else nearest,
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def limited(self) -> bool:
        """Whether a document may have more neighbours than count."""
        return self.nearest < len(self) - 1

    def block(self, start: int, stop: int, least: float) -> Neighbours:
        """Return the neighbours of some documents: the nearest, or all earlier ones if there is no limit."""
        found = _search(
            start, stop, least, self.nearest if self.limited else 0, self.starts, self.words, self.values,
            self.list_starts, self.list_documents, self.list_values, self.rare, self.not_rare, self.rest,
        )  # fmt: skip
        d, e, similarity = found
        return d, e, np.minimum(similarity, 1.0)

    def join(self, blocks: list[Neighbours]) -> Neighbours:
        """Return the neighbours of all documents from those of blocks that cover them, in any order."""
        d, e, similarity = (np.concatenate(part) for part in zip(_NONE, *blocks, strict=True))
        d, e = np.maximum(d, e), np.minimum(d, e)
        _, first = np.unique(d.astype(np.int64) * len(self) + e, return_index=True)
        return d[first], e[first], similarity[first]


_NONE: Neighbours = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)


def topical_documents(table: MentionTable, least: float, *, jobs: int = 1) -> Neighbours:
    """Return all neighbours with a topical similarity of `least` > 0 or more, searched by `jobs` threads."""
    index = DocumentIndex.of(table)
    starts = range(0, len(index), _BLOCK)
    blocks = map_ahead(lambda start: index.block(start, min(start + _BLOCK, len(index)), least), starts, jobs)
    return index.join(list(blocks))


@njit(cache=True, nogil=True)
def _search(  # type: ignore[no-untyped-def]
    start, stop, least, nearest, starts, words, values, list_starts, list_documents, list_values, rare, not_rare, rest
):  # fmt: skip
    documents = len(starts) - 1
    shared = np.zeros(documents)
    touched, chosen = np.empty(documents, np.int32), np.empty(documents, np.int32)
    own = np.zeros(len(list_starts) - 1)
    bounds, similarities = np.empty(documents), np.empty(documents)
    capacity, count = 1024, 0
    first, second, similarity = np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity)
    for d in range(start, stop):
        candidates = 0
        for at in range(starts[d], starts[d + 1]):
            word, value = words[at], values[at]
            own[word] = value
            if not rare[word]:
                continue
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
        # Lists of the other words are read where that takes less than the cosines that it may save.
        listed = 0
        for at in range(starts[d], starts[d + 1]):
            if not rare[words[at]]:
                listed += list_starts[words[at] + 1] - list_starts[words[at]]
        left = not_rare
        if listed < candidates * (starts[d + 1] - starts[d]):
            left = rest
            for at in range(starts[d], starts[d + 1]):
                word, value = words[at], values[at]
                if not rare[word]:
                    for entry in range(list_starts[word], list_starts[word + 1]):
                        if shared[list_documents[entry]] > 0.0:
                            shared[list_documents[entry]] += value * list_values[entry]
        kept = 0
        for k in range(candidates):
            e = touched[k]
            bound = shared[e] + left[d] * left[e] + _SLACK
            shared[e] = 0.0
            if bound >= least:
                touched[kept], bounds[kept] = e, bound
                kept += 1
        order = np.argsort(-bounds[:kept]) if 0 < nearest < kept else np.arange(kept)
        found, worst = 0, least
        for k in order:
            if nearest and found >= nearest and bounds[k] < worst:
                break
            e = touched[k]
            dot = 0.0
            # Words ascend, so the sum has the bits that merging both bags gives.
            for at in range(starts[e], starts[e + 1]):
                dot += own[words[at]] * values[at]
            if dot >= least:
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
        if 0 < nearest < found:
            # The nearest, and of equally near ones the first in order.
            by_number = np.argsort(chosen[:found])
            by_similarity = np.argsort(-similarities[:found][by_number], kind="mergesort")
            for k in by_number[by_similarity][:nearest]:
                first[count], second[count], similarity[count] = d, chosen[k], similarities[k]
                count += 1
        else:
            for k in range(found):
                first[count], second[count], similarity[count] = d, chosen[k], similarities[k]
                count += 1
    return first[:count], second[:count], similarity[:count]


@njit(cache=True, nogil=True)
def _grown(array, capacity):  # type: ignore[no-untyped-def]
    larger = np.empty(capacity, array.dtype)
    larger[: len(array)] = array
    return larger
