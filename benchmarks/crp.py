"""Speed of HDDCRP* and the HDP, compared with the HDDCRP's sweep on the same problem in the same run.

Prints one JSON object per size: nanoseconds per mention and sweep of HDDCRP*, of the HDP on words (a mention's table,
its share of the tables' clusters and of the moves of blocks), of the HDP with three channels, of the HDP with twenty
features of a mention (its context, synonyms and hypernyms, and splits and merges, as in HDP-flat), of the HDDCRP; their
ratios to the HDDCRP; for the HDPs also a floor, one pass over the clusters that share a feature with each mention, and
the size of a chain; and, if tomotopy is installed, its HDP on the same words, per word. Events have eight mentions on
average; a mention shows its event's word or, now and then, another one, and sometimes a second word. A stored line,
`docs/results/crp.json`, has a section in docs/results.md.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import time
from collections.abc import Callable
from typing import cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.clusterers import CLUSTERERS
from samevent.clusterers.hdp import Hdp
from samevent.hddcrp import collapsed, hddcrp_star, hdp, weights
from samevent.hddcrp.chains import Info
from samevent.hddcrp.components import split
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.menu import BEGIN, COUNT, END, FEATURE
from samevent.hddcrp.observations import Channel
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.randoms import seeded
from samevent.seeds import stream

SIZES = (53_429,)
MENTIONS_PER_DOCUMENT = 120
MENTIONS_PER_EVENT = 8
VOCABULARY = 10_000
BURN_IN, TIMED = 12, 6
PRIORS = Hdp().priors
"""Concentrations are drawn as in the clusterers."""
FLAT = cast(Hdp, CLUSTERERS["hdp-flat-lf-wf"])


def drawn_problem(n: int) -> Problem:
    """Draw mentions of events that stay within neighbouring documents, with about nine candidates each."""
    random = stream(0, "benchmark", "crp", n)
    events = n // MENTIONS_PER_EVENT
    event = np.sort(random.integers(events, size=n))
    document = np.minimum(
        event / events * n / MENTIONS_PER_DOCUMENT + random.exponential(2.0, n), n // MENTIONS_PER_DOCUMENT
    )
    order = np.argsort(document.astype(int), kind="stable")
    event, document = event[order], document.astype(int)[order]
    popularity = 1 / np.arange(1, VOCABULARY + 1)
    word = random.choice(VOCABULARY, size=events, p=popularity / popularity.sum())
    own = np.where(random.random(n) < 0.2, random.integers(VOCABULARY, size=n), word[event])
    second = np.flatnonzero(random.random(n) < 0.4)
    rows = np.concatenate([np.arange(n), second])
    words = np.concatenate([own, random.integers(VOCABULARY, size=len(second))])
    cells, counts = np.unique(rows * VOCABULARY + words, return_counts=True)
    i, j = _candidates(event, n, random)
    same = document[i] == document[j]
    affinity = random.uniform(0.5, 1.0, len(i))
    within, across = same & (j < i), ~same
    return Problem(
        document=document,
        words=Rows.from_triples(n, cells // VOCABULARY, cells % VOCABULARY, counts),
        vocabulary=VOCABULARY,
        within=Rows.from_triples(n, i[within], j[within], affinity[within]),
        across=Rows.from_triples(n, i[across], j[across], affinity[across]),
    )


def _candidates(
    event: NDArray[np.int64], n: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair every mention with others of its event and with a stranger nearby, both ways, each ordered pair once."""
    by_event = np.argsort(event, kind="stable")
    pairs = []
    for step in range(1, MENTIONS_PER_EVENT + 4):
        a, b = by_event[:-step], by_event[step:]
        pairs.append(np.stack([a, b])[:, event[a] == event[b]])
    a = np.arange(n)
    pairs.append(np.stack([a, (a + random.integers(1, 400, n)) % n]))
    both = np.concatenate([*pairs, *(pair[::-1] for pair in pairs)], axis=1)
    keys = np.unique(both[0] * n + both[1])
    return keys // n, keys % n


def nanoseconds(sweeps: Callable[[int], object], customers: int) -> float:
    """Return the processor time per customer and sweep after a burn-in."""
    sweeps(BURN_IN)
    started = time.process_time()
    sweeps(TIMED)
    return (time.process_time() - started) / TIMED / customers * 1e9


