"""Moves of blocks of customers between the clusters of a Chinese restaurant franchise, compiled.

With a small Dirichlet parameter (1e-7) a value that is new to a cluster costs 16 nats. A customer hardly ever takes its
word to a cluster without it, so customers one by one practically never bring a word elsewhere. Blocks do. There are
two kinds:

    whole   all customers of a cluster that show one feature
    part    those of them in the documents where another feature occurs, which are often documents about one topic

Features of parts are those of the first channel, words or head lemmas. Whole blocks are those of any feature. Where
customers show several channels, a few of them often share a dozen values, such as the synonyms of *release* as a noun,
in a cluster of the verb. Each of these values holds them together, so they leave only as a block, and no word is shown
by them alone. Features that the same customers show are counted once; there are many, so a sweep draws some.

A block S moves as a whole, to a new cluster, or to one without such customers: without the feature, for a part without
the feature in these documents. Only clusters that are in a document of S, or share some other feature with S, come
into question: the others have nothing for S, and there are thousands of them. If S itself is in such a cluster, it
stays. So each move can be undone, by the same choice of features. With S taken out,
let cluster k have m_k of M tables, let D_k be the number of documents of S without k, n_dk and s_d the customers of k
and of S in document d. If every document had one table for each of its clusters, k would have

    p(k) = p(S | k) alpha_d^D_k Gamma(m_k + D_k) / Gamma(m_k) / Gamma(alpha_0 + M + D_k)
           * prod of Gamma(n_dk + s_d) / Gamma(n_dk) over documents with k, and of Gamma(s_d) over those without

(alpha_0 Gamma(D) instead of Gamma(m_k + D_k) / Gamma(m_k) for a new cluster). A cluster is drawn from p, then S sits
down there by a CRP in every document, with the concentration theta_k = alpha_d (m_k + D_k) / (M + D_k + alpha_0).
The rest is a Metropolis-Hastings test. If S takes t tables of its own, the posterior over the proposal is

    (alpha_d / theta_k)^(t - D_k)
           * Gamma(m_k + t) / Gamma(m_k + D_k) * Gamma(alpha_0 + M + D_k) / Gamma(alpha_0 + M + t)
           * prod over d, and over n from max(n_dk, 1) to n_dk + s_d - 1, of (1 + theta_k / n)

for the new cluster and for the old one alike; sizes of tables cancel out. A second table for the same cluster in the
same document is rare, so the ratio is close to 1, and nearly all moves are accepted.
"""

from __future__ import annotations

from itertools import pairwise
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from samevent.hddcrp.kernels import inlined, kernel, uniform
from samevent.hddcrp.menu import (
    ALL_TABLES,
    FEATURES_OF_S,
    GROUP,
    NONE,
    RANK,
    SHARING,
    TABLES,
    add_to_s,
    attach,
    detach,
    former,
)
from samevent.hddcrp.observations import Observations
from samevent.hddcrp.problem import Floats, Integers
from samevent.hddcrp.restaurants import sit_down, stand_up, take_back, take_table
from samevent.hddcrp.weighing import (
    NEGLIGIBLE,
    forbid,
    has_long_lists,
    log_ratio_by_totals,
    log_ratio_with,
    set_aside,
    share,
    shared_log_ratio,
    shares,
)

_NEW = -2
"""The cluster of tables of S as long as a new cluster has no number."""


class Blocks(NamedTuple):
    """The customers that show each feature, by document; what follows `documents` is scratch."""

    starts: NDArray[np.int64]
    customers: Integers
    features: Integers
    """The feature of each entry of `customers` in the first channel, whose entries come first."""
    others: Integers
    """The features of other channels that make different blocks."""
    by_document: Integers
    documents: NDArray[np.int64]
    """The entries of the first channel in the order of their documents, and where each document begins."""
    log_gamma: Floats
    """log Gamma(n), 0 for n = 0."""
    log_gamma_across: Floats
    """log Gamma(alpha_0 + n)."""
    marked: NDArray[np.bool_]
    """The documents of a part."""
    first: Integers
    next: Integers
    heads: Integers
    """The blocks of a feature as linked lists: first by cluster, next by customer; the first customer of each block."""
    members: Integers
    seats: Integers
    """The customers of S, and the tables they came from."""
    conflicts: Integers
    """Clusters that S must not join."""
    seated: Integers
    seen: Integers
    """The customers of each cluster in one document, and the clusters that there are."""
    present: Integers
    gains: Floats
    met: Integers
    """For each cluster, in how many documents of S it is present, and the log of the product over these documents of
    Gamma(n + s) / Gamma(n) / Gamma(s); the clusters that are present in any."""
    options: Integers
    weights: Floats


