"""The collapsed sampler: one link per customer, drawn in turn given all others.

Serves the HDDCRP with inactive table links integrated out and the flat DDCRP alike; only the rows differ.
`reference.sweep` is the same in plain Python and draws the same links.
"""

from __future__ import annotations

from dataclasses import dataclass

from samevent.hddcrp.chains import Info
from samevent.hddcrp.components import Block
from samevent.hddcrp.kernels import kernel
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.randoms import RandomState
from samevent.hddcrp.seating import (
    PRIOR,
    Constraints,
    LinkRows,
    Record,
    Seating,
    Words,
    mark_words,
    record_sweep,
    resample,
)
from samevent.hddcrp.weights import Choices


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Links as entries of their rows, and what follows from them; changed in place."""

    choices: Choices
    seating: Seating

    def check(self, block: Block, logs: Logs) -> None:
        """Raise if what is kept up to date differs from what follows from the links."""
        self.seating.check(block, self.choices, logs)


def init(block: Block, choices: Choices, random: RandomState, logs: Logs) -> State:
    """Begin with these links; `choices` and `random` become part of the state."""
    return State(choices, Seating.of(block, choices, random, logs))


def sweep(block: Block, state: State, info: Info, logs: Logs, *, sweeps: int = 1) -> None:
    """Sweep over all customers `sweeps` times, and record each sweep in `info`."""
    _sweeps(
        sweeps, info.done, info.every, LinkRows.of(block.links[0]), state.choices[0], Words.of(block, logs),
        Constraints.of(block), state.seating, Record.of(block, info),
    )  # fmt: skip
    info.done += sweeps


@kernel
def _sweeps(sweeps, done, every, links, choices, words, constraints, seating, record):  # type: ignore[no-untyped-def]
    starts, logs, log_joint_parts = links.starts, links.logs, seating.log_joint_parts
    for at in range(done, done + sweeps):
        mark_words(words, seating)
        for i in range(len(choices)):
            picked = resample(i, starts[i], starts[i + 1], links, words, constraints, seating)
            log_joint_parts[PRIOR] += logs[picked] - logs[choices[i]]
            choices[i] = picked
        record_sweep(at, every, seating, record)
