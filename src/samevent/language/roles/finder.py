"""Finding predicates: logistic regression over a word, its neighbours and its position in the parse.

Only words tagged as verbs, nouns or adjectives can be predicates. Features are hashed into a table of weights.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_array

from samevent.language.hashing import Indices, code, mix
from samevent.language.roles.encoding import NOUN, VERB, Encoded

BUCKETS = 1 << 17
_JJ, _JJR, _JJS = (code(tag) for tag in ("JJ", "JJR", "JJS"))
_FIXED = 19
"""Number of features of every word, before those of its children."""


def find_predicates(encoded: Encoded, weights: NDArray[np.float32], bias: float) -> Indices:
    """Return the tokens that are predicates with probability above 0.5."""
    tokens, ends, buckets = finder_features(encoded)
    sums = np.add.reduceat(weights[buckets], np.concatenate([[0], ends[:-1]])) if len(tokens) else np.zeros(0)
    return tokens[sums + bias > 0]


def finder_features(encoded: Encoded) -> tuple[Indices, Indices, Indices]:
    """Return the possible predicates, where the features of each end, and the features as buckets."""
    features: tuple[Indices, Indices, Indices] = _features(encoded)
    return features


def learn_finder(
    ends: Indices, buckets: Indices, labels: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], float]:
    """Learn the weights and the bias of the finder."""
    from sklearn.linear_model import LogisticRegression

    starts = np.concatenate([[0], ends]).astype(np.int32)
    matrix = csr_array((np.ones(len(buckets), np.float32), buckets, starts), shape=(len(ends), BUCKETS))
    matrix.sum_duplicates()
    model = LogisticRegression(C=1.0, solver="liblinear", max_iter=200).fit(matrix, labels)
    return model.coef_[0].astype(np.float32), float(model.intercept_[0])


@njit(cache=True)
def _features(e):  # type: ignore[no-untyped-def]
    n = len(e.word)
    capacity = _FIXED * n + 3 * len(e.children)
    buckets = np.zeros(capacity, np.int32)
    tokens, ends = np.zeros(n, np.int32), np.zeros(n, np.int32)
    size = count = 0
    zero = np.uint64(0)
    for i in range(n):
        kind = np.uint64(1 if e.flags[i] & VERB else 2 if e.flags[i] & NOUN else 3)
        if kind == 3 and e.tag[i] != _JJ and e.tag[i] != _JJR and e.tag[i] != _JJS:
            continue
        h = e.head[i]
        before, after = i > e.first[i], i + 1 < e.last[i]
        word_before, tag_before = (e.word[i - 1], e.tag[i - 1]) if before else (zero, zero)
        word_after, tag_after = (e.word[i + 1], e.tag[i + 1]) if after else (zero, zero)
        lemma, word, tag, label = e.lemma[i], e.word[i], e.tag[i], e.label[i]
        parts = (
            (lemma, zero, zero), (word, zero, zero), (tag, zero, zero), (label, zero, zero),
            (lemma, tag, zero), (lemma, label, zero), (tag, label, zero), (e.suffix[i], kind, zero),
            (e.lemma[h], label, zero), (e.lemma[h], lemma, zero), (e.tag[h], tag, label), (e.entity[i], kind, zero),
            (word_before, kind, zero), (word_after, kind, zero), (tag_before, tag, zero), (tag_after, tag, zero),
            (lemma, word_after, zero), (lemma, word_before, zero), (label, kind, tag_before),
        )  # fmt: skip
        for k in range(_FIXED):
            a, b, c = parts[k]
            buckets[size] = _bucket(np.uint64(k), a, b, c)
            size += 1
        for k in range(e.child_starts[i], e.child_starts[i + 1]):
            child = e.children[k]
            buckets[size] = _bucket(np.uint64(20), e.label[child], kind, zero)
            buckets[size + 1] = _bucket(np.uint64(21), e.lemma[child], e.label[child], kind)
            buckets[size + 2] = _bucket(np.uint64(22), e.lemma[i], e.label[child], zero)
            size += 3
        tokens[count], ends[count] = i, size
        count += 1
    return tokens[:count], ends[:count], buckets[:size]


@njit(cache=True)
def _bucket(number, a, b, c):  # type: ignore[no-untyped-def]
    return np.int32(
        (mix(mix(mix(mix(np.uint64(17), number), a), b), c) >> np.uint64(40)) % np.uint64(BUCKETS)
    )
