"""From the samples of several runs to an answer: one partition, and the posterior behind it.

`last_of_runs` is the paper's way: the last sample of each run, of which the one with the highest log joint is
reported. `consensus_of_runs` is for users: the partition that is closest to all samples on average.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.partitions.constraints import Constraints
from samevent.partitions.diagnostics import agreement_of_chains, diagnose, neighbours_together
from samevent.partitions.labels import Floats
from samevent.partitions.posterior import Posterior

Labels = NDArray[np.int32]
Traces = Mapping[str, Floats]
NO_PAIRS: Constraints = np.zeros((0, 2), np.int32)
LOG_JOINT = "log joint"
"""The trace that decides which run ended highest."""


class Answer(NamedTuple):
    """The labels to report, and what is known of them."""

    labels: Labels
    posterior: Posterior


def last_of_runs(
    samples: Labels,
    traces: Traces,
    *,
    seed: int = 0,
    must_link: Constraints = NO_PAIRS,
    cannot_link: Constraints = NO_PAIRS,
) -> Answer:
    """Report the last sample of the run that ended highest; `samples` has the last one of each run."""
    best = int(np.argmax(traces[LOG_JOINT][:, -1]))
    diagnosis = diagnose(_second_halves(traces))
    reasons = diagnosis.reasons or ("traces mix",)
    if len(samples) > 1:
        agreement = agreement_of_chains(neighbours_together(samples[best], samples[:, np.newaxis]))
        reasons += (f"two runs differ on {agreement.mean_difference:.1%} of its neighbours",)
    verdict = (
        f"the last sample of run {best + 1} of {len(samples)}, which ended highest; {'; '.join(reasons)}"
    )
    posterior = Posterior(
        samples=samples, traces=traces, verdict=verdict, settled=not diagnosis.reasons, seed=seed,
        must_link=must_link, cannot_link=cannot_link,
    )  # fmt: skip
    return Answer(samples[best], posterior)


def consensus_of_runs(
    samples: Labels,
    traces: Traces,
    *,
    seed: int = 0,
    jobs: int = 1,
    must_link: Constraints = NO_PAIRS,
    cannot_link: Constraints = NO_PAIRS,
) -> Answer:
    """Report the consensus of all samples, which have the shape (runs, samples, customers); warn if unsettled."""
    posterior = Posterior(
        samples=np.concatenate(list(samples)), traces=traces, seed=seed, must_link=must_link, cannot_link=cannot_link
    )  # fmt: skip
    labels = posterior.consensus(jobs=jobs).labels.astype(np.int32)
    diagnosis = diagnose(_second_halves(traces), neighbours_together(labels, samples))
    diagnosis.warn()
    return Answer(labels, replace(posterior, verdict=diagnosis.verdict, settled=diagnosis.settled))


def _second_halves(traces: Traces) -> dict[str, Floats]:
    """Leave out the first halves, in which chains still move away from their starts."""
    return {name: trace[:, trace.shape[1] // 2 :] for name, trace in traces.items()}
