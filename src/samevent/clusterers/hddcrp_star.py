"""HDDCRP*: mentions link within their document as in the HDDCRP; a plain CRP joins clusters across documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samevent.clusterers.base import Clustered, Evidence, Progress, check_seed_and_jobs
from samevent.clusterers.linked import Linked
from samevent.clusterers.sampling import check_concentrations
from samevent.hddcrp.hddcrp_star import ALPHA_ACROSS, sample


@dataclass(frozen=True, slots=True, kw_only=True)
class HddcrpStar(Linked):
    """The HDDCRP without similarities across documents; `alpha_across` is the concentration of the CRP over tables."""

    alpha_within: float = 0.5
    alpha_across: float = ALPHA_ACROSS

    def __post_init__(self) -> None:
        Linked.__post_init__(self)
        check_concentrations(alpha_within=self.alpha_within, alpha_across=self.alpha_across)

    def cluster(
        self,
        evidence: Evidence,
        *,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
    ) -> Clustered:
        """Return which mentions refer to the same event."""
        check_seed_and_jobs(seed, jobs)
        problem = self.problem(evidence, document_weight=0.0, alpha_within=self.alpha_within)
        draws = sample(
            problem, alpha_across=self.alpha_across, seed=seed, runs=self.runs, sweeps=self.sweeps,
            keep=self.kept_per_run, jobs=jobs, progress=progress, checkpoint=checkpoint,
        )  # fmt: skip
        return self.answer_from(draws, evidence, seed=seed, jobs=jobs)
