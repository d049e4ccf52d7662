"""The samplers and the exact posterior in plain Python, slow and obvious.

They state what the compiled kernels must do, draw for draw and bit for bit, and they serve where a problem is too
small to wait for a compiler. Links are entries of their rows, as everywhere.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, product

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.components import Block
from samevent.hddcrp.likelihood import Logs, log_likelihood, merge_change
from samevent.hddcrp.problem import Floats, Integers, Rows
from samevent.hddcrp.randoms import RandomState, uniform
from samevent.hddcrp.weights import Choices, active, log_prior

NEGLIGIBLE = 2.0**-80
"""A way to link that is so much less probable than the best one adds nothing to a probability."""


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """The posterior of a block: P(same cluster) of the candidate pairs, the partition of the best links, draws.

    `log_evidence` is the log probability of the words and of links that satisfy the constraints.
    """

    log_evidence: float
    together: Floats
    best_labels: Integers
    best_log_joint: float
    draws: Integers


def clusters_of(targets: Sequence[int], must_link: Iterable[Sequence[int]] = ()) -> list[int]:
    """Return the clusters that links and must-links make, numbered by their first customers.

    >>> clusters_of([0, 1, 0, 1])
    [0, 1, 0, 1]
    >>> clusters_of([0, 1, 0, 3], must_link=[(2, 3)])
    [0, 1, 0, 0]
    """
    root = list(range(len(targets)))

    def top(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    for i, target in (*enumerate(targets), *must_link):
        root[max(top(i), top(target))] = min(top(i), top(target))
    numbers: dict[int, int] = {}
    return [numbers.setdefault(top(i), len(numbers)) for i in range(len(targets))]


def log_joint(block: Block, choices: Choices, logs: Logs) -> float:
    """Return log p(links, words), inactive table links integrated out."""
    labels = np.array(clusters_of(active(block.links, choices).tolist(), block.must_link.tolist()), np.int64)
    return log_prior(block.links, choices) + log_likelihood(block.words, labels, logs)


def sweep(block: Block, choices: Choices, logs: Logs, random: RandomState) -> int:
    """Resample every link in turn, given all others; return how often the partition changed.

    With two kinds of links, customer links come first.
    """
    changes = 0
    if len(block.links) == 1:
        for i in range(len(block)):
            options = _row(block.links[0], i)
            changes += _draw(block, choices, 0, i, options, logs, random)
        return changes
    customer, table = block.links
    for i in range(len(block)):
        options = _row(customer, i)
        # Sitting alone brings the stored table link to life: that option joins the cluster it leads to.
        options[0] = int(table.columns[choices[1][i]]), options[0][1]
        changes += _draw(block, choices, 0, i, options, logs, random)
    for i in range(len(block)):
        options = _row(table, i)
        if choices[0][i] == customer.starts[i]:
            changes += _draw(block, choices, 1, i, options, logs, random)
        else:
            choices[1][i] = table.starts[i] + _picked([weight for _, weight in options], uniform(random))
    return changes


def independent_sweep(block: Block, choices: Choices, random: RandomState) -> int:
    """Draw every link from its row, where links are independent; return how many differ from those before."""
    (rows,), changes = block.links, 0
    for i in range(len(block)):
        reached = list(accumulate(weight for _, weight in _row(rows, i)))
        step = min(bisect_right(reached, uniform(random) * reached[-1]), len(reached) - 1)
        changes += int(choices[0][i] != rows.starts[i] + step)
        choices[0][i] = rows.starts[i] + step
    return changes


def prior_draw(rows: Rows, random: RandomState) -> NDArray[np.int64]:
    """Draw every link from its row, whatever the words are."""
    steps = [_picked([weight for _, weight in _row(rows, i)], uniform(random)) for i in range(len(rows))]
    return rows.starts[:-1] + np.array(steps, np.int64)


def _row(rows: Rows, i: int) -> list[tuple[int, float]]:
    """Return the targets and weights of one customer's link."""
    row = slice(rows.starts[i], rows.starts[i + 1])
    return list(zip(rows.columns[row].tolist(), rows.values[row].tolist(), strict=True))


