from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samevent.errors import FormatError
from samevent.similarity.trees import MOST_LEAVES, Trees

WIDTH = 4


def random_trees(draw: np.random.Generator, count: int, leaves: int) -> Trees:
    """Grow trees of up to so many leaves by splitting a random leaf again and again; nodes are in that order."""
    nodes: list[list[int]] = []
    starts = [0]
    for _ in range(count):
        root, here = len(nodes), 1
        nodes.append([0, 0])
        for _ in range(int(draw.integers(leaves))):
            ends = [node for node in range(root, len(nodes)) if not nodes[node][0]]
            children = [len(nodes), len(nodes) + 1]
            nodes[ends[int(draw.integers(len(ends)))]] = children[:: draw.choice([1, -1])]
            nodes += [[0, 0], [0, 0]]
            here += 2
        starts.append(root + here)
    left, right = np.array(nodes, np.int32).reshape(-1, 2).T
    return Trees(
        starts=np.array(starts, np.int32),
        column=np.where(left > 0, draw.integers(WIDTH, size=len(left)), 0).astype(np.int16),
        threshold=draw.choice([-1.0, 0.0, 0.1, 1 / 3, np.inf], len(left)),
        left=left,
        right=right,
        missing_left=draw.random(len(left)) < 0.5,
        value=draw.normal(size=len(left)),
    )


def walked(trees: Trees, row: np.ndarray) -> float:
    """Return the score of one pair, from root to leaf, tree by tree."""
    score = 0.0
    for root in trees.starts[:-1].tolist():
        node = root
        while trees.left[node]:
            feature = float(row[trees.column[node]])
            missing = bool(np.isnan(feature) and trees.missing_left[node])
            node = int(trees.left[node] if feature <= trees.threshold[node] or missing else trees.right[node])
        score += float(trees.value[node])
    return score


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(0, 6),
    leaves=st.sampled_from([1, 2, 15, 16, 17, MOST_LEAVES]),
)
def test_scores_are_those_of_walking_from_root_to_leaf_bit_for_bit(
    seed: int, count: int, leaves: int
) -> None:
    draw = np.random.default_rng(seed)
    trees = random_trees(draw, count, leaves)
    # 0.1 and 1/3 are not exact in single precision: features at both sides of a threshold, and on it.
    near = [np.float32(x) for x in (0.1, 1 / 3)]
    edges = [np.nextafter(x, np.float32(side)) for x in near for side in (-1, 1)]
    matrix = draw.choice([np.nan, -1.0, 0.0, np.inf, -np.inf, *near, *edges], (50, WIDTH)).astype(np.float32)
    assert trees.scores(matrix).tolist() == [walked(trees, row) for row in matrix]


@pytest.mark.parametrize("order", ["C", "F"])
def test_score_depends_on_the_pair_alone_and_not_on_its_block(order: str) -> None:
    draw = np.random.default_rng(7)
    trees = random_trees(draw, 20, 15)
    matrix = np.array(draw.normal(size=(1300, WIDTH)), np.float32, order=order)  # type: ignore[call-overload]
    scores = trees.scores(matrix)
    for row in (0, 511, 512, 1023, 1024, 1299):
        assert trees.scores(matrix[row : row + 1]).tolist() == [scores[row]] == [walked(trees, matrix[row])]


def test_tree_with_more_leaves_than_a_mask_has_bits_is_an_error() -> None:
    nodes = 2 * MOST_LEAVES + 1
    inner = np.arange(nodes) < MOST_LEAVES
    with pytest.raises(FormatError, match="up to 32 leaves"):
        Trees(
            starts=np.array([0, nodes], np.int32),
            column=np.zeros(nodes, np.int16),
            threshold=np.zeros(nodes),
            left=np.where(inner, 2 * np.arange(nodes) + 1, 0).astype(np.int32),
            right=np.where(inner, 2 * np.arange(nodes) + 2, 0).astype(np.int32),
            missing_left=np.zeros(nodes, np.bool_),
            value=np.zeros(nodes),
        )
