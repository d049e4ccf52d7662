"""Splits and merges of a Chinese restaurant franchise, compiled: a word leaves a cluster, or two meet in one.

A block is all customers of a cluster that show one feature. Blocks of the same feature in two clusters cannot meet
by the moves of `blocks`, which avoid clusters with the feature so that each of them can be undone. So a few customers
that went to a cluster early keep hundreds from following. Here two customers i and j with a feature are drawn
(Jain & Neal 2004). If they are in different clusters, the block of j joins the cluster of i. If they are in the same
one, its block splits: i stays, j goes, and all others, in random order, stay or go with the odds

    n_dk p(x | k)                               if cluster k has n_dk customers in the document
    alpha_d m_k / (M + alpha_0) p(x | k)        if it has none, with m_k of all M tables

given the customers that are not in the block, and those that have decided before (Dahl 2005). Here a cluster has one
table for each decided document. They go to a new cluster or, as often, to that of a customer in the document of j that
does not show the feature, unless the feature is there already. Seats are proposed, and the move is accepted or not, as
in `blocks`: with S the customers that go, the odds are those of p(new) and p(old), times the probability of a split for
a merge, and divided by it for a split.

Where customers show several channels, a block can hardly leave the others of its cluster: each value that it shares
with them would be paid for twice. So whole clusters split and merge, too, in the same way. The two customers share a
feature of any channel, drawn without a look at clusters, and those that go form a new cluster.
"""

from __future__ import annotations

from math import exp, log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.blocks import customers_in, put_back, seat_if_accepted, take_out
from samevent.hddcrp.kernels import inlined, kernel, uniform
from samevent.hddcrp.menu import ALL_TABLES, COUNT, FEATURE, GROUP, LOGS, NONE, TABLES, TIMES, count_in
from samevent.hddcrp.observations import Observations
from samevent.hddcrp.problem import Integers
from samevent.hddcrp.weighing import log_ratio_with

STAY, GO = 0, 1
"""The sides of a split: columns of `Sides`."""
_LISTED, _ALL = 2, 2
_IMPOSSIBLE = -3
"""In place of a cluster: no split is proposed."""


class Sides(NamedTuple):
    """Scratch space of a split: what both sides have besides the customers that have not decided."""

    customers: Integers
    side: NDArray[np.int8]
    """The customers of the split block, by document, and where they go."""
    order: Integers
    """In which they decide."""
    tables: NDArray[np.int64]
    """The tables of each side, and all."""
    seated: Integers
    """For each document, the customers of each side."""
    at_table: Integers
    """For each table, the customers of the block."""
    counts: Integers
    """For each feature, its count on each side, and whether it is listed."""
    features: Integers
    """The features of the block, then NONE."""
    totals: Integers
    """For each side, the totals of its channels."""
    by_document: Integers
    """All customers, document by document."""
    first: Integers
    after: Integers
    """The customers of each cluster as linked lists, document by document: first by cluster, after by customer."""


def new_sides(observations: Observations, document: NDArray[np.int32]) -> Sides:
    """Make room for the block of any feature."""
    count, channels = observations.totals.shape
    documents = int(document.max(initial=0)) + 1
    return Sides(
        customers=np.zeros(count, np.int32),
        side=np.zeros(count, np.int8),
        order=np.zeros(count, np.int32),
        tables=np.zeros(3, np.int64),
        seated=np.zeros((documents, 2), np.int32),
        at_table=np.zeros(count, np.int32),
        counts=np.zeros((len(observations.table), 3), np.int32),
        features=np.zeros(len(observations.table) + 1, np.int32),
        totals=np.zeros((2, channels), np.int32),
        by_document=np.argsort(document, kind="stable").astype(np.int32),
        first=np.full(count, NONE, np.int32),
        after=np.full(count, NONE, np.int32),
    )


