"""What the sampled clusterers share: how long they run, and what they make of their samples.

The answer `last` is the paper's: the last sample of each run, of which the one with the highest log joint is reported.
The answer `consensus` is for users: the partition that is closest to all samples on average, with P(same event).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers.base import Clustered, Evidence, Floats, Labels, Progress, check_seed_and_jobs
from samevent.clusterers.chains import AnyChain, Store, run_chains
from samevent.hddcrp.problem import LEAST, MOST, Rows
from samevent.partitions.consensus import consensus
from samevent.partitions.diagnostics import agreement_of_chains, diagnose, neighbours_together
from samevent.partitions.posterior import Posterior
from samevent.settings import check_range

Answer = Literal["consensus", "last"]

KEPT = 100
"""How many samples a consensus is made of, all runs together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How many runs of how many sweeps, and what is made of them."""

    answer: Answer = "consensus"
    runs: int = 4
    sweeps: int = 800

    def __post_init__(self) -> None:
        several = self.answer == "consensus"
        check_range("runs", self.runs, 2 if several else 1, 10_000)
        check_range("sweeps", self.sweeps, 8 if several else 1, 10**9)

    @property
    def sampled(self) -> bool:
        """Samples are drawn."""
        return True

    @property
    def total_sweeps(self) -> int:
        """Sweeps of all runs together, at most."""
        return self.runs * self.sweeps

    @property
    def kept_a_run(self) -> int:
        """How many samples each run has to keep."""
        return -(-KEPT // self.runs) if self.answer == "consensus" else 1


def check_concentrations(**values: float) -> None:
    """Raise unless all are numbers above 0 that the engine takes."""
    for name, value in values.items():
        check_range(name, value, LEAST, MOST)


def sampled(
    evidence: Evidence,
    sampling: Sampling,
    start: Callable[[int], AnyChain],
    sweep: Callable[[AnyChain], None],
    *,
    given: Iterable[Rows | NDArray[Any]],
    seed: int,
    jobs: int,
    progress: Progress | None,
    checkpoint: Path | None,
) -> Clustered:
    """Answer for a model that runs as a whole; draws depend on settings, seed and what is `given`."""
    check_seed_and_jobs(seed, jobs)
    drawn = run_chains(
        start,
        sweep,
        runs=sampling.runs,
        sweeps=sampling.sweeps,
        keep=sampling.kept_a_run,
        jobs=jobs,
        progress=progress,
        store=Store.of(checkpoint, (sampling, seed), given) if checkpoint else None,
    )
    traces = {"log joint": drawn.log_joint, "events": drawn.clusters}
    if sampling.answer == "last":
        return last_of_runs(evidence, drawn.samples[:, -1], traces, seed=seed)
    samples = np.concatenate(list(drawn.samples))
    labels = consensus(samples, seed=seed, jobs=jobs).labels.astype(np.int32)
    diagnosis = diagnose(_second_halves(traces), neighbours_together(labels, drawn.samples))
    diagnosis.warn()
    posterior = Posterior(
        samples=samples, verdict=diagnosis.verdict, settled=diagnosis.settled, traces=traces, seed=seed
    )
    return Clustered(evidence.table.ids, labels, posterior)


def last_of_runs(
    evidence: Evidence, labels: Labels, traces: Mapping[str, Floats], *, seed: int = 0
) -> Clustered:
    """Answer with the last sample of the run that ends highest; all last samples go along."""
    best = int(np.argmax(traces["log joint"][:, -1]))
    diagnosis = diagnose(_second_halves(traces))
    reasons = diagnosis.reasons or ("traces mix",)
    if len(labels) > 1:
        apart = agreement_of_chains(neighbours_together(labels[best], labels[:, np.newaxis]))
        reasons += (f"two runs differ on {apart.mean_difference:.1%} of its neighbours",)
    verdict = f"the last sample of run {best + 1} of {len(labels)}, which ended highest; {'; '.join(reasons)}"
    posterior = Posterior(
        samples=labels, verdict=verdict, settled=not diagnosis.reasons, traces=traces, seed=seed
    )
    return Clustered(evidence.table.ids, labels[best], posterior)


def _second_halves(traces: Mapping[str, Floats]) -> dict[str, Floats]:
    """Leave the first halves out, on which chains still go from their starts to where they belong."""
    return {name: trace[:, trace.shape[1] // 2 :] for name, trace in traces.items()}
