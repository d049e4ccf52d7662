from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from samevent.similarity.documents import document_similarity, document_weight, similar_documents
from samevent.similarity.pairs import (
    UNKNOWN,
    Pairs,
    event_sizes,
    in_chunks,
    label_mentions,
    training_pairs,
    within_documents,
)
from similarity.tables import LEXICON, VECTORS, all_pairs, compiled, random_corpus

TABLE = compiled(random_corpus(9, documents=7))


def as_set(pairs: Pairs) -> set[tuple[int, int]]:
    rows = list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    assert len(set(rows)) == len(rows)
    return set(rows)


def similarities() -> dict[tuple[int, int], float]:
    rows = TABLE.related
    dense = np.zeros((len(rows), len(TABLE.vocabulary)))
    for d in range(len(rows)):
        inside = slice(rows.starts[d], rows.starts[d + 1])
        dense[d, rows.words[inside]] = rows.counts[inside]
    unit = dense / np.linalg.norm(dense, axis=1, keepdims=True)
    return {(d, e): float(unit[d] @ unit[e]) for e, d in combinations(range(len(rows)), 2)}


def test_similar_documents_are_all_pairs_above_the_threshold() -> None:
    expected = similarities()
    threshold = sorted(expected.values())[len(expected) // 2] + 1e-9
    d, e = similar_documents(TABLE, threshold)
    assert as_set(Pairs(d, e)) == {pair for pair, value in expected.items() if value > threshold}
    assert document_similarity(TABLE, d, e) == pytest.approx(
        [expected[pair] for pair in zip(d.tolist(), e.tolist(), strict=True)]
    )


def test_document_weight_grows_with_gamma() -> None:
    assert document_weight(np.array([0.0, 0.5]), gamma=2).tolist() == pytest.approx([1.0, np.e])


def test_training_pairs_are_within_and_across_similar_documents() -> None:
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
def test_training_pairs_of_small_corpora_are_empty(documents: int, mentions: int) -> None:
    table = compiled(random_corpus(3, documents=documents, mentions=mentions))
    assert len(training_pairs(table)) == len(within_documents(table)) == 0


def test_chunks_keep_the_order_of_pairs() -> None:
    pairs = within_documents(TABLE)
    chunks = list(in_chunks([pairs[:3], pairs[3:3], pairs[3:]], 4))
    assert all(len(chunk) == 4 for chunk in chunks[:-1])
    assert 0 < len(chunks[-1]) <= 4
    assert Pairs.concatenate(chunks).i.tolist() == pairs.i.tolist()


def test_labelled_pairs_share_an_event() -> None:
    corpus = random_corpus(5, documents=3)
    data = label_mentions(corpus, lexicon=LEXICON, vectors=VECTORS)
    events = {m.id: m.event for d, _ in corpus for m in d.mentions}
    pairs = within_documents(data.table)
    expected = [
        events[data.table.ids[i]] == events[data.table.ids[j]] for i, j in zip(pairs.i, pairs.j, strict=True)
    ]
    assert data.same(pairs).tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_labels_without_event_or_topic_are_unique() -> None:
    ((document, annotation),) = random_corpus(5, documents=1, mentions=12)
    bare = replace(document, topic=None).with_mentions(replace(m, event=None) for m in document.mentions)
    data = label_mentions([(bare, annotation)], lexicon=LEXICON, vectors=VECTORS)
    assert data.topics == ("d0",)
    assert len(set(data.event.tolist())) == len(data.table) > 1


def test_unknown_events_are_the_same_as_none_and_never_judged() -> None:
    data = label_mentions(random_corpus(5, documents=3), lexicon=LEXICON, vectors=VECTORS)
    hidden = np.arange(len(data.event)) % 3 == 0
    data = replace(data, event=np.where(hidden, np.int32(UNKNOWN), data.event))
    pairs = within_documents(data.table)
    either = hidden[pairs.i] | hidden[pairs.j]
    both = hidden[pairs.i] & hidden[pairs.j]
    assert both.any()
    assert not data.same(pairs)[either].any()
    assert data.unjudged(pairs)[either].all()
    assert (data.known(pairs) == ~either).all()


def test_event_sizes_count_the_mentions_of_known_events() -> None:
    event = np.array([2, 0, UNKNOWN, 2, 2, UNKNOWN], np.int32)
    assert event_sizes(event).tolist() == [3, 1, 0, 3, 3, 0]
    counted = np.array([True, False, True, True, False, False])
    assert event_sizes(event, counted).tolist() == [2, 0, 0, 2, 2, 0]
    assert event_sizes(np.full(2, UNKNOWN, np.int32)).tolist() == [0, 0]
