"""Blocking: the pairs of mentions that boosted trees score.

The score of a tree has no bound to search with, so most pairs are left out by rule. A pair is kept if its mentions are
in one document or in documents of at least some topical similarity, and if their heads are related: same lemma or
stem, a common synonym, similar word vectors, or similar contextual vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from samevent.similarity.bags import Booleans, Indices
from samevent.similarity.features import Compare, head_vector, synonyms
from samevent.similarity.mentions import MentionTable
from samevent.similarity.neighbours import neighbour_documents
from samevent.similarity.pairs import Pairs, across_documents, first_rows, within_documents
from samevent.similarity.tree_features import contextual

_CONTEXTUAL = "middle"
"""The contextual vectors that are compared."""
_CHUNK = 1 << 20
"""Number of pairs tested at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocking:
    """The least topical similarity of two documents, and the least similarities of heads, of which one is enough.

    Word vectors alone would lose too many pairs: with `contextual` None, heads need not be related.
    """

    documents: float = 0.08
    head_vector: float = 0.35
    contextual: float | None = 0.2

    def pairs(self, table: MentionTable, *, gate: float = 0.0, jobs: int = 1) -> Iterator[Pairs]:
        """Yield the pairs to score in blocks, each pair once; a higher `gate` replaces that of documents."""
        least = max(gate, self.documents)
        d, e, _ = neighbour_documents(table, least, jobs=jobs)
        yield from self._within(table)
        for block in document_blocks(table, d, e):
            yield self.between(table, *block)

    def within(self, table: MentionTable) -> Pairs:
        """Return the pairs of one document to score."""
        return Pairs.concatenate(self._within(table))

    def _within(self, table: MentionTable) -> Iterator[Pairs]:
        """Yield these pairs for some documents at a time."""
        documents = np.arange(len(table.documents), dtype=np.int32)
        for block, _ in document_blocks(table, documents, documents):
            pairs = within_documents(table, block)
            yield pairs[self.related(table, pairs)]

    def between(self, table: MentionTable, d: Indices, e: Indices) -> Pairs:
        """Return the pairs to score with one mention in document `d` and one in document `e`."""
        pairs = across_documents(table, d, e)
        return pairs[self.related(table, pairs)]

    def partnered(self, table: MentionTable, *, gate: float = 0.0) -> Booleans:
        """Return which mentions are in a pair to score."""
        found = np.zeros(len(table), np.bool_)
        for pairs in self.pairs(table, gate=gate):
            found[pairs.i] = True
            found[pairs.j] = True
        return found

    def related(self, table: MentionTable, pairs: Pairs) -> Booleans:
        """Return which pairs have related heads."""
        if self.contextual is None:
            return np.ones(len(pairs), np.bool_)
        lemma, stem = table.heads.lemma[table.head], table.heads.stem[table.head]
        kept = pairs.equal(lemma) | pairs.equal(stem)
        tests: tuple[tuple[Compare, float], ...] = (
            (head_vector, self.head_vector),
            (synonyms, np.nextafter(0.0, 1.0)),
            (partial(contextual, _CONTEXTUAL), self.contextual),
        )
        for compare, least in tests:
            rest = np.flatnonzero(~kept)
            kept[rest] = compare(table, pairs.i[rest], pairs.j[rest]) >= least
        return kept


def document_blocks(table: MentionTable, d: Indices, e: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Yield pairs of documents in blocks of about as many pairs of mentions."""
    sizes = np.diff(first_rows(table))
    end = np.cumsum(sizes[d] * sizes[e])
    cuts = np.searchsorted(end, np.arange(_CHUNK, end[-1] if len(end) else 0, _CHUNK))
    return zip(np.split(d, cuts), np.split(e, cuts), strict=True)
