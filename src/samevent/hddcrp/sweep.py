"""The collapsed sampler: one link a customer, drawn in turn given all others.

Serves the HDDCRP with inactive table links integrated out and the flat DDCRP alike; only the rows differ.
`reference.sweep` says the same in plain Python and draws the same links.
"""

from __future__ import annotations

from samevent.hddcrp.components import Block
from samevent.hddcrp.info import Info
from samevent.hddcrp.kernels import kernel
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.resample import PRIOR, mark_words, resample
from samevent.hddcrp.state import State, note


def sweep(block: Block, state: State, info: Info, logs: Logs, *, sweeps: int = 1) -> None:
    """Sweep over all customers `sweeps` times, and tell `info`."""
    (links,), words = block.links, block.words
    _sweeps(
        sweeps, info.done, info.every, links.starts, links.columns, links.values, links.logs,
        *state.choices, words.starts, words.columns, words.values, logs.word, logs.total,
        *state.work, block.left, block.right, *info.by_name.values(),
    )  # fmt: skip
    info.done += sweeps


@kernel
def _sweeps(  # type: ignore[no-untyped-def]
    sweeps, done, every, link_starts, targets, weights, log_weights, choices,
    starts, words, counts, of_word, of_total,
    label, slot, who, clusters, cells, unused, in_s, notes, scales, tally, heights, random,
    left, right, log_joint, cluster_counts, changes, together, samples, best, best_labels,
):  # fmt: skip
    for at in range(done, done + sweeps):
        mark_words(starts, words, label, clusters)
        for i in range(len(label)):
            picked = resample(
                i, link_starts[i], link_starts[i + 1], targets, weights, starts, words, counts, of_word, of_total,
                label, slot, who, clusters, cells, unused, in_s, notes, scales, tally, heights, random,
            )  # fmt: skip
            heights[PRIOR] += log_weights[picked] - log_weights[choices[i]]
            choices[i] = picked
        note(
            at, every, left, right, label, tally, heights,
            log_joint, cluster_counts, changes, together, samples, best, best_labels,
        )  # fmt: skip
