"""The menu of a Chinese restaurant franchise, compiled: clusters, how many tables each has, what they show.

The samplers with a CRP over tables share it. A table, or part of one, is detached from its cluster and attached to
another. In between it is `S`, and `weighing` computes how well S fits every cluster. For each feature there is a list
of the clusters that show it, in the order of their numbers. Clusters with equal totals, one total per channel, form a
group: groups are found by their totals through open addressing, and the clusters of a group form a linked list.

`franchise_reference.Menu` in the tests does the same in plain Python; it keeps lists in the same order, so it draws
the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from samevent.errors import SameventError, UsageError
from samevent.hddcrp.kernels import inlined, kernel
from samevent.hddcrp.observations import Observations
from samevent.hddcrp.problem import LEAST, MOST, Floats, Integers

FREE_CLUSTERS, FREE_GROUPS, ACTIVE_GROUPS, SHARING = range(4)
"""Rows of `lists`, and where `counters` has their lengths: unused numbers, groups in use, clusters sharing with S."""
ALL_TABLES, FEATURES_OF_S, GROUPS_COUNT, LEFT = 4, 5, 6, 7
"""Further places in `counters`: GROUPS_COUNT is 0 if clusters that share nothing with S are negligible, LEFT is the
number of the cluster that S was taken out of."""
TABLES, GROUP, NEXT, PREVIOUS, RANK = range(5)
"""Columns of `clusters`: tables, group, neighbours in the list of the group, rank among the clusters sharing with S."""
FIRST, POSITION, SHARING_TABLES = range(1, 4)
"""Columns of `groups` after TABLES: first cluster, position among active groups, tables of clusters sharing with S."""
BEGIN, END, LOGS, IN_S, PLACE, TIMES = range(6)
"""Columns of `features`; PLACE is the entry of the cluster that S was taken out of, or was put into last, and TIMES is
how many equal features this one stands for."""
_COLUMNS = 8
"""Room for them: a row of `features` lies in one line of the processor's cache."""
CLUSTER, FEATURE, COUNT = 0, 0, 1
"""Columns of `entries` and of `observed`."""
S, KEY = 0, 1
"""Rows of `sums`: the totals of S, and those of the group that is searched for."""
NONE = -1
_SPREAD = -7046029254386353131  # 2**64 / golden ratio, as a signed number


class Menu(NamedTuple):
    """Arrays changed in place. There are few of them, and what is read together lies side by side."""

    starts: NDArray[np.int64]
    observed: Integers
    """The features and counts that customers show, from `starts[i]` to `starts[i + 1]`."""
    totals: Integers
    feature_logs: Floats
    total_logs: Floats
    total_ratios: Floats
    """As in `Observations`, with an exponent while a chain is annealed."""
    counters: NDArray[np.int64]
    lists: Integers
    features: Integers
    """For each feature: where its clusters begin and end, its row of `feature_logs`, its count in S, TIMES."""
    entries: Integers
    """Clusters that show a feature, in ascending order, and how often: 0 only in the cluster that S has just left."""
    clusters: Integers
    groups: Integers
    group_totals: Integers
    slots: Integers
    """Open addressing from totals to groups."""
    features_of_s: Integers
    sums: Integers
    ratios: Floats
    """Likelihood of S with a cluster over that of S alone, scaled."""
    channel_of: Integers
    bounds: Floats
    """For each row of `feature_logs`, its channel if that has totals; for each channel, scratch space of `weighing`."""

    @property
    def cluster_count(self) -> int:
        """How many clusters there are."""
        return len(self.clusters) - int(self.counters[FREE_CLUSTERS])

    def weaken(self, observations: Observations, weight: float) -> None:
        """Take the likelihood to a power."""
        np.multiply(observations.feature_logs, weight, out=self.feature_logs)
        np.multiply(observations.total_logs, weight, out=self.total_logs)
        np.power(observations.total_ratios, weight, out=self.total_ratios)

    @property
    def changing(self) -> dict[str, NDArray[np.generic]]:
        """The arrays that updates change, without scratch space."""
        names = ("counters", "lists", "features", "entries", "clusters", "groups", "group_totals", "slots")
        return {name: getattr(self, name) for name in names}


