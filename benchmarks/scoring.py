"""Speed of scoring, compared with `scorch` on the same clusterings in the same run.

Prints one JSON object per size: `n` mentions, `seconds` for all seven metrics, `scorch_seconds` for the five that
scorch has (MUC, B3, CEAFe, CEAFm, BLANC), `scorch_ratio` = scorch's time / ours, both from labels and sets already in
memory, and the largest difference between the five scores. scorch is quadratic, so it is skipped above 10,000
mentions.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable
from scorch import scores as scorch

from samevent.scoring import METRICS
from samevent.scoring.table import Floats, Integers, Table
from samevent.seeds import stream

SIZES = (1_000, 3_000, 10_000, 50_000)
SCORCH_LIMIT = 10_000
CLUSTER_SIZE = 5
NOISE = 0.3

PEER: dict[str, Callable[..., tuple[float, float, float]]] = {
    "muc": scorch.muc,
    "bcubed": scorch.b_cubed,
    "ceafe": scorch.ceaf_e,
    "ceafm": scorch.ceaf_m,
    "blanc": scorch.blanc,
}


def clusterings(n: int) -> tuple[Integers, Integers]:
    """Return random gold labels, and system labels that differ for about a third of the mentions."""
    random = stream(0, "benchmark", n)
    gold = random.integers(n // CLUSTER_SIZE, size=n)
    moved = random.integers(n // CLUSTER_SIZE, size=n)
    return gold, np.where(random.random(n) < NOISE, moved, gold)


@dataclass(frozen=True, slots=True)
class Run:
    """Our run at one size: the scores, the time, and the peak memory of the process so far."""

    n: int
    scores: dict[str, Floats]
    seconds: float
    peak_mb: float


def ours(n: int) -> Run:
    """Time all seven metrics."""
    gold, system = clusterings(n)
    start = time.perf_counter()
    table = Table.from_labels(np.zeros(n, dtype=np.int64), gold, system)
    scores = {metric.name: metric.score(metric.tally(table).sum(axis=0)) for metric in METRICS}
    seconds = time.perf_counter() - start
    return Run(n, scores, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def against_peer(run: Run) -> dict[str, float | None]:
    """Time scorch on the same clusterings and compare."""
    peer: float | None = None
    gap: float | None = None
    if run.n <= SCORCH_LIMIT:
        gold, system = (_sets(labels) for labels in clusterings(run.n))
        start = time.perf_counter()
        theirs = {name: np.array(function(gold, system)) for name, function in PEER.items()}
        peer = time.perf_counter() - start
        gap = max(float(np.abs(run.scores[name] - values).max()) for name, values in theirs.items())
    return {
        "n": run.n,
        "seconds": run.seconds,
        "peak_mb": run.peak_mb,
        "scorch_seconds": peer,
        "scorch_ratio": peer and peer / run.seconds,
        "largest_difference": gap,
    }


def _sets(labels: Integers) -> list[set[int]]:
    groups: dict[int, set[int]] = defaultdict(set)
    for mention, label in enumerate(labels.tolist()):
        groups[label].add(mention)
    return list(groups.values())


def show(results: Iterable[dict[str, float | None]]) -> None:
    """Print a table."""
    table = RichTable("mentions", "seconds", "peak MB", "scorch, seconds", "ratio", "largest difference")
    for r in results:
        table.add_row(*("-" if value is None else f"{value:,.3g}" for value in r.values()))
    Console().print(table)


def main() -> None:
    """Run all sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    arguments = parser.parse_args()
    ours(100)  # imports and first calls are not measured
    runs = [ours(n) for n in SIZES]  # before scorch, whose memory would count as ours
    results = (against_peer(run) for run in runs)
    if arguments.json:
        for result in results:
            print(json.dumps(result))
            sys.stdout.flush()
    else:
        show(results)


if __name__ == "__main__":
    main()
