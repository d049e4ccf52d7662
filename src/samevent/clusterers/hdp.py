"""The HDP family: documents share events through a two-level CRP, and no similarities are used.

`hdp-lex` observes the words of mentions, as the HDDCRP does; its variants observe the features of Bejan & Harabagiu.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from samevent.clusterers.base import (
    Clustered,
    Evidence,
    Need,
    Progress,
    WithoutPairs,
    check_seed_and_jobs,
    check_unconstrained,
)
from samevent.clusterers.features import FILLERS, Feature, channels
from samevent.clusterers.sampling import Sampling, check_concentrations
from samevent.errors import UsageError
from samevent.hddcrp.concentrations import GammaPrior
from samevent.hddcrp.hdp import ALPHA_ACROSS, ALPHA_WITHIN, Priors, sample
from samevent.settings import check_range

Start = Literal["alone", "lemma"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hdp(WithoutPairs, Sampling):
    """A hierarchical Dirichlet process over some features; `structured` lets some depend on others.

    `alpha_within` and `alpha_across` are the concentrations of documents and of the top level. One that has a gamma
    prior, shape and rate, is drawn from it; without a prior it is fixed. Chains start with one event for each mention,
    or for each head lemma. `merges` is how often, per 1,000 mentions, a sweep tries to split a whole event or to merge
    two.
    """

    features: tuple[Feature, ...] = ("words",)
    structured: bool = False
    alpha_within: float = ALPHA_WITHIN
    alpha_across: float = ALPHA_ACROSS
    prior_within: tuple[float, ...] = (1.0, 1.0)
    prior_across: tuple[float, ...] = (1.0, 10.0)
    dirichlet: float = 1e-7
    start: Start = "alone"
    merges: int = 0

    def __post_init__(self) -> None:
        Sampling.__post_init__(self)
        if not self.features or len(set(self.features)) < len(self.features):
            raise UsageError(
                f"the setting 'features' is {list(self.features)}", expected="one or more, each once"
            )
        check_concentrations(
            alpha_within=self.alpha_within, alpha_across=self.alpha_across, dirichlet=self.dirichlet
        )
        check_range("merges", self.merges, 0, 1_000_000)
        _ = self.priors  # refuses what is no prior

    @property
    def priors(self) -> Priors:
        """The priors of the concentrations, None where they are fixed."""
        return _prior("prior_within", self.prior_within), _prior("prior_across", self.prior_across)

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
        check_unconstrained(evidence, "hdp")
        observed = channels(evidence, self.features, structured=self.structured, dirichlet=self.dirichlet)
        table = evidence.table
        lemmas = table.heads.lemma[table.head] if self.start == "lemma" else None
        merges = -(-self.merges * len(evidence) // 1000)
        draws = sample(
            table.document, observed, alpha_within=self.alpha_within, alpha_across=self.alpha_across,
            priors=self.priors, labels=lemmas, merges=merges, seed=seed, runs=self.runs, sweeps=self.sweeps,
            keep=self.kept_per_run, jobs=jobs, progress=progress, checkpoint=checkpoint,
        )  # fmt: skip
        return self.answer_from(draws, evidence, seed=seed, jobs=jobs)


def _prior(name: str, parameters: tuple[float, ...]) -> GammaPrior | None:
    if not parameters:
        return None
    if len(parameters) != 2:
        raise UsageError(f"the setting {name!r} is {list(parameters)}", expected="shape and rate, or nothing")
    prior = GammaPrior(*parameters)
    prior.check(name)
    return prior
