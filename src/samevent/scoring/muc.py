"""MUC (Vilain et al. 1995): the links that must be added to make the clusters equal.

    recall = sum over gold clusters G of (|G| - p(G))  /  sum over G of (|G| - 1)

where p(G) is the number of parts into which the system's clusters divide G; a mention that the system lacks is a
part of its own. Precision: the same with the sides exchanged. Singletons have no links and do not count.
"""

from __future__ import annotations

import numpy as np

from samevent.scoring.table import Floats, Metric, Table, ratios


def tally(table: Table) -> Floats:
    """Return (shared links, gold links, shared links, system links) of each unit."""
    # |G| - p(G) = mentions of G that the system has - system clusters that G meets; likewise for precision.
    shared = table.per_overlap_unit(table.counts - 1)
    gold = table.per_gold_unit(table.gold_sizes - 1)
    system = table.per_system_unit(table.system_sizes - 1)
    return np.stack([shared, gold, shared, system], axis=-1)


METRIC = Metric("muc", tally, ratios)