def new_menu(observations: Observations) -> Menu:
    """Return a menu without clusters."""
    count, channels = observations.totals.shape
    capacity = np.bincount(observations.features, minlength=len(observations.table))
    features = np.zeros((len(capacity), _COLUMNS), np.int32)
    features[:, BEGIN] = features[:, END] = np.cumsum(capacity) - capacity
    features[:, LOGS] = observations.table
    features[:, TIMES] = observations.times
    counters = np.zeros(8, np.int64)
    counters[[FREE_CLUSTERS, FREE_GROUPS]] = count
    counters[LEFT] = NONE
    lists = np.zeros((4, count), np.int32)
    lists[[FREE_CLUSTERS, FREE_GROUPS]] = np.arange(count)[::-1]
    clusters = np.zeros((count, 5), np.int32)
    clusters[:, RANK] = NONE
    room = 8
    while room < 2 * count:
        room *= 2
    return Menu(
        starts=observations.starts,
        observed=np.stack([observations.features, observations.counts], axis=1),
        totals=observations.totals,
        feature_logs=observations.feature_logs.copy(),
        total_logs=observations.total_logs.copy(),
        total_ratios=observations.total_ratios.copy(),
        counters=counters,
        lists=lists,
        features=features,
        entries=np.zeros((len(observations.features), 2), np.int32),
        clusters=clusters,
        groups=np.zeros((count, 4), np.int32),
        group_totals=np.zeros((count, channels), np.int32),
        slots=np.full(room, NONE, np.int32),
        features_of_s=np.zeros(len(capacity), np.int32),
        sums=np.zeros((2, channels), np.int32),
        ratios=np.zeros((2, count)),
        channel_of=observations.channel_of,
        bounds=np.zeros((3, channels)),
    )


@kernel
def add_to_s(menu, i):  # type: ignore[no-untyped-def]
    """Add customer `i` to S."""
    for e in range(menu.starts[i], menu.starts[i + 1]):
        f = menu.observed[e, FEATURE]
        if menu.features[f, IN_S] == 0:
            menu.features_of_s[menu.counters[FEATURES_OF_S]] = f
            menu.counters[FEATURES_OF_S] += 1
        menu.features[f, IN_S] += menu.observed[e, COUNT]
    for c in range(menu.sums.shape[1]):
        menu.sums[S, c] += menu.totals[i, c]


@inlined
def entry_of(menu, f, k):  # type: ignore[no-untyped-def]
    """Return the entry of feature `f` for cluster `k`, or where it belongs."""
    low, high = menu.features[f, BEGIN], menu.features[f, END]
    place = menu.features[f, PLACE]
    if low <= place < high and menu.entries[place, CLUSTER] == k:
        return place
    while low < high:
        middle = (low + high) >> 1
        if menu.entries[middle, CLUSTER] < k:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def count_in(menu, f, k):  # type: ignore[no-untyped-def]
    """Return how often cluster `k` shows feature `f`."""
    e = entry_of(menu, f, k)
    return menu.entries[e, COUNT] if e < menu.features[f, END] and menu.entries[e, CLUSTER] == k else 0


@kernel
def detach(menu, k, tables):  # type: ignore[no-untyped-def]
    """Remove S, which is this many tables, from cluster `k`; the cluster ends with its last table."""
    counters = menu.counters
    counters[ALL_TABLES] -= tables
    if menu.clusters[k, TABLES] == tables:
        _leave_group(menu, k)
        menu.clusters[k, TABLES] = 0
        menu.lists[FREE_CLUSTERS, counters[FREE_CLUSTERS]] = k
        counters[FREE_CLUSTERS] += 1
    else:
        _change_group(menu, k, -1, -tables)
    for n in range(counters[FEATURES_OF_S]):
        f = menu.features_of_s[n]
        e = entry_of(menu, f, k)
        menu.features[f, PLACE] = e
        menu.entries[e, COUNT] -= menu.features[f, IN_S]
    counters[LEFT] = k


