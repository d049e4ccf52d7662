"""How alike two documents are: the cosine of the word counts of all their event-related mentions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from samevent.similarity.bags import Bags, Floats, Indices
from samevent.similarity.mentions import MentionTable

_BLOCK = 256


def document_similarity(table: MentionTable, d: Indices, e: Indices) -> Floats:
    """Return sim(d, e) for pairs of documents, by their numbers in the table."""
    return table.related.cosines(d, e)


def document_weight(similarity: Floats, *, gamma: float = 1.0) -> Floats:
    """Return w(d, d') = exp(gamma sim(d, d')), by which across-document affinities are multiplied.

    >>> document_weight(np.array([0.0, 1.0])).round(3).tolist()
    [1.0, 2.718]
    """
    weight: Floats = np.exp(gamma * similarity)
    return weight


def similar_documents(table: MentionTable, threshold: float) -> tuple[Indices, Indices]:
    """Return all pairs of documents d > e whose similarity is above a threshold, which is at least 0."""
    blocks = list(_sharing(table.related))
    d = np.concatenate([first for first, _ in blocks]) if blocks else np.empty(0, np.int32)
    e = np.concatenate([second for _, second in blocks]) if blocks else np.empty(0, np.int32)
    similar = document_similarity(table, d, e) > threshold
    return d[similar], e[similar]


def _sharing(bags: Bags) -> Iterator[tuple[Indices, Indices]]:
    """Go through the pairs of rows that share a word, the greater row first."""
    n = len(bags)
    width = int(bags.words.max(initial=-1)) + 1
    rows = sparse.csr_array((np.ones(len(bags.words), np.int32), bags.words, bags.starts), shape=(n, width))
    for start in range(0, n, _BLOCK):
        shared = sparse.tril(rows[start : start + _BLOCK] @ rows.T, k=start - 1, format="coo")
        yield (shared.row + start).astype(np.int32), shared.col.astype(np.int32)
