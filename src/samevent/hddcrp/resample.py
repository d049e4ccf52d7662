"""The fast update of one link, compiled; both samplers are made of it.

Cutting the link of customer i leaves S, the customers whose links lead to i. One pass over i's candidates adds
their weights up by cluster, one merge change for each distinct cluster tilts the sums, and one random number
picks the cluster and the link in it. Counts move only when the partition changes, on the smaller side. Whole
clusters are never walked but for the link that closes their cycle, and nothing is allocated.
"""

from __future__ import annotations

import math

from samevent.hddcrp.kernels import add, count_of, kernel, remove, uniform

LINK, HEAD, AFTER, BEFORE, NEXT, PREVIOUS = range(6)
"""Columns of `who`: the customer linked to; the first customer that links here; those that link to the same customer
after and before this one; the members of the same cluster after and before this one."""
SIZE, TOTAL, FIRST, WORDS = range(4)
"""Columns of `clusters`: members, their words, the first of them, and a bit set, by word modulo 32, for every word
that there is and perhaps for some that have left: most clusters share no word with S, and need not be asked."""
CLUSTERS, FREE, CHANGES = range(3)
"""Entries of `tally`: clusters, unused cluster numbers, updates that changed the partition."""
LIKELIHOOD, PRIOR = range(2)
"""Entries of `heights`: log p(x | z) and the log prior of the links that count."""
CLUSTER, DISTINCT, STACK = range(3)
"""Rows of `notes`: the clusters being weighed, the words of S, the members of S."""
MASS, CHANGE, TILTED = range(3)
"""Rows of `scales`: prior weight, merge change and posterior weight of the clusters being weighed."""


@kernel
def resample(  # type: ignore[no-untyped-def]
    i, begin, end, targets, weights, starts, words, counts, of_word, of_total,
    label, slot, who, clusters, cells, unused, in_s, notes, scales, tally, heights, random,
):  # fmt: skip
    """Draw the link of customer `i` among the entries from `begin` to before `end`; return the entry.

    `starts, words, counts` are the words of the customers; `cells` counts them by cluster, `in_s` in S. `slot` is
    the place of a cluster among those being weighed, or -1. `unused` is a stack of cluster numbers. As long as S
    is cut off, its label is the number of customers, which no cluster has.
    """
    home, own = label[i], len(label)
    old = who[i, LINK]
    unlink(who, i)
    members = _cut_off(i, label, who, notes)
    parted = label[old] != own
    options = _gathered(begin, end, targets, weights, label, slot, notes, scales)
    distinct = 0
    scales[CHANGE, 0] = 0.0
    if options > 1:
        distinct, total = _words_of_s(members, starts, words, counts, in_s, notes)
        for k in range(options):
            cluster = notes[CLUSTER, k]
            scales[CHANGE, k] = 0.0
            if cluster != own:
                scales[CHANGE, k] = _merge_change(
                    cluster, cluster == home, distinct, total, of_word, of_total, clusters, cells, in_s, notes
                )
    chosen, left = _chosen(options, uniform(random), scales)
    heights[LIKELIHOOD] += scales[CHANGE, chosen] - scales[CHANGE, slot[home if parted else own]]
    picked = _picked(begin, end, chosen, left, targets, weights, label, slot)

    goal = notes[CLUSTER, chosen]
    for k in range(options):
        slot[notes[CLUSTER, k]] = -1
    if goal == (home if parted else own):
        for k in range(members):
            label[notes[STACK, k]] = home
    else:
        tally[CHANGES] += 1
        _move(
            home, goal, parted, members, distinct, starts, words, counts,
            label, who, clusters, cells, unused, in_s, notes, tally,
        )  # fmt: skip
    for k in range(distinct):
        in_s[notes[DISTINCT, k]] = 0
    link(who, i, targets[picked])
    return picked