@inlined
def former(menu, k):  # type: ignore[no-untyped-def]
    """Return cluster `k`, NONE if it ended when S was taken out."""
    return k if menu.clusters[k, TABLES] > 0 else NONE


@kernel
def attach(menu, k, tables):  # type: ignore[no-untyped-def]
    """Put S, which is this many tables, into cluster `k` or, if that is NONE, into a new one; return the cluster.

    Then S is empty again, and what `weighing` recorded is cleared.
    """
    counters = menu.counters
    for n in range(counters[SHARING]):
        sharing = menu.lists[SHARING, n]
        menu.clusters[sharing, RANK] = NONE
        menu.groups[menu.clusters[sharing, GROUP], SHARING_TABLES] = 0
    counters[SHARING] = 0
    if k == NONE:
        counters[FREE_CLUSTERS] -= 1
        k = menu.lists[FREE_CLUSTERS, counters[FREE_CLUSTERS]]
        for c in range(menu.sums.shape[1]):
            menu.sums[KEY, c] = menu.sums[S, c]
        _enter_group(menu, k, tables)
    else:
        _change_group(menu, k, 1, tables)
    counters[ALL_TABLES] += tables
    for n in range(counters[FEATURES_OF_S]):
        f = menu.features_of_s[n]
        if k != counters[LEFT]:
            _change_entry(menu, f, k)
        menu.entries[menu.features[f, PLACE], COUNT] += menu.features[f, IN_S]
        menu.features[f, IN_S] = 0
    counters[FEATURES_OF_S], counters[LEFT] = 0, NONE
    for c in range(menu.sums.shape[1]):
        menu.sums[S, c] = 0
    return k


@inlined
def _change_entry(menu, f, k):  # type: ignore[no-untyped-def]
    """Find or make the entry of feature `f` for cluster `k`, and remove that of the cluster that S left if it is 0.

    Then PLACE is the new entry. S often returns to the cluster that it left, so `detach` removes no entries.
    """
    entries, end, gap = menu.entries, menu.features[f, END], menu.features[f, END]
    if menu.counters[LEFT] != NONE and entries[menu.features[f, PLACE], COUNT] == 0:
        gap = menu.features[f, PLACE]
    e = entry_of(menu, f, k)
    if e < end and entries[e, CLUSTER] == k:
        if gap < end:
            for later in range(gap, end - 1):
                entries[later, CLUSTER], entries[later, COUNT] = (
                    entries[later + 1, CLUSTER],
                    entries[later + 1, COUNT],
                )
            menu.features[f, END] -= 1
            e -= gap < e
    else:
        if gap == end:
            menu.features[f, END] += 1
        e -= gap < e
        for later in range(gap, e):
            entries[later, CLUSTER], entries[later, COUNT] = (
                entries[later + 1, CLUSTER],
                entries[later + 1, COUNT],
            )
        for later in range(gap, e, -1):
            entries[later, CLUSTER], entries[later, COUNT] = (
                entries[later - 1, CLUSTER],
                entries[later - 1, COUNT],
            )
        entries[e, CLUSTER], entries[e, COUNT] = k, 0
    menu.features[f, PLACE] = e


@kernel
def _change_group(menu, k, sign, tables):  # type: ignore[no-untyped-def]
    """Move cluster `k` to the group of its totals with S added or subtracted, and change its number of tables."""
    g = menu.clusters[k, GROUP]
    stays = True
    for c in range(menu.sums.shape[1]):
        stays = stays and menu.sums[S, c] == 0
        menu.sums[KEY, c] = menu.group_totals[g, c] + sign * menu.sums[S, c]
    if stays:
        menu.clusters[k, TABLES] += tables
        menu.groups[g, TABLES] += tables
    else:
        _leave_group(menu, k)
        _enter_group(menu, k, menu.clusters[k, TABLES] + tables)


