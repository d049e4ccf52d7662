"""Distances between partitions, as their definitions say: the oracle of the consensus."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from samevent.errors import DataError
from samevent.partitions.consensus import Loss
from samevent.partitions.labels import Floats, Integers, canonical


def binder_distance(a: ArrayLike, b: ArrayLike) -> int:
    """Count the pairs that one partition joins and the other does not.

    >>> binder_distance([0, 0, 0], [0, 0, 1])
    2
    """
    rows, columns, cells = _overlaps(a, b)
    return int(_pairs(rows) + _pairs(columns) - 2 * _pairs(cells))


def variation_of_information(a: ArrayLike, b: ArrayLike) -> float:
    """Return H(a|b) + H(b|a) in nats: what each partition leaves unknown about the other.

    >>> round(variation_of_information([0, 0, 1, 1], [0, 1, 0, 1]) / float(np.log(2)), 12)
    2.0
    """
    rows, columns, cells = _overlaps(a, b)
    if not len(rows):
        return 0.0
    bits = _log_weighted(rows) + _log_weighted(columns) - 2 * _log_weighted(cells)
    return max(0.0, bits / int(rows.sum()))


def _overlaps(a: ArrayLike, b: ArrayLike) -> tuple[Integers, Integers, Integers]:
    """Return cluster sizes of both sides and the sizes of their overlaps."""
    left, right = canonical(a), canonical(b)
    if left.ndim != 1 or left.shape != right.shape:
        raise DataError(
            f"partitions have the shapes {left.shape} and {right.shape}",
            expected="labels of the same customers",
        )
    cells = np.unique(left * (len(right) + 1) + right, return_counts=True)[1]
    return np.bincount(left), np.bincount(right), cells


def _pairs(sizes: Integers) -> int:
    return int((sizes * (sizes - 1)).sum()) // 2


def _log_weighted(sizes: Integers) -> float:
    return float((sizes * np.log(sizes)).sum())


def expected_loss(labels: Integers, samples: Integers, weights: Floats, loss: Loss) -> float:
    """Return the mean distance of a partition from weighted samples."""
    distance = binder_distance if loss == "binder" else variation_of_information
    return float(np.average([distance(labels, sample) for sample in samples], weights=weights))
