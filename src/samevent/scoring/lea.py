"""LEA (Moosavi & Strube 2016): clusters weighted by size, resolved as far as their links are.

    recall = sum over gold clusters G of |G| * (sum over system clusters S of link(G & S)) / link(G)  /  sum of |G|

with link(n mentions) = n (n - 1) / 2. A singleton has one link, to itself, which counts when the system
has the mention as a singleton too (as in the authors' program with singletons kept). Precision: the same
with the sides exchanged.
"""

from __future__ import annotations

import numpy as np

from samevent.scoring.table import Floats, Integers, Metric, Table, pairs, ratios


def tally(table: Table) -> Floats:
    """Return (weighted recall, gold mentions, weighted precision, system mentions) of each unit."""
    gold_sizes, system_sizes = table.gold_sizes[table.rows], table.system_sizes[table.columns]
    links = pairs(table.counts) + ((gold_sizes == 1) & (system_sizes == 1))
    recall = table.per_overlap_unit(gold_sizes * links / _links(gold_sizes))
    precision = table.per_overlap_unit(system_sizes * links / _links(system_sizes))
    gold = table.per_gold_unit(table.gold_sizes)
    system = table.per_system_unit(table.system_sizes)
    return np.stack([recall, gold, precision, system], axis=-1)


def _links(sizes: Integers) -> Floats:
    return np.maximum(pairs(sizes), 1)


METRIC = Metric("lea", tally, ratios)