def new_blocks(observations: Observations, document: NDArray[np.int32], alpha_across: float) -> Blocks:
    """Prepare the blocks of all features."""
    count = len(document)
    customer = np.repeat(np.arange(count, dtype=np.int32), np.diff(observations.starts))
    order = np.lexsort((customer, document[customer], observations.features))
    feature, customer = observations.features[order], customer[order]
    starts = np.concatenate([[0], np.bincount(feature, minlength=len(observations.table)).cumsum()])
    first = feature[observations.table[feature] == 0]
    home = document[customer[: len(first)]]
    sizes = np.bincount(home, minlength=int(document.max(initial=0)) + 1)
    numbers = np.arange(count + 1)
    links, counts = np.full((2, count), NONE, np.int32), np.zeros((9, count + 1), np.int32)
    return Blocks(
        starts=starts.astype(np.int64),
        customers=customer,
        features=first,
        others=_different(starts, customer, int(first.max(initial=-1)) + 1),
        by_document=np.argsort(home, kind="stable").astype(np.int32),
        documents=np.concatenate([[0], sizes.cumsum()]).astype(np.int64),
        log_gamma=np.where(numbers > 0, gammaln(np.maximum(numbers, 1)), 0.0),
        log_gamma_across=gammaln(alpha_across + numbers),
        marked=np.zeros(len(sizes), np.bool_),
        first=links[0],
        next=links[1],
        heads=counts[0],
        members=counts[1],
        seats=counts[2],
        conflicts=counts[3],
        seated=counts[4],
        seen=counts[5],
        present=counts[6],
        gains=np.zeros(count),
        met=counts[7],
        options=counts[8],
        weights=np.zeros(count + 1),
    )


def _different(starts: NDArray[np.integer], customers: Integers, first: int) -> Integers:
    """Return the features from `first` on that several customers show, and no feature before is shown by the same."""
    seen: set[bytes] = set()
    different = []
    for f, (begin, end) in enumerate(pairwise(starts.tolist())):
        shown_by = customers[begin:end].tobytes()
        if end - begin > 1 and shown_by not in seen:
            seen.add(shown_by)
            if f >= first:
                different.append(f)
    return np.array(different, np.int32)


def tabulate_across(blocks: Blocks, alpha_across: float) -> None:
    """Tabulate log Gamma(alpha_0 + n) for another concentration."""
    blocks.log_gamma_across[:] = gammaln(alpha_across + np.arange(len(blocks.log_gamma_across)))


@kernel
def move_blocks(alpha_within, alpha_across, restaurants, tables, menu, blocks, random):  # type: ignore[no-untyped-def]
    """Move every whole block of the first channel, of two or more customers, once; return how many moved."""
    moved, features = 0, blocks.features
    for f in range(features[len(features) - 1] + 1 if len(features) > 0 else 0):
        if blocks.starts[f + 1] - blocks.starts[f] > 1:
            moved += _move_blocks_of(f, alpha_within, alpha_across, restaurants, tables, menu, blocks, random)
    return moved


@kernel
def move_other_blocks(count, alpha_within, alpha_across, restaurants, tables, menu, blocks, random):  # type: ignore[no-untyped-def]
    """Draw a feature of another channel and move its whole blocks, `count` times; return how many moved."""
    moved = 0
    for _ in range(count):
        f = blocks.others[int(uniform(random) * len(blocks.others))]
        moved += _move_blocks_of(f, alpha_within, alpha_across, restaurants, tables, menu, blocks, random)
    return moved


