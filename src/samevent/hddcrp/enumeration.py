"""The exact posterior of a small block: go through all ways to link, compiled.

`reference.exact` says the same in plain Python, bit for bit.
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
    """Return the posterior of a block with one link a customer; `points` in [0, 1) pick draws from it."""
    (links,), words, count = block.links, block.words, len(block)
    ways = math.prod(np.diff(links.starts).tolist())
    heights, reached = np.empty(ways), np.empty(ways)
    together = np.zeros(len(block.left))
    best_labels = np.zeros(count, np.int32)
    draws = np.zeros((len(points), count), np.int32)
    best = _enumerate(
        links.starts, links.columns, links.logs, words.starts, words.columns, words.values, logs.word, logs.total,
        block.left, block.right, links.starts[:-1].copy(), np.zeros(count, np.int32), np.zeros(count, np.int32),
        np.zeros(count, np.int64), new_cells(len(words.columns)), int(words.columns.max(initial=-1)) + 1,
        heights, reached, together, points, draws, best_labels,
    )  # fmt: skip
    return Exact(
        float(heights[best] + math.log(reached[-1])),
        together / reached[-1],
        best_labels,
        float(heights[best]),
        draws,
    )


@kernel
def _enumerate(  # type: ignore[no-untyped-def]
    starts, targets, logs, word_starts, words, counts, of_word, of_total, left, right,
    choice, root, label, totals, cells, width, heights, reached, together, points, draws, best_labels,
):  # fmt: skip
    """Fill the arrays from `heights` on; return the number of the best way to link."""
    ways = len(heights)
    best = 0
    for way in range(ways):
        height = 0.0
        for i in range(len(choice)):
            height += logs[choice[i]]
        clusters = _label(choice, targets, root, label)
        heights[way] = height + _log_likelihood(
            clusters, label, totals, word_starts, words, counts, of_word, of_total, cells, width
        )
        if heights[way] > heights[best]:
            best = way
        _next(choice, starts)
    total = 0.0
    for way in range(ways):
        mass = math.exp(heights[way] - heights[best])
        total += mass
        reached[way] = total
        if mass > NEGLIGIBLE:
            _label(choice, targets, root, label)
            for pair in range(len(left)):
                if label[left[pair]] == label[right[pair]]:
                    together[pair] += mass
        _next(choice, starts)
    for draw in range(len(points)):
        _go_to(_first_above(reached, points[draw] * total), choice, starts)
        _label(choice, targets, root, label)
        for i in range(len(label)):
            draws[draw, i] = label[i]
    _go_to(best, choice, starts)
    _label(choice, targets, root, best_labels)
    return best


@kernel
def _next(choice, starts):  # type: ignore[no-untyped-def]
    """Go on to the next way to link; after the last comes the first."""
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
def _label(choice, targets, root, label):  # type: ignore[no-untyped-def]
    """Number the clusters that links make by their first customers; return how many there are."""
    for i in range(len(choice)):
        root[i] = i
    for i in range(len(choice)):
        a, b = i, targets[choice[i]]
        while root[a] != a:
            a = root[a]
        while root[b] != b:
            b = root[b]
        root[max(a, b)] = min(a, b)
    clusters = 0
    for i in range(len(choice)):
        if root[i] == i:
            label[i] = clusters
            clusters += 1
        else:
            label[i] = label[root[i]]
    return clusters


@kernel
def _log_likelihood(  # type: ignore[no-untyped-def]
    clusters, label, totals, starts, words, counts, of_word, of_total, cells, width
):
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
