"""What the clusterers share whose mentions link to each other: settings of the links, the problem, its solution."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np

from samevent.clusterers.base import Clustered, Evidence, Need, PairModelName, Progress
from samevent.clusterers.features import observed
from samevent.clusterers.sampling import KEPT, Sampling, check_concentrations
from samevent.errors import UsageError
from samevent.hddcrp import ComponentPosterior, Problem, fit, sample
from samevent.hddcrp.answers import last_of_runs
from samevent.hddcrp.fit import Model, Sampler
from samevent.settings import check_range
from samevent.similarity.links import LinkSettings, MentionLinks, to_affinities
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import Pairs

Observe = Literal["words", "head_lemma"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked(Sampling):
    """Pairs below `minimum_similarity` are no links, unless `identical_words` links mentions with the same words.

    `pair_model` is its name; a `document_gate` above 0 leaves only links between documents that are that
    much about the same. `dirichlet` is lambda; `observe` says what events generate. `within_only`
    links no mentions of two documents. After `time_limit` seconds (0: never) sampling ends where it is.
    """

    pair_model: PairModelName = "paper"
    minimum_similarity: float = 0.5
    document_gate: float = 0.0
    identical_words: bool = False
    within_only: bool = False
    dirichlet: float = 1e-7
    observe: Observe = "words"
    time_limit: float = 0.0

    def __post_init__(self) -> None:
        Sampling.__post_init__(self)
        check_range("minimum_similarity", self.minimum_similarity, 0.001, 0.999)
        check_range("document_gate", self.document_gate, 0, 1)
        check_concentrations(dirichlet=self.dirichlet)
        check_range("time_limit", self.time_limit, 0, 1e9)
        if self.time_limit and self.answer == "last":
            raise UsageError(
                "a time limit makes no sense with the answer 'last', whose runs have exactly so many sweeps",
                hint="set fewer sweeps, or use the answer 'consensus' (preset light)",
            )

    @property
    def needs(self) -> frozenset[Need]:
        """Similarities, and the arguments that these compare."""
        return frozenset(("arguments", "similarity"))

    def links(self, evidence: Evidence, *, jobs: int = 1) -> MentionLinks:
        """Return the pairs of mentions that may be linked; the evidence keeps them for the next who asks."""
        links = evidence.links(
            self.minimum_similarity,
            document_gate=self.document_gate,
            pair_model=self.pair_model,
            jobs=jobs,
        )
        if self.identical_words:
            links = with_identical_words(evidence.table, links)
        return links[links.pairs.equal(evidence.table.document)] if self.within_only else links

    def problem(self, evidence: Evidence, *, document_weight: float, **alphas: float) -> Problem:
        """Return mentions as customers and documents as restaurants.

        The vocabulary is what the event mentions of the whole corpus use.
        """
        words, vocabulary = observed(evidence, self.observe)
        links = self.links(evidence)
        settings = LinkSettings(minimum_similarity=self.minimum_similarity, document_weight=document_weight)
        affinities = to_affinities(evidence.table, links, settings)
        return Problem(
            document=evidence.table.document,
            words=words,
            within=affinities.within,
            across=affinities.across,
            vocabulary=vocabulary,
            dirichlet=self.dirichlet,
            **alphas,  # type: ignore[arg-type]
        )

    def solved(
        self,
        evidence: Evidence,
        problem: Problem,
        *,
        model: Model,
        sampler: Sampler = "collapsed",
        seed: int,
        jobs: int,
        progress: Progress | None,
        checkpoint: Path | None,
    ) -> Clustered:
        """Answer for a model whose posterior falls into parts."""
        if self.answer == "last":
            runs = sample(
                problem, seed=seed, model=model, sampler=sampler, runs=self.runs, sweeps=self.sweeps, jobs=jobs,
                checkpoint=checkpoint, progress=progress,
            )  # fmt: skip
            traces = {"log joint": runs.traces["log joint"], "events": runs.traces["clusters"]}
            return Clustered(evidence.table.ids, *last_of_runs(runs.samples, traces, seed=seed))
        posterior = fit(
            problem, seed=seed, model=model, sampler=sampler, chains=self.runs, sweeps=self.sweeps, keep=KEPT,
            jobs=jobs, time_limit=self.time_limit or None, checkpoint=checkpoint, progress=progress,
        )  # fmt: skip
        labels = posterior.consensus(jobs=jobs).labels.astype(np.int32)
        return Clustered(evidence.table.ids, labels, replace(posterior, verdict=_verdict(posterior)))


def with_identical_words(table: MentionTable, links: MentionLinks) -> MentionLinks:
    """Link mentions that have the same words, if they have any, with f = 1 where there is no link yet."""
    bags, same = table.fields["words"], defaultdict(list)
    for row in np.flatnonzero(bags.present).tolist():
        entries = slice(bags.starts[row], bags.starts[row + 1])
        same[bags.words[entries].tobytes(), bags.counts[entries].tobytes()].append(row)
    linked = set(zip(links.pairs.i.tolist(), links.pairs.j.tolist(), strict=True))
    found = [(j, i) for rows in same.values() for i, j in combinations(rows, 2) if (j, i) not in linked]
    i, j = np.array(found, np.int32).reshape(-1, 2).T
    return MentionLinks.concatenate([links, MentionLinks(Pairs(i, j), np.ones(len(found)))])


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