@kernel
def _move_blocks_of(f, alpha_within, alpha_across, restaurants, tables, menu, blocks, random):  # type: ignore[no-untyped-def]
    """Move every block of feature `f`, of two or more customers, once; return how many moved."""
    starts, first, after, heads = blocks.starts, blocks.first, blocks.next, blocks.heads
    moved, count = 0, 0
    for n in range(starts[f + 1] - 1, starts[f] - 1, -1):
        i = blocks.customers[n]
        k = tables.cluster[tables.table[i]]
        if first[k] == NONE:
            heads[count] = k
            count += 1
        after[i] = first[k]
        first[k] = i
    for n in range(count):
        k = heads[n]
        heads[n] = first[k]
        first[k] = NONE
    for n in range(count):
        i, size = heads[n], 0
        while i != NONE:
            blocks.members[size] = i
            size += 1
            i = after[i]
        if size > 1:
            conflicts = 0
            for m in range(count):
                if m != n:
                    blocks.conflicts[conflicts] = tables.cluster[tables.table[heads[m]]]
                    conflicts += 1
            moved += _move(
                size, conflicts, alpha_within, alpha_across, restaurants, tables, menu, blocks, random
            )
    return moved


@kernel
def move_parts(count, alpha_within, alpha_across, restaurants, tables, menu, blocks, random):  # type: ignore[no-untyped-def]
    """Draw features of a customer and of its document and move the part, `count` times; return how many moved."""
    starts, customers, document = blocks.starts, blocks.customers, restaurants.document
    moved = 0
    for _ in range(count):
        drawn = blocks.by_document[int(uniform(random) * len(blocks.features))]
        d = document[customers[drawn]]
        begin, end = blocks.documents[d], blocks.documents[d + 1]
        other = blocks.features[blocks.by_document[begin + int(uniform(random) * (end - begin))]]
        for n in range(starts[other], starts[other + 1]):
            blocks.marked[document[customers[n]]] = True
        f, k = blocks.features[drawn], tables.cluster[tables.table[customers[drawn]]]
        size, conflicts = 0, 0
        for n in range(starts[f], starts[f + 1]):
            i = customers[n]
            if not blocks.marked[document[i]]:
                continue
            if tables.cluster[tables.table[i]] == k:
                blocks.members[size] = i
                size += 1
            else:
                blocks.conflicts[conflicts] = tables.cluster[tables.table[i]]
                conflicts += 1
        for n in range(starts[other], starts[other + 1]):
            blocks.marked[document[customers[n]]] = False
        if size > 1:
            moved += _move(
                size, conflicts, alpha_within, alpha_across, restaurants, tables, menu, blocks, random
            )
    return moved


@kernel
def _move(size, conflicts, alpha_within, alpha_across, restaurants, tables, menu, blocks, random):  # type: ignore[no-untyped-def]
    """Move the block in `members`, but not to a cluster in `conflicts`; return whether it moved."""
    old, emptied = take_out(size, restaurants, tables, menu, blocks)
    documents, met, most = _look_around(size, alpha_within, restaurants, tables, blocks)
    new = old
    if old == NONE or blocks.present[old] > 0 or shares(menu, old):
        new = _draw_cluster(
            old, conflicts, documents, met, most, alpha_within, alpha_across, menu, blocks, random
        )
    before = documents - (blocks.present[old] if old != NONE else 0)
    after = documents - (blocks.present[new] if new != NONE else 0)
    for n in range(met):
        blocks.present[blocks.met[n]] = 0
        blocks.gains[blocks.met[n]] = 0.0
    accepted = new != old and seat_if_accepted(
        size, old, emptied, before, new, after, 0.0, alpha_within, alpha_across, restaurants, tables, menu, blocks,
        random,
    )  # fmt: skip
    if not accepted:
        put_back(size, old, emptied, restaurants, tables, menu, blocks)
    return accepted


@kernel
def take_out(size, restaurants, tables, menu, blocks):  # type: ignore[no-untyped-def]
    """Let S stand up; return its cluster, NONE if that ends, and how many tables are left empty."""
    old, emptied = tables.cluster[tables.table[blocks.members[0]]], 0
    for n in range(size):
        i = blocks.members[n]
        blocks.seats[n] = tables.table[i]
        add_to_s(menu, i)
        emptied += stand_up(restaurants, tables, i)
    detach(menu, old, emptied)
    return former(menu, old), emptied


