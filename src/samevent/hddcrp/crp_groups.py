"""Groups of clusters with equal totals, compiled: part of the menu in `crp_menu`.

A cluster that shares no feature with S is weighed by its totals alone, one total a channel. Groups are found by
their totals through open addressing, and the clusters of a group form a chain.
"""

from __future__ import annotations

from samevent.hddcrp.kernels import kernel

FREE_CLUSTERS, FREE_GROUPS, ACTIVE, SHARED = range(4)
"""Rows of `lists`, and where `tally` has their lengths: free numbers, groups in use, clusters that share with S."""
TABLES, LISTED = 4, 5
"""Further places in `tally`: tables, and features in S."""
HELD, GROUP, AFTER, BEFORE, SEAT = range(5)
"""Columns of `clusters`: tables, group, neighbours in the group's chain, place among those that share with S."""
HEAD, PLACE, WEIGHED = range(1, 4)
"""Columns of `groups` after HELD: first cluster, place among active groups, tables that share with S."""
S, KEY = 0, 1
"""Rows of `sums`: the totals of S, and those of the group that is looked for."""
NOBODY = -1
_SPREAD = -7046029254386353131  # 2**64 / golden ratio, as a signed number


@kernel
def change_group(menu, k, sign, tables):  # type: ignore[no-untyped-def]
    """Move cluster `k` to the group of its totals with S added or taken away, and so many tables."""
    g = menu.clusters[k, GROUP]
    stays = True
    for c in range(menu.sums.shape[1]):
        stays = stays and menu.sums[S, c] == 0
        menu.sums[KEY, c] = menu.group_totals[g, c] + sign * menu.sums[S, c]
    if stays:
        menu.clusters[k, HELD] += tables
        menu.groups[g, HELD] += tables
    else:
        leave_group(menu, k)
        enter_group(menu, k, menu.clusters[k, HELD] + tables)


@kernel
def enter_group(menu, k, tables):  # type: ignore[no-untyped-def]
    """Chain cluster `k` to the head of the group of the totals in `key`."""
    tally = menu.tally
    at = _place(menu)
    g = menu.slots[at]
    if g == NOBODY:
        tally[FREE_GROUPS] -= 1
        g = menu.lists[FREE_GROUPS, tally[FREE_GROUPS]]
        menu.slots[at] = g
        for c in range(menu.sums.shape[1]):
            menu.group_totals[g, c] = menu.sums[KEY, c]
        menu.groups[g, HELD] = 0
        menu.groups[g, HEAD] = NOBODY
        menu.groups[g, PLACE] = tally[ACTIVE]
        menu.lists[ACTIVE, tally[ACTIVE]] = g
        tally[ACTIVE] += 1
    head = menu.groups[g, HEAD]
    menu.clusters[k, AFTER], menu.clusters[k, BEFORE] = head, NOBODY
    if head != NOBODY:
        menu.clusters[head, BEFORE] = k
    menu.groups[g, HEAD] = k
    menu.clusters[k, GROUP] = g
    menu.clusters[k, HELD] = tables
    menu.groups[g, HELD] += tables


@kernel
def leave_group(menu, k):  # type: ignore[no-untyped-def]
    """Take cluster `k` out of its group; the group ends with its last cluster."""
    tally = menu.tally
    g, after, before = menu.clusters[k, GROUP], menu.clusters[k, AFTER], menu.clusters[k, BEFORE]
    menu.groups[g, HELD] -= menu.clusters[k, HELD]
    if after != NOBODY:
        menu.clusters[after, BEFORE] = before
    if before != NOBODY:
        menu.clusters[before, AFTER] = after
        return
    menu.groups[g, HEAD] = after
    if after == NOBODY:
        tally[ACTIVE] -= 1
        last = menu.lists[ACTIVE, tally[ACTIVE]]
        menu.lists[ACTIVE, menu.groups[g, PLACE]] = last
        menu.groups[last, PLACE] = menu.groups[g, PLACE]
        menu.lists[FREE_GROUPS, tally[FREE_GROUPS]] = g
        tally[FREE_GROUPS] += 1
        _erase(menu, g)


@kernel
def _home(totals):  # type: ignore[no-untyped-def]
    mixed = 0
    for c in range(len(totals)):
        mixed = (mixed + totals[c] + 1) * _SPREAD
        mixed ^= mixed >> 29
    return mixed


@kernel
def _place(menu):  # type: ignore[no-untyped-def]
    """Return where the group of the totals in `key` stands in `groups`, or where it belongs."""
    mask = len(menu.slots) - 1
    at = _home(menu.sums[KEY]) & mask
    while menu.slots[at] != NOBODY:
        g = menu.slots[at]
        same = True
        for c in range(menu.sums.shape[1]):
            same = same and menu.group_totals[g, c] == menu.sums[KEY, c]
        if same:
            break
        at = (at + 1) & mask
    return at


@kernel
def _erase(menu, g):  # type: ignore[no-untyped-def]
    """Take a group out of `groups` and move up what was pushed behind it."""
    mask = len(menu.slots) - 1
    at = _home(menu.group_totals[g]) & mask
    while menu.slots[at] != g:
        at = (at + 1) & mask
    gap = at
    while True:
        at = (at + 1) & mask
        other = menu.slots[at]
        if other == NOBODY:
            break
        home = _home(menu.group_totals[other]) & mask
        if ((at - home) & mask) >= ((at - gap) & mask):
            menu.slots[gap] = other
            gap = at
    menu.slots[gap] = NOBODY
