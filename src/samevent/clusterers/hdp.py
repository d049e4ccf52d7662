"""The HDP family: documents share events through a two-level CRP, and no similarities are used.

`hdp-lex` observes the words of mentions, as the HDDCRP does; its variants observe the features of Bejan & Harabagiu.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samevent.clusterers.base import Clustered, Evidence, Need, Progress, WithoutPairs, check_seed_and_jobs
from samevent.clusterers.features import FILLERS, Feature, channels
from samevent.clusterers.sampling import Sampling, check_concentrations
from samevent.errors import UsageError
from samevent.hddcrp.hdp import ALPHA_ACROSS, ALPHA_WITHIN, sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Hdp(WithoutPairs, Sampling):
    """A hierarchical Dirichlet process over some features; `structured` lets some depend on others.

    `alpha_within` and `alpha_across` are the concentrations of documents and of the top level.
    """

    features: tuple[Feature, ...] = ("words",)
    structured: bool = False
    alpha_within: float = ALPHA_WITHIN
    alpha_across: float = ALPHA_ACROSS
    dirichlet: float = 1e-7

    def __post_init__(self) -> None:
        Sampling.__post_init__(self)
        if not self.features or len(set(self.features)) < len(self.features):
            raise UsageError(
                f"the setting 'features' is {list(self.features)}", expected="one or more, each once"
            )
        check_concentrations(
            alpha_within=self.alpha_within, alpha_across=self.alpha_across, dirichlet=self.dirichlet
        )

    @property
    def needs(self) -> frozenset[Need]:
        """Arguments, if there is a feature that they fill."""
        return frozenset(("arguments",)) if FILLERS & set(self.features) else frozenset()

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
        observed = channels(evidence, self.features, structured=self.structured, dirichlet=self.dirichlet)
        draws = sample(
            evidence.table.document, observed, alpha_within=self.alpha_within, alpha_across=self.alpha_across,
            seed=seed, runs=self.runs, sweeps=self.sweeps, keep=self.kept_per_run, jobs=jobs, progress=progress,
            checkpoint=checkpoint,
        )  # fmt: skip
        return self.answer_from(draws, evidence, seed=seed, jobs=jobs)
