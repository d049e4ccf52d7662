"""Tables of parts, merged, are the table of everything; part of a table has the features of the whole."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from samevent.errors import CorpusError
from samevent.similarity.mentions import MentionTable
from samevent.similarity.tables import compile_in_parts, merged, pack_table, part_of, unpack_table
from samevent.similarity.tree_features import LARGE_GROUP, TREE_FEATURES, columns
from similarity.tables import LEXICON, VECTORS, all_pairs, compiled, random_corpus


def assert_same(one: Any, other: Any, where: str = "table") -> None:
    if is_dataclass(one) and not isinstance(one, type):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        assert one.tobytes() == other.tobytes(), where
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for name in one:
            assert_same(one[name], other[name], f"{where}[{name}]")
    else:
        assert one == other, where


def with_vectors(table: MentionTable, seed: int) -> MentionTable:
    draw = np.random.default_rng(seed)
    names = ("last", "middle", "unit")
    return table.with_contextual(
        {name: draw.normal(size=(len(table), 4)).astype(np.float16) for name in names}
    )


@pytest.mark.parametrize("seed", range(4))
def test_parts_make_the_table_that_they_make_together(seed: int) -> None:
    corpus = random_corpus(seed, documents=7)
    shuffled = [corpus[at] for at in np.random.default_rng(seed).permutation(7)]
    parts = [compiled(part) for part in (shuffled[:3], shuffled[3:4], shuffled[4:])]
    assert_same(merged(parts, lexicon=LEXICON, vectors=VECTORS), compiled(corpus))


def test_documents_stay_in_their_order_if_asked() -> None:
    corpus = random_corpus(1, documents=6)
    first, second = compiled(corpus[3:]), compiled(corpus[:3])
    table = merged([first, second], lexicon=LEXICON, vectors=VECTORS, by_id=False)
    assert table.ids == first.ids + second.ids
    assert table.documents == first.documents + second.documents


def test_vectors_follow_their_mentions() -> None:
    corpus = random_corpus(2, documents=4)
    parts = [with_vectors(compiled(part), number) for number, part in enumerate((corpus[2:], corpus[:2]))]
    table = merged(parts, lexicon=LEXICON, vectors=VECTORS)
    for part in parts:
        for row, id in enumerate(part.ids):
            at = table.ids.index(id)
            assert np.array_equal(table.contextual["unit"][at], part.contextual["unit"][row])


def test_a_document_in_two_parts_is_refused() -> None:
    part = compiled(random_corpus(1, documents=2))
    with pytest.raises(CorpusError, match="two documents have the id 'd0'"):
        merged([part, part], lexicon=LEXICON, vectors=VECTORS)


def test_part_of_a_table_has_the_features_of_the_whole() -> None:
    table = with_vectors(compiled(random_corpus(3, documents=6)), 0)
    rows = np.flatnonzero(np.arange(len(table)) % 3 > 0).astype(np.int32)
    part = part_of(table, rows)
    i, j = all_pairs(part)
    names = [feature for feature in TREE_FEATURES if feature.group not in ("rivals", LARGE_GROUP)]
    assert np.array_equal(columns(part, i, j, names), columns(table, rows[i], rows[j], names), equal_nan=True)


def test_a_packed_table_comes_back_as_it_was() -> None:
    table = with_vectors(compiled(random_corpus(4)), 0)
    assert_same(unpack_table(pack_table(table)), table)


@pytest.mark.parametrize("documents", [1, 2, 5, 100])
def test_compiling_in_parts_gives_the_table_of_the_whole(documents: int) -> None:
    corpus = random_corpus(5, documents=9)
    found = compile_in_parts(corpus, lexicon=LEXICON, vectors=VECTORS, documents=documents)
    assert_same(found, compiled(corpus))
