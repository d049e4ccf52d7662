"""How well S fits every cluster of a menu, compiled.

Clusters that share a feature with S are found through the lists of clusters by feature. For all others only their
totals count, so all clusters of a group have one weight: the cost of an update does not grow with the number of
clusters. Clusters that fall NEGLIGIBLE nats short of the best have the weight 0.

Where S has many features, some are in most clusters (words of the context, hypernyms), and going through their lists
would take nearly all of the time. But S was in a cluster before, so a ratio that is nearly the best is known. Clusters
that share nothing but common features fall short of it. So the longest lists are set aside as long as that is certain,
and what they add is looked up only for clusters that share another feature and are within reach. Let S have s values of
a channel, m of them of the features F that are set aside, and o_f of feature f. A cluster that shows f t_f times has
N >= t_f values in all, so these features and the channel's totals add at most

    sum over F of (A[o_f + t_f] - A[t_f] - A[o_f]) + B[s] + B[N] - B[s + N]
        <= B[s] - (sum over F of A[o_f]) - (B[s + 1] - B[m + 1])

as each factor t_f + j + beta of the first sum is at most one of the factors N + j + beta V of B[s + N] - B[N], and the
s - m others are at least 1 + j + beta V.
"""

from __future__ import annotations

from math import exp

import numpy as np

from samevent.hddcrp.kernels import inlined, kernel
from samevent.hddcrp.menu import (
    ACTIVE_GROUPS,
    ALL_TABLES,
    BEGIN,
    CLUSTER,
    COUNT,
    END,
    FEATURES_OF_S,
    FIRST,
    GROUP,
    GROUPS_COUNT,
    IN_S,
    LOGS,
    NEXT,
    NONE,
    RANK,
    SHARING,
    SHARING_TABLES,
    TABLES,
    TIMES,
    S,
    count_in,
)
from samevent.hddcrp.observations import SMALL_JOINING, SMALL_TOTAL

OF_SHARING, OF_GROUP = 0, 1
"""Rows of `ratios`: by rank among the clusters that share with S, and by group."""
_BOUND, _LOGS, _TAKEN = range(3)
"""Rows of `bounds`, for the features of a channel that are set aside: what they add at most, -A, how many values."""
NEGLIGIBLE = 56.0
"""Nats by which a likelihood ratio must fall short of the largest one to be 0: the priors of tables differ by less than
19 nats (where there are fewer than a hundred million), and sums of weights are exact to 37 nats."""
_NEGLIGIBLE_RATIO = exp(-NEGLIGIBLE)
LONG, LONGEST = 16, 1024
"""Lists are set aside from LONGEST entries on, then from a quarter of that, and so on down to LONG."""
FEW = 64
"""None is set aside if all lists together have no more entries than this."""


@kernel
def forbid(menu, k):  # type: ignore[no-untyped-def]
    """Give cluster `k` the weight 0 when S is weighed next."""
    if menu.clusters[k, RANK] == NONE:
        menu.ratios[OF_SHARING, _rank(menu, k)] = -np.inf


@kernel
def has_long_lists(menu):  # type: ignore[no-untyped-def]
    """Return whether there is something to be gained by setting lists aside."""
    entries = 0
    for n in range(menu.counters[FEATURES_OF_S]):
        f = menu.features_of_s[n]
        entries += menu.features[f, END] - menu.features[f, BEGIN]
    return entries > FEW


