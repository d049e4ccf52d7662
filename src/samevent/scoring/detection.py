"""Mention detection: the spans that both sides have, whatever their clusters.

recall = shared mentions / gold mentions,    precision = shared mentions / system mentions
"""

from __future__ import annotations

import numpy as np

from samevent.scoring.table import Floats, Metric, Table, ratios


def tally(table: Table) -> Floats:
    """Return (shared, gold, shared, system) mentions of each unit."""
    shared = table.per_overlap_unit(table.counts)
    gold = table.per_gold_unit(table.gold_sizes)
    system = table.per_system_unit(table.system_sizes)
    return np.stack([shared, gold, shared, system], axis=-1)


METRIC = Metric("mentions", tally, ratios)
