"""CEAF (Luo 2005): the best one-to-one alignment of gold and system clusters.

    recall = similarity of the best alignment / number of gold clusters (e) or mentions (m)

CEAFe weighs a pair of clusters by phi4 = 2 |G & S| / (|G| + |S|), CEAFm by phi3 = |G & S|. Precision: the same
numerator over the system's clusters or mentions.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from samevent.scoring.table import Booleans, Floats, Integers, Metric, Table, ratios

DENSE_CELLS = 250_000
"""Components of up to this many cells are solved as dense matrices."""


def tally_entities(table: Table) -> Floats:
    """Return (similarity, gold clusters, similarity, system clusters) of each unit."""
    similarity = 2 * table.counts / (table.gold_sizes[table.rows] + table.system_sizes[table.columns])
    gold = table.per_gold_unit(np.ones_like(table.gold_sizes))
    system = table.per_system_unit(np.ones_like(table.system_sizes))
    best = _best(table, similarity)
    return np.stack([best, gold, best, system], axis=-1)


def tally_mentions(table: Table) -> Floats:
    """Return (aligned mentions, gold mentions, aligned mentions, system mentions) of each unit."""
    gold = table.per_gold_unit(table.gold_sizes)
    system = table.per_system_unit(table.system_sizes)
    best = _best(table, table.counts.astype(np.float64))
    return np.stack([best, gold, best, system], axis=-1)


def _best(table: Table, similarity: Floats) -> Floats:
    chosen = best_assignment(table.rows, table.columns, similarity)
    return table.per_overlap_unit(np.where(chosen, similarity, 0.0))


def best_assignment(
    rows: Integers, columns: Integers, weights: Floats, *, dense_cells: int = DENSE_CELLS
) -> Booleans:
    """Return which edges are in the heaviest one-to-one assignment of a sparse bipartite graph.

    Edges are distinct and have positive weights. Connected components are solved one at a time: one with a single
    row or column takes its heaviest edge; the others go to scipy, up to `dense_cells` to the dense solver, larger
    ones to the sparse one, whose memory grows with edges and not with rows times columns.

    >>> best_assignment(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([5.0, 4.0, 3.0])).tolist()
    [False, True, True]
    """
    chosen = np.zeros(len(weights), dtype=bool)
    if not len(weights):
        return chosen
    component = _components(rows, columns)
    order = np.lexsort((weights, component))
    ends = np.flatnonzero(np.diff(component[order], append=-1)) + 1
    starts = np.concatenate([[0], ends[:-1]])
    trivial = _constant(rows[order], starts) | _constant(columns[order], starts)
    chosen[order[ends[trivial] - 1]] = True  # sorted by weight: the last edge of a component is the heaviest
    for start, end in zip(starts[~trivial], ends[~trivial], strict=True):
        edges = order[start:end]
        chosen[edges] = _solved(rows[edges], columns[edges], weights[edges], dense_cells)
    return chosen


def _components(rows: Integers, columns: Integers) -> Integers:
    height = int(rows.max()) + 1
    size = height + int(columns.max()) + 1
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns + height)), shape=(size, size))
    labels = connected_components(graph, directed=False)[1]
    return labels[rows].astype(np.int64)


def _constant(values: Integers, starts: Integers) -> Booleans:
    constant: Booleans = np.minimum.reduceat(values, starts) == np.maximum.reduceat(values, starts)
    return constant


def _solved(rows: Integers, columns: Integers, weights: Floats, dense_cells: int) -> Booleans:
    rows, columns = (np.unique(side, return_inverse=True)[1] for side in (rows, columns))
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    solve = dense_assignment if height * width <= dense_cells else sparse_assignment
    column_of = solve(rows, columns, weights, (height, width))
    taken: Booleans = column_of[rows] == columns
    return taken


def dense_assignment(rows: Integers, columns: Integers, weights: Floats, shape: tuple[int, int]) -> Integers:
    """Return the column of each row (-1 for none) with the dense solver."""
    matrix = np.zeros(shape)
    matrix[rows, columns] = weights
    column_of = np.full(shape[0], -1, dtype=np.int64)
    left, right = linear_sum_assignment(matrix, maximize=True)
    column_of[left] = right
    return column_of


def sparse_assignment(rows: Integers, columns: Integers, weights: Floats, shape: tuple[int, int]) -> Integers:
    """Return the column of each row (-1 for none) with the sparse solver.

    The solver finds a full matching of least cost and allows no cost 0, so each row gets a column of its own that
    costs more than any edge and means that the row is unmatched.
    """
    height, width = shape
    alone = 2 * float(weights.max())
    costs = np.concatenate([alone - weights, np.full(height, alone)])
    left = np.concatenate([rows, np.arange(height)])
    right = np.concatenate([columns, width + np.arange(height)])
    graph = csr_array((costs, (left, right)), shape=(height, width + height))
    column_of = np.full(height, -1, dtype=np.int64)
    matched, to = min_weight_full_bipartite_matching(graph)
    column_of[matched] = np.where(to < width, to, -1)
    return column_of


ENTITY_METRIC = Metric("ceafe", tally_entities, ratios)
MENTION_METRIC = Metric("ceafm", tally_mentions, ratios)