@kernel
def set_aside(menu, reach):  # type: ignore[no-untyped-def]
    """Put features behind the others while clusters that share only these stay below `reach`.

    Return how many features are left, and what those behind them add to a log likelihood ratio at most.
    """
    count, features_of_s, bounds = menu.counters[FEATURES_OF_S], menu.features_of_s, menu.bounds
    total = 0.0
    if reach <= 0.0:
        return count, total
    for c in range(menu.sums.shape[1]):
        bounds[_BOUND, c] = bounds[_LOGS, c] = bounds[_TAKEN, c] = 0.0
    least = LONGEST
    while least >= LONG:
        for n in range(count - 1, -1, -1):
            f = features_of_s[n]
            row, ours = menu.features[f, LOGS], menu.features[f, IN_S]
            c = menu.channel_of[row]
            if c == NONE or menu.features[f, END] - menu.features[f, BEGIN] < least:
                continue
            times = menu.features[f, TIMES]
            logs, s, taken = menu.total_logs[c], menu.sums[S, c], int(bounds[_TAKEN, c]) + times * ours
            added = bounds[_LOGS, c] - times * menu.feature_logs[row, ours]
            bound = max(0.0, added + logs[s] - logs[s + 1] + logs[taken + 1])
            if total - bounds[_BOUND, c] + bound > reach:
                continue
            total += bound - bounds[_BOUND, c]
            bounds[_BOUND, c], bounds[_LOGS, c], bounds[_TAKEN, c] = bound, added, taken
            count -= 1
            features_of_s[n], features_of_s[count] = features_of_s[count], f
        least //= 4
    return count, total


@kernel
def share(menu, count, at_most, reach):  # type: ignore[no-untyped-def]
    """List the clusters that share one of the first `count` features of S, with what shared features add to the ratio.

    If there are other features, which add `at_most`, only clusters with a ratio above `reach` are listed.
    """
    ratios = menu.ratios
    for n in range(count):
        f = menu.features_of_s[n]
        logs = menu.feature_logs[menu.features[f, LOGS]]
        ours, times = menu.features[f, IN_S], menu.features[f, TIMES]
        for e in range(menu.features[f, BEGIN], menu.features[f, END]):
            k, theirs = menu.entries[e, CLUSTER], menu.entries[e, COUNT]
            if theirs == 0:
                continue
            rank = menu.clusters[k, RANK]
            if rank == NONE:
                rank = _rank(menu, k)
                ratios[OF_SHARING, rank] = 0.0
            ratios[OF_SHARING, rank] += times * (logs[ours + theirs] - logs[ours] - logs[theirs])
    if count == menu.counters[FEATURES_OF_S]:
        return
    kept = 0
    for rank in range(menu.counters[SHARING]):
        k, ratio = menu.lists[SHARING, rank], ratios[OF_SHARING, rank]
        if _is_in_reach(menu, k, ratio + at_most, reach):
            for n in range(count, menu.counters[FEATURES_OF_S]):
                ratio += _gain(menu, menu.features_of_s[n], k)
            menu.clusters[k, RANK], menu.lists[SHARING, kept], ratios[OF_SHARING, kept] = kept, k, ratio
            kept += 1
        else:
            menu.clusters[k, RANK] = NONE
            menu.groups[menu.clusters[k, GROUP], SHARING_TABLES] = 0
    menu.counters[SHARING] = kept


@kernel
def shares(menu, k):  # type: ignore[no-untyped-def]
    """Return whether cluster `k` shows a feature of S."""
    for n in range(menu.counters[FEATURES_OF_S]):  # noqa: SIM110 (numba compiles no generators here)
        if count_in(menu, menu.features_of_s[n], k) > 0:
            return True
    return False


@inlined
def _is_in_reach(menu, k, most, reach):  # type: ignore[no-untyped-def]
    """Return whether a log likelihood ratio that is at most `most` may be above `reach`, given the totals of `k`."""
    g = menu.clusters[k, GROUP]
    for c in range(menu.sums.shape[1]):
        if most <= reach:
            return False
        ours, theirs, taken = menu.sums[S, c], menu.group_totals[g, c], int(menu.bounds[_TAKEN, c])
        if ours > 0:
            logs = menu.total_logs[c]
            most += logs[ours] + logs[theirs] - logs[ours + theirs] - menu.bounds[_BOUND, c]
            if taken > 0 and theirs > 0:
                most += max(0.0, menu.bounds[_LOGS, c] + logs[theirs + taken] - logs[theirs])
    return most > reach


