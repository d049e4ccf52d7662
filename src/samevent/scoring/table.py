"""The contingency table, and what a metric is.

The table counts how many mentions each gold cluster shares with each system cluster. Every metric is a sum over
this one sparse table. Clusters are cut at unit borders, so the table is block diagonal and serves all units
(documents, topics, ...) at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

ABSENT = -1
"""The label of a mention on the side that does not have it."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Cluster sizes of both sides, the unit of each cluster, and the overlaps that are not empty.

    Overlap `e`: gold cluster `rows[e]` and system cluster `columns[e]` share `counts[e]` mentions.
    """

    units: int
    gold_sizes: Integers
    gold_units: Integers
    system_sizes: Integers
    system_units: Integers
    rows: Integers
    columns: Integers
    counts: Integers

    @classmethod
    def from_labels(
        cls, unit: Integers, gold: Integers, system: Integers, *, units: int | None = None
    ) -> Table:
        """Count the overlaps of mentions, each with a unit, a gold label and a system label.

        A mention that one side does not have is `ABSENT` there. Equal labels in different units are
        different clusters.

        >>> table = Table.from_labels(np.zeros(3, int), np.array([0, 0, 1]), np.array([5, 5, ABSENT]))
        >>> table.gold_sizes.tolist(), table.system_sizes.tolist(), table.counts.tolist()
        ([2, 1], [2], [2])
        """
        gold_ids, gold_units, gold_sizes = _clusters(unit, gold)
        system_ids, system_units, system_sizes = _clusters(unit, system)
        both = (gold_ids != ABSENT) & (system_ids != ABSENT)
        width = len(system_sizes)
        cells, counts = np.unique(gold_ids[both] * width + system_ids[both], return_counts=True)
        return cls(
            units=int(unit.max(initial=-1)) + 1 if units is None else units,
            gold_sizes=gold_sizes,
            gold_units=gold_units,
            system_sizes=system_sizes,
            system_units=system_units,
            rows=cells // width if width else cells,
            columns=cells % width if width else cells,
            counts=counts.astype(np.int64),
        )

    def per_gold_unit(self, values: Integers | Floats) -> Floats:
        """Add up one value per gold cluster within each unit."""
        return self._per_unit(self.gold_units, values)

    def per_system_unit(self, values: Integers | Floats) -> Floats:
        """Add up one value per system cluster within each unit."""
        return self._per_unit(self.system_units, values)

    def per_overlap_unit(self, values: Integers | Floats) -> Floats:
        """Add up one value per overlap within each unit."""
        return self._per_unit(self.gold_units[self.rows], values)

    def _per_unit(self, units: Integers, values: Integers | Floats) -> Floats:
        return np.bincount(units, weights=values, minlength=self.units).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Metric:
    """A coreference metric.

    `tally` returns one row of sums per unit; sums of several units are added (micro average).
    `score` maps sums (last axis) to recall, precision and F1 (last axis).
    """

    name: str
    tally: Callable[[Table], Floats]
    score: Callable[[Floats], Floats]


def ratios(sums: Floats) -> Floats:
    """Score (recall numerator, recall denominator, precision numerator, precision denominator).

    0/0 counts as 0, as in the official scorer.

    >>> ratios(np.array([1.0, 2.0, 1.0, 1.0])).round(3).tolist()
    [0.5, 1.0, 0.667]
    """
    recall, precision = divided(sums[..., 0], sums[..., 1]), divided(sums[..., 2], sums[..., 3])
    return np.stack([recall, precision, harmonic(recall, precision)], axis=-1)


def harmonic(a: Floats, b: Floats) -> Floats:
    """Return the harmonic mean, 0 where both are 0."""
    return divided(2 * a * b, a + b)


def divided(numerator: Floats, denominator: Floats) -> Floats:
    """Divide, with 0/0 = 0."""
    out = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def pairs(sizes: Integers | Floats) -> Floats:
    """Return the number of pairs of so many mentions.

    >>> pairs(np.array([1, 2, 5])).tolist()
    [0.0, 1.0, 10.0]
    """
    return sizes * (sizes - 1) / 2


def _clusters(unit: Integers, label: Integers) -> tuple[Integers, Integers, Integers]:
    present = label != ABSENT
    width = int(label.max(initial=0)) + 1
    keys, index, sizes = np.unique(
        unit[present] * width + label[present], return_inverse=True, return_counts=True
    )
    ids = np.full(len(label), ABSENT, dtype=np.int64)
    ids[present] = index
    return ids, keys // width, sizes.astype(np.int64)
