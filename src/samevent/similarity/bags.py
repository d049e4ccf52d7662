"""Bags of words as arrays, their similarities, and document frequencies of words.

Counts are integers, so dot products and norms are exact: a similarity depends on the two bags alone, bit for bit,
regardless of the rest of the vocabulary and of the order of the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numba import njit
from numpy.typing import NDArray

Indices = NDArray[np.int32]
Starts = NDArray[np.int64]
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Signatures = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Bags:
    """Row `r` holds the words `words[starts[r]:starts[r + 1]]`, ascending, with their counts."""

    starts: Starts
    words: Indices
    counts: Indices
    squares: NDArray[np.int64]
    """The squared Euclidean length of each row."""

    @classmethod
    def pack(cls, rows: Iterable[Iterable[str]], vocabulary: Mapping[str, int]) -> Bags:
        """Count the words of each row.

        >>> bags = Bags.pack([["raid", "on", "raid"], ["raid"]], {"on": 0, "raid": 1})
        >>> bags.counts.tolist(), bags.squares.tolist()
        ([1, 2, 1], [5, 1])
        """
        numbers = [[vocabulary[word] for word in row] for row in rows]
        size = max(vocabulary.values(), default=0) + 1
        row = np.repeat(np.arange(len(numbers), dtype=np.int64), [len(row) for row in numbers])
        words = np.fromiter(chain.from_iterable(numbers), np.int64, len(row))
        cells, counts = np.unique(row * size + words, return_counts=True)
        starts = np.searchsorted(cells, size * np.arange(len(numbers) + 1)).astype(np.int64)
        powers = np.concatenate([[0], np.cumsum(counts.astype(np.int64) ** 2)]).astype(np.int64)
        return cls(
            starts=starts,
            words=(cells % size).astype(np.int32),
            counts=counts.astype(np.int32),
            squares=powers[starts[1:]] - powers[starts[:-1]],
        )

    @classmethod
    def stack(cls, blocks: Sequence[Bags]) -> Bags:
        """Concatenate the rows of several bags."""
        ends = np.cumsum([0, *(len(block.words) for block in blocks)])
        starts = [block.starts[:-1] + end for block, end in zip(blocks, ends[:-1], strict=True)]
        return cls(
            starts=np.concatenate([*starts, ends[-1:]]),
            words=np.concatenate([block.words for block in blocks]),
            counts=np.concatenate([block.counts for block in blocks]),
            squares=np.concatenate([block.squares for block in blocks]),
        )

    def take(self, rows: Indices) -> Bags:
        """Return these rows, in this order."""
        sizes = self.starts[1:][rows] - self.starts[:-1][rows]  # not of all rows, which may be many more
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entries = np.repeat(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
        return Bags(starts, self.words[entries], self.counts[entries], self.squares[rows])

    def __len__(self) -> int:
        return len(self.squares)

    def row(self, number: int) -> Indices:
        """Return the distinct words of a row."""
        return self.words[self.starts[number] : self.starts[number + 1]]

    @property
    def present(self) -> Booleans:
        """Mask of the rows that are not empty."""
        return self.squares > 0

    def cosines(self, i: Indices, j: Indices) -> Floats:
        """Return the cosine of each pair of rows; 0 if one of them is empty."""
        cosines = dots(self, self.counts, i, j)
        # A product of integers under one root: equal bags have the cosine 1, not 0.9999999999999999.
        lengths = np.sqrt(self.squares[i].astype(np.float64) * self.squares[j])
        return np.divide(cosines, lengths, out=cosines, where=cosines != 0)

    def jaccards(self, i: Indices, j: Indices) -> Floats:
        """Return the Jaccard coefficient of the distinct words of each pair of rows; 0 if both are empty."""
        jaccards = np.empty(len(i))
        _jaccards(self.starts, self.words, i, j, jaccards)
        return jaccards

    def signatures(self) -> Signatures:
        """Return 64 bits per row: rows whose signatures share no bit share no word."""
        bits = np.uint64(1) << (_mixed(self.words) % np.uint64(64))
        signatures = np.zeros(len(self), np.uint64)
        filled = np.flatnonzero(self.present)
        if len(filled):
            signatures[filled] = np.bitwise_or.reduceat(bits, self.starts[filled])
        return signatures


def _mixed(words: Indices) -> NDArray[np.uint64]:
    """Hash word numbers, so that neighbours in the alphabet get different bits."""
    mixed: NDArray[np.uint64] = (words.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return mixed


@njit(cache=True, nogil=True, inline="always")
def cosine(starts, words, counts, squares, i, j):  # type: ignore[no-untyped-def]
    """Return the cosine of two rows, 0 if one is empty."""
    a, b = starts[i], starts[j]
    a_end, b_end = starts[i + 1], starts[j + 1]
    dot = 0
    while a < a_end and b < b_end:
        if words[a] == words[b]:
            dot += counts[a] * counts[b]
            a += 1
            b += 1
        elif words[a] < words[b]:
            a += 1
        else:
            b += 1
    # A product of integers under one root: equal bags have the cosine 1, not 0.9999999999999999.
    return dot / np.sqrt(float(squares[i]) * float(squares[j])) if dot else 0.0


@njit(cache=True, nogil=True, inline="always")
def jaccard(starts, words, i, j):  # type: ignore[no-untyped-def]
    """Return the Jaccard coefficient of the distinct words of two rows, 0 if both are empty."""
    a, b = starts[i], starts[j]
    a_end, b_end = starts[i + 1], starts[j + 1]
    total = a_end - a + b_end - b
    shared = 0
    while a < a_end and b < b_end:
        if words[a] == words[b]:
            shared += 1
            a += 1
            b += 1
        elif words[a] < words[b]:
            a += 1
        else:
            b += 1
    return shared / (total - shared) if shared else 0.0


@njit(cache=True, nogil=True)
def _jaccards(starts, words, i, j, out):  # type: ignore[no-untyped-def]
    """Mark the words of row `i`, then count those of row `j` that are marked; `jaccard` finds the same pair by pair."""
    marked = np.zeros(_width(starts, words, i, j), np.uint8)
    known = -1
    for pair in range(len(i)):
        if i[pair] != known:
            if known >= 0:
                for at in range(starts[known], starts[known + 1]):
                    marked[words[at]] = 0
            known = i[pair]
            for at in range(starts[known], starts[known + 1]):
                marked[words[at]] = 1
        begin, end = starts[j[pair]], starts[j[pair] + 1]
        shared = 0
        for at in range(begin, end):
            shared += marked[words[at]]
        total = end - begin + starts[known + 1] - starts[known]
        out[pair] = shared / (total - shared) if shared else 0.0


@njit(cache=True, nogil=True)
def _width(starts, words, i, j):  # type: ignore[no-untyped-def]
    """Return one more than the greatest word of these rows."""
    width = 0
    for pair in range(len(i)):
        for row in (i[pair], j[pair]):
            if starts[row] < starts[row + 1]:
                width = max(width, words[starts[row + 1] - 1] + 1)
    return width


def dots(bags: Bags, values: Floats | Indices, i: Indices, j: Indices) -> Floats:
    """Return the dot product of each pair of rows, with these values in place of the counts.

    Fastest if many pairs in a row have the same `i`.
    """
    return dot_products(bags.starts, bags.words, values, i, j)


def dot_products(starts: Starts, words: Indices, values: Floats | Indices, i: Indices, j: Indices) -> Floats:
    """Return what `dots` returns of bags that are plain arrays."""
    products = np.empty(len(i))
    _dots(starts, words, values, i, j, products)
    return products


@njit(cache=True, nogil=True)
def _dots(starts, words, values, i, j, out):  # type: ignore[no-untyped-def]
    """Spread row `i` over the vocabulary, then add up what row `j` finds there.

    Words that only `j` has add 0, so a sum has the bits of one over the common words alone, in ascending order.
    """
    spread = np.zeros(_width(starts, words, i, j))
    known = -1
    for pair in range(len(i)):
        if i[pair] != known:
            if known >= 0:
                for at in range(starts[known], starts[known + 1]):
                    spread[words[at]] = 0.0
            known = i[pair]
            for at in range(starts[known], starts[known + 1]):
                spread[words[at]] = values[at]
        dot = 0.0
        for at in range(starts[j[pair]], starts[j[pair] + 1]):
            dot += spread[words[at]] * values[at]
        out[pair] = dot


@dataclass(frozen=True, slots=True)
class Background:
    """Document frequencies: the number of documents, and the number in which each word occurs.

    A rare word says much about the documents it occurs in, but two documents cannot tell which words are rare. So
    documents that a model was trained on are counted together with those at hand.
    """

    documents: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Background) -> Background:
        return Background(self.documents + other.documents, Counter(self.counts) + Counter(other.counts))

    def without_rare(self, least: int) -> Background:
        """Drop words that occur in fewer than `least` documents: their weight is close to that of unseen words."""
        kept = {word: count for word, count in sorted(self.counts.items()) if count >= least}
        return Background(self.documents, kept)

    def weights(self, words: Iterable[str]) -> Floats:
        """Return inverse document frequencies, above 0 even for words that occur in every document.

        >>> Background(3, {"say": 3, "quake": 1}).weights(["say", "quake"]).round(2).tolist()
        [0.22, 0.92]
        """
        counts = np.array([self.counts.get(word, 0) for word in words], np.float64)
        weights: Floats = np.log((2 + self.documents) / (1 + counts))
        return weights


NO_BACKGROUND = Background()
