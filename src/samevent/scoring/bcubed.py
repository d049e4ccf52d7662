"""B-cubed (Bagga & Baldwin 1998): the share of each mention's cluster that is correct.

    recall = sum over gold mentions m of |G(m) & S(m)| / |G(m)|  /  number of gold mentions

A gold mention that the system lacks adds 0. Precision: the same with the sides exchanged. As in version 8 of
the official scorer, no mention without a counterpart is added to the other side.
"""

from __future__ import annotations

import numpy as np

from samevent.scoring.table import Floats, Metric, Table, ratios


def tally(table: Table) -> Floats:
    """Return (recall sum, gold mentions, precision sum, system mentions) of each unit."""
    squares = table.counts**2
    recall = table.per_overlap_unit(squares / table.gold_sizes[table.rows])
    precision = table.per_overlap_unit(squares / table.system_sizes[table.columns])
    gold = table.per_gold_unit(table.gold_sizes)
    system = table.per_system_unit(table.system_sizes)
    return np.stack([recall, gold, precision, system], axis=-1)


METRIC = Metric("bcubed", tally, ratios)
