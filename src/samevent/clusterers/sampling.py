"""The settings that all sampled clusterers share: how long they run, and how samples become an answer.

The answer `last` is the paper's: the last sample of each run, of which the one with the highest log joint is reported.
The answer `consensus` is for users: the partition that is closest to all samples on average, with P(same event).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samevent.clusterers.base import Clustered, Evidence
from samevent.errors import UsageError
from samevent.hddcrp.answers import LOG_JOINT, consensus_of_runs, last_of_runs
from samevent.hddcrp.franchise import Draws
from samevent.hddcrp.problem import LEAST, MOST
from samevent.settings import check_range

Answer = Literal["consensus", "last"]

KEPT = 100
"""The number of samples behind a consensus, all runs together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """The number of runs, the sweeps of each, and the kind of answer."""

    answer: Answer = "consensus"
    runs: int = 4
    sweeps: int = 800

    def __post_init__(self) -> None:
        several = self.answer == "consensus"
        if several and self.runs == 1:
            raise UsageError(
                "the setting 'runs' is 1",
                expected="2 or more, because a consensus shows whether runs agree",
                hint="a single run has an answer under the preset paper",
            )
        check_range("runs", self.runs, 1, 10_000)
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
    def kept_per_run(self) -> int:
        """How many samples each run keeps."""
        return -(-KEPT // self.runs) if self.answer == "consensus" else 1

    def answer_from(self, draws: Draws, evidence: Evidence, *, seed: int, jobs: int) -> Clustered:
        """Return the answer to draws of a model that has no independent components."""
        traces = {LOG_JOINT: draws.log_joint, "events": draws.clusters}
        constraints = {"must_link": draws.must_link, "cannot_link": draws.cannot_link}
        answer = (
            last_of_runs(draws.samples[:, -1], traces, seed=seed, **constraints)
            if self.answer == "last"
            else consensus_of_runs(draws.samples, traces, seed=seed, jobs=jobs, **constraints)
        )
        return Clustered(evidence.table.ids, *answer)


def check_concentrations(**values: float) -> None:
    """Raise unless all are positive numbers in the range of the engine."""
    for name, value in values.items():
        check_range(name, value, LEAST, MOST)
