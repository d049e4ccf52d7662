from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distances import binder_distance, variation_of_information
from samevent.errors import DataError
from samevent.partitions.labels import canonical, members

LABELS = st.integers(1, 8).flatmap(lambda n: st.lists(st.integers(-3, 4), min_size=n, max_size=n))
TWO = st.integers(1, 8).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


def pairs_joined(labels: list[int]) -> set[tuple[int, int]]:
    return {(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]}


@given(LABELS)
def test_canonical_keeps_the_partition_and_numbers_by_first_member(labels: list[int]) -> None:
    numbered = canonical(labels).tolist()
    assert pairs_joined(numbered) == pairs_joined(labels)
    firsts = [numbered.index(k) for k in range(max(numbered) + 1)]
    assert firsts == sorted(firsts)


def test_canonical_of_rows_is_that_of_each_row() -> None:
    rows = np.array([[3, 1, 3], [0, 0, 5]])
    assert canonical(rows).tolist() == [canonical(row).tolist() for row in rows]


def test_canonical_of_no_customers_is_empty() -> None:
    assert canonical([]).tolist() == []


def test_canonical_rejects_fractions_and_cubes() -> None:
    with pytest.raises(DataError, match="whole numbers"):
        canonical([0.5, 1.0])
    with pytest.raises(DataError, match="3 dimensions"):
        canonical(np.zeros((2, 2, 2), int))


@given(TWO)
def test_binder_distance_counts_pairs_joined_once(two: tuple[list[int], list[int]]) -> None:
    a, b = two
    assert binder_distance(a, b) == len(pairs_joined(a) ^ pairs_joined(b))


@given(TWO)
def test_variation_of_information_is_two_conditional_entropies(two: tuple[list[int], list[int]]) -> None:
    a, b = two
    n = len(a)
    expected = 0.0
    for x, y in set(zip(a, b, strict=True)):
        both = sum(1 for p, q in zip(a, b, strict=True) if (p, q) == (x, y))
        expected -= both / n * (log(both / a.count(x)) + log(both / b.count(y)))
    assert variation_of_information(a, b) == pytest.approx(expected, abs=1e-12)


def test_distances_reject_partitions_of_different_customers() -> None:
    with pytest.raises(DataError, match="same customers"):
        binder_distance([0, 1], [0])


def test_members_come_by_label_in_order() -> None:
    assert [cluster.tolist() for cluster in members(np.array([2, 0, 2, 1]))] == [[1], [3], [0, 2]]
    assert members(np.array([], int)) == []
