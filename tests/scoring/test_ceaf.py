from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.scoring.ceaf import best_assignment, dense_assignment, sparse_assignment
from samevent.scoring.table import Floats, Integers

EDGES = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 9), max_size=14)


def unzipped(edges: dict[tuple[int, int], int]) -> tuple[Integers, Integers, Floats]:
    rows, columns = np.array(list(edges), dtype=np.int64).reshape(-1, 2).T
    return rows, columns, np.array(list(edges.values()), dtype=np.float64)


@pytest.mark.parametrize("dense_cells", [0, 10**9])
@given(EDGES)
def test_assignment_is_the_best_of_all(dense_cells: int, edges: dict[tuple[int, int], int]) -> None:
    rows, columns, weights = unzipped(edges)
    chosen = best_assignment(rows, columns, weights, dense_cells=dense_cells)
    best = max(sum(edges.get((i, p[i]), 0) for i in range(5)) for p in permutations(range(5)))
    assert weights[chosen].sum() == best
    assert len(set(rows[chosen])) == len(rows[chosen])
    assert len(set(columns[chosen])) == len(columns[chosen])


def test_both_solvers_agree_on_a_large_component() -> None:
    random = np.random.default_rng(5)
    cells = np.unique(random.integers(0, 120 * 90, size=900))
    rows, columns = cells // 90, cells % 90
    weights = random.random(len(cells))
    totals = []
    for solve in (dense_assignment, sparse_assignment):
        mate = solve(rows, columns, weights, (120, 90))
        totals.append(weights[mate[rows] == columns].sum())
    assert totals[0] == pytest.approx(totals[1], abs=1e-9)
