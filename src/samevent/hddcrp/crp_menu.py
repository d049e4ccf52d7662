"""The menu of a Chinese restaurant franchise, compiled: clusters, how many tables took each, what they show.

A table, or part of one, is taken off its cluster and put to another. In between it lies in `S`, and `weigh` finds
how well S fits every cluster. Clusters that share a feature with S are found through lists of clusters by feature,
and weighed one by one. For all others only their totals count, so clusters with equal totals form a group, and one
weight serves the group: an update does not cost a step a cluster.

`crp_reference.Menu` says the same in plain Python; lists are kept in the same order there, so it draws the same.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.crp_groups import (
    ACTIVE,
    AFTER,
    FREE_CLUSTERS,
    FREE_GROUPS,
    GROUP,
    HEAD,
    HELD,
    KEY,
    LISTED,
    NOBODY,
    SEAT,
    SHARED,
    TABLES,
    WEIGHED,
    S,
    change_group,
    enter_group,
    leave_group,
)
from samevent.hddcrp.crp_observations import FAMILIAR, SMALL, Observations
from samevent.hddcrp.kernels import kernel
from samevent.hddcrp.problem import Floats, Integers

BEGIN, END, ROW, IN_S = range(4)
"""Columns of `features`."""
CLUSTER, FEATURE, COUNT = 0, 0, 1
OF_SHARED, OF_GROUP = 0, 1
"""Rows of `fits`: by place among the clusters that share with S, and by group."""


class Menu(NamedTuple):
    """Arrays changed in place. There are few of them, and what is read together lies side by side."""

    starts: NDArray[np.int64]
    shown: Integers
    """The features and counts that customers show, from `starts[i]` to `starts[i + 1]`."""
    totals: Integers
    rise: Floats
    fall: Floats
    ratio: Floats
    """As in `Observations`."""
    tally: NDArray[np.int64]
    lists: Integers
    features: Integers
    """For each feature: where its clusters begin and end in `entries`, its row of `rise`, its count in S."""
    entries: Integers
    """Clusters that show a feature, and how often."""
    clusters: Integers
    groups: Integers
    group_totals: Integers
    slots: Integers
    """Open addressing from totals to groups."""
    listed: Integers
    """The features in S."""
    sums: Integers
    fits: Floats
    """Likelihood of S with a cluster by that of S alone, scaled."""

    @property
    def cluster_count(self) -> int:
        """How many clusters there are."""
        return len(self.clusters) - int(self.tally[FREE_CLUSTERS])


def new_menu(seen: Observations) -> Menu:
    """Return a menu with no clusters."""
    count, channels = len(seen.starts) - 1, seen.totals.shape[1]
    capacity = np.bincount(seen.features, minlength=len(seen.row))
    features = np.zeros((len(seen.row), 4), np.int32)
    features[:, BEGIN] = features[:, END] = np.cumsum(capacity) - capacity
    features[:, ROW] = seen.row
    tally = np.zeros(6, np.int64)
    tally[[FREE_CLUSTERS, FREE_GROUPS]] = count
    lists = np.zeros((4, count), np.int32)
    lists[[FREE_CLUSTERS, FREE_GROUPS]] = np.arange(count)[::-1]
    clusters = np.zeros((count, 5), np.int32)
    clusters[:, SEAT] = NOBODY
    room = 8
    while room < 2 * count:
        room *= 2
    return Menu(
        starts=seen.starts,
        shown=np.stack([seen.features, seen.counts], axis=1),
        totals=seen.totals,
        rise=seen.rise,
        fall=seen.fall,
        ratio=seen.ratio,
        tally=tally,
        lists=lists,
        features=features,
        entries=np.zeros((len(seen.features), 2), np.int32),
        clusters=clusters,
        groups=np.zeros((count, 4), np.int32),
        group_totals=np.zeros((count, channels), np.int32),
        slots=np.full(room, NOBODY, np.int32),
        listed=np.zeros(len(seen.row), np.int32),
        sums=np.zeros((2, channels), np.int32),
        fits=np.zeros((2, count)),
    )


@kernel
def gather(menu, i):  # type: ignore[no-untyped-def]
    """Add customer `i` to S."""
    for e in range(menu.starts[i], menu.starts[i + 1]):
        f = menu.shown[e, FEATURE]
        if menu.features[f, IN_S] == 0:
            menu.listed[menu.tally[LISTED]] = f
            menu.tally[LISTED] += 1
        menu.features[f, IN_S] += menu.shown[e, COUNT]
    for c in range(menu.sums.shape[1]):
        menu.sums[S, c] += menu.totals[i, c]


@kernel
def scatter(menu):  # type: ignore[no-untyped-def]
    """Empty S."""
    for n in range(menu.tally[LISTED]):
        menu.features[menu.listed[n], IN_S] = 0
    menu.tally[LISTED] = 0
    for c in range(menu.sums.shape[1]):
        menu.sums[S, c] = 0


@kernel
def put(menu, k, tables):  # type: ignore[no-untyped-def]
    """Put S, which is so many tables, to cluster `k` or, if that is nobody, to a new one; return the cluster."""
    tally = menu.tally
    if k == NOBODY:
        tally[FREE_CLUSTERS] -= 1
        k = menu.lists[FREE_CLUSTERS, tally[FREE_CLUSTERS]]
        for c in range(menu.sums.shape[1]):
            menu.sums[KEY, c] = menu.sums[S, c]
        enter_group(menu, k, tables)
    else:
        change_group(menu, k, 1, tables)
    tally[TABLES] += tables
    for n in range(tally[LISTED]):
        f = menu.listed[n]
        e, end = menu.features[f, BEGIN], menu.features[f, END]
        while e < end and menu.entries[e, CLUSTER] != k:
            e += 1
        if e == end:
            menu.entries[e, CLUSTER] = k
            menu.entries[e, COUNT] = 0
            menu.features[f, END] += 1
        menu.entries[e, COUNT] += menu.features[f, IN_S]
    return k


@kernel
def take(menu, k, tables):  # type: ignore[no-untyped-def]
    """Take S, which is so many tables, off cluster `k`; the cluster ends with its last table."""
    tally = menu.tally
    tally[TABLES] -= tables
    if menu.clusters[k, HELD] == tables:
        leave_group(menu, k)
        menu.clusters[k, HELD] = 0
        menu.lists[FREE_CLUSTERS, tally[FREE_CLUSTERS]] = k
        tally[FREE_CLUSTERS] += 1
    else:
        change_group(menu, k, -1, -tables)
    for n in range(tally[LISTED]):
        f = menu.listed[n]
        e = menu.features[f, BEGIN]
        while menu.entries[e, CLUSTER] != k:
            e += 1
        menu.entries[e, COUNT] -= menu.features[f, IN_S]
        if menu.entries[e, COUNT] == 0:
            menu.features[f, END] -= 1
            last = menu.features[f, END]
            menu.entries[e, CLUSTER] = menu.entries[last, CLUSTER]
            menu.entries[e, COUNT] = menu.entries[last, COUNT]


@kernel
def weigh(menu, alpha):  # type: ignore[no-untyped-def]
    """Weigh S against every cluster; return the weight of a new table of S, and a scale.

    Weights are n_k / (T + alpha) and alpha / (T + alpha) times the likelihood ratios of `fit_of`, all scaled
    so that the largest ratio is 1.
    """
    tally = menu.tally
    found = 0
    for n in range(tally[LISTED]):
        f = menu.listed[n]
        rise = menu.rise[menu.features[f, ROW]]
        ours = menu.features[f, IN_S]
        for e in range(menu.features[f, BEGIN], menu.features[f, END]):
            k, theirs = menu.entries[e, CLUSTER], menu.entries[e, COUNT]
            if menu.clusters[k, SEAT] == NOBODY:
                menu.clusters[k, SEAT] = found
                menu.lists[SHARED, found] = k
                menu.fits[OF_SHARED, found] = _apart(menu, menu.clusters[k, GROUP])
                menu.groups[menu.clusters[k, GROUP], WEIGHED] += menu.clusters[k, HELD]
                found += 1
            menu.fits[OF_SHARED, menu.clusters[k, SEAT]] += rise[ours + theirs] - rise[ours] - rise[theirs]
    tally[SHARED] = found
    largest = 0.0
    for n in range(found):
        largest = max(largest, menu.fits[OF_SHARED, n])
    scale = exp(-largest)
    weight = alpha * scale
    for n in range(found):
        menu.fits[OF_SHARED, n] = exp(menu.fits[OF_SHARED, n] - largest)
        weight += menu.clusters[menu.lists[SHARED, n], HELD] * menu.fits[OF_SHARED, n]
    for n in range(tally[ACTIVE]):
        g = menu.lists[ACTIVE, n]
        menu.fits[OF_GROUP, g] = _apart_ratio(menu, g) * scale
        weight += (menu.groups[g, HELD] - menu.groups[g, WEIGHED]) * menu.fits[OF_GROUP, g]
    return weight / (tally[TABLES] + alpha), scale


@kernel
def fit_of(menu, k):  # type: ignore[no-untyped-def]
    """Return the likelihood of S with cluster `k` by that of S alone, scaled, after `weigh`."""
    if menu.clusters[k, SEAT] != NOBODY:
        return menu.fits[OF_SHARED, menu.clusters[k, SEAT]]
    return menu.fits[OF_GROUP, menu.clusters[k, GROUP]]


@kernel
def pick(menu, alpha, scale, left):  # type: ignore[no-untyped-def]
    """Return the cluster of a new table that lies `left` along the weights that `weigh` added up."""
    tally = menu.tally
    left = left * (tally[TABLES] + alpha) - alpha * scale
    if left < 0:
        return NOBODY
    last = NOBODY
    for n in range(tally[SHARED]):
        last = menu.lists[SHARED, n]
        left -= menu.clusters[last, HELD] * menu.fits[OF_SHARED, n]
        if left < 0:
            return last
    for n in range(tally[ACTIVE]):
        g = menu.lists[ACTIVE, n]
        others = menu.groups[g, HELD] - menu.groups[g, WEIGHED]
        if others == 0 or menu.fits[OF_GROUP, g] == 0.0:
            continue
        if left < others * menu.fits[OF_GROUP, g] or n == tally[ACTIVE] - 1:
            tables = left / menu.fits[OF_GROUP, g]
            k = menu.groups[g, HEAD]
            while k != NOBODY:
                if menu.clusters[k, SEAT] == NOBODY:
                    last = k
                    tables -= menu.clusters[k, HELD]
                    if tables < 0:
                        return k
                k = menu.clusters[k, AFTER]
            return last
        left -= others * menu.fits[OF_GROUP, g]
    return last


@kernel
def forget(menu):  # type: ignore[no-untyped-def]
    """Undo the notes of `weigh`; clusters must be as they were then."""
    for n in range(menu.tally[SHARED]):
        k = menu.lists[SHARED, n]
        menu.clusters[k, SEAT] = NOBODY
        menu.groups[menu.clusters[k, GROUP], WEIGHED] = 0
    menu.tally[SHARED] = 0


@kernel
def _apart(menu, g):  # type: ignore[no-untyped-def]
    """Return how totals alone change the log likelihood when S joins a cluster of group `g`."""
    change = 0.0
    for c in range(menu.sums.shape[1]):
        ours, theirs = menu.sums[S, c], menu.group_totals[g, c]
        change += menu.fall[c, ours] + menu.fall[c, theirs] - menu.fall[c, ours + theirs]
    return change


@kernel
def _apart_ratio(menu, g):  # type: ignore[no-untyped-def]
    ratio = 1.0
    for c in range(menu.sums.shape[1]):
        ours, theirs = menu.sums[S, c], menu.group_totals[g, c]
        if ours == 0 or theirs == 0:
            continue
        if ours < SMALL and theirs < FAMILIAR:
            ratio *= menu.ratio[c, ours, theirs]
        else:
            ratio *= exp(menu.fall[c, ours] + menu.fall[c, theirs] - menu.fall[c, ours + theirs])
    return ratio
