"""The paper's sampler: customer links in turn (Eq. 4), then table links (Eq. 5).

Keeps the table links of all customers, also those that do not count because the customer links to another. Such a
link is drawn from its prior; but while it is stored, the option "sit alone" means "sit alone and follow it".
"""

from __future__ import annotations

from dataclasses import dataclass

from samevent.hddcrp.chains import Info
from samevent.hddcrp.components import Block
from samevent.hddcrp.kernels import kernel, uniform
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
    """Links as entries of their rows, and what follows from them; changed in place.

    In `customer_rows` the first target of a row, the customer itself, stands for where its table link leads.
    """

    choices: Choices
    customer_rows: LinkRows
    seating: Seating

    def check(self, block: Block, logs: Logs) -> None:
        """Raise if what is kept up to date differs from what follows from the links."""
        self.seating.check(block, self.choices, logs)


def init(block: Block, choices: Choices, random: RandomState, logs: Logs) -> State:
    """Begin with these links; `choices` and `random` become part of the state."""
    customer, table = block.links
    followed = customer.columns.copy()
    followed[customer.starts[:-1]] = table.columns[choices[1]]
    rows = LinkRows.of(customer)._replace(targets=followed)
    return State(choices, rows, Seating.of(block, choices, random, logs))


def sweep(block: Block, state: State, info: Info, logs: Logs, *, sweeps: int = 1) -> None:
    """Sweep over all customer links and all table links `sweeps` times, and record each sweep in `info`."""
    _sweeps(
        sweeps, info.done, info.every, state.customer_rows, LinkRows.of(block.links[1]), *state.choices,
        Words.of(block, logs), Constraints.of(block), state.seating, Record.of(block, info),
    )  # fmt: skip
    info.done += sweeps


@kernel
def _sweeps(  # type: ignore[no-untyped-def]
    sweeps, done, every, customer, table, customer_choices, table_choices, words, constraints, seating, record
):
    log_joint_parts = seating.log_joint_parts
    for at in range(done, done + sweeps):
        mark_words(words, seating)
        for i in range(len(customer_choices)):
            alone, old = customer.starts[i], customer_choices[i]
            picked = resample(i, alone, customer.starts[i + 1], customer, words, constraints, seating)
            log_joint_parts[PRIOR] += customer.logs[picked] - customer.logs[old]
            log_joint_parts[PRIOR] += table.logs[table_choices[i]] * ((picked == alone) - (old == alone))
            customer_choices[i] = picked
        for i in range(len(customer_choices)):
            begin, end = table.starts[i], table.starts[i + 1]
            if customer_choices[i] == customer.starts[i]:
                picked = resample(i, begin, end, table, words, constraints, seating)
                log_joint_parts[PRIOR] += table.logs[picked] - table.logs[table_choices[i]]
            else:
                picked, left = begin, uniform(seating.random)
                while picked < end - 1 and left >= table.weights[picked]:
                    left -= table.weights[picked]
                    picked += 1
            table_choices[i] = picked
            customer.targets[customer.starts[i]] = table.targets[picked]
        record_sweep(at, every, seating, record)
