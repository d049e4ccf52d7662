from __future__ import annotations

import numpy as np

from samevent.hddcrp import hdp
from samevent.hddcrp.menu import (
    FEATURES_OF_S,
    NONE,
    TABLES,
    add_to_s,
    attach,
    detach,
    former,
    log_crp,
    log_prior_of_tables,
)
from samevent.hddcrp.observations import Channel
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.randoms import seeded
from samevent.hddcrp.weighing import NEGLIGIBLE, log_ratio_with, ratio_with, set_aside, weigh
from samevent.seeds import stream

CUSTOMERS, EVENTS = 2000, 120


def drawn_state() -> hdp.State:
    """Events have words of their own and, like all others, words that are common, in pairs."""
    random = stream(0, "weighing")
    event = random.integers(EVENTS, size=CUSTOMERS)
    own = event[:, None] * 5 + random.integers(5, size=(CUSTOMERS, 6))
    common = random.integers(12, size=(CUSTOMERS, 5))
    few = random.integers(40, size=(CUSTOMERS, 2))
    parents = np.arange(40) % 3
    channels = [
        Channel(Rows.counted(own.tolist()), EVENTS * 5, 1e-7),
        Channel(Rows.counted(np.concatenate([common, 12 + common], axis=1).tolist()), 24, 1e-7),
        Channel(Rows.counted(few.tolist()), 40, 1e-2, parent=parents),
    ]
    wrong = random.random(CUSTOMERS) < 0.1
    labels = np.where(wrong, random.integers(EVENTS, size=CUSTOMERS), event)
    state = hdp.init(np.arange(CUSTOMERS) // 20, channels, seeded(0, "weighing"), labels=labels)
    assert (state.observations.times[state.observations.table == 1] == 2).all()
    return state


def test_features_that_are_set_aside_change_no_weight() -> None:
    state = drawn_state()
    menu, tables = state.menu, state.tables
    features, scanned = 0, 0
    for i in range(0, CUSTOMERS, 7):
        t = int(tables.table[i])
        k, made = int(tables.cluster[t]), int(tables.size[t] == 1)
        found = []
        for known in (True, False):
            add_to_s(menu, i)
            detach(menu, k, made)
            total, scale = weigh(menu, 1.0, former(menu, k) if known else NONE)
            ratios = [ratio_with(menu, c) for c in np.flatnonzero(menu.clusters[:, TABLES])]
            found.append([total, scale, *ratios])
            k = attach(menu, former(menu, k), made)
            tables.cluster[t] = k
        # Scales may differ in the last bit, by the order in which features are added.
        assert np.allclose(found[0], found[1], rtol=1e-9, atol=1e-12 * found[1][0])

        add_to_s(menu, i)
        detach(menu, k, made)
        features += menu.counters[FEATURES_OF_S]
        if former(menu, k) != NONE:
            scanned += set_aside(menu, log_ratio_with(menu, k) - NEGLIGIBLE)[0]
        tables.cluster[t] = attach(menu, former(menu, k), made)
    state.check()
    assert scanned < 0.9 * features


def test_clusters_that_share_only_what_is_set_aside_are_below_the_bound() -> None:
    state = drawn_state()
    menu, tables = state.menu, state.tables
    for i in range(0, CUSTOMERS, 11):
        t = int(tables.table[i])
        k, made = int(tables.cluster[t]), int(tables.size[t] == 1)
        add_to_s(menu, i)
        detach(menu, k, made)
        reach = 40.0
        count, bound = set_aside(menu, reach)
        assert bound <= reach
        scanned = menu.features_of_s[:count]
        for c in np.flatnonzero(menu.clusters[:, TABLES]):
            shares = any(c in menu.entries[slice(*menu.features[f, :2]), 0] for f in scanned)
            if not shares:
                assert log_ratio_with(menu, c) <= bound + 1e-9
        tables.cluster[t] = attach(menu, former(menu, k), made)


def test_log_likelihood_follows_from_the_counts_of_the_menu() -> None:
    state = drawn_state()
    hdp.sweep(state)
    info = hdp.Info.of(state)
    sizes = state.tables.size[state.tables.size > 0]
    prior = log_crp(sizes, np.bincount(state.restaurants.document), state.alpha_within)
    prior += log_prior_of_tables(state.tables.cluster[state.tables.size > 0], state.alpha_across)
    assert np.isclose(info.log_joint, prior + state.observations.log_likelihood(state.labels), rtol=1e-12)
