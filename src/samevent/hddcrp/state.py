"""What a chain carries (`State`) and what it tells (`Info`).

Links and random numbers are all that has to be saved: labels, counts and sums follow from the links, and no draw
depends on how clusters happen to be numbered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import SameventError
from samevent.hddcrp.components import Block
from samevent.hddcrp.kernels import add, kernel, new_cells
from samevent.hddcrp.likelihood import Logs, log_likelihood
from samevent.hddcrp.problem import Integers
from samevent.hddcrp.randoms import RandomState
from samevent.hddcrp.reference import clusters_of
from samevent.hddcrp.resample import CHANGES, CLUSTERS, FIRST, FREE, LIKELIHOOD, PRIOR, TOTAL, join, link
from samevent.hddcrp.weights import Choices, active, log_prior
from samevent.partitions.labels import canonical


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Links as entries of their rows, the random state, and the arrays of `resample`, all changed in place."""

    choices: Choices
    random: RandomState
    label: Integers
    slot: Integers
    who: Integers
    clusters: Integers
    cells: NDArray[np.int64]
    unused: Integers
    in_s: Integers
    notes: Integers
    scales: NDArray[np.float64]
    tally: NDArray[np.int64]
    heights: NDArray[np.float64]

    @property
    def labels(self) -> Integers:
        """The cluster of each customer, numbered by first customers."""
        return canonical(self.label).astype(np.int32)

    @property
    def work(self) -> tuple[NDArray[Any], ...]:
        """The arrays in the order in which kernels take them."""
        return (
            self.label, self.slot, self.who, self.clusters, self.cells, self.unused, self.in_s, self.notes,
            self.scales, self.tally, self.heights, self.random,
        )  # fmt: skip


def init(block: Block, choices: Choices, random: RandomState, logs: Logs) -> State:
    """Settle a chain on links; `choices` and `random` become part of it."""
    count, width = len(block), int(block.words.columns.max(initial=-1)) + 1
    state = State(
        choices,
        random,
        label=np.full(count, -1, np.int32),
        slot=np.full(count + 1, -1, np.int32),
        who=np.full((count, 6), -1, np.int32),
        clusters=np.zeros((count, 4), np.int32),
        cells=new_cells(len(block.words.columns)),
        unused=np.zeros(count, np.int32),
        in_s=np.zeros(width, np.int32),
        notes=np.zeros((3, max(count, width)), np.int32),
        scales=np.zeros((3, count)),
        tally=np.zeros(3, np.int64),
        heights=np.zeros(2),
    )
    words = block.words
    _settle(
        active(block.links, choices), words.starts, words.columns, words.values, width,
        state.label, state.who, state.clusters, state.cells, state.unused, state.notes[0], state.tally,
    )  # fmt: skip
    state.heights[PRIOR] = log_prior(block.links, choices)
    state.heights[LIKELIHOOD] = log_likelihood(words, state.label, logs)
    return state


def check(block: Block, state: State, logs: Logs) -> None:
    """Compare everything that is kept up to date with what follows from the links; they must be equal."""
    words, labels = block.words, np.array(clusters_of(active(block.links, state.choices).tolist()), np.int64)
    keys, cell = np.unique(
        state.label[words.rows].astype(np.int64) * len(state.in_s) + words.columns, return_inverse=True
    )
    used = np.flatnonzero(state.cells[::2] >= 0)
    used = used[np.argsort(state.cells[::2][used])]
    pairs = {
        "labels": (state.labels, labels),
        "number of clusters": (state.tally[CLUSTERS], labels.max(initial=-1) + 1),
        "log prior": (state.heights[PRIOR], log_prior(block.links, state.choices)),
        "log likelihood": (state.heights[LIKELIHOOD], log_likelihood(words, labels, logs)),
        "cells": (state.cells[::2][used], keys),
        "word counts": (state.cells[1::2][used], np.bincount(cell, words.values, len(keys))),
        "words of clusters": (
            state.clusters[state.label, TOTAL],
            np.bincount(labels[words.rows], words.values, len(labels))[labels],
        ),
    }
    for name, (kept, fresh) in pairs.items():
        if not np.array_equal(kept, fresh):
            raise SameventError(
                f"the sampler's {name} drifted away from its links", hint="please report this"
            )


@kernel
def note(  # type: ignore[no-untyped-def]
    at, every, left, right, label, tally, heights, log_joint, clusters, changes, together, samples, best, best_labels
):  # fmt: skip
    """Write down what sweep number `at` led to."""
    height = heights[PRIOR] + heights[LIKELIHOOD]
    log_joint[at] = height
    clusters[at] = tally[CLUSTERS]
    changes[at] = tally[CHANGES]
    tally[CHANGES] = 0
    for pair in range(len(left)):
        together[pair] += label[left[pair]] == label[right[pair]]
    if (at + 1) % every == 0 and (at + 1) // every <= len(samples):
        for i in range(len(label)):
            samples[(at + 1) // every - 1, i] = label[i]
    if height > best[0]:
        best[0] = height
        for i in range(len(label)):
            best_labels[i] = label[i]


@kernel
def _settle(  # type: ignore[no-untyped-def]
    targets, starts, words, counts, width, label, who, clusters, cells, unused, path, tally
):
    """Fill the arrays, as `init` makes them, from the links."""
    count = len(label)
    for i in range(count):
        clusters[i, FIRST] = -1
        link(who, i, targets[i])
    found = 0
    for i in range(count):
        # Follow links until they come to a customer with a label, or back to the path itself: a new cluster.
        length, at = 0, i
        while label[at] == -1:
            label[at] = -2
            path[length] = at
            length += 1
            at = targets[at]
        cluster = label[at]
        if cluster == -2:
            cluster = found
            found += 1
        for k in range(length):
            customer = path[k]
            total = 0
            for cell in range(starts[customer], starts[customer + 1]):
                add(cells, cluster * width + words[cell], counts[cell])
                total += counts[cell]
            join(customer, cluster, total, label, who, clusters)
    tally[CLUSTERS] = found
    tally[FREE] = count - found
    for k in range(count - found):
        unused[k] = count - 1 - k
