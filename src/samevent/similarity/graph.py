"""What the other links of two mentions say about the link between them: columns for a second look at each pair.

If two mentions are the same event, they are linked to the same others, and each is the best match of the other in its
document. Columns are computed from the first look's f of all pairs that may be links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from samevent.similarity.bags import Bags, Floats, Indices, dots
from samevent.similarity.pairs import Pairs
from samevent.similarity.trees import Columns

Integers = NDArray[np.int64]

GRAPH_COLUMNS = (
    "first_look",
    "common_neighbours",
    "alike_neighbours",
    "agreeing_neighbours",
    "stronger_rival",
    "weaker_rival",
    "rest_of_documents",
    "fewer_neighbours",
    "more_neighbours",
    "weaker_best_other",
    "stronger_best_other",
)
"""The columns, in order; see `graph_columns`."""

_LEAST_NEIGHBOURS = 0.05
_MOST_AGREEMENT = 1.5


def graph_columns(document: Indices, pairs: Pairs, score: Floats) -> Columns:
    """Return one row per link; `score` are the log-odds of the first look, `document` the documents of all mentions.

    With f as weights, the columns are: the score; the weight of paths over one other mention, as it is, as a cosine
    and relative to the other links of the mention with fewer; the strongest other link of one mention to the document
    of the other, for both; the weight between both documents without these two mentions (missing within a document);
    the weight of all other links of either, and their strongest.

    The order of the pairs leaves no trace.
    """
    graph = LinkGraph(document, pairs, score)
    columns = np.empty((len(pairs), len(GRAPH_COLUMNS)), np.float32)
    columns[graph.order] = graph.columns(slice(0, len(pairs)))
    return columns


class LinkGraph:
    """All links of a corpus, sorted, and what the columns of `graph_columns` are looked up in.

    Link `k` is the pair `order[k]`. Columns of all links at once would take most of the memory of a run.
    """

    def __init__(self, document: Indices, pairs: Pairs, score: Floats) -> None:
        n = len(document)
        low, high = np.minimum(pairs.i, pairs.j), np.maximum(pairs.i, pairs.j)
        self.order = np.argsort(low.astype(np.int64) * n + high)
        self._document = document
        self._i, self._j, self._first = low[self.order], high[self.order], score[self.order]
        self._f = expit(self._first)
        one, other = np.concatenate([self._i, self._j]), np.concatenate([self._j, self._i])
        f = np.concatenate([self._f, self._f])
        self._neighbours = _neighbours(one, other, f, n)
        self._degree = np.bincount(one, f, minlength=n)
        self._squares = np.bincount(one, f**2, minlength=n)
        self._best = _Best.of(one, f)
        self._documents = int(document.max(initial=0)) + 1
        self._to_document = _Best.of(self._key(one, document[other]), f)
        self._mentions = np.bincount(document)
        self._between = _Sums.of(self._both_documents(slice(None)), self._f)

    def columns(self, links: slice | NDArray[np.integer]) -> Columns:
        """Return the rows of some links, by their numbers here."""
        i, j, first, f = self._i[links], self._j[links], self._first[links], self._f[links]
        document, squares = self._document, self._squares
        common = dots(*self._neighbours, i, j)
        rest_i, rest_j = self._degree[i] - f, self._degree[j] - f
        fewer = np.minimum(rest_i, rest_j)
        other_i, other_j = self._best.besides(i, f), self._best.besides(j, f)
        key_i, key_j = self._key(i, document[j]), self._key(j, document[i])
        rival_i, rival_j = (self._to_document.besides(key, f) for key in (key_i, key_j))
        own = self._to_document.sums(key_i) + self._to_document.sums(key_j) - f
        rest = self._between.sums(self._both_documents(links)) - own
        sizes = self._mentions[document[i]] * self._mentions[document[j]]
        return np.stack(
            [
                first,
                common,
                common / np.sqrt(np.maximum(squares[i] * squares[j], 1e-9)),
                np.minimum(common / np.maximum(fewer, _LEAST_NEIGHBOURS), _MOST_AGREEMENT),
                np.maximum(rival_i, rival_j),
                np.minimum(rival_i, rival_j),
                np.where(document[i] == document[j], np.nan, rest / np.sqrt(sizes)),
                fewer,
                np.maximum(rest_i, rest_j),
                np.minimum(other_i, other_j),
                np.maximum(other_i, other_j),
            ],
            axis=1,
        ).astype(np.float32)

    def _key(self, mention: Indices, document: Indices) -> Integers:
        """Return one number per mention and document."""
        keys: Integers = mention.astype(np.int64) * self._documents + document
        return keys

    def _both_documents(self, links: slice | NDArray[np.integer]) -> Integers:
        """Return one number per pair of documents."""
        d, e = self._document[self._i[links]], self._document[self._j[links]]
        return self._key(np.minimum(d, e), np.maximum(d, e))


def _neighbours(rows: Indices, columns: Indices, weights: Floats, n: int) -> tuple[Bags, Floats]:
    """Return the neighbours of each mention, ascending, as the words of bags; and their weights."""
    order = np.lexsort((columns, rows))
    sizes = np.bincount(rows, minlength=n)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    bags = Bags(starts, columns[order], np.ones(len(rows), np.int32), sizes)
    return bags, weights[order]


class _Sums(NamedTuple):
    """The sum of the weights of each key; keys ascend."""

    keys: Integers
    total: Floats

    @classmethod
    def of(cls, keys: Integers, weights: Floats) -> _Sums:
        known, number = np.unique(keys, return_inverse=True)
        total = np.bincount(number, weights, minlength=len(known)).astype(np.float64, copy=False)
        return cls(known, total)

    def sums(self, keys: Integers) -> Floats:
        """Return the sum of the weights of each key."""
        return self.total[np.searchsorted(self.keys, keys)]


class _Best(NamedTuple):
    """The largest and the second largest weight of each key, and their sum; keys ascend."""

    keys: NDArray[np.integer]
    largest: Floats
    second: Floats
    total: Floats

    @classmethod
    def of(cls, keys: NDArray[np.integer], weights: Floats) -> _Best:
        order = np.lexsort((-weights, keys))
        keys, weights = keys[order], weights[order]
        new = np.append(np.diff(keys) != 0, True) if len(keys) else np.zeros(0, np.bool_)
        starts = np.concatenate([[0], np.flatnonzero(new) + 1])[:-1] if len(keys) else np.zeros(0, np.int64)
        sizes = np.diff(np.append(starts, len(keys)))
        second = np.where(sizes > 1, weights[np.minimum(starts + 1, len(keys) - 1)], 0.0)
        total = np.add.reduceat(weights, starts) if len(keys) else np.zeros(0)
        return cls(keys[starts], weights[starts], second, total)

    def besides(self, keys: NDArray[np.integer], weights: Floats) -> Floats:
        """Return the largest weight of each key beside one of its own, 0 if it has no other."""
        at = np.searchsorted(self.keys, keys)
        other: Floats = np.where(weights >= self.largest[at], self.second[at], self.largest[at])
        return other

    def sums(self, keys: Integers) -> Floats:
        """Return the sum of the weights of each key."""
        return self.total[np.searchsorted(self.keys, keys)]
