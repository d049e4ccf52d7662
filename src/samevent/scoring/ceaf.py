"""CEAF (Luo 2005): the best one-to-one alignment of gold and system clusters.

    recall = similarity of the best alignment / number of gold clusters (e) or mentions (m)

CEAFe weighs a pair of clusters by phi4 = 2 |G & S| / (|G| + |S|), CEAFm by phi3 = |G & S|. Precision: the same
numerator over the system's clusters or mentions.
"""

from __future__ import annotations

import numpy as np

from samevent.scoring.assignment import best_assignment
from samevent.scoring.metric import Metric, ratios
from samevent.scoring.table import Floats, Table


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


ENTITY_METRIC = Metric("ceafe", tally_entities, ratios)
MENTION_METRIC = Metric("ceafm", tally_mentions, ratios)
