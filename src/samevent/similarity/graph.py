"""What the other links of two mentions say about the link between them: columns for a second look at each pair.

If two mentions are the same event, they are linked to the same others, and each is the best match of the other in its
document. Columns are computed from the first look's f of all pairs that may be links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
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
_LONG_RUN = 64


def graph_columns(document: Indices, pairs: Pairs, score: Floats) -> Columns:
    """Return one row per link; `score` are the log-odds of the first look, `document` the documents of all mentions,
    ascending.

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
        self._halves = _Halves.of(self._i, self._j, self._f, n)
        # Sums over the first mentions of all links and then over the second ones: their last bits depend on it.
        self._degree = _both(self._i, self._j, self._f, n)
        self._squares = _both(self._i, self._j, self._f**2, n)
        self._best = _Best.of(self._halves.bags.starts, self._halves.weight)
        self._run, starts = self._halves.document_runs(document)
        self._to_document = _Best.of(starts, self._halves.weight)
        self._mentions = np.bincount(document)
        self._between = _Sums.of(self._both_documents(slice(None)), self._f)

    def columns(self, links: slice | NDArray[np.integer]) -> Columns:
        """Return the rows of some links, by their numbers here."""
        i, j, first, f = self._i[links], self._j[links], self._first[links], self._f[links]
        document, squares = self._document, self._squares
        common = dots(self._halves.bags, self._halves.weight, i, j)
        rest_i, rest_j = self._degree[i] - f, self._degree[j] - f
        fewer = np.minimum(rest_i, rest_j)
        other_i, other_j = self._best.besides(i, f), self._best.besides(j, f)
        run_i, run_j = self._run[self._halves.of_i[links]], self._run[self._halves.of_j[links]]
        rival_i, rival_j = (self._to_document.besides(run, f) for run in (run_i, run_j))
        own = self._to_document.total[run_i] + self._to_document.total[run_j] - f
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

    def _both_documents(self, links: slice | NDArray[np.integer]) -> Integers:
        """Return one number per pair of documents."""
        d, e = self._document[self._i[links]], self._document[self._j[links]]
        pairs: Integers = np.minimum(d, e).astype(np.int64) * len(self._mentions) + np.maximum(d, e)
        return pairs


def _both(i: Indices, j: Indices, weights: Floats, n: int) -> Floats:
    """Return the sum of the weights of each mention's links."""
    both = np.concatenate([weights, weights])
    return np.bincount(np.concatenate([i, j]), both, minlength=n).astype(np.float64, copy=False)


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


class _Halves(NamedTuple):
    """Every link twice, once for each of its mentions: the neighbours of a mention, ascending, as the words of a bag.

    Link `p` is entry `of_i[p]` of its first mention and entry `of_j[p]` of its second.
    """

    bags: Bags
    weight: Floats
    of_i: Integers
    of_j: Integers

    @classmethod
    def of(cls, i: Integers, j: Integers, weight: Floats, n: int) -> _Halves:
        """Sort links in linear time; they come sorted by `i` and then `j`, and `i` is the smaller."""
        below, above = np.bincount(j, minlength=n), np.bincount(i, minlength=n)
        starts = np.concatenate([[0], np.cumsum(below + above)])
        of_i, of_j = np.empty(len(i), np.int64), np.empty(len(i), np.int64)
        _place_halves(i, j, starts[:-1] + below, starts[:-1].copy(), of_i, of_j)
        neighbour, weights = np.empty(2 * len(i), np.int32), np.empty(2 * len(i))
        neighbour[of_i], neighbour[of_j] = j, i
        weights[of_i] = weights[of_j] = weight
        bags = Bags(starts, neighbour, np.ones(len(neighbour), np.int32), below + above)
        return cls(bags, weights, of_i, of_j)

    def document_runs(self, document: Indices) -> tuple[Integers, Integers]:
        """Return the run of each entry and where runs start: neighbours of one mention in one document.

        Documents ascend with their mentions, so these are neighbours in the bag as well.
        """
        entries = len(self.weight)
        of_neighbour = document[self.bags.words]
        new = np.ones(entries, np.bool_)
        new[1:] = of_neighbour[1:] != of_neighbour[:-1]
        firsts = self.bags.starts[:-1]
        new[firsts[firsts < entries]] = True
        return np.cumsum(new) - 1, np.append(np.flatnonzero(new), entries)


@njit(cache=True, nogil=True)
def _place_halves(i, j, next_above, next_below, of_i, of_j):  # type: ignore[no-untyped-def]
    for link in range(len(i)):
        of_i[link] = next_above[i[link]]
        next_above[i[link]] += 1
        of_j[link] = next_below[j[link]]
        next_below[j[link]] += 1


class _Best(NamedTuple):
    """The largest and the second largest weight of each run of entries, and their sum; 0 if there are none."""

    largest: Floats
    second: Floats
    total: Floats

    @classmethod
    def of(cls, starts: Integers, weights: Floats) -> _Best:
        """Sort each run, so that the order of its entries leaves no trace in the sum."""
        weights = weights.copy()
        sizes, first = np.diff(starts), np.minimum(starts[:-1], max(len(weights) - 1, 0))
        _sort_short_runs(starts, weights)
        for run in np.flatnonzero(sizes > _LONG_RUN).tolist():
            weights[starts[run] : starts[run + 1]] = np.sort(weights[starts[run] : starts[run + 1]])[::-1]
        largest, second, total = (np.zeros(len(sizes)) for _ in range(3))
        filled, several = sizes > 0, sizes > 1
        largest[filled] = weights[first[filled]]
        second[several] = weights[first[several] + 1]
        if filled.any():
            total[filled] = np.add.reduceat(weights, first[filled])
        return cls(largest, second, total)

    def besides(self, runs: Integers, weights: Floats) -> Floats:
        """Return the largest weight of each run beside one of its own, 0 if it has no other."""
        largest = self.largest[runs]
        other: Floats = np.where(weights >= largest, self.second[runs], largest)
        return other


@njit(cache=True, nogil=True)
def _sort_short_runs(starts, values):  # type: ignore[no-untyped-def]
    """Sort short runs in descending order by insertion; a sort for long ones would take seconds to compile."""
    for run in range(len(starts) - 1):
        begin, end = starts[run], starts[run + 1]
        if end - begin > _LONG_RUN:
            continue
        for at in range(begin + 1, end):
            value, before = values[at], at - 1
            while before >= begin and values[before] < value:
                values[before + 1] = values[before]
                before -= 1
            values[before + 1] = value
