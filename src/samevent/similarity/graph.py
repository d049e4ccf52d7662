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
    n = len(document)
    low, high = np.minimum(pairs.i, pairs.j).astype(np.int64), np.maximum(pairs.i, pairs.j).astype(np.int64)
    order = np.argsort(low * n + high)
    i, j, first = low[order], high[order], score[order]
    f = expit(first)
    both = np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([f, f])
    common = dots(*_neighbours(*both, n), i.astype(np.int32), j.astype(np.int32))
    degree = np.bincount(both[0], both[2], minlength=n)
    squares = np.bincount(both[0], both[2] ** 2, minlength=n)
    rest_i, rest_j = degree[i] - f, degree[j] - f
    fewer = np.minimum(rest_i, rest_j)
    best = _Best.of(both[0], both[2])
    other_i, other_j = best.besides(i, f), best.besides(j, f)
    documents = int(document.max(initial=0)) + 1
    to_document = _Best.of(both[0] * documents + document[both[1]], both[2])
    key_i, key_j = i * documents + document[j], j * documents + document[i]
    rival_i, rival_j = to_document.besides(key_i, f), to_document.besides(key_j, f)
    table = np.stack(
        [
            first,
            common,
            common / np.sqrt(np.maximum(squares[i] * squares[j], 1e-9)),
            np.minimum(common / np.maximum(fewer, _LEAST_NEIGHBOURS), _MOST_AGREEMENT),
            np.maximum(rival_i, rival_j),
            np.minimum(rival_i, rival_j),
            _rest_of_documents(document, i, j, f, to_document.sums(key_i) + to_document.sums(key_j) - f),
            fewer,
            np.maximum(rest_i, rest_j),
            np.minimum(other_i, other_j),
            np.maximum(other_i, other_j),
        ],
        axis=1,
    ).astype(np.float32)
    columns = np.empty_like(table)
    columns[order] = table
    return columns


def _rest_of_documents(document: Indices, i: Integers, j: Integers, f: Floats, own: Floats) -> Floats:
    """Return the weight between the documents of each pair without its `own`, by their mentions; NaN within one."""
    a, b = np.minimum(document[i], document[j]), np.maximum(document[i], document[j])
    key, number = np.unique(a.astype(np.int64) * (int(document.max(initial=0)) + 1) + b, return_inverse=True)
    between = np.bincount(number, f, minlength=len(key))[number]
    mentions = np.bincount(document)
    relative: Floats = (between - own) / np.sqrt(mentions[document[i]] * mentions[document[j]])
    return np.where(a == b, np.nan, relative)


def _neighbours(rows: Integers, columns: Integers, weights: Floats, n: int) -> tuple[Bags, Floats]:
    """Return the neighbours of each mention, ascending, as the words of bags; and their weights."""
    order = np.lexsort((columns, rows))
    sizes = np.bincount(rows, minlength=n)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    bags = Bags(starts, columns[order].astype(np.int32), np.ones(len(rows), np.int32), sizes)
    return bags, weights[order]


class _Best(NamedTuple):
    """The largest and the second largest weight of each key, and their sum; keys ascend."""

    keys: Integers
    largest: Floats
    second: Floats
    total: Floats

    @classmethod
    def of(cls, keys: Integers, weights: Floats) -> _Best:
        order = np.lexsort((-weights, keys))
        keys, weights = keys[order], weights[order]
        new = np.append(np.diff(keys) != 0, True) if len(keys) else np.zeros(0, np.bool_)
        starts = np.concatenate([[0], np.flatnonzero(new) + 1])[:-1] if len(keys) else np.zeros(0, np.int64)
        sizes = np.diff(np.append(starts, len(keys)))
        second = np.where(sizes > 1, weights[np.minimum(starts + 1, len(keys) - 1)], 0.0)
        total = np.add.reduceat(weights, starts) if len(keys) else np.zeros(0)
        return cls(keys[starts], weights[starts], second, total)

    def besides(self, keys: Integers, weights: Floats) -> Floats:
        """Return the largest weight of each key beside one of its own, 0 if it has no other."""
        at = np.searchsorted(self.keys, keys)
        other: Floats = np.where(weights >= self.largest[at], self.second[at], self.largest[at])
        return other

    def sums(self, keys: Integers) -> Floats:
        """Return the sum of the weights of each key."""
        return self.total[np.searchsorted(self.keys, keys)]