@kernel
def _enter_group(menu, k, tables):  # type: ignore[no-untyped-def]
    """Put cluster `k` first in the group of the totals in KEY, which begins with its first cluster."""
    counters = menu.counters
    at = _find_slot(menu)
    g = menu.slots[at]
    if g == NONE:
        counters[FREE_GROUPS] -= 1
        g = menu.lists[FREE_GROUPS, counters[FREE_GROUPS]]
        menu.slots[at] = g
        for c in range(menu.sums.shape[1]):
            menu.group_totals[g, c] = menu.sums[KEY, c]
        menu.groups[g, TABLES] = 0
        menu.groups[g, FIRST] = NONE
        menu.groups[g, POSITION] = counters[ACTIVE_GROUPS]
        menu.lists[ACTIVE_GROUPS, counters[ACTIVE_GROUPS]] = g
        counters[ACTIVE_GROUPS] += 1
    first = menu.groups[g, FIRST]
    menu.clusters[k, NEXT], menu.clusters[k, PREVIOUS] = first, NONE
    if first != NONE:
        menu.clusters[first, PREVIOUS] = k
    menu.groups[g, FIRST] = k
    menu.clusters[k, GROUP] = g
    menu.clusters[k, TABLES] = tables
    menu.groups[g, TABLES] += tables


@kernel
def _leave_group(menu, k):  # type: ignore[no-untyped-def]
    """Remove cluster `k` from its group; the group ends with its last cluster."""
    counters = menu.counters
    g, after, before = menu.clusters[k, GROUP], menu.clusters[k, NEXT], menu.clusters[k, PREVIOUS]
    menu.groups[g, TABLES] -= menu.clusters[k, TABLES]
    if after != NONE:
        menu.clusters[after, PREVIOUS] = before
    if before != NONE:
        menu.clusters[before, NEXT] = after
        return
    menu.groups[g, FIRST] = after
    if after == NONE:
        counters[ACTIVE_GROUPS] -= 1
        last = menu.lists[ACTIVE_GROUPS, counters[ACTIVE_GROUPS]]
        menu.lists[ACTIVE_GROUPS, menu.groups[g, POSITION]] = last
        menu.groups[last, POSITION] = menu.groups[g, POSITION]
        menu.lists[FREE_GROUPS, counters[FREE_GROUPS]] = g
        counters[FREE_GROUPS] += 1
        _free_slot(menu, g)


@kernel
def _home(totals):  # type: ignore[no-untyped-def]
    mixed = 0
    for c in range(len(totals)):
        mixed = (mixed + totals[c] + 1) * _SPREAD
        mixed ^= mixed >> 29
    return mixed


@kernel
def _find_slot(menu):  # type: ignore[no-untyped-def]
    """Return the slot of the group of the totals in KEY, or the empty one where it belongs."""
    mask = len(menu.slots) - 1
    at = _home(menu.sums[KEY]) & mask
    while menu.slots[at] != NONE:
        g = menu.slots[at]
        same = True
        for c in range(menu.sums.shape[1]):
            same = same and menu.group_totals[g, c] == menu.sums[KEY, c]
        if same:
            break
        at = (at + 1) & mask
    return at


@kernel
def _free_slot(menu, g):  # type: ignore[no-untyped-def]
    """Free the slot of a group, and move up what was pushed behind it."""
    mask = len(menu.slots) - 1
    at = _home(menu.group_totals[g]) & mask
    while menu.slots[at] != g:
        at = (at + 1) & mask
    gap = at
    while True:
        at = (at + 1) & mask
        other = menu.slots[at]
        if other == NONE:
            break
        home = _home(menu.group_totals[other]) & mask
        if ((at - home) & mask) >= ((at - gap) & mask):
            menu.slots[gap] = other
            gap = at
    menu.slots[gap] = NONE