def _draw(
    block: Block, choices: Choices, kind: int, i: int, options: list[tuple[int, float]], logs: Logs,
    random: RandomState,
) -> bool:  # fmt: skip
    """Draw the link of `i` that counts, of this kind, among options; return whether the partition changed."""
    targets, must_link = active(block.links, choices).tolist(), block.must_link.tolist()
    before = clusters_of(targets, must_link)
    targets[i] = i
    label = clusters_of(targets, must_link)
    cannot_link = [(label[j], label[k]) for j, k in block.cannot_link.tolist()]
    forbidden = {b for pair in cannot_link for a, b in (pair, pair[::-1]) if a == label[i]}
    weights: dict[int, float] = {}
    for target, weight in options:
        weights[label[target]] = weights.get(label[target], 0.0) + weight
    cut_off = _counts(block, label, label[i])
    changes = {
        cluster: 0.0 if cluster == label[i] else merge_change(cut_off, _counts(block, label, cluster), logs)
        for cluster in weights
    }
    changes |= dict.fromkeys(forbidden & changes.keys(), -math.inf)
    largest = max(changes.values())
    tilted = [weight * math.exp(changes[cluster] - largest) for cluster, weight in weights.items()]
    total = 0.0
    for weight in tilted:
        total += weight
    left = uniform(random) * total
    chosen = 0
    while chosen < len(tilted) - 1 and left >= tilted[chosen]:
        left -= tilted[chosen]
        chosen += 1
    while list(weights)[chosen] in forbidden:  # rounding led beyond the last option that is possible
        chosen -= 1
    cluster = list(weights)[chosen]
    inside = [k for k, (target, _) in enumerate(options) if label[target] == cluster]
    share = left / tilted[chosen] if tilted[chosen] > 0 else 0.0
    drawn = inside[_picked([options[k][1] for k in inside], share * weights[cluster])]
    choices[kind][i] = block.links[kind].starts[i] + drawn
    targets[i] = options[drawn][0]
    return clusters_of(targets, must_link) != before


def _picked(weights: list[float], left: float) -> int:
    """Return where a point that lies `left` along the weights falls; rounding never leads beyond the last."""
    for k, weight in enumerate(weights):
        if left < weight:
            return k
        left -= weight
    return len(weights) - 1


def _counts(block: Block, label: Sequence[int], cluster: int) -> dict[int, int]:
    words = block.words
    counts: Counter[int] = Counter()
    for i, own in enumerate(label):
        if own == cluster:
            row = slice(words.starts[i], words.starts[i + 1])
            counts.update(dict(zip(words.columns[row].tolist(), words.values[row].tolist(), strict=True)))
    return counts


def exact(block: Block, logs: Logs, points: Floats) -> Exact:
    """Return the posterior of a block with one link per customer, by enumerating all ways to link.

    The last customer's link changes fastest. Ways that join a cannot-linked pair are impossible. `points` in [0, 1)
    each pick a partition drawn from the posterior.
    """
    rows = block.links[0]
    ranges = [range(rows.starts[i], rows.starts[i + 1]) for i in range(len(block))]
    ways = [np.array(choice, np.int64) for choice in product(*ranges)]
    labels = [clusters_of(active(block.links, (way,)).tolist(), block.must_link.tolist()) for way in ways]
    heights = [
        -math.inf
        if any(label[i] == label[j] for i, j in block.cannot_link)
        else log_joint(block, (way,), logs)
        for way, label in zip(ways, labels, strict=True)
    ]
    best = max(range(len(ways)), key=heights.__getitem__)
    masses = [math.exp(height - heights[best]) for height in heights]
    reached, total = [], 0.0
    for mass in masses:
        total += mass
        reached.append(total)
    together = np.zeros(len(block.left))
    for label, mass in zip(labels, masses, strict=True):
        if mass > NEGLIGIBLE:
            together += [mass * (label[i] == label[j]) for i, j in zip(block.left, block.right, strict=True)]
    last = len(ways) - 1
    drawn = [labels[min(bisect_right(reached, point * total), last)] for point in points.tolist()]
    return Exact(
        heights[best] + math.log(total),
        together / total,
        np.array(labels[best], np.int32),
        heights[best],
        np.array(drawn, np.int32).reshape(len(points), len(block)),
    )
