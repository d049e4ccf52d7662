"""Time the HDDCRP's sweep, and in the same run a textbook sampler and one pass over the candidates.

Prints one JSON object per size: `ns_per_update` of the collapsed sweep and of the paper's two phases, the floor
(reading every candidate's label and weight once), and `textbook_ratio`, the time of a compiled sampler that finds
the clusters it compares from scratch at every update, divided by ours; both draw the same links. Times are processor
time, the minimum of several sweeps. The first size also runs the paper's protocol, 5 runs of 500 sweeps in 2 threads,
in wall-clock time, and times the first call of a new process with nothing compiled and with everything cached.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from samevent.hddcrp import Problem, collapsed, sample, two_phase, weights
from samevent.hddcrp.chains import Info, start
from samevent.hddcrp.components import Block, split
from samevent.hddcrp.kernels import kernel, uniform
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.seating import AFTER, CLUSTERS, HEAD, LINK, link, unlink
from samevent.seeds import stream

CANDIDATES = 9.2
VOCABULARY = 10_000
BURN_IN = 10


def synthetic(n: int, documents: int, cluster: int, *, noise: float = 0.4) -> Problem:
    """Draw events of `cluster` mentions within topics of 22 documents, or as many as one event needs.

    With probability `noise` a candidate is of any event of the topic, and a mention has a second word of its own.
    """
    random = stream(0, "benchmark", n, cluster)
    document = np.sort(random.integers(documents, size=n))
    topic = document // max(22, cluster * documents // n)
    borders = np.searchsorted(topic, np.arange(topic[-1] + 2))
    begin, width = borders[topic], np.diff(borders)[topic]
    shuffled = np.lexsort((random.random(n), topic))
    event = np.empty(n, np.int64)
    event[shuffled] = begin + (np.arange(n) - begin) // cluster
    by_event = np.argsort(event, kind="stable")
    first, last = np.searchsorted(event[by_event], [event, event + 1])

    draws = int(n * CANDIDATES * 1.36)
    i = random.integers(n, size=draws)
    near = by_event[first[i] + (random.random(draws) * (last - first)[i]).astype(np.int64)]
    far = begin[i] + (random.random(draws) * width[i]).astype(np.int64)
    j = np.where(random.random(draws) < noise, far, near)
    pairs = np.unique((i * n + j)[i != j])
    i, j = pairs // n, pairs % n
    affinity = random.uniform(0.5, 1.0, size=len(i))
    same = document[i] == document[j]
    within = same & (j < i)
    second = np.where(random.random(n) < noise, random.integers(VOCABULARY, size=n), -1)
    heads = (event % VOCABULARY).tolist()
    words = [[head, other][: 1 + (other >= 0)] for head, other in zip(heads, second.tolist(), strict=True)]
    return Problem(
        document=document,
        words=Rows.counted(words),
        vocabulary=VOCABULARY,
        within=Rows.from_triples(n, i[within], j[within], affinity[within]),
        across=Rows.from_triples(n, i[~same], j[~same], math.exp(0.5) * affinity[~same]),
    )


@kernel
def floor(starts, targets, weights, label):  # type: ignore[no-untyped-def]
    """Read every candidate once."""
    total = 0.0
    for i in range(len(label)):
        for entry in range(starts[i], starts[i + 1]):
            if label[targets[entry]] >= 0:
                total += weights[entry]
    return total


@kernel
def textbook(  # type: ignore[no-untyped-def]
    updates, link_starts, targets, weights, choices, starts, words, counts, of_word, of_total, link_lists, seen, group,
    stack, counts_by_side, option_weights, random,
):  # fmt: skip
    """Draw links as `resample` does, but find every cluster by walking along links in both directions."""
    mass, change, tilted = option_weights[0], option_weights[1], option_weights[2]
    for i in range(updates):
        begin, end = link_starts[i], link_starts[i + 1]
        unlink(link_lists, i)
        link_lists[i, LINK] = i
        size_s, total_s = _walk(
            i, i, 0, 0, link_lists, seen, group, stack, starts, words, counts, counts_by_side
        )
        mass[0], change[0], options = 0.0, 0.0, 1
        for entry in range(begin, end):
            target = targets[entry]
            if seen[target] != i:
                size, total = _walk(
                    target,
                    i,
                    options,
                    1,
                    link_lists,
                    seen,
                    group,
                    stack,
                    starts,
                    words,
                    counts,
                    counts_by_side,
                )
                mass[options] = 0.0
                change[options] = of_total[total_s] + of_total[total] - of_total[total_s + total]
                for k in range(size):
                    for cell in range(starts[stack[1, k]], starts[stack[1, k] + 1]):
                        ours, theirs = counts_by_side[0, words[cell]], counts_by_side[1, words[cell]]
                        if ours > 0 and theirs > 0:
                            change[options] += of_word[ours + theirs] - of_word[ours] - of_word[theirs]
                        counts_by_side[1, words[cell]] = 0
                options += 1
            mass[group[target]] += weights[entry]
        for k in range(size_s):
            for cell in range(starts[stack[0, k]], starts[stack[0, k] + 1]):
                counts_by_side[0, words[cell]] = 0
        largest = change[0]
        for k in range(1, options):
            largest = max(largest, change[k])
        height = 0.0
        for k in range(options):
            tilted[k] = mass[k] * math.exp(change[k] - largest)
            height += tilted[k]
        left, chosen = uniform(random) * height, 0
        while chosen < options - 1 and left >= tilted[chosen]:
            left -= tilted[chosen]
            chosen += 1
        left = left / tilted[chosen] * mass[chosen]
        for entry in range(begin, end):
            if group[targets[entry]] == chosen:
                choices[i] = entry
                if left < weights[entry]:
                    break
                left -= weights[entry]
        link(link_lists, i, targets[choices[i]])


@kernel
def _walk(first, mark, number, row, link_lists, seen, group, stack, starts, words, counts, counts_by_side):  # type: ignore[no-untyped-def]
    """List a cluster and count its words; return its size and the number of words."""
    stack[row, 0] = first
    seen[first], group[first] = mark, number
    size, at, total = 1, 0, 0
    while at < size:
        node = stack[row, at]
        at += 1
        for cell in range(starts[node], starts[node + 1]):
            counts_by_side[row, words[cell]] += counts[cell]
            total += counts[cell]
        near, child = link_lists[node, LINK], link_lists[node, HEAD]
        while near >= 0:
            if seen[near] != mark:
                seen[near], group[near] = mark, number
                stack[row, size] = near
                size += 1
            near = child
            if child >= 0:
                child = link_lists[child, AFTER]
    return size, total


def best_time(work: Callable[[], Any], times: int = 5) -> float:
    """Return the least seconds of processor time that a call took."""
    taken = []
    for _ in range(times):
        begin = time.thread_time()
        work()
        taken.append(time.thread_time() - begin)
    return min(taken)


State = collapsed.State | two_phase.State


def settled(block: Block, logs: Logs) -> State:
    """Return a chain after a few sweeps from random links."""
    chain = start(block, logs, seed=0, chain=0, initial="links")
    chain.begin_round(BURN_IN)
    chain.advance(BURN_IN)
    state: State = _sampler(block).init(block, chain.choices, chain.random, logs)
    return state


def ns_per_update(block: Block, state: State, logs: Logs, updates: int) -> float:
    """Time one sweep."""
    sampler = _sampler(block)
    return best_time(lambda: sampler.sweep(block, state, Info.planned(block, 1), logs)) / updates * 1e9


def _sampler(block: Block) -> Any:
    return collapsed if len(block.links) == 1 else two_phase


def textbook_time(block: Block, state: State, logs: Logs, updates: int) -> float:
    """Time the first `updates` updates of the textbook's sweep, and hold its draws to ours."""
    links, words, n = block.links[0], block.words, len(block)
    twin, ours = (
        collapsed.init(block, (state.choices[0].copy(),), state.seating.random.copy(), logs) for _ in range(2)
    )
    seating = twin.seating

    def run() -> None:
        textbook(
            updates, links.starts, links.columns, links.values, twin.choices[0], words.starts, words.columns,
            words.values, logs.word, logs.total, seating.link_lists, np.full(n, -1, np.int32), np.zeros(n, np.int32),
            np.zeros((2, n), np.int32), np.zeros((2, len(seating.in_s)), np.int32), np.zeros((3, n)), seating.random,
        )  # fmt: skip

    seconds = best_time(run, 1)
    collapsed.sweep(block, ours, Info.planned(block, 1), logs)
    if not np.array_equal(ours.choices[0][:updates], twin.choices[0][:updates]):
        raise SystemExit("the textbook's sampler and ours drew different links")
    return min(seconds, best_time(run, 2))


