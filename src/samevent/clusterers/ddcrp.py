"""DDCRP: one level, on which a mention links to any similar mention, earlier or later, in whatever document (Eq. 1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samevent.clusterers.base import Clustered, Evidence, Progress
from samevent.clusterers.linked import Linked
from samevent.clusterers.sampling import check_concentrations
from samevent.settings import check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class Ddcrp(Linked):
    """The flat baseline; `alpha` is for links to oneself.

    Which documents mentions are in does not matter unless `document_weight` says so.
    """

    alpha: float = 0.1
    document_weight: float = 0.0

    def __post_init__(self) -> None:
        Linked.__post_init__(self)
        check_concentrations(alpha=self.alpha)
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
        problem = self.problem(evidence, document_weight=self.document_weight, alpha_flat=self.alpha)
        return self.solved(
            evidence, problem, model="ddcrp", seed=seed, jobs=jobs, progress=progress, checkpoint=checkpoint
        )