@kernel
def mark_words(starts, words, label, clusters):  # type: ignore[no-untyped-def]
    """Set the bits of the words that clusters have, and no others; once a sweep is often enough."""
    for cluster in range(len(clusters)):
        clusters[cluster, WORDS] = 0
    for i in range(len(label)):
        for cell in range(starts[i], starts[i + 1]):
            clusters[label[i], WORDS] |= 1 << (words[cell] & 31)


@kernel
def link(who, i, target):  # type: ignore[no-untyped-def]
    """Let `i` link to `target`; links to oneself stand in no list."""
    who[i, LINK] = target
    if target != i:
        first = who[target, HEAD]
        who[i, AFTER] = first
        who[i, BEFORE] = -1
        who[target, HEAD] = i
        if first >= 0:
            who[first, BEFORE] = i


@kernel
def unlink(who, i):  # type: ignore[no-untyped-def]
    """Take `i` off the list of those that link to its target."""
    target = who[i, LINK]
    if target != i:
        before, after = who[i, BEFORE], who[i, AFTER]
        if before >= 0:
            who[before, AFTER] = after
        else:
            who[target, HEAD] = after
        if after >= 0:
            who[after, BEFORE] = before


@kernel
def join(i, cluster, tokens, label, who, clusters):  # type: ignore[no-untyped-def]
    """Make `i`, with so many words, a member of a cluster."""
    first = clusters[cluster, FIRST]
    label[i] = cluster
    who[i, NEXT] = first
    who[i, PREVIOUS] = -1
    if first >= 0:
        who[first, PREVIOUS] = i
    clusters[cluster, FIRST] = i
    clusters[cluster, SIZE] += 1
    clusters[cluster, TOTAL] += tokens


@kernel
def _leave(i, cluster, tokens, who, clusters):  # type: ignore[no-untyped-def]
    previous, following = who[i, PREVIOUS], who[i, NEXT]
    if previous >= 0:
        who[previous, NEXT] = following
    else:
        clusters[cluster, FIRST] = following
    if following >= 0:
        who[following, PREVIOUS] = previous
    clusters[cluster, SIZE] -= 1
    clusters[cluster, TOTAL] -= tokens


@kernel
def _cut_off(i, label, who, notes):  # type: ignore[no-untyped-def]
    """List and label S, a tree now that the link of i is cut; return its size."""
    own = len(label)
    notes[STACK, 0] = i
    label[i] = own
    members, at = 1, 0
    while at < members:
        child = who[notes[STACK, at], HEAD]
        at += 1
        while child >= 0:
            label[child] = own
            notes[STACK, members] = child
            members += 1
            child = who[child, AFTER]
    return members


@kernel
def _gathered(begin, end, targets, weights, label, slot, notes, scales):  # type: ignore[no-untyped-def]
    """Add the weights of the candidates up by cluster; return the number of clusters."""
    options = 0
    for entry in range(begin, end):
        cluster = label[targets[entry]]
        place = slot[cluster]
        if place < 0:
            slot[cluster] = options
            notes[CLUSTER, options] = cluster
            scales[MASS, options] = weights[entry]
            options += 1
        else:
            scales[MASS, place] += weights[entry]
    return options


@kernel
def _words_of_s(members, starts, words, counts, in_s, notes):  # type: ignore[no-untyped-def]
    """Count the words of S; return how many differ, and how many there are."""
    distinct, total = 0, 0
    for k in range(members):
        customer = notes[STACK, k]
        for cell in range(starts[customer], starts[customer + 1]):
            word = words[cell]
            if in_s[word] == 0:
                notes[DISTINCT, distinct] = word
                distinct += 1
            in_s[word] += counts[cell]
            total += counts[cell]
    return distinct, total