@kernel
def log_likelihood(menu, feature_logs, total_logs):  # type: ignore[no-untyped-def]
    """Return log p(observations | partition) by the counts of the menu, without the constant."""
    total = 0.0
    for f in range(len(menu.features)):
        logs = feature_logs[menu.features[f, LOGS]]
        for e in range(menu.features[f, BEGIN], menu.features[f, END]):
            total += menu.features[f, TIMES] * logs[menu.entries[e, COUNT]]
    for k in range(len(menu.clusters)):
        if menu.clusters[k, TABLES] > 0:
            for c in range(menu.sums.shape[1]):
                total -= total_logs[c, menu.group_totals[menu.clusters[k, GROUP], c]]
    return total


def log_crp(sizes: NDArray[np.integer], customers: NDArray[np.integer], alpha: float) -> float:
    """Return the log probability of seatings in several CRPs: the sizes of all tables, the customers of each CRP.

    >>> bool(np.isclose(log_crp(np.array([2, 1]), np.array([3]), 1.0), np.log(1 / 1 * 1 / 2 * 1 / 3)))
    True
    """
    steps = (gammaln(alpha + customers) - gammaln(alpha)).sum()
    return float(len(sizes) * np.log(alpha) + gammaln(sizes).sum() - steps)


def log_prior_of_tables(cluster: NDArray[np.integer], alpha: float) -> float:
    """Return the log probability that a CRP gives tables these clusters."""
    sizes = np.bincount(cluster)
    return log_crp(sizes[sizes > 0], np.array([sizes.sum()]), alpha)


def check_concentrations(**values: float) -> None:
    """Refuse concentrations that are not positive numbers of a sensible size."""
    for name, value in values.items():
        if not LEAST <= value <= MOST:
            raise UsageError(
                f"the parameter {name!r} is {value}", expected=f"a number from {LEAST:g} to {MOST:g}"
            )


def check_menu(
    menu: Menu, observations: Observations, cluster: NDArray[np.integer], tables: NDArray[np.integer]
) -> None:
    """Compare the menu with counts made afresh from the clusters of customers and of tables."""
    count, width = len(cluster), len(observations.table)
    customer = np.repeat(cluster, np.diff(observations.starts)).astype(np.int64)
    cells, cell = np.unique(customer * width + observations.features, return_inverse=True)
    totals = np.zeros(observations.totals.shape, np.int64)
    np.add.at(totals, cluster, observations.totals)
    used = np.unique(cluster)
    group = menu.clusters[used, GROUP]

    lengths = menu.features[:, END] - menu.features[:, BEGIN]
    at = np.arange(lengths.sum()) + np.repeat(
        menu.features[:, BEGIN] - (np.cumsum(lengths) - lengths), lengths
    )
    kept = menu.entries[at, CLUSTER].astype(np.int64) * width + np.repeat(np.arange(width), lengths)
    order = np.argsort(kept)
    counts = np.bincount(cell, weights=observations.counts)
    tables_of_groups = np.bincount(group, weights=menu.clusters[used, TABLES])[group]
    agrees = {
        "features": np.array_equal(kept[order], cells),
        "counts": np.array_equal(menu.entries[at, COUNT][order], counts),
        "totals": np.array_equal(menu.group_totals[group], totals[used]),
        "tables": np.array_equal(menu.clusters[:, TABLES], np.bincount(tables, minlength=count)),
        "tables of groups": np.array_equal(menu.groups[group, TABLES], tables_of_groups),
        "number of tables": menu.counters[ALL_TABLES] == len(tables),
        "number of clusters": menu.cluster_count == len(used),
        "number of groups": menu.counters[ACTIVE_GROUPS] == len(np.unique(group)),
    }
    for name, holds in agrees.items():
        if not holds:
            raise SameventError(
                f"the sampler's {name} drifted away from its state", hint="please report this"
            )
