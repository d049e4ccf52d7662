"""The sampler for links that are independent: every sweep draws each of them from its row, whatever the others are.

That is so where the words do not count (a likelihood weight of 0) and no pair is kept apart. Then every sweep is a draw
from the posterior that depends on no other: there is nothing to burn in, and no cluster to keep up to date from one
link to the next. `reference.independent_sweep` is the same in plain Python and draws the same links.

The labels of some sweeps are kept side by side, so that pairs are compared in all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samevent.errors import SameventError
from samevent.hddcrp.chains import Info, clusters
from samevent.hddcrp.components import Block
from samevent.hddcrp.kernels import inlined, kernel, uniform
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Floats, Integers
from samevent.hddcrp.randoms import RandomState
from samevent.hddcrp.seating import LinkRows, Record
from samevent.hddcrp.weights import Choices

_TOGETHER = 16
"""So many sweeps are compared at once: the labels of a customer then fill one line of a cache."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Links as entries of their rows, with room to work; changed in place.

    `reached` adds up the weights of each row, `root` leads to an earlier customer of the same cluster, and `labels` has
    one column per sweep.
    """

    choices: Choices
    random: RandomState
    reached: Floats
    root: Integers
    labels: Integers

    def check(self, block: Block, logs: Logs) -> None:  # noqa: ARG002 -- as other samplers have it
        """Raise if labels differ from what follows from the links, after single sweeps."""
        if not np.array_equal(self.labels[:, 0], clusters(block, self.choices)):
            raise SameventError("the sampler's labels drifted away from its links", hint="please report this")


def init(block: Block, choices: Choices, random: RandomState, logs: Logs) -> State:  # noqa: ARG001 -- as above
    """Begin with these links; `choices` and `random` become part of the state."""
    reached = np.empty(len(block.links[0].columns))
    _add_up(LinkRows.of(block.links[0]), reached)
    labels = np.zeros((len(block), _TOGETHER), np.int32)
    return State(choices, random, reached, np.zeros(len(block), np.int32), labels)


def sweep(block: Block, state: State, info: Info, logs: Logs, *, sweeps: int = 1) -> None:  # noqa: ARG001 -- as above
    """Draw all links `sweeps` times, and record each sweep in `info`."""
    _sweeps(
        sweeps, info.done, info.every, LinkRows.of(block.links[0]), block.must_link, state.choices[0], state.random,
        state.reached, state.root, state.labels, Record.of(block, info),
    )  # fmt: skip
    info.done += sweeps


@kernel
def _add_up(links, reached):  # type: ignore[no-untyped-def]
    for i in range(len(links.starts) - 1):
        total = 0.0
        for entry in range(links.starts[i], links.starts[i + 1]):
            total += links.weights[entry]
            reached[entry] = total


@kernel
def _sweeps(  # type: ignore[no-untyped-def]
    sweeps, done, every, links, must_link, choices, random, reached, root, labels, record
):
    width = labels.shape[1]
    for first in range(done, done + sweeps, width):
        size = min(width, done + sweeps - first)
        for column in range(size):
            at = first + column
            log_joint, changes = _draw(links, choices, random, reached)
            number = _label(links.targets, choices, must_link, root, labels, column)
            record.log_joint[at], record.clusters[at], record.changes[at] = log_joint, number, changes
            if (at + 1) % every == 0 and (at + 1) // every <= len(record.samples):
                for i in range(len(choices)):
                    record.samples[(at + 1) // every - 1, i] = labels[i, column]
            if log_joint > record.best_log_joint[0]:
                record.best_log_joint[0] = log_joint
                for i in range(len(choices)):
                    record.best_labels[i] = labels[i, column]
        for pair in range(len(record.left)):
            left, right, shared = record.left[pair], record.right[pair], 0
            for column in range(size):
                shared += labels[left, column] == labels[right, column]
            record.together[pair] += shared


@inlined
def _draw(links, choices, random, reached):  # type: ignore[no-untyped-def]
    """Draw every link; return the log probability of the links and how many differ from those before."""
    log_joint, changes = 0.0, 0
    for i in range(len(choices)):
        low, high = links.starts[i], links.starts[i + 1] - 1
        point = uniform(random) * reached[high]
        while low < high:
            middle = (low + high) // 2
            if reached[middle] <= point:
                low = middle + 1
            else:
                high = middle
        changes += choices[i] != low
        choices[i] = low
        log_joint += links.logs[low]
    return log_joint, changes


@inlined
def _label(targets, choices, must_link, root, labels, column):  # type: ignore[no-untyped-def]
    """Number the clusters by their first customers; return how many there are."""
    for i in range(len(root)):
        root[i] = i
    for i in range(len(root)):
        _join(root, i, targets[choices[i]])
    for pair in range(len(must_link)):
        _join(root, must_link[pair, 0], must_link[pair, 1])
    number = 0
    for i in range(len(root)):
        first = _first(root, i)
        if first == i:
            labels[i, column] = number
            number += 1
        else:
            labels[i, column] = labels[first, column]
    return number


@inlined
def _join(root, i, j):  # type: ignore[no-untyped-def]
    i, j = _first(root, i), _first(root, j)
    if i < j:
        root[j] = i
    else:
        root[i] = j


@inlined
def _first(root, i):  # type: ignore[no-untyped-def]
    """Return the first customer of a cluster, and halve the way to it."""
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i