@kernel
def _merge_change(  # type: ignore[no-untyped-def]
    cluster, left_behind, distinct, total, of_word, of_total, clusters, cells, in_s, notes
):
    """Return the change of log p(x | z) when S joins a cluster, or the rest of the one it was cut from."""
    theirs = clusters[cluster, TOTAL] - (total if left_behind else 0)
    change = of_total[total] + of_total[theirs] - of_total[total + theirs]
    base, sieve = cluster * len(in_s), clusters[cluster, WORDS]
    for k in range(distinct):
        word = notes[DISTINCT, k]
        if (sieve >> (word & 31)) & 1 == 0:
            continue
        ours = in_s[word]
        other = count_of(cells, base + word) - (ours if left_behind else 0)
        if other > 0:
            change += of_word[ours + other] - of_word[ours] - of_word[other]
    return change


@kernel
def _chosen(options, point, scales):  # type: ignore[no-untyped-def]
    """Return the option that a point in [0, 1) falls on, and where in its prior weight."""
    largest = scales[CHANGE, 0]
    for k in range(1, options):
        largest = max(largest, scales[CHANGE, k])
    total = 0.0
    for k in range(options):
        scales[TILTED, k] = scales[MASS, k] * math.exp(scales[CHANGE, k] - largest)
        total += scales[TILTED, k]
    left = point * total
    chosen = 0
    while chosen < options - 1 and left >= scales[TILTED, chosen]:
        left -= scales[TILTED, chosen]
        chosen += 1
    share = left / scales[TILTED, chosen] if scales[TILTED, chosen] > 0.0 else 0.0
    return chosen, share * scales[MASS, chosen]


@kernel
def _picked(begin, end, chosen, left, targets, weights, label, slot):  # type: ignore[no-untyped-def]
    """Return the entry of the chosen option that lies `left` along its weights; rounding never leads beyond it."""
    picked = begin
    for entry in range(begin, end):
        if slot[label[targets[entry]]] == chosen:
            picked = entry
            if left < weights[entry]:
                break
            left -= weights[entry]
    return picked


@kernel
def _move(  # type: ignore[no-untyped-def]
    home, goal, parted, members, distinct, starts, words, counts,
    label, who, clusters, cells, unused, in_s, notes, tally,
):  # fmt: skip
    """Bring labels and counts up to date: S leaves its cluster, or two clusters become one."""
    width = len(in_s)
    if goal == len(label):
        tally[FREE] -= 1
        tally[CLUSTERS] += 1
        goal = unused[tally[FREE]]
        if 2 * members > clusters[home, SIZE]:
            _pour(home, goal, width, starts, words, counts, label, who, clusters, cells)
            goal = home
    elif not parted:
        tally[FREE] += 1
        tally[CLUSTERS] -= 1
        unused[tally[FREE] - 1] = home
        if members > clusters[goal, SIZE]:
            unused[tally[FREE] - 1] = goal
            _pour(goal, home, width, starts, words, counts, label, who, clusters, cells)
            goal = home
    if goal == home:
        for k in range(members):
            label[notes[STACK, k]] = home
        return
    for k in range(distinct):
        word = notes[DISTINCT, k]
        remove(cells, home * width + word, in_s[word])
        add(cells, goal * width + word, in_s[word])
        clusters[goal, WORDS] |= 1 << (word & 31)
    for k in range(members):
        customer = notes[STACK, k]
        tokens = 0
        for cell in range(starts[customer], starts[customer + 1]):
            tokens += counts[cell]
        _leave(customer, home, tokens, who, clusters)
        join(customer, goal, tokens, label, who, clusters)


@kernel
def _pour(source, goal, width, starts, words, counts, label, who, clusters, cells):  # type: ignore[no-untyped-def]
    """Move the members of a cluster that are not in S."""
    customer = clusters[source, FIRST]
    while customer >= 0:
        following = who[customer, NEXT]
        if label[customer] == source:
            tokens = 0
            for cell in range(starts[customer], starts[customer + 1]):
                remove(cells, source * width + words[cell], counts[cell])
                add(cells, goal * width + words[cell], counts[cell])
                clusters[goal, WORDS] |= 1 << (words[cell] & 31)
                tokens += counts[cell]
            _leave(customer, source, tokens, who, clusters)
            join(customer, goal, tokens, label, who, clusters)
        customer = following
