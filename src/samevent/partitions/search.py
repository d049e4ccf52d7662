"""Greedy search for a consensus partition, compiled; `consensus` documents what it minimises.

What is moved is an item: customers that must stay together, most often a single one. Each restart allocates items one
after another to the cluster that costs least, then improves the result: it moves single items while that helps, then
takes whole clusters apart and allocates their items again. Items that cannot be together are never offered each
other's clusters. The best sample is a start of its own, so the result is never worse.

Each sample cluster has a short list of the current clusters that it overlaps, with counts. It never holds more
clusters than the sample cluster has members, so all lists share one array, and no hashing is needed. Numbers that are
read together lie side by side: the search is bound by memory more than by arithmetic.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.partitions.labels import Floats, Integers, canonical

ROUNDING = 1e-12
"""Improvements below this share of the largest possible loss are rounding errors; following them might never end."""

BEGIN, END = 0, 1
CLUSTER, OVERLAP = 0, 1
SLOT, COUNT = 0, 1


def search(
    samples: Integers, weights: Floats, total: Floats, orders: Integers, item: Integers, cannot_link: Integers
) -> tuple[Integers, float]:
    """Return the best labels found, one per item, and their loss.

    `samples` are canonical rows over customers and `item[i]` is the item of customer i. `total` is G. Each row of
    `orders` is one order in which to allocate items; the first one serves the start from the best sample. Rows of
    `cannot_link` are pairs of items.
    """
    losses = np.zeros(len(samples))
    _add_losses(
        samples,
        np.argsort(samples, axis=1),
        weights,
        np.diff(total),
        np.zeros(samples.shape[1], np.int64),
        losses,
    )
    sizes = samples.max(axis=1) + 1
    slot_of = samples + (np.cumsum(sizes) - sizes)[:, None]
    capacity = np.bincount(slot_of.ravel())
    begin = np.cumsum(capacity) - capacity
    share = np.repeat(weights, sizes)
    items = orders.shape[1]
    lists = (
        share,
        np.stack((begin, begin), axis=1).astype(np.int32),
        np.empty((slot_of.size, 2), np.int32),
    )
    rivals = np.concatenate([cannot_link, cannot_link[:, ::-1]])
    rivals = rivals[np.argsort(rivals[:, 0], kind="stable")]
    problem = (
        *_parts(slot_of, item, len(capacity)),
        np.bincount(item, minlength=items),
        np.searchsorted(rivals[:, 0], np.arange(items + 1)),
        np.ascontiguousarray(rivals[:, 1]),
        total,
    )
    first = np.unique(item, return_index=True)[1]
    best = canonical(samples[_best_sample(samples, losses, item, first, cannot_link), first])
    size, touched, crew = np.zeros((3, items), np.int64)
    labels, score, flags = np.full(items, -1), np.zeros(items), np.zeros((2, items), np.bool_)
    loss = _search(best, labels, size, problem, lists, orders, (score, touched, flags[0]), crew, flags[1])
    return best, float(loss + share @ total[capacity])


def _parts(slot_of: Integers, item: Integers, slots: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where the parts of each item start, and (slot, customers) of each part, slots in rising order."""
    keys, counts = np.unique(item * slots + slot_of, return_counts=True)
    starts = np.searchsorted(keys, np.arange(int(item.max()) + 2) * slots)
    return starts, np.stack((keys % slots, counts), axis=1).astype(np.int32)


