"""Affinities for a `Problem`: from distances, from counts, and split into those within and across restaurants."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from samevent.errors import DataError, UsageError

Decay = Literal["exponential", "window", "logistic"]
DECAYS: tuple[Decay, ...] = ("exponential", "window", "logistic")


def affinity_from_distance(
    distance: ArrayLike | sparse.sparray | sparse.spmatrix,
    *,
    decay: Decay = "exponential",
    scale: float = 1.0,
    minimum: float = 0.0,
) -> sparse.csr_array:
    """Return affinities that decrease with distance, as in Blei & Frazier (2011).

    | decay         | affinity at distance d        |
    |---------------|-------------------------------|
    | `exponential` | exp(-d / scale)               |
    | `window`      | 1 if d < scale, else 0        |
    | `logistic`    | 1 / (1 + exp(d - scale))      |

    `distance` is a square matrix. Pairs that a sparse matrix does not store are infinitely far apart; a stored 0 is
    a distance of 0. Affinities below `minimum`, and those of customers with themselves, are left out.

    >>> distance = [[0, 1, 5], [1, 0, 4], [5, 4, 0]]
    >>> affinity_from_distance(distance, scale=2, minimum=0.1).toarray().round(2).tolist()
    [[0.0, 0.61, 0.0], [0.61, 0.0, 0.14], [0.0, 0.14, 0.0]]
    >>> affinity_from_distance(distance, decay="window", scale=4.5).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    >>> stored = sparse.coo_array(([0.0, 2.0], ([0, 2], [1, 1])), shape=(3, 3))
    >>> affinity_from_distance(stored, decay="logistic", scale=1).toarray().round(2).tolist()
    [[0.0, 0.73, 0.0], [0.0, 0.0, 0.0], [0.0, 0.27, 0.0]]
    """
    if decay not in DECAYS:
        raise UsageError(f"there is no decay {decay!r}", expected=" or ".join(map(repr, DECAYS)))
    if not 0 < scale < np.inf:
        raise UsageError(f"the scale of a decay is {scale}", expected="a number above 0")
    row, column, values, shape = _entries(distance)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise DataError(f"distances have the shape {shape}", expected="a square matrix")
    if not (values >= 0).all():
        at = int(np.argmin(values >= 0))
        raise DataError(
            f"the distance of customers {row[at]} and {column[at]} is {values[at]}", expected="0 or more"
        )
    if decay == "exponential":
        affinity = np.exp(-values / scale)
    elif decay == "window":
        affinity = (values < scale).astype(np.float64)
    else:
        with np.errstate(over="ignore"):  # an infinite distance has affinity 0
            affinity = 1 / (1 + np.exp(values - scale))
    kept = (row != column) & (affinity >= minimum) & (affinity > 0)
    return sparse.csr_array((affinity[kept], (row[kept], column[kept])), shape=shape)


def cosine_affinity(counts: Any, *, minimum: float = 0.5) -> sparse.csr_array:
    """Return the cosine similarity of rows where it is at least `minimum`, without that of a row with itself.

    >>> cosine_affinity([[1, 1], [2, 2], [0, 3]]).toarray().round(2).tolist()
    [[0.0, 1.0, 0.71], [1.0, 0.0, 0.71], [0.71, 0.71, 0.0]]
    """
    rows = sparse.csr_array(counts, dtype=np.float64)
    norms = np.sqrt(np.asarray(rows.power(2).sum(axis=1)).ravel())
    unit = sparse.diags_array(1 / np.where(norms > 0, norms, 1)) @ rows
    similarity = sparse.coo_array(unit @ unit.T)
    kept = (similarity.row != similarity.col) & (similarity.data >= minimum) & (similarity.data > 0)
    entries = np.minimum(similarity.data[kept], 1.0)
    return sparse.csr_array((entries, (similarity.row[kept], similarity.col[kept])), shape=similarity.shape)


def split_affinity(
    affinity: ArrayLike | sparse.sparray | sparse.spmatrix, document: ArrayLike
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Split affinities into those to earlier customers of the same restaurant, and those across restaurants.

    Entries above the diagonal within a restaurant, where links lead back only, are left out.

    >>> within, across = split_affinity([[0, 0.9, 0.8], [0.9, 0, 0], [0.8, 0, 0]], [0, 0, 1])
    >>> within.toarray().tolist()
    [[0.0, 0.0, 0.0], [0.9, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> across.toarray().tolist()
    [[0.0, 0.0, 0.8], [0.0, 0.0, 0.0], [0.8, 0.0, 0.0]]
    """
    restaurant = np.asarray(document)
    row, column, values, shape = _entries(affinity)
    if shape != (len(restaurant), len(restaurant)):
        raise DataError(
            f"affinities have the shape {shape}",
            expected=f"{(len(restaurant), len(restaurant))}, one row and one column per customer",
        )
    same, present = restaurant[row] == restaurant[column], values != 0
    within, across = (
        sparse.csr_array((values[kept], (row[kept], column[kept])), shape=shape)
        for kept in (same & (column < row) & present, ~same & present)
    )
    return within, across


def _entries(
    matrix: Any,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], tuple[int, ...]]:
    """Return rows, columns and values of all entries of a dense matrix, or of the stored ones of a sparse matrix."""
    is_sparse: bool = sparse.issparse(matrix)
    if is_sparse:
        entries = matrix.tocoo(copy=True)
        entries.sum_duplicates()
        return (
            entries.row.astype(np.int64),
            entries.col.astype(np.int64),
            entries.data.astype(np.float64),
            entries.shape,
        )
    dense = np.asarray(matrix, np.float64)
    if dense.ndim != 2:
        raise DataError(f"a matrix has the shape {dense.shape}", expected="two dimensions")
    row, column = np.indices(dense.shape).reshape(2, -1)
    return row, column, dense.ravel(), dense.shape