@kernel
def split_and_merge(count, alpha_within, alpha_across, restaurants, tables, menu, blocks, sides, random):  # type: ignore[no-untyped-def]
    """Draw two customers with a feature, and split or merge, `count` times; return how many splits and merges."""
    starts, customers = blocks.starts, blocks.customers
    splits, merges = 0, 0
    for _ in range(count):
        first = int(uniform(random) * len(blocks.features))
        f = blocks.features[first]
        if starts[f + 1] - starts[f] < 2:
            continue
        second = starts[f] + int(uniform(random) * (starts[f + 1] - starts[f] - 1))
        if second >= first:
            second += 1
        i, j = customers[first], customers[second]
        stay, go = tables.cluster[tables.table[i]], tables.cluster[tables.table[j]]
        merge = stay != go
        if not merge:
            go = _draw_target(f, second, restaurants, tables, menu, blocks, random)
            if go == _IMPOSSIBLE:
                continue
        size = _list_block(f, stay, go, tables, blocks, sides)
        _take_undecided_out(size, stay, go, restaurants, tables, menu, sides)
        log_split = _log_probability_of_target(second, restaurants, tables, blocks, sides)
        if log_split > -np.inf:
            log_split += _decide(
                merge, i, j, size, alpha_within, alpha_across, restaurants, menu, sides, random
            )
        _clear(sides)
        if log_split > -np.inf:
            moved = _move_side(
                size, stay if merge else go, log_split if merge else -log_split, alpha_within, alpha_across,
                restaurants, tables, menu, blocks, sides, random,
            )  # fmt: skip
            merges += moved and merge
            splits += moved and not merge
    return splits, merges


@kernel
def split_and_merge_clusters(  # type: ignore[no-untyped-def]
    count, alpha_within, alpha_across, restaurants, tables, menu, blocks, sides, random
):
    """Draw two customers that share a feature, and split or merge clusters as a whole, `count` times."""
    splits, merges, drawn, starts = 0, 0, len(tables.table), blocks.starts
    for k in range(drawn):
        sides.first[k] = NONE
    _list_members(sides.by_document, drawn, tables, sides)
    for _ in range(count):
        i = int(uniform(random) * drawn)
        first, features = menu.starts[i], menu.starts[i + 1] - menu.starts[i]
        f = menu.observed[first + int(uniform(random) * features), FEATURE] if features > 0 else NONE
        if f == NONE or starts[f + 1] - starts[f] < 2:
            continue
        j = blocks.customers[starts[f] + int(uniform(random) * (starts[f + 1] - starts[f]))]
        if i == j:
            continue
        stay, go = tables.cluster[tables.table[i]], tables.cluster[tables.table[j]]
        merge = stay != go
        if not merge:
            go = NONE
        size = _list_clusters(stay, go, restaurants, sides)
        _take_undecided_out(size, stay, go, restaurants, tables, menu, sides)
        log_split = _decide(merge, i, j, size, alpha_within, alpha_across, restaurants, menu, sides, random)
        _clear(sides)
        moved = _move_side(
            size, stay if merge else go, log_split if merge else -log_split, alpha_within, alpha_across,
            restaurants, tables, menu, blocks, sides, random,
        )  # fmt: skip
        if moved:
            sides.first[stay] = NONE
            if merge:
                sides.first[go] = NONE
            _list_members(sides.customers, size, tables, sides)
        merges += moved and merge
        splits += moved and not merge
    return splits, merges


@kernel
def _list_members(customers, size, tables, sides):  # type: ignore[no-untyped-def]
    """Put customers, which come document by document, first in the lists of their clusters."""
    for n in range(size - 1, -1, -1):
        i = customers[n]
        k = tables.cluster[tables.table[i]]
        sides.after[i], sides.first[k] = sides.first[k], i


@kernel
def _list_clusters(stay, go, restaurants, sides):  # type: ignore[no-untyped-def]
    """List the customers of both clusters, document by document, with the sides where they are; return how many."""
    i, j, size = sides.first[stay], sides.first[go] if go != NONE else NONE, 0
    while i != NONE or j != NONE:
        stays = j == NONE or (i != NONE and _is_before(i, j, restaurants))
        sides.customers[size] = i if stays else j
        sides.side[size] = STAY if stays else GO
        size += 1
        if stays:
            i = sides.after[i]
        else:
            j = sides.after[j]
    return size


@inlined
def _is_before(i, j, restaurants):  # type: ignore[no-untyped-def]
    """Return whether customer `i` comes before `j`, document by document."""
    d, e = restaurants.document[i], restaurants.document[j]
    return d < e or (d == e and i < j)


@kernel
def _draw_target(f, second, restaurants, tables, menu, blocks, random):  # type: ignore[no-untyped-def]
    """Draw the cluster to which the second customer of a split goes, NONE if that is a new one."""
    if uniform(random) < 0.5:
        return NONE
    d = restaurants.document[blocks.customers[second]]
    left = int(uniform(random) * _others_in(d, second, restaurants, tables, blocks))
    for p in range(restaurants.begin[d], restaurants.end[d]):
        t = restaurants.tables[p]
        left -= _others_at(t, d, second, restaurants, tables, blocks)
        if left < 0:
            go = tables.cluster[t]
            return _IMPOSSIBLE if count_in(menu, f, go) > 0 else go
    return _IMPOSSIBLE