@kernel
def seat_if_accepted(  # type: ignore[no-untyped-def]
    size, old, emptied, before, new, after, log_odds, alpha_within, alpha_across, restaurants, tables, menu, blocks,
    random,
):  # fmt: skip
    """Seat S in cluster `new` and accept that, or let S stand up again; return whether it was accepted.

    In `before` documents of S there is no other customer of the cluster `old`, in `after` documents none of `new`;
    `log_odds` is log(p(new) / p(old)) plus the log ratio of the proposals of `old` and of `new`.
    """
    theta = _theta(old, before, alpha_within, alpha_across, menu)
    lost = _of_tables(old, before, emptied, theta, alpha_within, menu, blocks)
    lost += _of_customers(old, theta, size, restaurants, tables, blocks)
    theta = _theta(new, after, alpha_within, alpha_across, menu)
    won = _of_customers(new, theta, size, restaurants, tables, blocks)
    made = _sit_down_together(new, theta, size, restaurants, tables, blocks, random)
    won += _of_tables(new, after, made, theta, alpha_within, menu, blocks)
    if uniform(random) < exp(min(0.0, log_odds + won - lost)):
        k = attach(menu, new, made)
        for n in range(size):
            tables.cluster[tables.table[blocks.members[n]]] = k
        return True
    for n in range(size):
        stand_up(restaurants, tables, blocks.members[n])
    return False


@kernel
def put_back(size, old, emptied, restaurants, tables, menu, blocks):  # type: ignore[no-untyped-def]
    """Seat S where it sat before."""
    k = attach(menu, old, emptied)
    for n in range(size):
        i, t = blocks.members[n], blocks.seats[n]
        if tables.size[t] == 0:
            take_back(restaurants, t, restaurants.document[i])
            tables.cluster[t] = k
        sit_down(tables, i, t)


@kernel
def _look_around(size, alpha_within, restaurants, tables, blocks):  # type: ignore[no-untyped-def]
    """Fill `present` and `gains`; return the numbers of documents of S and of clusters there, and the most gain.

    A new table in a document adds log alpha_d at most.
    """
    documents, met, most, n = 0, 0, 0.0, 0
    by_table = max(0.0, log(alpha_within))
    logs = blocks.log_gamma
    while n < size:
        d, begin = restaurants.document[blocks.members[n]], n
        while n < size and restaurants.document[blocks.members[n]] == d:
            n += 1
        seen = 0
        for p in range(restaurants.begin[d], restaurants.end[d]):
            t = restaurants.tables[p]
            k = tables.cluster[t]
            if blocks.seated[k] == 0:
                blocks.seen[seen] = k
                seen += 1
            blocks.seated[k] += tables.size[t]
        largest = by_table
        for m in range(seen):
            k = blocks.seen[m]
            if blocks.present[k] == 0:
                blocks.met[met] = k
                met += 1
            blocks.present[k] += 1
            there, joining = blocks.seated[k], n - begin
            gain = logs[there + joining] - logs[there] - logs[joining]
            blocks.gains[k] += gain
            largest = max(largest, gain)
            blocks.seated[k] = 0
        documents += 1
        most += largest
    return documents, met, most


@kernel
def _draw_cluster(old, conflicts, documents, met, most, alpha_within, alpha_across, menu, blocks, random):  # type: ignore[no-untyped-def]
    """Draw a cluster for S, or NONE for a new one, as if every document had one table for each of its clusters.

    No cluster gains more than `most` in the documents and by new tables there.
    """
    for n in range(conflicts):
        forbid(menu, blocks.conflicts[n])
    all_tables, log_alpha = menu.counters[ALL_TABLES], log(alpha_within)
    logs, logs_across = blocks.log_gamma, blocks.log_gamma_across
    largest = (
        log(alpha_across) + documents * log_alpha + logs[documents] - logs_across[all_tables + documents]
    )
    blocks.options[0], blocks.weights[0] = NONE, largest
    scanned, at_most, reach = menu.counters[FEATURES_OF_S], 0.0, -np.inf
    if old != NONE and has_long_lists(menu):
        known = log_ratio_with(menu, old) + _log_weight(old, documents, log_alpha, menu, blocks)
        reach = max(largest, known) - NEGLIGIBLE - most + logs_across[all_tables]
        scanned, at_most = set_aside(menu, reach)
    share(menu, scanned, at_most, reach)
    count, sharing = 1, menu.counters[SHARING]
    # Where features were set aside, clusters that share none of the others are negligible.
    for n in range(sharing + (met if scanned == menu.counters[FEATURES_OF_S] else 0)):
        k = menu.lists[SHARING, n] if n < sharing else blocks.met[n - sharing]
        if n >= sharing and menu.clusters[k, RANK] != NONE:
            continue
        weight = shared_log_ratio(menu, k) + _log_weight(k, documents, log_alpha, menu, blocks)
        if weight > largest - NEGLIGIBLE:
            weight += log_ratio_by_totals(menu, menu.clusters[k, GROUP])
            blocks.options[count], blocks.weights[count] = k, weight
            largest = max(largest, weight)
            count += 1
    total = 0.0
    for n in range(count):
        weight = blocks.weights[n] - largest
        blocks.weights[n] = exp(weight) if weight > -NEGLIGIBLE else 0.0
        total += blocks.weights[n]
    left = uniform(random) * total
    chosen = NONE
    for n in range(count):
        if blocks.weights[n] > 0.0:
            chosen = blocks.options[n]
            left -= blocks.weights[n]
            if left < 0:
                break
    return chosen


