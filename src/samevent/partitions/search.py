"""Greedy search for a consensus partition, compiled; `consensus` says what it minimises.

Each restart allocates customers one after another to the cluster that costs least, then sweetens: it moves single
customers while that helps, then takes whole clusters apart and allocates their members anew. The best sample is a
start of its own, so the result is never worse.

For every sample cluster there is a short list of the current clusters it overlaps, with counts. It never holds
more clusters than the sample cluster has members, so all lists share one array, and no hashing is needed. Numbers
that are read together lie side by side: the search waits for memory more than it computes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from samevent.partitions.labels import Floats, Integers

ROUNDING = 1e-12
"""Improvements below this share of the largest possible loss are rounding: following them goes round in circles."""

BEGIN, END = 0, 1
CLUSTER, OVERLAP = 0, 1


def search(samples: Integers, weights: Floats, total: Floats, orders: Integers) -> tuple[Integers, float]:
    """Return the best labels found and their loss.

    `samples` are canonical rows, `total` is G, and each row of `orders` is one order of allocation; the first
    one serves the start from the best sample.
    """
    cost = np.diff(total)
    losses = np.zeros(len(samples))
    _add_losses(
        samples, np.argsort(samples, axis=1), weights, cost, np.zeros(samples.shape[1], np.int64), losses
    )
    sizes = samples.max(axis=1) + 1
    slot_of = np.ascontiguousarray((samples + (np.cumsum(sizes) - sizes)[:, None]).T)
    capacity = np.bincount(slot_of.ravel())
    begin = np.cumsum(capacity) - capacity
    share = np.repeat(weights, sizes)
    lists = (
        slot_of,
        share,
        np.stack((begin, begin), axis=1).astype(np.int32),
        np.empty((slot_of.size, 2), np.int32),
    )
    best = samples[np.argmin(losses)].copy()
    size, labels, touched, crew = np.zeros((4, len(best)), np.int64)
    score, done = np.zeros(len(best)), np.zeros(len(best), np.bool_)
    loss = _search(best, labels, size, lists, total, cost, orders, score, touched, crew, done)
    return best, float(loss + share @ total[capacity])


@njit(cache=True, nogil=True)
def _add_losses(samples, grouped, weights, cost, seen, losses):  # type: ignore[no-untyped-def]
    """Add the loss of every sample; `grouped` lists customers cluster by cluster, `seen` is all 0."""
    count, customers = samples.shape
    for a in range(count):
        for b in range(a + 1):
            shared = 0.0
            begin = 0
            for at in range(customers):
                k = samples[b, grouped[a, at]]
                shared += cost[seen[k]]
                seen[k] += 1
                if at + 1 == customers or samples[a, grouped[a, at]] != samples[a, grouped[a, at + 1]]:
                    for done in range(begin, at + 1):
                        seen[samples[b, grouped[a, done]]] = 0
                    begin = at + 1
            if a == b:
                losses[a] += (1 - 2 * weights[a]) * shared
            else:
                losses[a] -= 2 * weights[b] * shared
                losses[b] -= 2 * weights[a] * shared


@njit(cache=True, nogil=True)
def _search(best, labels, size, lists, total, cost, orders, score, touched, crew, done):  # type: ignore[no-untyped-def]
    """Improve `best`, the first start; return its loss."""
    slots = lists[2]
    least = ROUNDING * max(total[len(best)], 1.0)
    best_loss = np.inf
    for restart in range(len(orders)):
        order = orders[restart]
        for at in range(len(best)):
            i, k = at, best[at]
            if restart > 0:
                i = order[at]
                k, _ = _cheapest(i, size, lists, cost, score, touched)
            _put(i, k, labels, size, lists)
        improving = True
        while improving:
            while _move_customers(order, labels, size, lists, cost, score, touched, least):
                pass
            improving = _rebuild_clusters(order, labels, size, lists, cost, score, touched, crew, done, least)
        loss = _loss(size, lists, total)
        better = loss < best_loss - least
        if better:
            best_loss = loss
        for i in order:
            if better:
                best[i] = labels[i]
            size[i] = 0
        for slot in range(len(slots)):
            slots[slot, END] = slots[slot, BEGIN]
    return best_loss


@njit(cache=True, nogil=True)
def _move_customers(order, labels, size, lists, cost, score, touched, least):  # type: ignore[no-untyped-def]
    """Offer every customer its best cluster; say whether any moved."""
    moved = False
    for i in order:
        home = labels[i]
        _take(i, labels, size, lists)
        k, price = _cheapest(i, size, lists, cost, score, touched)
        if k != home and price < _price(i, home, size, lists, cost) - least:
            moved = True
        else:
            k = home
        _put(i, k, labels, size, lists)
    return moved


@njit(cache=True, nogil=True)
def _rebuild_clusters(order, labels, size, lists, cost, score, touched, crew, done, least):  # type: ignore[no-untyped-def]
    """Take each cluster apart and allocate its members anew; say whether any was better for it."""
    improved = False
    for i in order:
        done[i] = False
    for leader in order:
        home = labels[leader]
        if done[home] or size[home] == 1:
            continue
        done[home] = True
        members = 0
        before = 0.0
        for i in order:
            if labels[i] == home:
                crew[members] = i
                members += 1
                _take(i, labels, size, lists)
                before += _price(i, home, size, lists, cost)
        after = 0.0
        # The last taken goes back first: the order of taking would rebuild the same cluster more often.
        for at in range(members - 1, -1, -1):
            k, price = _cheapest(crew[at], size, lists, cost, score, touched)
            _put(crew[at], k, labels, size, lists)
            after += price
        if after < before - least:
            improved = True
        else:
            for at in range(members):
                _take(crew[at], labels, size, lists)
            for at in range(members):
                _put(crew[at], home, labels, size, lists)
    return improved


@njit(cache=True, nogil=True)
def _cheapest(i, size, lists, cost, score, touched):  # type: ignore[no-untyped-def]
    """Return the cluster that `i` joins at the least cost, and the cost; a new cluster costs nothing."""
    slot_of, share, slots, entries = lists
    found = 0
    for slot in slot_of[i]:
        for e in range(slots[slot, BEGIN], slots[slot, END]):
            k = entries[e, CLUSTER]
            if score[k] == 0.0:
                touched[found] = k
                found += 1
            score[k] += share[slot] * cost[entries[e, OVERLAP]]
    best, price = -1, 0.0
    for at in range(found):
        k = touched[at]
        this = cost[size[k]] - 2 * score[k]
        score[k] = 0.0
        if this < price:
            best, price = k, this
    if best < 0:
        best = i if size[i] == 0 else _empty(size)
    return best, price


@njit(cache=True, nogil=True)
def _empty(size):  # type: ignore[no-untyped-def]
    k = 0
    while size[k]:
        k += 1
    return k


@njit(cache=True, nogil=True)
def _price(i, k, size, lists, cost):  # type: ignore[no-untyped-def]
    """Return what it costs to put `i` into cluster `k`."""
    slot_of, share, slots, entries = lists
    shared = 0.0
    for slot in slot_of[i]:
        for e in range(slots[slot, BEGIN], slots[slot, END]):
            if entries[e, CLUSTER] == k:
                shared += share[slot] * cost[entries[e, OVERLAP]]
                break
    return cost[size[k]] - 2 * shared


@njit(cache=True, nogil=True)
def _put(i, k, labels, size, lists):  # type: ignore[no-untyped-def]
    slot_of, _, slots, entries = lists
    labels[i] = k
    size[k] += 1
    for slot in slot_of[i]:
        e, end = slots[slot, BEGIN], slots[slot, END]
        while e < end and entries[e, CLUSTER] != k:
            e += 1
        if e == end:
            entries[e, CLUSTER] = k
            entries[e, OVERLAP] = 0
            slots[slot, END] += 1
        entries[e, OVERLAP] += 1


@njit(cache=True, nogil=True)
def _take(i, labels, size, lists):  # type: ignore[no-untyped-def]
    slot_of, _, slots, entries = lists
    k = labels[i]
    labels[i] = -1
    size[k] -= 1
    for slot in slot_of[i]:
        e = slots[slot, BEGIN]
        while entries[e, CLUSTER] != k:
            e += 1
        entries[e, OVERLAP] -= 1
        if entries[e, OVERLAP] == 0:
            slots[slot, END] -= 1
            last = slots[slot, END]
            entries[e, CLUSTER] = entries[last, CLUSTER]
            entries[e, OVERLAP] = entries[last, OVERLAP]


@njit(cache=True, nogil=True)
def _loss(size, lists, total):  # type: ignore[no-untyped-def]
    """Return the loss, less the samples' own share of it."""
    _, share, slots, entries = lists
    loss = 0.0
    for k in range(len(size)):
        loss += total[size[k]]
    for slot in range(len(slots)):
        for e in range(slots[slot, BEGIN], slots[slot, END]):
            loss -= 2 * share[slot] * total[entries[e, OVERLAP]]
    return loss
