"""HDDCRP: mentions link to similar earlier ones of their document, and what they start to similar ones elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samevent.clusterers.base import Clustered, Evidence, Progress
from samevent.clusterers.linked import Linked
from samevent.clusterers.sampling import check_concentrations
from samevent.hddcrp.fit import Sampler
from samevent.settings import check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class Hddcrp(Linked):
    """The paper's model; `alpha_within` is alpha_d, `alpha_across` alpha_0 and `document_weight` gamma.

    The sampler `collapsed` draws one link a mention, `paper` customer links and table links by turns: the same law.
    """

    alpha_within: float = 0.5
    alpha_across: float = 0.001
    document_weight: float = 1.0
    sampler: Sampler = "collapsed"

    def __post_init__(self) -> None:
        Linked.__post_init__(self)
        check_concentrations(alpha_within=self.alpha_within, alpha_across=self.alpha_across)
        check_range("document_weight", self.document_weight, 0, 100)

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
        problem = self.problem(
            evidence,
            document_weight=self.document_weight,
            alpha_within=self.alpha_within,
            alpha_across=self.alpha_across,
        )
        return self.solved(
            evidence, problem, model="hddcrp", sampler=self.sampler, seed=seed, jobs=jobs, progress=progress,
            checkpoint=checkpoint,
        )  # fmt: skip
