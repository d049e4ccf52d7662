"""Partitions as arrays of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samevent.errors import DataError

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def canonical(labels: ArrayLike) -> Integers:
    """Number clusters by their first member, so that equal partitions are equal arrays. Rows are partitions.

    >>> canonical([7, 3, 7, 9]).tolist()
    [0, 1, 0, 2]
    >>> canonical([[5, 5, 1], [2, 0, 2]]).tolist()
    [[0, 0, 1], [0, 1, 0]]
    """
    rows = integers(labels, "labels")
    if rows.ndim not in (1, 2):
        raise DataError(
            f"labels have {rows.ndim} dimensions", expected="one partition, or one row per partition"
        )
    places = np.arange(rows.shape[-1])
    order = np.argsort(rows, axis=-1, kind="stable")
    grouped = np.take_along_axis(rows, order, -1)
    opens = np.ones(rows.shape, dtype=np.bool_)
    opens[..., 1:] = grouped[..., 1:] != grouped[..., :-1]
    opening = np.maximum.accumulate(np.where(opens, places, 0), axis=-1)
    first = np.empty_like(order)
    np.put_along_axis(first, order, np.take_along_axis(order, opening, -1), -1)
    rank = np.cumsum(first == places, axis=-1) - 1
    return np.take_along_axis(rank, first, -1)


def members(labels: Integers) -> list[Integers]:
    """List the members of every cluster; clusters and members are in ascending order.

    >>> [cluster.tolist() for cluster in members(np.array([4, 2, 4]))]
    [[1], [0, 2]]
    """
    order = np.argsort(labels, kind="stable")
    borders = np.flatnonzero(np.diff(labels[order])) + 1
    return np.split(order, borders) if len(order) else []


def integers(values: ArrayLike, name: str) -> Integers:
    """Return an array of whole numbers; raise a `DataError` if it holds anything else."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise DataError(f"{name} are of type {array.dtype}", expected="whole numbers")
    return array.astype(np.int64)
