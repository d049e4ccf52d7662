"""The objective against all paths written out, its gradient against finite differences, costs case by case."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from extraction_builders import (
    Path,
    borders_of,
    filled,
    log_sum,
    paths,
    random_features,
    random_weights,
    score,
    slopes,
)
from samevent.extraction.gold import Segment
from samevent.extraction.learning import Cost, gold_arrays, loss
from samevent.extraction.semicrf import OTHER
from samevent.extraction.weights import potentials

ROWS = (6, 5, 2, 2, 2)
SIZES = [4, 0, 3, 1]
LIMITS = np.array([2, 3], np.int64)
RIGHT: list[Segment] = [(0, 1, 1), (1, 4, 2), (5, 7, 1)]
DEAR = Cost(boundary=0.7, kind=1.3, spurious=0.4, missed=2.0)
FREE = Cost(0, 0, 0, 0)

FEATURES = random_features(1, SIZES, 3, ROWS)
BORDERS = borders_of(SIZES)
WEIGHTS = random_weights(2, ROWS, 2)


def cost_of(segment: Segment, right: list[Segment], cost: Cost) -> float:
    """Return the cost of one segment of a path, from its definition."""
    start, end, kind = segment
    if kind == OTHER:
        return sum(cost.missed / (b - a) for a, b, _ in right if a <= start < b)
    if segment in right:
        return 0.0
    if any((a, b) == (start, end) for a, b, _ in right):
        return cost.kind
    if any(k == kind and a < end and start < b for a, b, k in right):
        return cost.boundary
    return cost.spurious


@pytest.mark.parametrize("cost", [DEAR, FREE], ids=["margin", "likelihood"])
def test_loss_is_the_log_sum_of_all_costly_paths_minus_the_gold_one(cost: Cost) -> None:
    p = potentials(FEATURES, WEIGHTS, LIMITS)

    def dear(path: Path) -> float:
        return score(p, path) + sum(cost_of(segment, RIGHT, cost) for segment in path)

    expected = 0.0
    for start, end in pairwise(BORDERS.tolist()):
        expected += log_sum([dear(path) for path in paths(start, end, LIMITS)])
        expected -= score(p, filled([s for s in RIGHT if start <= s[0] < end], start, end))
    right = gold_arrays(BORDERS, RIGHT, 3, 2, cost)
    flat = WEIGHTS.flat()
    value, _ = loss(flat, WEIGHTS, FEATURES, right, LIMITS, np.zeros(flat.size))
    assert value == pytest.approx(expected, abs=1e-6)  # costs are kept in single precision


@pytest.mark.parametrize("cost", [DEAR, FREE], ids=["margin", "likelihood"])
@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_gradient_matches_finite_differences(cost: Cost, strength: float) -> None:
    right = gold_arrays(BORDERS, RIGHT, 3, 2, cost)
    flat = WEIGHTS.flat()
    l2 = np.linspace(0, 2, flat.size) * strength
    _, found = loss(flat, WEIGHTS, FEATURES, right, LIMITS, l2)
    expected = slopes(lambda x: loss(x, WEIGHTS, FEATURES, right, LIMITS, l2)[0], flat)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.abs(found).max() > 0.1


def test_regularisation_adds_half_the_weighted_square() -> None:
    right = gold_arrays(BORDERS, RIGHT, 3, 2, DEAR)
    flat = WEIGHTS.flat()
    l2 = np.linspace(0, 1, flat.size)
    bare, _ = loss(flat, WEIGHTS, FEATURES, right, LIMITS, np.zeros(flat.size))
    value, _ = loss(flat, WEIGHTS, FEATURES, right, LIMITS, l2)
    assert value - bare == pytest.approx((l2 * flat**2).sum() / 2)


def test_costs_match_the_definition() -> None:
    right = gold_arrays(BORDERS, RIGHT, 3, 2, DEAR)
    for start, end in pairwise(BORDERS.tolist()):
        for a in range(start, end):
            assert right.other_cost[a] == pytest.approx(cost_of((a, a + 1, OTHER), RIGHT, DEAR))
            for b in range(a + 1, min(end, a + 3) + 1):
                found = right.segment_cost[a, b - a - 1]
                assert found == pytest.approx([cost_of((a, b, kind), RIGHT, DEAR) for kind in (1, 2)]), (a, b)


def test_costs_by_name() -> None:
    right = gold_arrays(borders_of([6]), [(1, 3, 1), (4, 5, 2)], 3, 2, DEAR)
    cost = right.segment_cost
    assert cost[1, 1, 0] == cost[4, 0, 1] == 0
    assert cost[1, 1, 1] == cost[4, 0, 0] == np.float32(DEAR.kind)
    assert cost[1, 0, 0] == cost[0, 1, 0] == cost[2, 2, 0] == np.float32(DEAR.boundary)
    assert cost[0, 0, 0] == cost[1, 0, 1] == cost[3, 0, 1] == np.float32(DEAR.spurious)
    np.testing.assert_allclose(right.other_cost, [0, 1, 1, 0, 2, 0])


def test_the_gold_path_costs_nothing_and_has_its_transitions() -> None:
    right = gold_arrays(BORDERS, RIGHT, 3, 2, DEAR)
    assert right.segments.sum() == len(RIGHT)
    assert all(right.segments[a, b - a - 1, kind - 1] == 1 for a, b, kind in RIGHT)
    border = 3
    expected = np.zeros((4, 4))
    for before, after in [
        (border, 1),
        (1, 2),
        (2, border),
        (border, 0),
        (0, 1),
        (1, border),
        (border, 0),
        (0, border),
    ]:
        expected[before, after] += 1
    np.testing.assert_array_equal(right.transitions, expected)


def test_adjacent_gold_segments_of_a_kind_stay_two() -> None:
    right = gold_arrays(borders_of([3]), [(0, 2, 1), (2, 3, 1)], 3, 1, DEAR)
    assert right.transitions[1, 1] == 1
    np.testing.assert_allclose(right.segment_cost[:, :, 0][[0, 0, 1], [0, 2, 1]], DEAR.boundary)
    np.testing.assert_allclose(right.other_cost, [1, 1, 2])