def measured(
    n: int, documents: int, cluster: int, *, noise: float = 0.4, textbook_updates: int
) -> dict[str, float]:
    """Measure one size."""
    problem = synthetic(n, documents, cluster, noise=noise)
    logs = Logs.of(problem)
    block = split(problem.words, weights.collapsed(problem), smallest=n).block(0)
    links = block.links[0]
    state = settled(block, logs)
    ours = ns_per_update(block, state, logs, len(block))
    theirs = textbook_time(block, state, logs, min(textbook_updates, len(block))) / textbook_updates * 1e9
    one_pass = (
        best_time(lambda: floor(links.starts, links.columns, links.values, state.seating.label))
        / len(block)
        * 1e9
    )
    phases = split(
        problem.words, weights.customer_links(problem), weights.table_links(problem), smallest=n
    ).block(0)
    return {
        "n": len(block),
        "documents": documents,
        "candidates": round(len(links.columns) / n - 1, 2),
        "mean_cluster": round(len(block) / int(state.seating.counters[CLUSTERS]), 2),
        "ns_per_update": ours,
        "two_phase_ns_per_customer": ns_per_update(phases, settled(phases, logs), logs, len(phases)),
        "floor_ns_per_update": one_pass,
        "textbook_ratio": theirs / ours,
        "state_mb": sum(np.asarray(array).nbytes for array in (*state.seating, *state.choices)) / 1e6,
    }