def measure(n: int) -> dict[str, float | int | None]:
    """Time all samplers on one problem."""
    problem = drawn_problem(n)
    star = hddcrp_star.init(problem, seeded(0, "crp"))
    lexical = Channel(problem.words, problem.vocabulary, problem.dirichlet)
    one = hdp.init(problem.document, [lexical], seeded(0, "hdp"), priors=PRIORS)
    three = hdp.init(problem.document, _three_channels(problem), seeded(0, "hdp"), priors=PRIORS)
    heads = problem.words.columns[problem.words.starts[:-1]]
    many = hdp.init(
        problem.document, _flat_channels(problem), seeded(0, "hdp"), priors=PRIORS, labels=heads,
        merges=FLAT.merges * n // 1000,
    )  # fmt: skip
    block = split(problem.words, weights.collapsed(problem), smallest=n + 1).block(0)
    logs = Logs.of(problem)
    flat = collapsed.init(block, (block.links[0].starts[:-1].copy(),), seeded(0, "hddcrp"), logs)
    info = Info.planned(block, BURN_IN + TIMED)
    hddcrp = nanoseconds(lambda k: collapsed.sweep(block, flat, info, logs, sweeps=k), n)
    row: dict[str, float | int | None] = {
        "n": n,
        "documents": problem.documents,
        "candidates": (len(problem.within.columns) + len(problem.across.columns)) / n,
        "hddcrp_ns_per_update": hddcrp,
        "hddcrp_clusters": int(info.clusters[-1]),
    }
    for name, state, sweep in (
        ("hddcrp_star", star, lambda k: hddcrp_star.sweep(star, sweeps=k)),
        ("hdp", one, lambda k: hdp.sweep(one, sweeps=k)),
        ("hdp_three_channels", three, lambda k: hdp.sweep(three, sweeps=k)),
        ("hdp_twenty_features", many, lambda k: hdp.sweep(many, sweeps=k)),
    ):
        taken = nanoseconds(sweep, n)
        row |= {
            f"{name}_ns_per_update": taken,
            f"{name}_ratio": taken / hddcrp,
            f"{name}_clusters": state.menu.cluster_count,
        }
        if isinstance(state, hdp.State):
            row |= {f"{name}_floor_ns_per_update": _floor(state), f"{name}_megabytes": _megabytes(state)}
    return row | {"tomotopy_ns_per_word": _tomotopy(problem)}


def _floor(state: hdp.State) -> float:
    """Return the time per mention of reading what it shares with every cluster, and nothing else."""
    menu = state.menu
    arrays = menu.starts, menu.observed, menu.features, menu.entries
    return nanoseconds(lambda k: [_read(*arrays) for _ in range(k)], len(menu.totals))


@njit
def _read(starts, observed, features, entries):  # type: ignore[no-untyped-def]
    total = 0
    for i in range(len(starts) - 1):
        for at in range(starts[i], starts[i + 1]):
            f = observed[at, FEATURE]
            for e in range(features[f, BEGIN], features[f, END]):
                total += entries[e, COUNT]
    return total


def _megabytes(state: hdp.State) -> float:
    parts = state.restaurants, state.tables, state.menu, state.blocks
    return sum(array.nbytes for part in parts for array in part) / 1e6


def _three_channels(problem: Problem) -> list[Channel]:
    """Words, a coarse class of each word, and the word given its class."""
    words = problem.words
    classes = Rows(words.starts, (words.columns % 45).astype(np.int32), words.values)
    cells, where = np.unique(classes.rows * 45 + classes.columns, return_inverse=True)
    counts = np.bincount(where, weights=words.values).astype(np.int64)
    coarse = Rows.from_triples(problem.customers, cells // 45, cells % 45, counts)
    return [
        Channel(words, problem.vocabulary, problem.dirichlet),
        Channel(coarse, 45, 0.01),
        Channel(words, problem.vocabulary, problem.dirichlet, parent=np.arange(problem.vocabulary) % 45),
    ]


def _flat_channels(problem: Problem) -> list[Channel]:
    """Words, five words of the context by frequency, and ten synonyms and three hypernyms of the first word."""
    random = stream(0, "benchmark", "flat", problem.customers)
    first = problem.words.columns[problem.words.starts[:-1]].astype(np.int64)
    popularity = 1 / np.arange(1, VOCABULARY + 1)
    context = random.choice(VOCABULARY, size=(problem.customers, 5), p=popularity / popularity.sum())
    synonyms = first[:, None] // 2 * 10 + np.arange(10)
    hypernyms = np.stack([first % 1000, 1000 + first % 300, 1300 + first % 40], axis=1)
    return [
        Channel(problem.words, problem.vocabulary, problem.dirichlet),
        Channel(Rows.counted(context.tolist()), VOCABULARY, problem.dirichlet),
        Channel(Rows.counted(synonyms.tolist()), VOCABULARY * 5, problem.dirichlet),
        Channel(Rows.counted(hypernyms.tolist()), 1340, problem.dirichlet),
    ]


def _tomotopy(problem: Problem) -> float | None:
    if importlib.util.find_spec("tomotopy") is None:
        return None
    model = importlib.import_module("tomotopy").HDPModel(alpha=0.5, gamma=1.0, eta=problem.dirichlet, seed=1)
    words = problem.words
    for document in range(problem.documents):
        chosen = problem.document[words.rows] == document
        model.add_doc([str(word) for word in np.repeat(words.columns[chosen], words.values[chosen])])
    tokens = int(words.values.sum())
    return nanoseconds(lambda sweeps: model.train(sweeps, workers=1), tokens)


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--json", action="store_true", help="the only form there is; accepted for uniformity")
    for n in parser.parse_args().sizes:
        print(
            json.dumps({name: round(v, 3) if isinstance(v, float) else v for name, v in measure(n).items()})
        )


if __name__ == "__main__":
    main()