@kernel
def _log_probability_of_target(second, restaurants, tables, blocks, sides):  # type: ignore[no-untyped-def]
    """Return the log probability that a split draws the cluster of those that go."""
    if sides.tables[GO] == 0:
        return log(0.5)
    d = restaurants.document[blocks.customers[second]]
    there = sides.seated[d, GO]
    return log(0.5 * there / _others_in(d, second, restaurants, tables, blocks)) if there > 0 else -np.inf


@kernel
def _others_in(d, second, restaurants, tables, blocks):  # type: ignore[no-untyped-def]
    """Count the customers of document `d` without the feature that the second one shows there."""
    count = 0
    for p in range(restaurants.begin[d], restaurants.end[d]):
        count += _others_at(restaurants.tables[p], d, second, restaurants, tables, blocks)
    return count


@kernel
def _others_at(t, d, second, restaurants, tables, blocks):  # type: ignore[no-untyped-def]
    """Count those of them at table `t`."""
    f, count = blocks.features[second], tables.size[t]
    n = second
    while n >= blocks.starts[f] and restaurants.document[blocks.customers[n]] == d:
        count -= tables.table[blocks.customers[n]] == t
        n -= 1
    n = second + 1
    while n < blocks.starts[f + 1] and restaurants.document[blocks.customers[n]] == d:
        count -= tables.table[blocks.customers[n]] == t
        n += 1
    return count


@kernel
def _list_block(f, stay, go, tables, blocks, sides):  # type: ignore[no-untyped-def]
    """List the customers of both clusters that show the feature, with the sides where they are; return how many."""
    size = 0
    for n in range(blocks.starts[f], blocks.starts[f + 1]):
        i = blocks.customers[n]
        k = tables.cluster[tables.table[i]]
        if k == stay or k == go:  # noqa: SIM109
            sides.customers[size] = i
            sides.side[size] = STAY if k == stay else GO
            size += 1
    return size


@kernel
def _take_undecided_out(size, stay, go, restaurants, tables, menu, sides):  # type: ignore[no-untyped-def]
    """Count what both sides have without the customers of the block."""
    counts, features = sides.counts, 0
    sides.tables[_ALL] = menu.counters[ALL_TABLES]
    for s in range(2):
        k = stay if s == STAY else go
        sides.tables[s] = menu.clusters[k, TABLES] if k != NONE else 0
        for c in range(menu.sums.shape[1]):
            sides.totals[s, c] = menu.group_totals[menu.clusters[k, GROUP], c] if k != NONE else 0
    for n in range(size):
        i, s = sides.customers[n], sides.side[n]
        t, d = tables.table[i], restaurants.document[i]
        sides.at_table[t] += 1
        if sides.at_table[t] == tables.size[t]:
            sides.tables[s] -= 1
            sides.tables[_ALL] -= 1
        if n == 0 or restaurants.document[sides.customers[n - 1]] != d:
            sides.seated[d, STAY] = customers_in(d, stay, restaurants, tables)
            sides.seated[d, GO] = customers_in(d, go, restaurants, tables) if go != NONE else 0
        sides.seated[d, s] -= 1
        for c in range(menu.sums.shape[1]):
            sides.totals[s, c] -= menu.totals[i, c]
        for at in range(menu.starts[i], menu.starts[i + 1]):
            f = menu.observed[at, FEATURE]
            if counts[f, _LISTED] == 0:
                counts[f, _LISTED] = 1
                sides.features[features] = f
                features += 1
                counts[f, STAY] = count_in(menu, f, stay)
                counts[f, GO] = count_in(menu, f, go) if go != NONE else 0
            counts[f, s] -= menu.observed[at, COUNT]
    for n in range(size):
        sides.at_table[tables.table[sides.customers[n]]] = 0
    sides.features[features] = NONE


