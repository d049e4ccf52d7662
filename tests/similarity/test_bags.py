from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samevent.similarity.bags import Bags, dots

ROWS = st.lists(st.lists(st.integers(0, 300), max_size=8), min_size=1, max_size=8)
VOCABULARY = {str(number): number for number in range(301)}


def packed(rows: list[list[int]]) -> Bags:
    return Bags.pack([[str(word) for word in row] for row in rows], VOCABULARY)


def every(rows: list[list[int]]) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], ...]:
    i, j = np.indices((len(rows), len(rows))).reshape(2, -1).astype(np.int32)
    return i, j


@given(ROWS)
def test_cosines_agree_with_dense_vectors(rows: list[list[int]]) -> None:
    i, j = every(rows)
    dense = np.stack([np.bincount(row, minlength=301) for row in rows])
    lengths = np.linalg.norm(dense, axis=1)
    products = np.outer(lengths, lengths)
    expected = np.divide(dense @ dense.T, products, out=np.zeros_like(products), where=products > 0)
    found = packed(rows).cosines(i, j).reshape(len(rows), -1)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert (found == found.T).all()
    assert set(found.diagonal()) <= {0.0, 1.0}


@given(ROWS, st.randoms(use_true_random=False))
def test_dot_products_have_the_bits_of_sums_over_common_words(rows: list[list[int]], random: Random) -> None:
    bags = packed(rows)
    values = np.array([random.uniform(-1, 1) for _ in bags.words])
    weights = [
        dict(zip(bags.row(r).tolist(), values[a:b].tolist(), strict=True))
        for r, (a, b) in enumerate(pairwise(bags.starts.tolist()))
    ]
    pairs = [(a, b) for a in range(len(rows)) for b in range(len(rows))]
    random.shuffle(pairs)
    i, j = np.array(pairs, np.int32).T
    expected = [
        sum(weights[a][word] * weights[b][word] for word in weights[a] if word in weights[b])
        for a, b in pairs
    ]
    assert dots(bags, values, i, j).tolist() == expected


@given(ROWS)
def test_jaccards_agree_with_sets(rows: list[list[int]]) -> None:
    i, j = every(rows)
    expected = [
        len(set(rows[a]) & set(rows[b])) / max(1, len(set(rows[a]) | set(rows[b])))
        for a, b in zip(i, j, strict=True)
    ]
    assert packed(rows).jaccards(i, j).tolist() == expected


@given(ROWS)
def test_signatures_share_a_bit_if_rows_share_a_word(rows: list[list[int]]) -> None:
    signatures = packed(rows).signatures()
    for a, first in enumerate(rows):
        assert bool(signatures[a]) == bool(first)
        for b, second in enumerate(rows):
            assert signatures[a] & signatures[b] or not set(first) & set(second)


@given(ROWS, ROWS)
def test_stack_concatenates_rows(one: list[list[int]], other: list[list[int]]) -> None:
    stacked, expected = Bags.stack([packed(one), packed(other)]), packed([*one, *other])
    for name in ("starts", "words", "counts", "squares"):
        assert getattr(stacked, name).tolist() == getattr(expected, name).tolist()


@given(ROWS, st.lists(st.integers(0, 100), max_size=6))
def test_take_selects_rows(rows: list[list[int]], which: list[int]) -> None:
    asked = [number % len(rows) for number in which]
    taken, expected = packed(rows).take(np.array(asked, np.int32)), packed([rows[number] for number in asked])
    for name in ("starts", "words", "counts", "squares"):
        assert getattr(taken, name).tolist() == getattr(expected, name).tolist()
