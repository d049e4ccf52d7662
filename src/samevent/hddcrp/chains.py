"""A chain over one block: its links, its random numbers, what it records, where it starts.

Everything else follows from links and random numbers. So a chain can stop after any sweep, in any thread, and
continue later with the same draws; compiled and plain sweeps draw the same links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.hddcrp import reference
from samevent.hddcrp.components import Block
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Floats, Integers, Rows
from samevent.hddcrp.randoms import RandomState, seeded
from samevent.hddcrp.weights import Choices, active
from samevent.partitions.diagnostics import Agreement, agreement_of_chains
from samevent.partitions.labels import canonical
from samevent.seeds import stream

Initial = Literal["spread", "links", "alone"]
STARTS: tuple[Initial, ...] = ("alone", "links", "spread")

IN_DIFFERENT_MODES, MEAN_DIFFERENCE = 0.001, 0.05
"""Chains agree if at most this share of candidate pairs is together in one and apart in another, and the probabilities
differ by at most this much on average."""
_SPARSE = 500
"""Blocks of fewer customers are labelled faster in plain Python than as a sparse matrix."""


@dataclass(slots=True, eq=False)
class Info:
    """What sweeps record: `done` of the planned `len(log_joint)` sweeps.

    `together` counts the sweeps after which each candidate pair shared a cluster; every `every`-th sweep leaves
    its labels in `samples`. `best_log_joint` has one entry.
    """

    done: int
    every: int
    log_joint: Floats
    clusters: Integers
    changes: Integers
    together: Integers
    samples: Integers
    best_log_joint: Floats
    best_labels: Integers

    @classmethod
    def planned(cls, block: Block, sweeps: int, *, keep: int = 0) -> Info:
        """Make room for so many sweeps and kept samples."""
        keep = min(keep, sweeps)
        return cls(
            done=0,
            every=sweeps // keep if keep else sweeps + 1,
            log_joint=np.zeros(sweeps),
            clusters=np.zeros(sweeps, np.int32),
            changes=np.zeros(sweeps, np.int32),
            together=np.zeros(len(block.left), np.int32),
            samples=np.zeros((keep, len(block)), np.int32),
            best_log_joint=np.full(1, -np.inf),
            best_labels=np.zeros(len(block), np.int32),
        )

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        names = ("log_joint", "clusters", "changes", "together", "samples", "best_log_joint", "best_labels")
        return {name: getattr(self, name) for name in names}

    def record(self, block: Block, labels: NDArray[np.integer], log_joint: float, changes: int) -> None:
        """Record the state after a sweep, as the kernel `record_sweep` does."""
        self.log_joint[self.done] = log_joint
        self.clusters[self.done] = labels.max() + 1
        self.changes[self.done] = changes
        self.together += labels[block.left] == labels[block.right]
        self.done += 1
        if self.done % self.every == 0 and self.done // self.every <= len(self.samples):
            self.samples[self.done // self.every - 1] = labels
        if log_joint > self.best_log_joint[0]:
            self.best_log_joint[0] = log_joint
            self.best_labels[:] = labels


@dataclass(slots=True, eq=False)
class LinkChain:
    """One chain over one block, as the runner takes it.

    `keep` is the number of samples that each round keeps. `check` recomputes after each sweep what the compiled
    sampler keeps up to date.
    """

    block: Block
    logs: Logs
    choices: Choices
    random: RandomState
    keep: int = 0
    compiled: bool = True
    check: bool = False
    info: Info = field(init=False)

    def __post_init__(self) -> None:
        self.info = Info.planned(self.block, 0)

    @property
    def size(self) -> int:
        """How many customers one sweep updates."""
        return len(self.block)

    @property
    def done(self) -> int:
        """How many sweeps of the current round are done."""
        return self.info.done

    @property
    def independent(self) -> bool:
        """Whether links do not depend on each other: words do not count, and no pair is kept apart."""
        return self.logs.weightless and len(self.block.links) == 1 and not len(self.block.cannot_link)

    @property
    def labels(self) -> Integers:
        """The cluster of each customer now, numbered by first customers."""
        return clusters(self.block, self.choices)

    @property
    def together(self) -> Floats:
        """How often candidate pairs shared a cluster in this round; before its first sweep, whether they do now."""
        if self.info.done:
            share: Floats = self.info.together / self.info.done
            return share
        labels = self.labels
        now: Floats = (labels[self.block.left] == labels[self.block.right]).astype(np.float64)
        return now

    def begin_round(self, sweeps: int) -> None:
        """Forget what was recorded, except the best links."""
        best_log_joint, best_labels = self.info.best_log_joint, self.info.best_labels
        self.info = Info.planned(self.block, sweeps, keep=self.keep)
        self.info.best_log_joint, self.info.best_labels = best_log_joint, best_labels

    def advance(self, sweeps: int) -> None:
        """Sweep so many times."""
        if not self.compiled:
            for _ in range(sweeps):
                if self.independent:
                    changes = reference.independent_sweep(self.block, self.choices, self.random)
                else:
                    changes = reference.sweep(self.block, self.choices, self.logs, self.random)
                log_joint = reference.log_joint(self.block, self.choices, self.logs)
                self.info.record(self.block, self.labels, log_joint, changes)
            return
        # Compiling takes seconds: a small problem should not wait for it.
        from samevent.hddcrp import collapsed, independent, two_phase

        samplers = collapsed if len(self.block.links) == 1 else two_phase
        sampler: Any = independent if self.independent else samplers
        state = sampler.init(self.block, self.choices, self.random, self.logs)
        if not self.check:
            sampler.sweep(self.block, state, self.info, self.logs, sweeps=sweeps)
            return
        for _ in range(sweeps):
            sampler.sweep(self.block, state, self.info, self.logs)
            state.check(self.block, self.logs)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return links, random numbers and records."""
        choices = {f"choices{kind}": links for kind, links in enumerate(self.choices)}
        return {**choices, "random": self.random, **self.info.arrays}

    def restore(self, done: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue after `done` sweeps of the round."""
        self.info.done = done
        for name, array in self.arrays().items():
            array.reshape(-1)[:] = arrays[name]


def start(
    block: Block, logs: Logs, *, seed: int, chain: int, initial: Initial, keep: int = 0, compiled: bool = True,
    check: bool = False,
) -> LinkChain:  # fmt: skip
    """Begin a chain: from links drawn from the prior, from everyone alone, or spread out.

    Spread chains start by turns from everyone alone, from links of the prior and from links among which all
    candidates are equally likely, so that chains which then agree have forgotten their starts. Links that
    would join a cannot-linked pair become links to oneself.
    """
    key = chain, block.name
    if initial == "spread":
        initial = STARTS[chain % 3]
    points = stream(seed, "start", *key).random((len(block.links), len(block)))
    choices = tuple(_links(rows, row, initial) for rows, row in zip(block.links, points, strict=True))
    _cut_forbidden(block, choices)
    return LinkChain(block, logs, choices, seeded(seed, "chain", *key), keep, compiled, check)


def clusters(block: Block, choices: Choices) -> Integers:
    """Return the clusters that links and must-links make, numbered by their first customers."""
    count, targets = len(block), active(block.links, choices)
    if count < _SPARSE:
        return np.array(reference.clusters_of(targets.tolist(), block.must_link.tolist()), np.int32)
    rows = np.concatenate([np.arange(count), block.must_link[:, 0]])
    columns = np.concatenate([targets, block.must_link[:, 1]])
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(count, count))
    return canonical(connected_components(graph, directed=False)[1]).astype(np.int32)


def agreement(chains: Sequence[LinkChain]) -> Agreement:
    """Compare how often candidate pairs were together in two or more chains of the current round."""
    return agreement_of_chains(np.stack([chain.together for chain in chains]))


def agree(agreement: Agreement) -> bool:
    """Return whether chains are close enough to stop."""
    return agreement.in_different_modes <= IN_DIFFERENT_MODES and agreement.mean_difference <= MEAN_DIFFERENCE


def settled(chains: Sequence[LinkChain]) -> bool:
    """Return whether chains agree."""
    return agree(agreement(chains))


def _links(rows: Rows, points: Floats, initial: Initial) -> NDArray[np.int64]:
    if initial == "alone":
        return rows.starts[:-1].copy()
    weights = rows.values if initial == "links" else np.ones(len(rows.columns))
    reached = np.cumsum(weights)
    before = np.concatenate([[0.0], reached])[rows.starts]
    entry = np.searchsorted(reached, before[:-1] + points * np.diff(before), side="right")
    return np.clip(entry, rows.starts[:-1], rows.starts[1:] - 1).astype(np.int64)


def _cut_forbidden(block: Block, choices: Choices) -> None:
    """Cut links, in place, so that no cannot-linked pair shares a cluster: add them one by one, and skip those."""
    if not len(block.cannot_link):
        return
    targets, alone = active(block.links, choices), [rows.starts[:-1].copy() for rows in block.links]
    label = clusters(block, tuple(alone))
    for i, target in enumerate(targets.tolist()):
        joined = np.where(label == label[target], label[i], label)
        if (joined[block.cannot_link[:, 0]] == joined[block.cannot_link[:, 1]]).any():
            for links, own in zip(choices, alone, strict=True):
                links[i] = own[i]
        else:
            label = joined
