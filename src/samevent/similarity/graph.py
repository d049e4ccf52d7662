"""What the other links of two mentions say about the link between them: columns for a second look at each pair.

If two mentions are the same event, they are linked to the same others, and each is the best match of the other in its
document. Columns are computed from the first look's f of all pairs that may be links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit

from samevent.scratch import IN_MEMORY, Scratch
from samevent.similarity.bags import Booleans, Floats, Indices, dot_products
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
_PIECE = 1 << 20
"""Links, or entries of mentions, that are looked at at a time."""
_SORTED = 1 << 22
"""Links that are sorted at a time."""
_MOST_NARROW = np.iinfo(np.int32).max


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


def near_links(document: Indices, pairs: Pairs, which: NDArray[np.integer]) -> Booleans:
    """Return the links that the columns of some depend on: those of all mentions in the documents of these."""
    asked = np.zeros(int(document.max(initial=-1)) + 1, np.bool_)
    for mentions in (pairs.i, pairs.j):
        asked[document[mentions[which]]] = True
    near: Booleans = asked[document[pairs.i]] | asked[document[pairs.j]]
    return near


class LinkGraph:
    """All links of a corpus, sorted, and what the columns of `graph_columns` are looked up in.

    Link `k` is the pair `order[k]`. There may be tens of millions, so nothing is kept that can be looked up otherwise,
    and what needs room is computed for the mentions of some documents at a time.
    """

    def __init__(
        self, document: Indices, pairs: Pairs, score: Floats, *, scratch: Scratch = IN_MEMORY
    ) -> None:
        self._document, self._score = document, score
        self._mentions = np.bincount(document)
        self.order = _sorted_order(pairs, len(document), scratch)
        self._halves, link_below = _Halves.of(pairs, score, self.order, len(document), scratch)
        self._largest, self._second = np.zeros(len(document)), np.zeros(len(document))
        self._rival_of_i, self._rival_of_j, self._own = (
            scratch.empty(len(score), np.float64) for _ in range(3)
        )
        sums = []
        for first, end in _some_documents(document, self._halves.starts):
            part = self._halves.of_mentions(first, end)
            best = _Best.of(part.starts, part.weight)
            self._largest[first:end], self._second[first:end] = best.largest, best.second
            run, starts = part.document_runs(document)
            to_document = _Best.of(starts, part.weight)
            rival, total = to_document.besides(run, part.weight), to_document.total[run]
            above, below = part.links, link_below[part.ranks_below]
            self._rival_of_i[above], self._rival_of_j[below] = rival[part.above], rival[~part.above]
            self._own[above] = total[part.above]
            self._own[below] += total[~part.above]  # the other mention is an earlier one, and was first
            numbers = np.arange(above.start, above.stop)
            sums.append(_Sums.of(self._both_documents(numbers), part.weight[part.above]))
            scratch.release()
        self._between = _Sums.concatenate(sums)

    def columns(self, links: slice | NDArray[np.integer]) -> Columns:
        """Return the rows of some links, by their numbers here."""
        numbers = np.arange(*links.indices(len(self.order))) if isinstance(links, slice) else links
        halves, document = self._halves, self._document
        i, j, f = halves.look_up(numbers)
        common = dot_products(halves.starts, halves.neighbour, halves.weight, i, j)
        squares = halves.squares[i] * halves.squares[j]
        rest_i, rest_j = halves.degree[i] - f, halves.degree[j] - f
        fewer = np.minimum(rest_i, rest_j)
        other_i, other_j = (
            np.where(f >= self._largest[rows], self._second[rows], self._largest[rows]) for rows in (i, j)
        )
        rival_i, rival_j = self._rival_of_i[numbers], self._rival_of_j[numbers]
        rest = self._between.sums(self._both_documents(numbers)) - (self._own[numbers] - f)
        sizes = self._mentions[document[i]] * self._mentions[document[j]]
        return np.stack(
            [
                self._score[self.order[numbers]],
                common,
                common / np.sqrt(np.maximum(squares, 1e-9)),
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

    def _both_documents(self, links: NDArray[np.integer]) -> Integers:
        """Return one number per pair of documents, which ascend with their mentions."""
        i, j, _ = self._halves.look_up(links)
        pairs: Integers = self._document[i].astype(np.int64) * len(self._mentions) + self._document[j]
        return pairs


def _sorted_order(pairs: Pairs, n: int, scratch: Scratch) -> Indices:
    """Return the order of pairs by their smaller mention and then by their greater one, sorted some at a time."""
    order = scratch.empty(len(pairs), np.int32 if len(pairs) <= _MOST_NARROW else np.int64)
    if not len(pairs):
        return order
    ends = np.cumsum(_counts(np.minimum, pairs, n))
    cuts = np.searchsorted(ends, np.arange(_SORTED, len(pairs), _SORTED)) + 1
    done = 0
    for first, end in pairwise(np.unique([0, *cuts, n]).tolist()):
        some = np.concatenate(
            [
                start + np.flatnonzero((low >= first) & (low < end))
                for start, low in _blocks(np.minimum, pairs)
            ]
        )
        keys = np.minimum(pairs.i[some], pairs.j[some]).astype(np.int64) * n
        keys += np.maximum(pairs.i[some], pairs.j[some])
        order[done : done + len(some)] = some[np.argsort(keys)]
        done += len(some)
        scratch.release()
    return order


def _counts(choose: np.ufunc, pairs: Pairs, n: int) -> Integers:
    """Count the smaller or the greater mentions of pairs."""
    counts = np.zeros(n, np.int64)
    for _, mentions in _blocks(choose, pairs):
        counts += np.bincount(mentions, minlength=n)
    return counts


def _blocks(choose: np.ufunc, pairs: Pairs) -> Iterator[tuple[int, Indices]]:
    """Yield the smaller or the greater mentions of some pairs at a time, and the number of the first pair."""
    for start in range(0, len(pairs), _PIECE):
        part = slice(start, start + _PIECE)
        yield start, choose(pairs.i[part], pairs.j[part])


def _some_documents(document: Indices, starts: Integers) -> Iterator[tuple[int, int]]:
    """Yield the first and the last mention of consecutive documents that have about `_PIECE` entries together."""
    ends = np.append(np.flatnonzero(np.diff(document)) + 1, len(document))
    piece = starts[ends] // _PIECE
    last = np.append(piece[1:] != piece[:-1], True)
    return pairwise([0, *ends[last].tolist()])


class _Sums(NamedTuple):
    """The sum of the weights of each key; keys ascend."""

    keys: Integers
    total: Floats

    @classmethod
    def of(cls, keys: Integers, weights: Floats) -> _Sums:
        known, number = np.unique(keys, return_inverse=True)
        total = np.bincount(number, weights, minlength=len(known)).astype(np.float64, copy=False)
        return cls(known, total)

    @classmethod
    def concatenate(cls, parts: Sequence[_Sums]) -> _Sums:
        """Put sums together whose keys ascend."""
        keys, total = zip(cls(np.empty(0, np.int64), np.empty(0)), *parts, strict=True)
        return cls(np.concatenate(keys), np.concatenate(total))

    def sums(self, keys: Integers) -> Floats:
        """Return the sum of the weights of each key."""
        return self.total[np.searchsorted(self.keys, keys)]


class _Part(NamedTuple):
    """The entries of consecutive mentions in `_Halves`; those `above` are for `links`, the others in `ranks_below`."""

    starts: Integers
    neighbour: Indices
    weight: Floats
    above: Booleans
    links: slice
    ranks_below: slice

    def document_runs(self, document: Indices) -> tuple[Integers, Integers]:
        """Return the run of each entry and where runs start: neighbours of one mention in one document.

        Documents ascend with their mentions, so these lie side by side.
        """
        entries = len(self.weight)
        of_neighbour = document[self.neighbour]
        new = np.ones(entries, np.bool_)
        new[1:] = of_neighbour[1:] != of_neighbour[:-1]
        firsts = self.starts[:-1]
        new[firsts[firsts < entries]] = True
        return np.cumsum(new) - 1, np.append(np.flatnonzero(new), entries)


class _Halves(NamedTuple):
    """Every link twice, once for each of its mentions: the entries of a mention are its neighbours, ascending.

    Links are numbered in the order of their smaller mentions, among whose neighbours above they come in that order, so
    `first_link` is enough to find them. `degree` is the sum of the weights of a mention's links, `squares` that of
    their squares.
    """

    starts: Integers
    first_link: Integers
    neighbour: Indices
    weight: Floats
    degree: Floats
    squares: Floats

    @classmethod
    def of(
        cls, pairs: Pairs, score: Floats, order: Indices, n: int, scratch: Scratch
    ) -> tuple[_Halves, Indices]:
        """Sort links in linear time; also return the link of each entry that lies below its mention."""
        below, above = (_counts(choose, pairs, n) for choose in (np.maximum, np.minimum))
        starts, first_link = (np.concatenate([[0], np.cumsum(each)]) for each in (below + above, above))
        neighbour = scratch.empty(2 * len(order), np.int32)
        weight = scratch.empty(2 * len(order), np.float64)
        link_below = scratch.empty(len(order), order.dtype)
        degree, squares = np.zeros(n), np.zeros(n)
        next_above, next_below = starts[:-1] + below, starts[:-1].copy()

        def links() -> Iterator[tuple[int, Indices, Indices, Floats]]:
            for start in range(0, len(order), _PIECE):
                own = order[start : start + _PIECE]
                i, j = pairs.i[own], pairs.j[own]
                yield start, np.minimum(i, j), np.maximum(i, j), expit(score[own])
                scratch.release()

        # The last bits of a sum depend on its order: first the neighbours above, then those below.
        for start, i, j, f in links():
            _place_halves(start, i, j, f, first_link, next_above, next_below, neighbour, weight, link_below)
            _add_weights(i, f, degree, squares)
        for _, _, j, f in links():
            _add_weights(j, f, degree, squares)
        return cls(starts, first_link, neighbour, weight, degree, squares), link_below

    def look_up(self, links: NDArray[np.integer]) -> tuple[Indices, Indices, Floats]:
        """Return both mentions of links, the smaller first, and their weights."""
        i = np.searchsorted(self.first_link, links, side="right") - 1
        entry = self.starts[i + 1] - self.first_link[i + 1] + links
        return i.astype(np.int32), self.neighbour[entry], self.weight[entry]

    def of_mentions(self, first: int, end: int) -> _Part:
        """Return the entries of consecutive mentions."""
        starts, first_link = self.starts[first : end + 1], self.first_link[first : end + 1]
        entries, links = slice(*starts[[0, -1]].tolist()), slice(*first_link[[0, -1]].tolist())
        mention = np.repeat(np.arange(first, end), np.diff(starts))
        neighbour = self.neighbour[entries]
        return _Part(
            starts - entries.start,
            neighbour,
            self.weight[entries],
            neighbour > mention,
            links,
            slice(entries.start - links.start, entries.stop - links.stop),
        )


@njit(cache=True, nogil=True)
def _place_halves(  # type: ignore[no-untyped-def]
    first, i, j, f, first_link, next_above, next_below, neighbour, weight, link_below
):  # fmt: skip
    for link in range(len(i)):
        a, b, w = i[link], j[link], f[link]
        above, below = next_above[a], next_below[b]
        neighbour[above], weight[above] = b, w
        neighbour[below], weight[below] = a, w
        link_below[below - first_link[b]] = first + link
        next_above[a] += 1
        next_below[b] += 1


@njit(cache=True, nogil=True)
def _add_weights(mentions, weights, degree, squares):  # type: ignore[no-untyped-def]
    for link in range(len(mentions)):
        degree[mentions[link]] += weights[link]
        squares[mentions[link]] += weights[link] * weights[link]


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