@kernel
def _decide(decided, i, j, size, alpha_within, alpha_across, restaurants, menu, sides, random):  # type: ignore[no-untyped-def]
    """Let all customers stay or go, or follow their decisions; return the log probability of these."""
    order, log_probability = sides.order, 0.0
    _join(i, STAY, restaurants, menu, sides)
    _join(j, GO, restaurants, menu, sides)
    for n in range(size):
        order[n] = n
    for n in range(size):
        other = n + int(uniform(random) * (size - n))
        order[n], order[other] = order[other], order[n]
        m = order[n]
        customer = sides.customers[m]
        if customer == i or customer == j:  # noqa: SIM109
            sides.side[m] = STAY if customer == i else GO
            continue
        log_odds = _log_weight(customer, GO, alpha_within, alpha_across, restaurants, menu, sides)
        log_odds -= _log_weight(customer, STAY, alpha_within, alpha_across, restaurants, menu, sides)
        if not decided:
            sides.side[m] = GO if uniform(random) < 1.0 / (1.0 + exp(min(-log_odds, 700.0))) else STAY
        against = -log_odds if sides.side[m] == GO else log_odds
        log_probability -= log1p(exp(against)) if against < 30.0 else against
        _join(customer, sides.side[m], restaurants, menu, sides)
    return log_probability


@kernel
def _log_weight(i, s, alpha_within, alpha_across, restaurants, menu, sides):  # type: ignore[no-untyped-def]
    """Return the log weight of a side for customer `i`."""
    seated = sides.seated[restaurants.document[i], s]
    weight = log(
        seated if seated > 0 else alpha_within * sides.tables[s] / (sides.tables[_ALL] + alpha_across)
    )
    for e in range(menu.starts[i], menu.starts[i + 1]):
        f = menu.observed[e, FEATURE]
        logs, there = menu.feature_logs[menu.features[f, LOGS]], sides.counts[f, s]
        weight += menu.features[f, TIMES] * (logs[there + menu.observed[e, COUNT]] - logs[there])
    for c in range(menu.sums.shape[1]):
        there = sides.totals[s, c]
        weight -= menu.total_logs[c, there + menu.totals[i, c]] - menu.total_logs[c, there]
    return weight


@kernel
def _join(i, s, restaurants, menu, sides):  # type: ignore[no-untyped-def]
    """Count customer `i` on a side, at a new table if it is the first of its document."""
    d = restaurants.document[i]
    if sides.seated[d, s] == 0:
        sides.tables[s] += 1
        sides.tables[_ALL] += 1
    sides.seated[d, s] += 1
    for e in range(menu.starts[i], menu.starts[i + 1]):
        sides.counts[menu.observed[e, FEATURE], s] += menu.observed[e, COUNT]
    for c in range(menu.sums.shape[1]):
        sides.totals[s, c] += menu.totals[i, c]


@kernel
def _clear(sides):  # type: ignore[no-untyped-def]
    """Forget the features of the block; everything else is overwritten."""
    n = 0
    while sides.features[n] != NONE:
        for s in range(3):
            sides.counts[sides.features[n], s] = 0
        n += 1


@kernel
def _move_side(  # type: ignore[no-untyped-def]
    size, new, log_ratio, alpha_within, alpha_across, restaurants, tables, menu, blocks, sides, random
):
    """Move those that go, if that is accepted, given the log ratio of the proposals; return whether it was."""
    going = 0
    for n in range(size):
        if sides.side[n] == GO:
            blocks.members[going] = sides.customers[n]
            going += 1
    old, emptied = take_out(going, restaurants, tables, menu, blocks)
    lost, before = _log_prior(old, going, alpha_within, alpha_across, restaurants, tables, menu, blocks)
    won, after = _log_prior(new, going, alpha_within, alpha_across, restaurants, tables, menu, blocks)
    log_odds = log_ratio + won + log_ratio_with(menu, new) - lost - log_ratio_with(menu, old)
    accepted = seat_if_accepted(
        going, old, emptied, before, new, after, log_odds, alpha_within, alpha_across, restaurants, tables, menu,
        blocks, random,
    )  # fmt: skip
    if not accepted:
        put_back(going, old, emptied, restaurants, tables, menu, blocks)
    return accepted


@kernel
def _log_prior(k, size, alpha_within, alpha_across, restaurants, tables, menu, blocks):  # type: ignore[no-untyped-def]
    """Return the log prior in p(k) for S, and the number of documents of S without cluster `k`."""
    logs, log_prior, made, n = blocks.log_gamma, 0.0, 0, 0
    while n < size:
        d, begin = restaurants.document[blocks.members[n]], n
        while n < size and restaurants.document[blocks.members[n]] == d:
            n += 1
        there = customers_in(d, k, restaurants, tables) if k != NONE else 0
        made += there == 0
        log_prior += logs[there + n - begin] - logs[there]
    has = menu.clusters[k, TABLES] if k != NONE else 0
    log_prior += made * log(alpha_within) - blocks.log_gamma_across[menu.counters[ALL_TABLES] + made]
    return log_prior + logs[has + made] + (-logs[has] if has > 0 else log(alpha_across)), made
