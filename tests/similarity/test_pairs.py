from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from samevent.similarity.documents import document_similarity, document_weight, similar_documents
from samevent.similarity.pairs import Pairs, in_chunks, training_pairs, within_documents
from similarity.tables import all_pairs, compiled, random_corpus

TABLE = compiled(random_corpus(9, documents=7))


def as_set(pairs: Pairs) -> set[tuple[int, int]]:
    found = list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    assert len(set(found)) == len(found)
    return set(found)


def similarities() -> dict[tuple[int, int], float]:
    rows = TABLE.related
    dense = np.zeros((len(rows), len(TABLE.vocabulary)))
    for d in range(len(rows)):
        inside = slice(rows.starts[d], rows.starts[d + 1])
        dense[d, rows.words[inside]] = rows.counts[inside]
    unit = dense / np.linalg.norm(dense, axis=1, keepdims=True)
    return {(d, e): float(unit[d] @ unit[e]) for e, d in combinations(range(len(rows)), 2)}


def test_similar_documents_are_all_those_above_the_threshold() -> None:
    expected = similarities()
    threshold = sorted(expected.values())[len(expected) // 2] + 1e-9
    d, e = similar_documents(TABLE, threshold)
    assert as_set(Pairs(d, e)) == {pair for pair, value in expected.items() if value > threshold}
    assert document_similarity(TABLE, d, e) == pytest.approx(
        [expected[pair] for pair in zip(d.tolist(), e.tolist(), strict=True)]
    )


def test_document_weight_grows_with_gamma() -> None:
    assert document_weight(np.array([0.0, 0.5]), gamma=2).tolist() == pytest.approx([1.0, np.e])


def test_training_pairs_are_those_within_and_across_similar_documents() -> None:
    expected = similarities()
    threshold = sorted(expected.values())[len(expected) // 2] + 1e-9
    i, j = all_pairs(TABLE)
    wanted = set()
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        d, e = TABLE.document[[a, b]].tolist()
        if d == e or expected[d, e] > threshold:
            wanted.add((a, b))
    assert as_set(training_pairs(TABLE, document_threshold=threshold)) == wanted


@pytest.mark.parametrize(("documents", "mentions"), [(0, 0), (2, 0), (1, 1)])
def test_no_pairs_where_there_are_none(documents: int, mentions: int) -> None:
    table = compiled(random_corpus(3, documents=documents, mentions=mentions))
    assert len(training_pairs(table)) == len(within_documents(table)) == 0


def test_chunks_are_the_pairs_in_order() -> None:
    pairs = within_documents(TABLE)
    chunks = list(in_chunks([pairs[:3], pairs[3:3], pairs[3:]], 4))
    assert all(len(chunk) == 4 for chunk in chunks[:-1])
    assert 0 < len(chunks[-1]) <= 4
    assert Pairs.joined(chunks).i.tolist() == pairs.i.tolist()