def paper_protocol(n: int, documents: int) -> float:
    """Run 5 times 500 sweeps in 2 threads; return the seconds."""
    problem = synthetic(n, documents, 8)
    begin = time.perf_counter()
    sample(problem, runs=5, sweeps=500, jobs=2)
    return time.perf_counter() - begin


def first_calls() -> dict[str, float]:
    """Time `fit` in new processes: with nothing compiled, then with everything cached."""
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1]); import warnings; warnings.simplefilter('ignore')\n"
        "from sampler import synthetic; from samevent.hddcrp import fit; problem = synthetic(2000, 20, 8)\n"
        "begin = time.perf_counter(); fit(problem, sweeps=8, exact_limit=1); print(time.perf_counter() - begin)"
    )
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", code, str(Path(__file__).parent)]
        seconds = [
            float(subprocess.check_output(command, env={**os.environ, "NUMBA_CACHE_DIR": cache}))
            for _ in range(2)
        ]
    return {"cold_seconds": seconds[0], "cached_seconds": seconds[1]}


def main() -> None:
    """Measure all sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="one JSON object per line (the only format)")
    parser.add_argument(
        "--quick", action="store_true", help="the first size only, without the paper's protocol"
    )
    arguments = parser.parse_args()
    first = measured(53_429, 447, 8, textbook_updates=53_429)
    if arguments.quick:
        print(json.dumps(first))
        return
    print(
        json.dumps({**first, **first_calls(), "paper_protocol_seconds": paper_protocol(53_429, 447)}),
        flush=True,
    )
    print(json.dumps(measured(53_429, 447, 5_000, noise=0.0, textbook_updates=2_000)), flush=True)
    print(json.dumps(measured(534_290, 4_470, 8, textbook_updates=534_290)), flush=True)


if __name__ == "__main__":
    main()
