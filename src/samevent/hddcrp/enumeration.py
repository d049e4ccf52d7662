"""The exact posterior of a small block: enumerate all ways to link, compiled.

`reference.exact` does the same in plain Python, bit for bit.
"""

from __future__ import annotations

import math

import numpy as np

from samevent.hddcrp.components import Block
from samevent.hddcrp.kernels import add, count_of, kernel, new_cells, remove
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Floats
from samevent.hddcrp.reference import NEGLIGIBLE, Exact


def exact(block: Block, logs: Logs, points: Floats) -> Exact:
    """Return the posterior of a block with one link per customer; `points` in [0, 1) pick draws from it."""
    (links,), words, count = block.links, block.words, len(block)
    ways = math.prod(np.diff(links.starts).tolist())
    heights, reached = np.empty(ways), np.empty(ways)
    together = np.zeros(len(block.left))
    best_labels = np.zeros(count, np.int32)
    draws = np.zeros((len(points), count), np.int32)
    best = _enumerate(
        (links.starts, links.columns, links.logs, block.must_link, block.cannot_link),
        (words.starts, words.columns, words.values, logs.word, logs.total),
        (block.left, block.right, together),
        (links.starts[:-1].copy(), *np.zeros((2, count), np.int32)),
        (np.zeros(count, np.int64), new_cells(len(words.columns)), int(words.columns.max(initial=-1)) + 1),
        heights, reached, points, draws, best_labels,
    )  # fmt: skip
    return Exact(
        float(heights[best] + math.log(reached[-1])),
        together / reached[-1],
        best_labels,
        float(heights[best]),
        draws,
    )


@kernel
def _enumerate(links, words, pairs, state, scratch, heights, reached, points, draws, best_labels):  # type: ignore[no-untyped-def]
    """Fill the arrays from `heights` on, and `together` of the pairs; return the number of the best way to link."""
    starts, targets, logs, must_link, cannot_link = links
    left, right, together = pairs
    choice, root, label = state
    ways = len(heights)
    best = 0
    for way in range(ways):
        clusters = _label(choice, targets, must_link, root, label)
        if _allowed(label, cannot_link):
            height = 0.0
            for i in range(len(choice)):
                height += logs[choice[i]]
            heights[way] = height + _log_likelihood(clusters, label, words, scratch)
        else:
            heights[way] = -np.inf
        if heights[way] > heights[best]:
            best = way
        _next(choice, starts)
    total = 0.0
    for way in range(ways):
        mass = math.exp(heights[way] - heights[best])
        total += mass
        reached[way] = total
        if mass > NEGLIGIBLE:
            _label(choice, targets, must_link, root, label)
            for pair in range(len(left)):
                if label[left[pair]] == label[right[pair]]:
                    together[pair] += mass
        _next(choice, starts)
    for draw in range(len(points)):
        _go_to(_first_above(reached, points[draw] * total), choice, starts)
        _label(choice, targets, must_link, root, label)
        for i in range(len(label)):
            draws[draw, i] = label[i]
    _go_to(best, choice, starts)
    _label(choice, targets, must_link, root, best_labels)
    return best


@kernel
def _allowed(label, cannot_link):  # type: ignore[no-untyped-def]
    """Return whether no cannot-linked pair shares a cluster."""
    for pair in range(len(cannot_link)):  # noqa: SIM110  a generator cannot be compiled
        if label[cannot_link[pair, 0]] == label[cannot_link[pair, 1]]:
            return False
    return True


@kernel
def _next(choice, starts):  # type: ignore[no-untyped-def]
    """Advance to the next way to link; the first follows the last."""
    for i in range(len(choice) - 1, -1, -1):
        choice[i] += 1
        if choice[i] < starts[i + 1]:
            return
        choice[i] = starts[i]


@kernel
def _go_to(way, choice, starts):  # type: ignore[no-untyped-def]
    for i in range(len(choice) - 1, -1, -1):
        options = starts[i + 1] - starts[i]
        choice[i] = starts[i] + way % options
        way //= options


@kernel
def _label(choice, targets, must_link, root, label):  # type: ignore[no-untyped-def]
    """Number the clusters that links and must-links make by their first customers; return how many there are."""
    for i in range(len(choice)):
        root[i] = i
    for i in range(len(choice)):
        _join(root, i, targets[choice[i]])
    for pair in range(len(must_link)):
        _join(root, must_link[pair, 0], must_link[pair, 1])
    clusters = 0
    for i in range(len(choice)):
        if root[i] == i:
            label[i] = clusters
            clusters += 1
        else:
            label[i] = label[root[i]]
    return clusters


@kernel
def _join(root, a, b):  # type: ignore[no-untyped-def]
    while root[a] != a:
        a = root[a]
    while root[b] != b:
        b = root[b]
    root[max(a, b)] = min(a, b)


@kernel
def _log_likelihood(clusters, label, words_of, scratch):  # type: ignore[no-untyped-def]
    starts, words, counts, of_word, of_total = words_of
    totals, cells, width = scratch
    total = 0.0
    for cluster in range(clusters):
        totals[cluster] = 0
    for i in range(len(label)):
        for cell in range(starts[i], starts[i + 1]):
            key = label[i] * width + words[cell]
            before = count_of(cells, key)
            total += of_word[before + counts[cell]] - of_word[before]
            add(cells, key, counts[cell])
            totals[label[i]] += counts[cell]
    for i in range(len(label)):
        for cell in range(starts[i], starts[i + 1]):
            remove(cells, label[i] * width + words[cell], counts[cell])
    for cluster in range(clusters):
        total -= of_total[totals[cluster]]
    return total


@kernel
def _first_above(reached, point):  # type: ignore[no-untyped-def]
    low, high = 0, len(reached) - 1
    while low < high:
        middle = (low + high) // 2
        if reached[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low