@kernel
def weigh(menu, alpha, former):  # type: ignore[no-untyped-def]
    """Weigh S against every cluster; return the weight of S as a new table, and a scale.

    Weights are n_k / (T + alpha) and alpha / (T + alpha) times the likelihood ratios of `ratio_with`, all scaled
    so that the largest ratio is 1. Totals never raise a ratio, so a cluster whose shared features fall NEGLIGIBLE
    nats short of the largest ratio needs no closer look: its weight is 0 for all purposes. `former` is the cluster
    that S was in, if there is any.
    """
    counters, ratios = menu.counters, menu.ratios
    largest, count, at_most = 0.0, counters[FEATURES_OF_S], 0.0
    if former != NONE and has_long_lists(menu):
        largest = max(largest, log_ratio_with(menu, former))
        count, at_most = set_aside(menu, largest - NEGLIGIBLE)
    share(menu, count, at_most, largest - NEGLIGIBLE)
    sharing = counters[SHARING]
    best = 0
    for n in range(sharing):
        if ratios[OF_SHARING, n] > ratios[OF_SHARING, best]:
            best = n
    if sharing > 0:
        k = menu.lists[SHARING, best]
        largest = max(largest, ratios[OF_SHARING, best] + log_ratio_by_totals(menu, menu.clusters[k, GROUP]))
    for n in range(sharing):
        g = menu.clusters[menu.lists[SHARING, n], GROUP]
        ratios[OF_SHARING, n] = log_ratio_above(menu, g, ratios[OF_SHARING, n], largest - NEGLIGIBLE)
        largest = max(largest, ratios[OF_SHARING, n])
    scale = exp(-largest)
    weight = alpha * scale
    for n in range(sharing):
        if ratios[OF_SHARING, n] == -np.inf:
            ratios[OF_SHARING, n] = 0.0
            continue
        ratios[OF_SHARING, n] = exp(ratios[OF_SHARING, n] - largest)
        weight += menu.clusters[menu.lists[SHARING, n], TABLES] * ratios[OF_SHARING, n]
    counters[GROUPS_COUNT] = largest < NEGLIGIBLE
    if counters[GROUPS_COUNT]:
        for n in range(counters[ACTIVE_GROUPS]):
            g = menu.lists[ACTIVE_GROUPS, n]
            others = menu.groups[g, TABLES] - menu.groups[g, SHARING_TABLES]
            if others > 0:
                ratios[OF_GROUP, g] = _ratio_by_totals(menu, g) * scale
                weight += others * ratios[OF_GROUP, g]
    return weight / (counters[ALL_TABLES] + alpha), scale


@inlined
def ratio_with(menu, k):  # type: ignore[no-untyped-def]
    """Return the likelihood of S with cluster `k` over that of S alone, scaled; call `weigh` first."""
    if menu.clusters[k, RANK] != NONE:
        return menu.ratios[OF_SHARING, menu.clusters[k, RANK]]
    return menu.ratios[OF_GROUP, menu.clusters[k, GROUP]] if menu.counters[GROUPS_COUNT] else 0.0


@inlined
def shared_log_ratio(menu, k):  # type: ignore[no-untyped-def]
    """Return what shared features add to the log of the same ratio; call `share` first."""
    rank = menu.clusters[k, RANK]
    return menu.ratios[OF_SHARING, rank] if rank != NONE else 0.0


@kernel
def log_ratio_with(menu, k):  # type: ignore[no-untyped-def]
    """Return the log likelihood ratio of S with cluster `k` and alone: 0 for a new cluster, NONE."""
    if k == NONE:
        return 0.0
    ratio = log_ratio_by_totals(menu, menu.clusters[k, GROUP])
    for n in range(menu.counters[FEATURES_OF_S]):
        ratio += _gain(menu, menu.features_of_s[n], k)
    return ratio


