"""The recursions against all paths written out, and against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction_builders import borders_of, log_sum, random_potentials, slopes, weighed
from samevent.extraction.semicrf import (
    OTHER,
    Floats,
    Indices,
    Marginals,
    Potentials,
    marginals,
)

SIZES = [[4], [0], [1, 3], [3, 0, 2], [0, 4, 0], [5, 1]]
LIMITS = [(1,), (3,), (1, 2), (2, 3, 1), (4, 1, 2, 2)]


def enumerated(p: Potentials, borders: Indices) -> tuple[Floats, Marginals]:
    """Return log partition functions and expected counts by enumerating all paths."""
    totals = []
    expected = Marginals(np.zeros_like(p.segments), np.zeros_like(p.other), np.zeros_like(p.transitions))
    for sentence in weighed(p, borders):
        totals.append(log_sum([own for _, own in sentence]))
        for path, own in sentence:
            probability = np.exp(own - totals[-1])
            before = len(p.transitions) - 1
            for start, end, kind in path:
                if kind == OTHER:
                    expected.other[start] += probability
                else:
                    expected.segments[start, end - start - 1, kind - 1] += probability
                expected.transitions[before, kind] += probability
                before = kind
            if path:
                expected.transitions[before, -1] += probability
    return np.array(totals), expected


def same(found: Marginals, expected: Marginals) -> None:
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_sums_and_marginals_are_those_of_all_paths(sizes: list[int], limits: tuple[int, ...]) -> None:
    p, borders = random_potentials(1, sum(sizes), limits, scale=2), borders_of(sizes)
    totals, expected = enumerated(p, borders)
    found, counts = marginals(p, borders)
    np.testing.assert_allclose(found, totals, atol=1e-10)
    same(counts, expected)


def test_marginals_are_the_gradient_of_the_log_partition_function() -> None:
    p, borders = random_potentials(4, 6, (3, 1, 2)), borders_of([4, 0, 2])
    _, found = marginals(p, borders)
    by_hand = Marginals(
        slopes(lambda x: marginals(p._replace(segments=x), borders)[0].sum(), p.segments),
        slopes(lambda x: marginals(p._replace(other=x), borders)[0].sum(), p.other),
        slopes(lambda x: marginals(p._replace(transitions=x), borders)[0].sum(), p.transitions),
    )
    for ours, theirs in zip(found, by_hand, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_entries_beyond_a_sentence_or_limit_are_never_used() -> None:
    p, borders = random_potentials(5, 5, (3, 1)), borders_of([3, 2])
    spoiled = p.segments.copy()
    for start, end in ((0, 3), (3, 5)):
        for t in range(start, end):
            spoiled[t, end - t :] = np.nan
    spoiled[:, 1:, 1] = np.nan
    totals, found = marginals(p._replace(segments=spoiled), borders)
    expected, counts = marginals(p, borders)
    np.testing.assert_array_equal(totals, expected)
    same(found, counts)


def test_minus_infinity_forbids_as_long_as_some_path_is_left() -> None:
    p, borders = random_potentials(6, 4, (2, 2)), borders_of([4])
    p.segments[0, :, 0] = p.segments[1, 1, 1] = p.other[2] = p.transitions[1, 2] = p.transitions[
        3, 0
    ] = -np.inf
    totals, expected = enumerated(p, borders)
    found, counts = marginals(p, borders)
    np.testing.assert_allclose(found, totals)
    same(counts, expected)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.integers(0, 7), min_size=1, max_size=4),
    limits=st.lists(st.integers(1, 8), min_size=1, max_size=4),
    scale=st.sampled_from([0.1, 3.0, 100.0]),
)
def test_every_token_is_in_one_segment(seed: int, sizes: list[int], limits: list[int], scale: float) -> None:
    p, borders = random_potentials(seed, sum(sizes), tuple(limits), scale=scale), borders_of(sizes)
    _, found = marginals(p, borders)
    np.testing.assert_allclose(covered(found), 1, atol=1e-6)
    assert found.transitions[-1].sum() == pytest.approx(sum(size > 0 for size in sizes))


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_a_long_sentence_neither_overflows_nor_underflows(scale: float) -> None:
    n = 2000
    p, borders = random_potentials(8, n, (3, 12, 7, 5), scale=scale), borders_of([n])
    totals, found = marginals(p, borders)
    assert np.isfinite(totals).all()
    np.testing.assert_allclose(covered(found), 1, atol=1e-6)


def covered(found: Marginals) -> Floats:
    """Return how probable it is that each token is in any segment."""
    total = found.other.copy()
    for length in range(1, found.segments.shape[1] + 1):
        for t in np.flatnonzero(found.segments[:, length - 1].any(axis=1)):
            total[t : t + length] += found.segments[t, length - 1].sum()
    return total
