"""Document similarity: of the words of mentions (the paper), or topical, the tf-idf cosine of all content words.

`neighbours` finds the documents that are similar enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from samevent.similarity.bags import Bags, Floats, Indices, dots
from samevent.similarity.mentions import MentionTable, once_per_table

_BLOCK = 256


def document_similarity(table: MentionTable, d: Indices, e: Indices) -> Floats:
    """Return sim(d, e) for pairs of documents, by their numbers in the table."""
    return table.related.cosines(d, e)


def document_weight(similarity: Floats, *, gamma: float = 1.0) -> Floats:
    """Return w(d, d') = exp(gamma sim(d, d')), the factor of affinities across documents.

    >>> document_weight(np.array([0.0, 1.0])).round(3).tolist()
    [1.0, 2.718]
    """
    weight: Floats = np.exp(gamma * similarity)
    return weight


def similar_documents(table: MentionTable, threshold: float) -> tuple[Indices, Indices]:
    """Return all pairs of documents d > e whose similarity exceeds a threshold of 0 or more."""
    blocks = list(_sharing_words(table.related))
    d = np.concatenate([first for first, _ in blocks]) if blocks else np.empty(0, np.int32)
    e = np.concatenate([second for _, second in blocks]) if blocks else np.empty(0, np.int32)
    similar = document_similarity(table, d, e) > threshold
    return d[similar], e[similar]


def _sharing_words(bags: Bags) -> Iterator[tuple[Indices, Indices]]:
    """Yield the pairs of rows that share a word, in blocks, the greater row first."""
    n = len(bags)
    width = int(bags.words.max(initial=-1)) + 1
    rows = sparse.csr_array((np.ones(len(bags.words), np.int32), bags.words, bags.starts), shape=(n, width))
    for start in range(0, n, _BLOCK):
        shared = sparse.tril(rows[start : start + _BLOCK] @ rows.T, k=start - 1, format="coo")
        yield (shared.row + start).astype(np.int32), shared.col.astype(np.int32)


@once_per_table
def topical_values(table: MentionTable) -> Floats:
    """Return the contents of documents as vectors of unit length: one tf-idf value per entry."""
    bags = table.contents
    values = (1 + np.log(bags.counts)) * table.weights[bags.words]
    lengths = np.sqrt(
        np.add.reduceat(np.append(values**2, 0.0), bags.starts[:-1]) * (np.diff(bags.starts) > 0)
    )
    scaled: Floats = values / np.repeat(np.where(lengths > 0, lengths, 1), np.diff(bags.starts))
    return scaled


def topical_similarity(table: MentionTable, d: Indices, e: Indices) -> Floats:
    """Return the tf-idf cosine of pairs of documents, by their numbers in the table."""
    return np.minimum(dots(table.contents, topical_values(table), d, e), 1.0)


def all_topical_documents(table: MentionTable, least: float) -> tuple[Indices, Indices, Floats]:
    """Return all pairs of documents d > e with a topical similarity of `least` > 0 or more, sorted.

    All documents are compared. For few that is as quick as the search of `neighbours`, which takes seconds to compile.
    """
    d, e = (part.astype(np.int32) for part in np.tril_indices(len(table.documents), -1))
    similarity = topical_similarity(table, d, e)
    near = similarity >= least
    return d[near], e[near], similarity[near]


def compare_documents(
    table: MentionTable, i: Indices, j: Indices, compare: Callable[[MentionTable, Indices, Indices], Floats]
) -> Floats:
    """Compare the documents of pairs of mentions, every pair of documents only once."""
    width = len(table.documents)
    codes, place = np.unique(
        table.document[i].astype(np.int64) * width + table.document[j], return_inverse=True
    )
    first, second = np.divmod(codes, max(width, 1))
    return compare(table, first.astype(np.int32), second.astype(np.int32))[place]
