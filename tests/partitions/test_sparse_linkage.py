from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import average, fcluster

from samevent.partitions.labels import canonical
from samevent.partitions.sparse_linkage import sparse_average_link


@pytest.mark.parametrize("seed", range(20))
def test_sparse_linkage_agrees_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, cut = 12, 0.3
    pairs = list(combinations(range(count), 2))
    values = np.where(rng.random(len(pairs)) < 0.5, rng.random(len(pairs)), 0.0)
    edges = {pair: float(value) for pair, value in zip(pairs, values, strict=True) if value > 0}
    dense = fcluster(average(1 - values), 1 - cut, "distance")
    sparse = np.array(sparse_average_link(count, edges, cut))
    assert canonical(sparse).tolist() == canonical(dense.astype(np.int64)).tolist()
    assert all(label == min(np.flatnonzero(sparse == label)) for label in sparse)


def test_items_without_edges_stay_alone() -> None:
    assert sparse_average_link(3, {}, 0.1) == [0, 1, 2]