def _best_sample(
    samples: Integers, losses: Floats, item: Integers, first: Integers, cannot_link: Integers
) -> int:
    """Return the sample of least loss, among those that satisfy the constraints if there are any."""
    of_items = samples[:, first]
    satisfied = (of_items[:, item] == samples).all(axis=1)
    satisfied &= (of_items[:, cannot_link[:, 0]] != of_items[:, cannot_link[:, 1]]).all(axis=1)
    return int(np.argmin(np.where(satisfied, losses, np.inf) if satisfied.any() else losses))


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
def _search(best, labels, size, problem, lists, orders, scratch, crew, done):  # type: ignore[no-untyped-def]
    """Improve `best`, the first start; return its loss. `labels` are all -1."""
    slots, total = lists[1], problem[-1]
    least = ROUNDING * max(total[-1], 1.0)
    best_loss = np.inf
    for restart in range(len(orders)):
        order = orders[restart]
        for at in range(len(best)):
            i = at if restart == 0 else order[at]
            if restart == 0 and _may_join(i, best[at], labels, problem):
                k = best[at]
            else:
                k, _ = _cheapest(i, labels, size, problem, lists, scratch)
            _put(i, k, labels, size, problem, lists)
        improving = True
        while improving:
            while _move_items(order, labels, size, problem, lists, scratch, least):
                pass
            improving = _rebuild_clusters(order, labels, size, problem, lists, scratch, crew, done, least)
        loss = _loss(size, problem, lists)
        better = loss < best_loss - least
        if better:
            best_loss = loss
        for i in order:
            if better:
                best[i] = labels[i]
            size[i] = 0
            labels[i] = -1
        for slot in range(len(slots)):
            slots[slot, END] = slots[slot, BEGIN]
    return best_loss


@njit(cache=True, nogil=True)
def _move_items(order, labels, size, problem, lists, scratch, least):  # type: ignore[no-untyped-def]
    """Offer every item its best cluster; return whether any moved."""
    moved = False
    for i in order:
        home = labels[i]
        _take(i, labels, size, problem, lists)
        k, price = _cheapest(i, labels, size, problem, lists, scratch)
        if k != home and price < _price(i, home, size, problem, lists) - least:
            moved = True
        else:
            k = home
        _put(i, k, labels, size, problem, lists)
    return moved


@njit(cache=True, nogil=True)
def _rebuild_clusters(order, labels, size, problem, lists, scratch, crew, done, least):  # type: ignore[no-untyped-def]
    """Take each cluster apart and allocate its items again; return whether this improved any."""
    mass = problem[2]
    improved = False
    for i in order:
        done[i] = False
    for leader in order:
        home = labels[leader]
        if done[home] or size[home] == mass[leader]:
            continue
        done[home] = True
        members = 0
        before = 0.0
        for i in order:
            if labels[i] == home:
                crew[members] = i
                members += 1
                _take(i, labels, size, problem, lists)
                before += _price(i, home, size, problem, lists)
        after = 0.0
        # The last taken goes back first: the order of taking would rebuild the same cluster more often.
        for at in range(members - 1, -1, -1):
            k, price = _cheapest(crew[at], labels, size, problem, lists, scratch)
            _put(crew[at], k, labels, size, problem, lists)
            after += price
        if after < before - least:
            improved = True
        else:
            for at in range(members):
                _take(crew[at], labels, size, problem, lists)
            for at in range(members):
                _put(crew[at], home, labels, size, problem, lists)
    return improved


@njit(cache=True, nogil=True)
def _cheapest(i, labels, size, problem, lists, scratch):  # type: ignore[no-untyped-def]
    """Return the cluster that `i` may join at the least cost, and the cost.

    Costs leave out what is the same for all clusters, so that a new cluster costs G of the item's customers.
    """
    part_starts, parts, mass, rival_starts, rivals, total = problem
    share, slots, entries = lists
    score, touched, closed = scratch
    options = 0
    for part in range(part_starts[i], part_starts[i + 1]):
        slot, count = parts[part, SLOT], parts[part, COUNT]
        for e in range(slots[slot, BEGIN], slots[slot, END]):
            k = entries[e, CLUSTER]
            if score[k] == 0.0:
                touched[options] = k
                options += 1
            overlap = entries[e, OVERLAP]
            score[k] += share[slot] * (total[overlap + count] - total[overlap] - total[count])
    for r in range(rival_starts[i], rival_starts[i + 1]):
        if labels[rivals[r]] >= 0:
            closed[labels[rivals[r]]] = True
    best, price = -1, total[mass[i]]
    for at in range(options):
        k = touched[at]
        this = total[size[k] + mass[i]] - total[size[k]] - 2 * score[k]
        score[k] = 0.0
        if this < price and not closed[k]:
            best, price = k, this
    for r in range(rival_starts[i], rival_starts[i + 1]):
        if labels[rivals[r]] >= 0:
            closed[labels[rivals[r]]] = False
    if best < 0:
        best = i if size[i] == 0 else _empty(size)
    return best, price


