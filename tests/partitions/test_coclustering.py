from __future__ import annotations

import numpy as np
import pytest

from samevent.errors import DataError
from samevent.partitions.coclustering import Coclustering, Pairs, count_together
from samevent.seeds import stream


def test_pairs_are_sorted_and_unique_whatever_the_links() -> None:
    pairs = Pairs.from_links([5, 1, 0, 3, 5], [1, 5, 3, 3, 0])
    assert list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)) == [(0, 3), (0, 5), (1, 5)]
    assert len(Pairs.from_links([], [])) == 0


def test_pairs_refuse_what_is_no_link() -> None:
    with pytest.raises(DataError, match="one of each"):
        Pairs.from_links([0, 1], [0])
    with pytest.raises(DataError, match="negative"):
        Pairs.from_links([-1], [0])


def test_counts_match_a_double_loop_and_add_up_over_batches() -> None:
    random = stream(1, "coclustering")
    samples = random.integers(3, size=(20, 6))
    pairs = Pairs.from_links(*np.triu_indices(6, 1))
    expected = [
        sum(int(row[i] == row[j]) for row in samples) for i, j in zip(pairs.left, pairs.right, strict=True)
    ]
    assert count_together(samples, pairs).tolist() == expected
    assert (count_together(samples[:7], pairs) + count_together(samples[7:], pairs)).tolist() == expected
    assert count_together(samples[0], pairs).tolist() == [
        int(samples[0, i] == samples[0, j]) for i, j in zip(pairs.left, pairs.right, strict=True)
    ]


def test_counts_refuse_pairs_of_unknown_customers() -> None:
    with pytest.raises(DataError, match="customer 7"):
        count_together([[0, 0]], Pairs.from_links([7], [0]))


def test_probabilities_mix_counted_and_exact_ones() -> None:
    pairs = Pairs.from_links([1, 2, 3], [0, 0, 0])
    found = Coclustering.from_counts(pairs, [5, 0, 10], [10, 10, 20])
    assert found.probability.tolist() == [0.5, 0.0, 0.5]
    mixed = found.with_exact(np.array([False, True, False]), 0.25)
    assert mixed.probability.tolist() == [0.5, 0.25, 0.5]
    assert mixed.exact.tolist() == [False, True, False]
    assert found.probability.tolist() == [0.5, 0.0, 0.5], "the counted ones are untouched"


def test_standard_error_shrinks_with_samples_and_vanishes_when_exact() -> None:
    pairs = Pairs.from_links([1, 2, 3], [0, 0, 0])
    errors = (
        Coclustering.from_counts(pairs, [50, 0, 500], [100, 100, 1000]).with_exact([1], [0.0]).standard_error
    )
    assert errors[0] == pytest.approx(0.05, rel=0.01)
    assert errors[0] / errors[2] == pytest.approx(np.sqrt(10), rel=0.01)
    assert errors[1] == 0


def test_impossible_counts_and_probabilities_are_refused() -> None:
    pairs = Pairs.from_links([1], [0])
    with pytest.raises(DataError, match="more often"):
        Coclustering.from_counts(pairs, [3], 2)
    with pytest.raises(DataError, match="2 counts for 1 pairs"):
        Coclustering.from_counts(pairs, [1, 1], 2)
    with pytest.raises(DataError, match="between 0 and 1"):
        Coclustering.from_counts(pairs, [1], 2).with_exact([0], [1.5])