@inlined
def _gain(menu, f, k):  # type: ignore[no-untyped-def]
    """Return what feature `f` adds to the log likelihood ratio of S with cluster `k`."""
    theirs = count_in(menu, f, k)
    if theirs == 0:
        return 0.0
    logs, ours = menu.feature_logs[menu.features[f, LOGS]], menu.features[f, IN_S]
    return menu.features[f, TIMES] * (logs[ours + theirs] - logs[ours] - logs[theirs])


@kernel
def pick(menu, alpha, scale, point):  # type: ignore[no-untyped-def]
    """Return the cluster of a new table at a point between 0 and the weight that `weigh` returned."""
    counters = menu.counters
    left = point * (counters[ALL_TABLES] + alpha) - alpha * scale
    if left < 0:
        return NONE
    last = NONE
    for n in range(counters[SHARING]):
        if menu.ratios[OF_SHARING, n] == 0.0:
            continue
        last = menu.lists[SHARING, n]
        left -= menu.clusters[last, TABLES] * menu.ratios[OF_SHARING, n]
        if left < 0:
            return last
    for n in range(counters[ACTIVE_GROUPS] if counters[GROUPS_COUNT] else 0):
        g = menu.lists[ACTIVE_GROUPS, n]
        others = menu.groups[g, TABLES] - menu.groups[g, SHARING_TABLES]
        if others == 0 or menu.ratios[OF_GROUP, g] == 0.0:
            continue
        if left < others * menu.ratios[OF_GROUP, g] or n == counters[ACTIVE_GROUPS] - 1:
            tables = left / menu.ratios[OF_GROUP, g]
            k = menu.groups[g, FIRST]
            while k != NONE:
                if menu.clusters[k, RANK] == NONE:
                    last = k
                    tables -= menu.clusters[k, TABLES]
                    if tables < 0:
                        return k
                k = menu.clusters[k, NEXT]
            return last
        left -= others * menu.ratios[OF_GROUP, g]
    return last


@inlined
def _rank(menu, k):  # type: ignore[no-untyped-def]
    """List cluster `k` among those that share with S; return its rank."""
    rank = menu.counters[SHARING]
    menu.clusters[k, RANK] = rank
    menu.lists[SHARING, rank] = k
    menu.groups[menu.clusters[k, GROUP], SHARING_TABLES] += menu.clusters[k, TABLES]
    menu.counters[SHARING] += 1
    return rank


@kernel
def log_ratio_by_totals(menu, g):  # type: ignore[no-untyped-def]
    """Return what totals add to the log likelihood ratio of S with a cluster of group `g`: at most 0."""
    return log_ratio_above(menu, g, 0.0, -np.inf)


@inlined
def log_ratio_above(menu, g, by_features, least):  # type: ignore[no-untyped-def]
    """Return the log likelihood ratio given what shared features add, or -inf if it is not above `least`."""
    change = by_features
    for c in range(menu.sums.shape[1]):
        if change <= least:
            return -np.inf
        ours = menu.sums[S, c]
        if ours > 0:
            theirs = menu.group_totals[g, c]
            change += (
                menu.total_logs[c, ours] + menu.total_logs[c, theirs] - menu.total_logs[c, ours + theirs]
            )
    return change if change > least else -np.inf


@inlined
def _ratio_by_totals(menu, g):  # type: ignore[no-untyped-def]
    """Return the likelihood ratio of S with a cluster of group `g` that shares nothing; 0 if that is negligible."""
    ratio = 1.0
    for c in range(menu.sums.shape[1]):
        ours, theirs = menu.sums[S, c], menu.group_totals[g, c]
        if ours == 0 or theirs == 0:
            continue
        if ratio < _NEGLIGIBLE_RATIO:
            return 0.0
        if ours < SMALL_JOINING and theirs < SMALL_TOTAL:
            ratio *= menu.total_ratios[c, ours, theirs]
        else:
            logs = menu.total_logs[c]
            ratio *= exp(logs[ours] + logs[theirs] - logs[ours + theirs])
    return ratio
