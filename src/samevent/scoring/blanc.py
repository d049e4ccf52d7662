"""BLANC (Recasens & Hovy 2011; on predicted mentions Luo et al. 2014): coreference and other links, averaged.

With C the coreferent pairs of mentions and N the other pairs, each side over its own mentions:

    R_c = |C_gold & C_system| / |C_gold|    P_c = |C_gold & C_system| / |C_system|    R_n, P_n likewise
    recall = (R_c + R_n) / 2    precision = (P_c + P_n) / 2    F1 = (F_c + F_n) / 2

As in the official scorer, a kind of link that the gold lacks is left out, and only the other kind counts; with
neither (fewer than two gold mentions) all scores are 0. Over several units the six counts are added up first.
"""

from __future__ import annotations

import numpy as np

from samevent.scoring.table import Floats, Metric, Table, divided, harmonic, pairs


def tally(table: Table) -> Floats:
    """Return (shared, gold, system) counts of links and of non-links of each unit."""
    together = table.per_overlap_unit(pairs(table.counts))
    gold = table.per_gold_unit(pairs(table.gold_sizes))
    system = table.per_system_unit(pairs(table.system_sizes))
    # Pairs of shared mentions that neither side links = all pairs - gold's - system's + those subtracted twice.
    shared_in_gold = np.bincount(table.rows, weights=table.counts, minlength=len(table.gold_sizes))
    shared_in_system = np.bincount(table.columns, weights=table.counts, minlength=len(table.system_sizes))
    apart = (
        pairs(table.per_overlap_unit(table.counts))
        - table.per_gold_unit(pairs(shared_in_gold))
        - table.per_system_unit(pairs(shared_in_system))
        + together
    )
    gold_apart = pairs(table.per_gold_unit(table.gold_sizes)) - gold
    system_apart = pairs(table.per_system_unit(table.system_sizes)) - system
    return np.stack([together, gold, system, apart, gold_apart, system_apart], axis=-1)


def score(sums: Floats) -> Floats:
    """Return recall, precision and F1 from the six counts."""
    linked, apart = _kind(sums[..., 0:3]), _kind(sums[..., 3:6])
    no_links, no_others = sums[..., 1:2] == 0, sums[..., 4:5] == 0
    return np.where(
        no_links, np.where(no_others, 0.0, apart), np.where(no_others, linked, (linked + apart) / 2)
    )


def _kind(counts: Floats) -> Floats:
    recall, precision = divided(counts[..., 0], counts[..., 1]), divided(counts[..., 0], counts[..., 2])
    return np.stack([recall, precision, harmonic(recall, precision)], axis=-1)


METRIC = Metric("blanc", tally, score)
