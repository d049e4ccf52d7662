"""The paper's sampler: customer links in turn (Eq. 4), then table links (Eq. 5).

Keeps the table links of all customers, also those that do not count because the customer links to another. Such a
link comes from its prior; but as long as it is stored, "sit alone" means "sit alone and follow it".
"""

from __future__ import annotations

from samevent.hddcrp.components import Block
from samevent.hddcrp.info import Info
from samevent.hddcrp.kernels import kernel, uniform
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.resample import PRIOR, mark_words, resample
from samevent.hddcrp.state import State, note


def sweep(block: Block, state: State, info: Info, logs: Logs, *, sweeps: int = 1) -> None:
    """Sweep over all customer links and all table links `sweeps` times, and tell `info`."""
    (customer, table), words = block.links, block.words
    # The first entry of a row of customer links, the customer itself, stands for where its table link leads.
    followed = customer.columns.copy()
    followed[customer.starts[:-1]] = table.columns[state.choices[1]]
    _sweeps(
        sweeps, info.done, info.every, customer.starts, followed, customer.values, customer.logs,
        table.starts, table.columns, table.values, table.logs,
        *state.choices, words.starts, words.columns, words.values, logs.word, logs.total,
        *state.work, block.left, block.right, *info.by_name.values(),
    )  # fmt: skip
    info.done += sweeps


@kernel
def _sweeps(  # type: ignore[no-untyped-def]
    sweeps, done, every, customer_starts, followed, customer_weights, customer_logs,
    table_starts, table_targets, table_weights, table_logs, customer_choices, table_choices,
    starts, words, counts, of_word, of_total,
    label, slot, who, clusters, cells, unused, in_s, notes, scales, tally, heights, random,
    left, right, log_joint, cluster_counts, changes, together, samples, best, best_labels,
):  # fmt: skip
    for at in range(done, done + sweeps):
        mark_words(starts, words, label, clusters)
        for i in range(len(label)):
            alone, old = customer_starts[i], customer_choices[i]
            picked = resample(
                i, alone, customer_starts[i + 1], followed, customer_weights, starts, words, counts, of_word, of_total,
                label, slot, who, clusters, cells, unused, in_s, notes, scales, tally, heights, random,
            )  # fmt: skip
            heights[PRIOR] += customer_logs[picked] - customer_logs[old]
            heights[PRIOR] += table_logs[table_choices[i]] * ((picked == alone) - (old == alone))
            customer_choices[i] = picked
        for i in range(len(label)):
            begin, end = table_starts[i], table_starts[i + 1]
            if customer_choices[i] == customer_starts[i]:
                picked = resample(
                    i, begin, end, table_targets, table_weights, starts, words, counts, of_word, of_total,
                    label, slot, who, clusters, cells, unused, in_s, notes, scales, tally, heights, random,
                )  # fmt: skip
                heights[PRIOR] += table_logs[picked] - table_logs[table_choices[i]]
            else:
                picked, left_over = begin, uniform(random)
                while picked < end - 1 and left_over >= table_weights[picked]:
                    left_over -= table_weights[picked]
                    picked += 1
            table_choices[i] = picked
            followed[customer_starts[i]] = table_targets[picked]
        note(
            at, every, left, right, label, tally, heights,
            log_joint, cluster_counts, changes, together, samples, best, best_labels,
        )  # fmt: skip
