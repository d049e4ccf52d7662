"""Chains over one block: where they start, how they go on, whether they agree.

A chain is links, a random state and what it told since the round began; everything else follows from these. So a
chain can stop after any sweep, in any thread, and go on later with the same draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.hddcrp import reference
from samevent.hddcrp.components import Block
from samevent.hddcrp.info import Info
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
"""Chains agree if so few candidate pairs are together in one and apart in another, and probabilities are so close."""


@dataclass(slots=True, eq=False)
class Chain:
    """One chain over one block."""

    choices: Choices
    random: RandomState
    info: Info

    def labels(self, block: Block) -> Integers:
        """Return the clusters that the links make now."""
        count = len(block)
        ones, targets = np.ones(count, np.int8), active(block.links, self.choices)
        graph = coo_array((ones, (np.arange(count), targets)), shape=(count, count))
        return canonical(connected_components(graph, directed=False)[1]).astype(np.int32)


def start(block: Block, info: Info, *, seed: int, chain: int, initial: Initial) -> Chain:
    """Begin a chain: from links drawn from the prior, from everyone alone, or spread out.

    Spread chains start by turns from everyone alone, from links of the prior and from links among which all
    candidates are equally likely, so that chains which then agree have forgotten where they came from.
    """
    key = chain, int(block.customers[0])
    if initial == "spread":
        initial = STARTS[chain % 3]
    points = stream(seed, "start", *key).random((len(block.links), len(block)))
    choices = tuple(_links(rows, row, initial) for rows, row in zip(block.links, points, strict=True))
    return Chain(choices, seeded(seed, "chain", *key), info)


def advance(
    block: Block, chain: Chain, logs: Logs, *, sweeps: int, compiled: bool, check: bool = False
) -> None:
    """Go on for so many sweeps; `check` recomputes after each what the fast sampler keeps up to date."""
    if not compiled:
        for _ in range(sweeps):
            changes = reference.sweep(block, chain.choices, logs, chain.random)
            height = reference.log_joint(block, chain.choices, logs)
            chain.info.note(block, chain.labels(block), height, changes)
        return
    # Compiling takes seconds: nobody should wait for it whose problem is small.
    from samevent.hddcrp import state, sweep, two_phase

    settled = state.init(block, chain.choices, chain.random, logs)
    go_on = sweep.sweep if len(block.links) == 1 else two_phase.sweep
    if not check:
        go_on(block, settled, chain.info, logs, sweeps=sweeps)
        return
    for _ in range(sweeps):
        go_on(block, settled, chain.info, logs)
        state.check(block, settled, logs)


def agreement(chains: Sequence[Chain]) -> Agreement:
    """Compare what two or more chains told of the candidate pairs since the round began."""
    return agreement_of_chains(np.stack([chain.info.together / chain.info.done for chain in chains]))


def agree(found: Agreement) -> bool:
    """Return whether chains are as close as they need be."""
    return found.in_different_modes <= IN_DIFFERENT_MODES and found.mean_difference <= MEAN_DIFFERENCE


def _links(rows: Rows, points: Floats, initial: Initial) -> NDArray[np.int64]:
    if initial == "alone":
        return rows.starts[:-1].copy()
    weights = rows.values if initial == "links" else np.ones(len(rows.columns))
    reached = np.cumsum(weights)
    before = np.concatenate([[0.0], reached])[rows.starts]
    entry = np.searchsorted(reached, before[:-1] + points * np.diff(before), side="right")
    return np.clip(entry, rows.starts[:-1], rows.starts[1:] - 1).astype(np.int64)
