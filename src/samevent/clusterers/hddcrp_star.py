"""HDDCRP*: mentions link within their document as in the HDDCRP, but their clusters meet by a plain CRP."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samevent.clusterers.base import Clustered, Evidence, Progress
from samevent.clusterers.linked import Linked
from samevent.clusterers.sampling import check_concentrations, sampled
from samevent.hddcrp.crp import State, init, sweep
from samevent.hddcrp.randoms import seeded


@dataclass(frozen=True, slots=True, kw_only=True)
class HddcrpStar(Linked):
    """The HDDCRP without similarities across documents; `alpha_across` is the concentration of the CRP over tables."""

    alpha_within: float = 0.5
    alpha_across: float = 1.0

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
        """Say which mentions tell of the same event."""
        problem = self.problem(evidence, document_weight=0.0, alpha_within=self.alpha_within)

        def start(run: int) -> State:
            return init(problem, seeded(seed, "hddcrp-star", run), alpha_across=self.alpha_across)

        return sampled(
            evidence, self, start, sweep, given=(problem.document, problem.words, problem.within), seed=seed, jobs=jobs,
            progress=progress, checkpoint=checkpoint,
        )  # fmt: skip
