"""The clusters of a chain, kept up to date by the compiled update of one link that both link samplers share.

Cutting the link of customer i leaves S, the customers whose links lead to i. One pass over i's candidates adds
their weights up by cluster, one merge change for each distinct cluster tilts the sums, and one random number
picks the cluster and the link in it. Counts move only when the partition changes, on the smaller side. Whole
clusters are walked only for the link that closes their cycle, and nothing is allocated.

Must-links hold customers together whatever their links are, so S is walked along links in both directions and along
must-links; a cluster that holds a cannot-linked customer of a member of S has weight 0. For blocks without
constraints kernels get None instead of `Constraints`, and compile to code without any of this.

Kernels take a few named groups of arrays: `LinkRows`, `Words`, `Constraints`, `Seating` and `Record`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.errors import SameventError
from samevent.hddcrp.chains import Info, clusters
from samevent.hddcrp.components import Block
from samevent.hddcrp.kernels import add, count_of, inlined, kernel, new_cells, remove, uniform
from samevent.hddcrp.likelihood import Logs, log_likelihood
from samevent.hddcrp.problem import Floats, Integers, Rows
from samevent.hddcrp.randoms import RandomState
from samevent.hddcrp.reference import clusters_of
from samevent.hddcrp.weights import Choices, Links, active, log_prior
from samevent.partitions.labels import canonical

LINK, HEAD, AFTER, BEFORE, NEXT, PREVIOUS = range(6)
"""Columns of `link_lists`: the customer linked to; the first customer that links here; those that link to the same
customer after and before this one; the members of the same cluster after and before this one."""
SIZE, TOTAL, FIRST, WORDS = range(4)
"""Columns of `clusters`: members, their words, the first of them, and a bit set, by word modulo 32, for every word
of the cluster and perhaps for some that have left: most clusters share no word with S and need no lookup."""
CLUSTERS, FREE, CHANGES = range(3)
"""Entries of `counters`: clusters, unused cluster numbers, updates that changed the partition."""
LIKELIHOOD, PRIOR = range(2)
"""Entries of `log_joint_parts`: log p(x | z) and the log prior of the links that count."""
CLUSTER, DISTINCT, STACK, PLACE = range(4)
"""Rows of `scratch`: the clusters being weighed, the words of S, the members of S, the option of each candidate."""
MASS, CHANGE, TILTED = range(3)
"""Rows of `option_weights`: prior weight, merge change and posterior weight of the clusters being weighed."""


class LinkRows(NamedTuple):
    """Link probabilities by rows, and their logarithms."""

    starts: NDArray[np.int64]
    targets: Integers
    weights: Floats
    logs: Floats

    @classmethod
    def of(cls, links: Links) -> LinkRows:
        """Take the arrays of one set of rows."""
        return cls(links.starts, links.columns, links.values, links.logs)


class Words(NamedTuple):
    """The words of the customers by rows, and the tables of the likelihood."""

    starts: NDArray[np.int64]
    words: Integers
    counts: Integers
    of_word: Floats
    of_total: Floats

    @classmethod
    def of(cls, block: Block, logs: Logs) -> Words:
        """Take the arrays of a block."""
        words = block.words
        return cls(words.starts, words.columns, words.values, logs.word, logs.total)


class Constraints(NamedTuple):
    """Must-linked and cannot-linked customers of each customer, by rows."""

    must_starts: NDArray[np.int64]
    must: Integers
    cannot_starts: NDArray[np.int64]
    cannot: Integers

    @classmethod
    def of(cls, block: Block) -> Constraints | None:
        """Return the constraints of a block, or None if there are none."""
        if not len(block.must_link) and not len(block.cannot_link):
            return None
        return cls(*_neighbours(block.must_link, len(block)), *_neighbours(block.cannot_link, len(block)))


def _neighbours(pairs: Integers, count: int) -> tuple[NDArray[np.int64], Integers]:
    here, there = np.concatenate([pairs, pairs[:, ::-1]]).T
    rows = Rows.from_triples(count, here, there, np.ones(len(here)))
    return rows.starts, rows.columns


class Seating(NamedTuple):
    """What follows from the links and is kept up to date, with room to work; changed in place.

    `cells` counts words by cluster, `in_s` in S. `slot` is the place of a cluster among those being weighed, or -1.
    `unused` is a stack of cluster numbers. As long as S is cut off, its label is the number of customers, which no
    cluster has.
    """

    label: Integers
    slot: Integers
    link_lists: Integers
    clusters: Integers
    cells: NDArray[Any]
    unused: Integers
    in_s: Integers
    scratch: Integers
    option_weights: Floats
    counters: NDArray[np.int64]
    log_joint_parts: Floats
    random: RandomState

    @classmethod
    def of(cls, block: Block, choices: Choices, random: RandomState, logs: Logs) -> Seating:
        """Seat customers as links and must-links say; `random` becomes part of it."""
        count, width = len(block), int(block.words.columns.max(initial=-1)) + 1
        seating = cls(
            label=np.full(count, -1, np.int32),
            slot=np.full(count + 1, -1, np.int32),
            link_lists=np.full((count, 6), -1, np.int32),
            clusters=np.zeros((count, 4), np.int32),
            cells=new_cells(len(block.words.columns), count * width),
            unused=np.zeros(count, np.int32),
            in_s=np.zeros(width, np.int32),
            scratch=np.zeros((4, max(count, width)), np.int32),
            option_weights=np.zeros((3, count)),
            counters=np.zeros(3, np.int64),
            log_joint_parts=np.zeros(2),
            random=random,
        )
        targets, labels = active(block.links, choices), clusters(block, choices)
        _seat(targets, labels, Words.of(block, logs), seating)
        seating.log_joint_parts[PRIOR] = log_prior(block.links, choices)
        seating.log_joint_parts[LIKELIHOOD] = log_likelihood(block.words, seating.label, logs)
        return seating

    @property
    def labels(self) -> Integers:
        """The cluster of each customer, numbered by first customers."""
        return canonical(self.label).astype(np.int32)

    def check(self, block: Block, choices: Choices, logs: Logs) -> None:
        """Compare everything that is kept up to date with what follows from the links; raise if they differ."""
        words, targets = block.words, active(block.links, choices).tolist()
        labels = np.array(clusters_of(targets, block.must_link.tolist()), np.int64)
        keys, cell = np.unique(
            self.label[words.rows].astype(np.int64) * len(self.in_s) + words.columns, return_inverse=True
        )
        used = np.flatnonzero(self.cells[::2] >= 0)
        used = used[np.argsort(self.cells[::2][used])]
        pairs = {
            "labels": (self.labels, labels),
            "number of clusters": (self.counters[CLUSTERS], labels.max(initial=-1) + 1),
            "log prior": (self.log_joint_parts[PRIOR], log_prior(block.links, choices)),
            "log likelihood": (self.log_joint_parts[LIKELIHOOD], log_likelihood(words, labels, logs)),
            "cells": (self.cells[::2][used], keys),
            "word counts": (self.cells[1::2][used], np.bincount(cell, words.values, len(keys))),
            "words of clusters": (
                self.clusters[self.label, TOTAL],
                np.bincount(labels[words.rows], words.values, len(labels))[labels],
            ),
        }
        for name, (kept, fresh) in pairs.items():
            if not np.array_equal(kept, fresh):
                raise SameventError(
                    f"the sampler's {name} drifted away from its links", hint="please report this"
                )


class Record(NamedTuple):
    """The arrays of `Info`, and the candidate pairs that it counts."""

    left: Integers
    right: Integers
    log_joint: Floats
    clusters: Integers
    changes: Integers
    together: Integers
    samples: Integers
    best_log_joint: Floats
    best_labels: Integers

    @classmethod
    def of(cls, block: Block, info: Info) -> Record:
        """Let kernels write to an `Info`."""
        return cls(block.left, block.right, **info.arrays)


@inlined
def resample(i, begin, end, links, words, constraints, seating):  # type: ignore[no-untyped-def]
    """Draw the link of customer `i` among the entries from `begin` to before `end`; return the entry."""
    label, slot, scratch, option_weights = (
        seating.label,
        seating.slot,
        seating.scratch,
        seating.option_weights,
    )
    home, own = label[i], len(label)
    old = seating.link_lists[i, LINK]
    unlink(seating.link_lists, i)
    if constraints is None:
        members = _cut_off(i, label, seating.link_lists, scratch)
    else:
        members = _cut_off_held(i, label, seating.link_lists, scratch, constraints)
    parted = label[old] != own
    options = _gathered(begin, end, links, label, slot, scratch, option_weights)
    distinct = 0
    option_weights[CHANGE, 0] = 0.0
    if options > 1:
        distinct, total = _words_of_s(members, words, seating.in_s, scratch)
        for k in range(options):
            cluster = scratch[CLUSTER, k]
            option_weights[CHANGE, k] = 0.0
            if cluster != own:
                option_weights[CHANGE, k] = _merge_change(
                    cluster, cluster == home, distinct, total, words, seating
                )
        if constraints is not None:
            _forbid(members, constraints, label, slot, scratch, option_weights)
    chosen, left = _chosen(options, uniform(seating.random), option_weights)
    seating.log_joint_parts[LIKELIHOOD] += (
        option_weights[CHANGE, chosen] - option_weights[CHANGE, slot[home if parted else own]]
    )
    picked = _picked(begin, end, chosen, left, links, scratch)

    goal = scratch[CLUSTER, chosen]
    for k in range(options):
        slot[scratch[CLUSTER, k]] = -1
    if goal == (home if parted else own):
        for k in range(members):
            label[scratch[STACK, k]] = home
    else:
        seating.counters[CHANGES] += 1
        _move(home, goal, parted, members, distinct, words, seating)
    for k in range(distinct):
        seating.in_s[scratch[DISTINCT, k]] = 0
    link(seating.link_lists, i, links.targets[picked])
    return picked


@inlined
def mark_words(words, seating):  # type: ignore[no-untyped-def]
    """Set the bits of the words that clusters have, and no others; once per sweep is often enough."""
    for cluster in range(len(seating.clusters)):
        seating.clusters[cluster, WORDS] = 0
    for i in range(len(seating.label)):
        for cell in range(words.starts[i], words.starts[i + 1]):
            seating.clusters[seating.label[i], WORDS] |= 1 << (words.words[cell] & 31)


@inlined
def record_sweep(at, every, seating, record):  # type: ignore[no-untyped-def]
    """Record the state after sweep number `at`."""
    label, counters = seating.label, seating.counters
    log_joint = seating.log_joint_parts[PRIOR] + seating.log_joint_parts[LIKELIHOOD]
    record.log_joint[at] = log_joint
    record.clusters[at] = counters[CLUSTERS]
    record.changes[at] = counters[CHANGES]
    counters[CHANGES] = 0
    for pair in range(len(record.left)):
        record.together[pair] += label[record.left[pair]] == label[record.right[pair]]
    if (at + 1) % every == 0 and (at + 1) // every <= len(record.samples):
        for i in range(len(label)):
            record.samples[(at + 1) // every - 1, i] = label[i]
    if log_joint > record.best_log_joint[0]:
        record.best_log_joint[0] = log_joint
        for i in range(len(label)):
            record.best_labels[i] = label[i]


@inlined
def link(link_lists, i, target):  # type: ignore[no-untyped-def]
    """Let `i` link to `target`; links to oneself stand in no list."""
    link_lists[i, LINK] = target
    if target != i:
        first = link_lists[target, HEAD]
        link_lists[i, AFTER] = first
        link_lists[i, BEFORE] = -1
        link_lists[target, HEAD] = i
        if first >= 0:
            link_lists[first, BEFORE] = i


@inlined
def unlink(link_lists, i):  # type: ignore[no-untyped-def]
    """Take `i` off the list of those that link to its target."""
    target = link_lists[i, LINK]
    if target != i:
        before, after = link_lists[i, BEFORE], link_lists[i, AFTER]
        if before >= 0:
            link_lists[before, AFTER] = after
        else:
            link_lists[target, HEAD] = after
        if after >= 0:
            link_lists[after, BEFORE] = before


@kernel
def _seat(targets, labels, words, seating):  # type: ignore[no-untyped-def]
    """Fill the arrays, as `Seating.of` makes them, from links and their clusters."""
    count, width = len(labels), len(seating.in_s)
    used = 0
    for i in range(count):
        seating.clusters[i, FIRST] = -1
        link(seating.link_lists, i, targets[i])
        used = max(used, labels[i] + 1)
    for i in range(count):
        total = 0
        for cell in range(words.starts[i], words.starts[i + 1]):
            add(seating.cells, labels[i] * width + words.words[cell], words.counts[cell])
            total += words.counts[cell]
        _join(i, labels[i], total, seating)
    seating.counters[CLUSTERS] = used
    seating.counters[FREE] = count - used
    for k in range(count - used):
        seating.unused[k] = count - 1 - k


@inlined
def _join(i, cluster, tokens, seating):  # type: ignore[no-untyped-def]
    """Make `i`, with so many words, a member of a cluster."""
    link_lists, clusters = seating.link_lists, seating.clusters
    first = clusters[cluster, FIRST]
    seating.label[i] = cluster
    link_lists[i, NEXT] = first
    link_lists[i, PREVIOUS] = -1
    if first >= 0:
        link_lists[first, PREVIOUS] = i
    clusters[cluster, FIRST] = i
    clusters[cluster, SIZE] += 1
    clusters[cluster, TOTAL] += tokens


@inlined
def _leave(i, cluster, tokens, seating):  # type: ignore[no-untyped-def]
    link_lists, clusters = seating.link_lists, seating.clusters
    previous, following = link_lists[i, PREVIOUS], link_lists[i, NEXT]
    if previous >= 0:
        link_lists[previous, NEXT] = following
    else:
        clusters[cluster, FIRST] = following
    if following >= 0:
        link_lists[following, PREVIOUS] = previous
    clusters[cluster, SIZE] -= 1
    clusters[cluster, TOTAL] -= tokens


@inlined
def _cut_off(i, label, link_lists, scratch):  # type: ignore[no-untyped-def]
    """List and label S, a tree now that the link of i is cut; return its size."""
    own = len(label)
    scratch[STACK, 0] = i
    label[i] = own
    members, at = 1, 0
    while at < members:
        child = link_lists[scratch[STACK, at], HEAD]
        at += 1
        while child >= 0:
            label[child] = own
            scratch[STACK, members] = child
            members += 1
            child = link_lists[child, AFTER]
    return members


@kernel
def _cut_off_held(i, label, link_lists, scratch, constraints):  # type: ignore[no-untyped-def]
    """List and label S where must-links hold customers together; return its size."""
    own = len(label)
    scratch[STACK, 0] = i
    label[i] = own
    members, at = 1, 0
    while at < members:
        customer = scratch[STACK, at]
        at += 1
        near = link_lists[customer, HEAD]
        while near >= 0:
            members = _include(near, members, label, scratch)
            near = link_lists[near, AFTER]
        if customer != i:
            members = _include(link_lists[customer, LINK], members, label, scratch)
        for k in range(constraints.must_starts[customer], constraints.must_starts[customer + 1]):
            members = _include(constraints.must[k], members, label, scratch)
    return members


@inlined
def _include(customer, members, label, scratch):  # type: ignore[no-untyped-def]
    if label[customer] != len(label):
        label[customer] = len(label)
        scratch[STACK, members] = customer
        members += 1
    return members


@kernel
def _forbid(members, constraints, label, slot, scratch, option_weights):  # type: ignore[no-untyped-def]
    """Rule out the clusters that hold a cannot-linked customer of a member of S."""
    for k in range(members):
        customer = scratch[STACK, k]
        for at in range(constraints.cannot_starts[customer], constraints.cannot_starts[customer + 1]):
            place = slot[label[constraints.cannot[at]]]
            if place >= 0:
                option_weights[CHANGE, place] = -np.inf


@inlined
def _gathered(begin, end, links, label, slot, scratch, option_weights):  # type: ignore[no-untyped-def]
    """Add the weights of the candidates up by cluster; return the number of clusters."""
    targets, weights = links.targets, links.weights
    options = 0
    for entry in range(begin, end):
        cluster = label[targets[entry]]
        place = slot[cluster]
        if place < 0:
            slot[cluster] = options
            scratch[CLUSTER, options] = cluster
            option_weights[MASS, options] = weights[entry]
            place = options
            options += 1
        else:
            option_weights[MASS, place] += weights[entry]
        scratch[PLACE, entry - begin] = place
    return options


@inlined
def _words_of_s(members, words, in_s, scratch):  # type: ignore[no-untyped-def]
    """Count the words of S; return how many differ, and how many there are."""
    distinct, total = 0, 0
    for k in range(members):
        customer = scratch[STACK, k]
        for cell in range(words.starts[customer], words.starts[customer + 1]):
            word = words.words[cell]
            if in_s[word] == 0:
                scratch[DISTINCT, distinct] = word
                distinct += 1
            in_s[word] += words.counts[cell]
            total += words.counts[cell]
    return distinct, total


@inlined
def _merge_change(cluster, left_behind, distinct, total, words, seating):  # type: ignore[no-untyped-def]
    """Return the change of log p(x | z) when S joins a cluster, or the rest of the one it was cut from."""
    of_word, of_total, clusters, in_s = words.of_word, words.of_total, seating.clusters, seating.in_s
    theirs = clusters[cluster, TOTAL] - (total if left_behind else 0)
    change = of_total[total] + of_total[theirs] - of_total[total + theirs]
    base, sieve = cluster * len(in_s), clusters[cluster, WORDS]
    for k in range(distinct):
        word = seating.scratch[DISTINCT, k]
        if (sieve >> (word & 31)) & 1 == 0:
            continue
        ours = in_s[word]
        other = count_of(seating.cells, base + word) - (ours if left_behind else 0)
        if other > 0:
            change += of_word[ours + other] - of_word[ours] - of_word[other]
    return change


@inlined
def _chosen(options, point, option_weights):  # type: ignore[no-untyped-def]
    """Return the option that a point in [0, 1) falls on, and where in its prior weight."""
    largest = option_weights[CHANGE, 0]
    for k in range(1, options):
        largest = max(largest, option_weights[CHANGE, k])
    total = 0.0
    for k in range(options):
        option_weights[TILTED, k] = option_weights[MASS, k] * math.exp(option_weights[CHANGE, k] - largest)
        total += option_weights[TILTED, k]
    left = point * total
    chosen = 0
    while chosen < options - 1 and left >= option_weights[TILTED, chosen]:
        left -= option_weights[TILTED, chosen]
        chosen += 1
    while option_weights[CHANGE, chosen] == -np.inf:  # rounding led beyond the last option that is possible
        chosen -= 1
    tilted = option_weights[TILTED, chosen]
    share = left / tilted if tilted > 0.0 else 0.0
    return chosen, share * option_weights[MASS, chosen]


@inlined
def _picked(begin, end, chosen, left, links, scratch):  # type: ignore[no-untyped-def]
    """Return the entry of the chosen option that lies `left` along its weights; rounding never leads beyond it."""
    picked = begin
    for entry in range(begin, end):
        if scratch[PLACE, entry - begin] == chosen:
            picked = entry
            if left < links.weights[entry]:
                break
            left -= links.weights[entry]
    return picked


@kernel
def _move(home, goal, parted, members, distinct, words, seating):  # type: ignore[no-untyped-def]
    """Bring labels and counts up to date: S leaves its cluster, or two clusters become one."""
    label, clusters, unused, counters = seating.label, seating.clusters, seating.unused, seating.counters
    scratch, cells, in_s = seating.scratch, seating.cells, seating.in_s
    width = len(in_s)
    if goal == len(label):
        counters[FREE] -= 1
        counters[CLUSTERS] += 1
        goal = unused[counters[FREE]]
        if 2 * members > clusters[home, SIZE]:
            _pour(home, goal, words, seating)
            goal = home
    elif not parted:
        counters[FREE] += 1
        counters[CLUSTERS] -= 1
        unused[counters[FREE] - 1] = home
        if members > clusters[goal, SIZE]:
            unused[counters[FREE] - 1] = goal
            _pour(goal, home, words, seating)
            goal = home
    if goal == home:
        for k in range(members):
            label[scratch[STACK, k]] = home
        return
    for k in range(distinct):
        word = scratch[DISTINCT, k]
        remove(cells, home * width + word, in_s[word])
        add(cells, goal * width + word, in_s[word])
        clusters[goal, WORDS] |= 1 << (word & 31)
    for k in range(members):
        customer = scratch[STACK, k]
        tokens = 0
        for cell in range(words.starts[customer], words.starts[customer + 1]):
            tokens += words.counts[cell]
        _leave(customer, home, tokens, seating)
        _join(customer, goal, tokens, seating)


@kernel
def _pour(source, goal, words, seating):  # type: ignore[no-untyped-def]
    """Move the members of a cluster that are not in S."""
    cells, width = seating.cells, len(seating.in_s)
    customer = seating.clusters[source, FIRST]
    while customer >= 0:
        following = seating.link_lists[customer, NEXT]
        if seating.label[customer] == source:
            tokens = 0
            for cell in range(words.starts[customer], words.starts[customer + 1]):
                word, count = words.words[cell], words.counts[cell]
                remove(cells, source * width + word, count)
                add(cells, goal * width + word, count)
                seating.clusters[goal, WORDS] |= 1 << (word & 31)
                tokens += count
            _leave(customer, source, tokens, seating)
            _join(customer, goal, tokens, seating)
        customer = following
