"""Clusterers that link similar mentions.

DDCRP has one level: a mention links to any similar mention, earlier or later, in whatever document (Eq. 1). In the
HDDCRP mentions link to similar earlier ones of their document, and the clusters of documents link across documents.
HDDCRP* does the same within documents, and joins clusters across documents by a plain CRP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.special import expit, logit

from samevent.clusterers.base import Clustered, Evidence, Need, PairModelName, Progress, check_seed_and_jobs
from samevent.clusterers.convergence import Convergence
from samevent.clusterers.features import observed
from samevent.clusterers.sampling import KEPT, Sampling, check_concentrations
from samevent.clusterers.shown import as_shown
from samevent.errors import UsageError
from samevent.hddcrp import (
    ComponentPosterior,
    FitSettings,
    Mixture,
    Problem,
    Uncertainty,
    fit,
    fit_uncertain,
    hddcrp_star,
    sample,
)
from samevent.hddcrp.answers import last_of_runs
from samevent.hddcrp.batches import Batch, BatchStore, component_batches, join_mixtures, unsampled
from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.fit import Model, Sampler
from samevent.hddcrp.problem import MOST_WEIGHT, Rows
from samevent.hddcrp.runner import Countdown
from samevent.memory import trim
from samevent.partitions.linkage import average_link
from samevent.settings import check_range
from samevent.similarity.bags import Floats, Indices
from samevent.similarity.boosted import USUAL_UNCERTAINTY, BoostedModel
from samevent.similarity.links import LinkSettings, MentionLinks, to_affinities
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import same_phrase
from samevent.similarity.shown import THE_POSTERIOR, Shown

Observe = Literal["words", "head_lemma", "two_lemmas"]

_LEAST_LINK = 0.02
"""Less similar pairs are never links: there are too many of them, and hardly any is right."""
_LEAST_ODDS = 1e-9
_LIMITED_BATCH = 1 << 14
"""Links of a batch if there is a time limit: a fraction of a second."""
_EXACT_LIMIT = 1e4
"""Components with so many ways to link are enumerated, once per draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked(Sampling):
    """Settings that models of linked mentions share, and the problem they solve.

    Pairs with a similarity of at least `minimum_similarity` by the pair model named `pair_model` are links; with
    `identical_words`, so are mentions with the same words. Across documents, only documents whose similarity reaches
    `document_gate` are linked, and with `within_only` none are. `dirichlet` is lambda; `observe` is what events
    generate, and `likelihood_weight` the exponent of its likelihood: 1 is the paper's model, and 0 leaves the words
    to the pair model. Sampling stops after `time_limit` seconds (0: no limit), and what it does not reach is left to
    the pair model.
    """

    pair_model: PairModelName = "paper"
    minimum_similarity: float = 0.5
    document_gate: float = 0.0
    identical_words: bool = False
    within_only: bool = False
    dirichlet: float = 1e-7
    observe: Observe = "words"
    likelihood_weight: float = 1.0
    time_limit: float = 0.0

    def __post_init__(self) -> None:
        Sampling.__post_init__(self)
        check_range("minimum_similarity", self.minimum_similarity, 0.001, 0.999)
        check_range("document_gate", self.document_gate, 0, 1)
        check_concentrations(dirichlet=self.dirichlet)
        check_range("likelihood_weight", self.likelihood_weight, 0, MOST_WEIGHT)
        check_range("time_limit", self.time_limit, 0, 1e9)
        if self.time_limit and self.answer == "last":
            raise UsageError(
                "a time limit cannot be used with the answer 'last', whose runs have a fixed number of sweeps",
                hint="set fewer sweeps, or use the answer 'consensus' (preset light)",
            )

    @property
    def needs(self) -> frozenset[Need]:
        """Similarities, and the arguments that these compare."""
        return frozenset(("arguments", "similarity"))

    def links(self, evidence: Evidence, *, jobs: int = 1) -> MentionLinks:
        """Return the pairs of mentions that may be linked; the evidence caches them."""
        links = evidence.links(
            self.minimum_similarity,
            document_gate=self.document_gate,
            pair_model=self.pair_model,
            jobs=jobs,
        )
        if self.identical_words:
            links = with_identical_words(evidence.table, links)
        return links[links.pairs.equal(evidence.table.document)] if self.within_only else links

    def problem(
        self, evidence: Evidence, links: MentionLinks, *, document_weight: float, **alphas: float
    ) -> Problem:
        """Return mentions as customers and documents as restaurants.

        The vocabulary is what the event mentions of the whole corpus use.
        """
        words, vocabulary = observed(evidence, self.observe)
        settings = LinkSettings(minimum_similarity=self.minimum_similarity, document_weight=document_weight)
        affinities = to_affinities(evidence.table, links, settings)
        return Problem(
            document=evidence.table.document,
            words=words,
            within=affinities.within,
            across=affinities.across,
            vocabulary=vocabulary,
            dirichlet=self.dirichlet,
            likelihood_weight=self.likelihood_weight,
            names=evidence.part.names if evidence.part else None,
            must_link=evidence.constraints.must_link,
            cannot_link=evidence.constraints.cannot_link,
            **alphas,  # type: ignore[arg-type]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Factorised(Linked):
    """A model whose posterior has independent components, alone or integrated over what the pair model does not know.

    If it is `uncertain`, similarities are shifted by `draws` quantiles of the pair model's uncertainty; `runs` chains
    sample the posterior at each, pairs are links where their shifted similarity is at least `minimum_similarity`, with
    their odds as affinities, and the events are groups whose mean probability by the posterior is at least `cut`; what
    is shown is that probability as the pair model has learned to trust it (`similarity.shown`). Otherwise
    similarities are taken as they are, which is the paper's model.
    """

    uncertain: bool = False
    draws: int = 16
    cut: float = 0.4

    def __post_init__(self) -> None:
        Linked.__post_init__(self)
        check_range("draws", self.draws, 1, 1000)
        check_range("cut", self.cut, 0.001, 1)
        if self.uncertain and self.answer == "last":
            raise UsageError(
                "with the answer 'last' similarities are taken as they are",
                hint="use the answer 'consensus', or set uncertain = false",
            )

    @property
    def total_sweeps(self) -> int:
        """Sweeps of all runs together, at most."""
        return self.runs * self.sweeps * (self.draws if self.uncertain else 1)

    def links(self, evidence: Evidence, *, jobs: int = 1) -> MentionLinks:
        """Return the pairs of mentions that may be linked, at some shift if similarities are uncertain."""
        if not self.uncertain:
            return Linked.links(self, evidence, jobs=jobs)
        highest = self._uncertainty(evidence).shifts(self.draws)[-1]
        least = float(expit(logit(self.minimum_similarity) - highest))
        settings = replace(
            self, uncertain=False, minimum_similarity=float(np.clip(least, _LEAST_LINK, 0.999))
        )
        return Linked.links(settings, evidence, jobs=jobs)

    def _uncertainty(self, evidence: Evidence) -> Uncertainty:
        model = evidence.pair_model(self.pair_model)
        return model.uncertainty if isinstance(model, BoostedModel) else USUAL_UNCERTAINTY

    def shown(self, evidence: Evidence) -> Shown:
        """Return how far the pair model has learned to trust the posterior."""
        model = evidence.pair_model(self.pair_model)
        return model.shown if isinstance(model, BoostedModel) else THE_POSTERIOR

    def solved(
        self,
        evidence: Evidence,
        *,
        model: Model,
        sampler: Sampler = "collapsed",
        document_weight: float,
        seed: int,
        jobs: int,
        progress: Progress | None,
        checkpoint: Path | None,
        **alphas: float,
    ) -> Clustered:
        """Return the answer of a model."""
        check_seed_and_jobs(seed, jobs)
        links = self.links(evidence, jobs=jobs)
        if self.uncertain:
            mixture = self.mixture(
                evidence, links, self._uncertainty(evidence), model=model, sampler=sampler,
                document_weight=document_weight, seed=seed, jobs=jobs, progress=progress, checkpoint=checkpoint,
                **alphas,
            )  # fmt: skip
            labels = average_link(mixture, self.cut).astype(np.int32)
            judged = replace(
                as_shown(mixture, links, self.shown(evidence)), verdict=Convergence.of(mixture).verdict
            )
            return Clustered(evidence.table.ids, labels, judged)
        problem = self.problem(evidence, links, document_weight=document_weight, **alphas)
        if self.answer == "last":
            runs = sample(
                problem, seed=seed, model=model, sampler=sampler, runs=self.runs, sweeps=self.sweeps, jobs=jobs,
                checkpoint=checkpoint, progress=progress,
            )  # fmt: skip
            traces = {"log joint": runs.traces["log joint"], "events": runs.traces["clusters"]}
            held = {"must_link": problem.must_link, "cannot_link": problem.cannot_link}
            return Clustered(evidence.table.ids, *last_of_runs(runs.samples, traces, seed=seed, **held))
        posterior = fit(
            problem, seed=seed, model=model, sampler=sampler, chains=self.runs, sweeps=self.sweeps, keep=KEPT,
            jobs=jobs, time_limit=self.time_limit or None, checkpoint=checkpoint, progress=progress,
        )  # fmt: skip
        labels = posterior.consensus(jobs=jobs).labels.astype(np.int32)
        return Clustered(evidence.table.ids, labels, replace(posterior, verdict=_verdict(posterior)))

    def mixture(
        self,
        evidence: Evidence,
        links: MentionLinks,
        uncertainty: Uncertainty,
        *,
        model: Model,
        sampler: Sampler = "collapsed",
        document_weight: float,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
        checkpoint: Path | None = None,
        **alphas: float,
    ) -> Mixture:
        """Return the posterior over links with uncertain similarities, batch by batch of independent components."""
        most = _LIMITED_BATCH if self.time_limit else None
        held = evidence.constraints
        batches = component_batches(
            len(evidence), links.pairs.i, links.pairs.j, most=most, must_link=held.must_link
        )
        words = observed(evidence, self.observe)
        settings = FitSettings(
            seed=seed, model=model, sampler=sampler, chains=self.runs, sweeps=self.sweeps,
            keep=-(-KEPT // self.draws), exact_limit=_EXACT_LIMIT,
        )  # fmt: skip
        clock = Countdown(self.time_limit or None, sum(len(batch.links) for batch in batches))

        def solve(batch: Batch, where: Path | None) -> Mixture:
            part = links.take(batch.links)
            if clock.over:
                return unsampled(
                    batch, part.pairs.i, part.pairs.j, part.similarity, self.draws, settings,
                    held.inside(batch.customers),
                )  # fmt: skip
            problem, within, across = self._uncertain_problem(
                evidence, part, batch.customers, words, document_weight, alphas
            )
            return fit_uncertain(
                problem, uncertainty, within=within, across=across, draws=self.draws, settings=settings,
                truncation=float(logit(self.minimum_similarity)), time_limit=clock.share(len(batch.links)),
                jobs=jobs, checkpoint=where,
                progress=clock.part_of(progress, len(batch.links)) if progress else None,
            )  # fmt: skip

        if len(batches) <= 1:
            everybody = Batch(
                np.arange(len(evidence), dtype=np.int32), np.arange(len(links.pairs), dtype=np.int32)
            )
            return solve(everybody, checkpoint)
        asked = (
            replace(self, time_limit=0.0),
            uncertainty,
            settings,
            alphas,
            document_weight,
            links.similarity,
            *((held,) if held else ()),
        )
        store = BatchStore(checkpoint, fingerprint(asked) if checkpoint else "")

        def solved() -> Iterator[Mixture]:
            for number, batch in enumerate(batches):
                yield replace(store.solve(number, batch, partial(solve, batch)), members=())
                trim()  # the chains of a batch were many small arrays
                clock.done += len(batch.links)

        return join_mixtures(len(evidence), batches, solved(), held)

    def _uncertain_problem(
        self,
        evidence: Evidence,
        links: MentionLinks,
        customers: Indices,
        words: tuple[Rows, int],
        document_weight: float,
        alphas: Mapping[str, float],
    ) -> tuple[Problem, Floats, Floats]:
        """Return some mentions as customers, and the log-odds of their links within and across documents."""
        log_odds = logit(np.clip(links.similarity, _LEAST_ODDS, 1 - _LEAST_ODDS))
        count = len(links.pairs)
        weights = LinkSettings(minimum_similarity=self.minimum_similarity, document_weight=document_weight)
        affinities, which = (
            to_affinities(evidence.table, MentionLinks(links.pairs, values), settings, customers=customers)
            for values, settings in (
                (np.ones(count), weights),
                (np.arange(count, dtype=np.float64), LinkSettings(document_weight=0.0)),
            )
        )
        held = evidence.constraints.inside(customers)
        problem = Problem(
            document=evidence.table.document[customers],
            words=words[0].take(customers),
            within=affinities.within,
            across=affinities.across,
            vocabulary=words[1],
            dirichlet=self.dirichlet,
            likelihood_weight=self.likelihood_weight,
            names=evidence.part.names[customers] if evidence.part else customers,
            must_link=held.must_link,
            cannot_link=held.cannot_link,
            **alphas,  # type: ignore[arg-type]
        )
        inner, outer = (rows.values.astype(np.int64) for rows in (which.within, which.across))
        return problem, log_odds[inner], log_odds[outer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ddcrp(Factorised):
    """The flat baseline; `alpha` is for links to oneself.

    The documents that mentions are in do not matter unless `document_weight` is above 0.
    """

    alpha: float = 0.1
    document_weight: float = 0.0

    def __post_init__(self) -> None:
        Factorised.__post_init__(self)
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
        """Return which mentions refer to the same event."""
        return self.solved(
            evidence, model="ddcrp", document_weight=self.document_weight, alpha_flat=self.alpha, seed=seed,
            jobs=jobs, progress=progress, checkpoint=checkpoint,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class HddcrpStar(Linked):
    """The HDDCRP without similarities across documents; `alpha_across` is the concentration of the CRP over tables."""

    alpha_within: float = 0.5
    alpha_across: float = hddcrp_star.ALPHA_ACROSS

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
        problem = self.problem(
            evidence, self.links(evidence), document_weight=0.0, alpha_within=self.alpha_within
        )
        draws = hddcrp_star.sample(
            problem, alpha_across=self.alpha_across, seed=seed, runs=self.runs, sweeps=self.sweeps,
            keep=self.kept_per_run, jobs=jobs, progress=progress, checkpoint=checkpoint,
        )  # fmt: skip
        return self.answer_from(draws, evidence, seed=seed, jobs=jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hddcrp(Factorised):
    """The paper's model; `alpha_within` is alpha_d, `alpha_across` alpha_0 and `document_weight` gamma.

    The sampler `collapsed` draws one link per mention, `paper` draws customer links and table links in turn; both
    sample the same posterior.
    """

    alpha_within: float = 0.5
    alpha_across: float = 0.001
    document_weight: float = 1.0
    sampler: Sampler = "collapsed"

    def __post_init__(self) -> None:
        Factorised.__post_init__(self)
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
        """Return which mentions refer to the same event."""
        return self.solved(
            evidence, model="hddcrp", sampler=self.sampler, document_weight=self.document_weight,
            alpha_within=self.alpha_within, alpha_across=self.alpha_across, seed=seed, jobs=jobs, progress=progress,
            checkpoint=checkpoint,
        )  # fmt: skip

    def integrated(
        self, evidence: Evidence, links: MentionLinks, uncertainty: Uncertainty, *, seed: int = 0
    ) -> Mixture:
        """Return the posterior over given links, whatever the pair model of the evidence says."""
        return self.mixture(
            evidence, links, uncertainty, model="hddcrp", sampler=self.sampler, document_weight=self.document_weight,
            alpha_within=self.alpha_within, alpha_across=self.alpha_across, seed=seed,
        )  # fmt: skip


def with_identical_words(table: MentionTable, links: MentionLinks) -> MentionLinks:
    """Link mentions that have the same words, if they have any, with f = 1 where there is no link yet."""
    pairs = same_phrase(table)
    linked = np.isin(pairs.codes(len(table)), links.pairs.codes(len(table)), kind="sort")
    new = pairs[~linked]
    return MentionLinks.concatenate([links, MentionLinks(new, np.ones(len(new)))])


def _verdict(posterior: ComponentPosterior) -> str:
    """Return how far the posterior can be trusted, in the words of users."""
    parts = posterior.components
    sampled, unsettled = ~parts.exact, ~parts.settled
    text = f"{len(parts):,} independent components: {int(sampled.sum()):,} sampled, the others exact"
    if not posterior.complete:
        text += ", stopped by the time limit"
    if not unsettled.any():
        return f"{text}; all settled"
    share = parts.size[unsettled].sum() / parts.size.sum()
    return f"{text}; {int(unsettled.sum()):,} have not settled ({share:.1%} of the mentions): try more sweeps or runs"
