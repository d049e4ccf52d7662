from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from samevent.similarity import blocking
from samevent.similarity.blocking import Blocking
from samevent.similarity.documents import topical_similarity
from samevent.similarity.features import head_lemma, head_vector, synonyms
from samevent.similarity.mentions import CONTEXTUAL, MentionTable
from samevent.similarity.tree_features import contextual, head_stem
from similarity.tables import all_pairs, compiled, random_corpus


def encoded(table: MentionTable, seed: int = 0, size: int = 6) -> MentionTable:
    """Return the table with random contextual vectors."""
    draw = np.random.default_rng(seed)
    return table.with_contextual(
        {name: draw.normal(size=(len(table), size)).astype(np.float32) for name in CONTEXTUAL}
    )


def pairs_of(rule: Blocking, table: MentionTable, gate: float = 0.0) -> list[tuple[int, int]]:
    return [
        pair
        for block in rule.pairs(table, gate=gate)
        for pair in zip(block.i.tolist(), block.j.tolist(), strict=True)
    ]


@pytest.mark.parametrize("chunk", [1, 40, 1 << 20])
@pytest.mark.parametrize("gate", [0.0, 0.93])
def test_blocking_agrees_with_brute_force(monkeypatch: pytest.MonkeyPatch, chunk: int, gate: float) -> None:
    monkeypatch.setattr(blocking, "_CHUNK", chunk)
    table = encoded(compiled(random_corpus(4, documents=9)))
    rule = Blocking(documents=0.9, head_vector=0.6, contextual=0.3)
    i, j = all_pairs(table)
    d, e = table.document[i], table.document[j]
    near = (d == e) | (topical_similarity(table, d, e) >= max(gate, 0.9))
    related = head_lemma(table, i, j) + head_stem(table, i, j) + synonyms(table, i, j) > 0
    related |= (head_vector(table, i, j) >= 0.6) | (contextual("middle", table, i, j) >= 0.3)
    kept = near & related
    pairs = pairs_of(rule, table, gate)
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == set(zip(i[kept].tolist(), j[kept].tolist(), strict=True))
    assert 0 < kept.sum() < near.sum() < len(i)


@pytest.mark.parametrize("chunk", [1, 40])
def test_order_of_pairs_does_not_depend_on_how_many_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    table = encoded(compiled(random_corpus(4, documents=9)))
    rule = Blocking(documents=0.9, head_vector=0.6, contextual=0.3)
    whole = rule.within(table)
    monkeypatch.setattr(blocking, "_CHUNK", chunk)
    blocks = rule.within(table)
    assert len(whole)
    assert np.array_equal(whole.i, blocks.i)
    assert np.array_equal(whole.j, blocks.j)


@pytest.mark.parametrize("encode", [encoded, lambda table: table])
def test_heads_need_not_be_related_if_contextual_vectors_are_not_compared(
    encode: Callable[[MentionTable], MentionTable],
) -> None:
    table = encode(compiled(random_corpus(4, documents=5)))
    i, j = all_pairs(table)
    near = topical_similarity(table, table.document[i], table.document[j]) >= 0.5
    assert len(pairs_of(Blocking(documents=0.5, contextual=None), table)) == int(near.sum())


@pytest.mark.parametrize(("documents", "mentions"), [(0, 0), (3, 0), (1, 1)])
def test_small_corpora_have_no_pairs(documents: int, mentions: int) -> None:
    assert not pairs_of(Blocking(), compiled(random_corpus(2, documents=documents, mentions=mentions)))