@inlined
def _log_weight(k, documents, log_alpha, menu, blocks):  # type: ignore[no-untyped-def]
    """Return the log prior in p(k) for S, without the factors that all clusters have."""
    has, made = menu.clusters[k, TABLES], documents - blocks.present[k]
    logs, made_in_all = blocks.log_gamma, menu.counters[ALL_TABLES] + made
    return (
        blocks.gains[k]
        + made * log_alpha
        + logs[has + made]
        - logs[has]
        - blocks.log_gamma_across[made_in_all]
    )


@kernel
def _sit_down_together(k, theta, size, restaurants, tables, blocks, random):  # type: ignore[no-untyped-def]
    """Seat S in cluster `k` by a CRP in each document; return how many tables it takes into use."""
    made = 0
    mark = k if k != NONE else _NEW
    for n in range(size):
        i = blocks.members[n]
        d = restaurants.document[i]
        left = uniform(random) * (theta + customers_in(d, mark, restaurants, tables)) - theta
        chosen = NONE
        if left >= 0:
            for p in range(restaurants.begin[d], restaurants.end[d]):
                t = restaurants.tables[p]
                if tables.cluster[t] == mark:
                    chosen = t
                    left -= tables.size[t]
                    if left < 0:
                        break
        if chosen == NONE:
            chosen = take_table(restaurants, d)
            tables.cluster[chosen] = mark
            made += 1
        sit_down(tables, i, chosen)
    return made


@kernel
def customers_in(d, k, restaurants, tables):  # type: ignore[no-untyped-def]
    """Count the customers of cluster `k` in document `d`."""
    count = 0
    for p in range(restaurants.begin[d], restaurants.end[d]):
        t = restaurants.tables[p]
        if tables.cluster[t] == k:
            count += tables.size[t]
    return count


@kernel
def _theta(k, expected, alpha_within, alpha_across, menu):  # type: ignore[no-untyped-def]
    has = menu.clusters[k, TABLES] if k != NONE else 0
    return alpha_within * (has + expected) / (menu.counters[ALL_TABLES] + expected + alpha_across)


@kernel
def _of_customers(k, theta, size, restaurants, tables, blocks):  # type: ignore[no-untyped-def]
    """Return the last factor of the posterior over the proposal, as a log; S is not seated."""
    total, n = 0.0, 0
    while n < size:
        d, begin = restaurants.document[blocks.members[n]], n
        while n < size and restaurants.document[blocks.members[n]] == d:
            n += 1
        there = customers_in(d, k, restaurants, tables)
        product = 1.0
        for seated in range(max(there, 1), there + n - begin):
            product *= 1.0 + theta / seated
        total += log(product)
    return total


@kernel
def _of_tables(k, expected, made, theta, alpha_within, menu, blocks):  # type: ignore[no-untyped-def]
    """Return the other factors, which compare `made` tables of S with the expected number, as a log."""
    has = menu.clusters[k, TABLES] if k != NONE else 0
    there = menu.counters[ALL_TABLES]
    across = blocks.log_gamma_across[there + expected] - blocks.log_gamma_across[there + made]
    tables = blocks.log_gamma[has + made] - blocks.log_gamma[has + expected]
    return (made - expected) * log(alpha_within / theta) + tables + across