@njit(cache=True, nogil=True)
def _may_join(i, k, labels, problem):  # type: ignore[no-untyped-def]
    """Return whether cluster `k` holds no item that `i` cannot be with."""
    rival_starts, rivals = problem[3], problem[4]
    for r in range(rival_starts[i], rival_starts[i + 1]):  # noqa: SIM110  a generator cannot be compiled
        if labels[rivals[r]] == k:
            return False
    return True


@njit(cache=True, nogil=True)
def _empty(size):  # type: ignore[no-untyped-def]
    k = 0
    while size[k]:
        k += 1
    return k


@njit(cache=True, nogil=True)
def _price(i, k, size, problem, lists):  # type: ignore[no-untyped-def]
    """Return what it costs to put `i` into cluster `k`."""
    part_starts, parts, mass, _, _, total = problem
    share, slots, entries = lists
    shared = 0.0
    for part in range(part_starts[i], part_starts[i + 1]):
        slot, count = parts[part, SLOT], parts[part, COUNT]
        for e in range(slots[slot, BEGIN], slots[slot, END]):
            if entries[e, CLUSTER] == k:
                overlap = entries[e, OVERLAP]
                shared += share[slot] * (total[overlap + count] - total[overlap] - total[count])
                break
    return total[size[k] + mass[i]] - total[size[k]] - 2 * shared


@njit(cache=True, nogil=True)
def _put(i, k, labels, size, problem, lists):  # type: ignore[no-untyped-def]
    part_starts, parts, mass, _, _, _ = problem
    _, slots, entries = lists
    labels[i] = k
    size[k] += mass[i]
    for part in range(part_starts[i], part_starts[i + 1]):
        slot, count = parts[part, SLOT], parts[part, COUNT]
        e, end = slots[slot, BEGIN], slots[slot, END]
        while e < end and entries[e, CLUSTER] != k:
            e += 1
        if e == end:
            entries[e, CLUSTER] = k
            entries[e, OVERLAP] = 0
            slots[slot, END] += 1
        entries[e, OVERLAP] += count


@njit(cache=True, nogil=True)
def _take(i, labels, size, problem, lists):  # type: ignore[no-untyped-def]
    part_starts, parts, mass, _, _, _ = problem
    _, slots, entries = lists
    k = labels[i]
    labels[i] = -1
    size[k] -= mass[i]
    for part in range(part_starts[i], part_starts[i + 1]):
        slot, count = parts[part, SLOT], parts[part, COUNT]
        e = slots[slot, BEGIN]
        while entries[e, CLUSTER] != k:
            e += 1
        entries[e, OVERLAP] -= count
        if entries[e, OVERLAP] == 0:
            slots[slot, END] -= 1
            last = slots[slot, END]
            entries[e, CLUSTER] = entries[last, CLUSTER]
            entries[e, OVERLAP] = entries[last, OVERLAP]


@njit(cache=True, nogil=True)
def _loss(size, problem, lists):  # type: ignore[no-untyped-def]
    """Return the loss, less the samples' own share of it."""
    total = problem[-1]
    share, slots, entries = lists
    loss = 0.0
    for k in range(len(size)):
        loss += total[size[k]]
    for slot in range(len(slots)):
        for e in range(slots[slot, BEGIN], slots[slot, END]):
            loss -= 2 * share[slot] * total[entries[e, OVERLAP]]
    return loss
