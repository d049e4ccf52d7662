"""Clusterers by rule.

LEMMA joins mentions whose head words have the same lemma, wherever they are.

AGGLOMERATIVE is single-link clustering in two phases, after Chen, Ji & Haralick (2009). First the mentions of each
document are grouped, then the groups of different documents. Under single link two groups are as similar as their most
similar mentions, so a group is what chains of similar pairs connect: the second phase adds the pairs across documents
to those within, each phase with its own threshold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.clusterers.base import (
    Answer,
    Clustered,
    Evidence,
    Need,
    PairModelName,
    Progress,
    WithoutPairs,
    check_seed_and_jobs,
    check_unconstrained,
)
from samevent.partitions.labels import canonical
from samevent.partitions.posterior import Posterior
from samevent.settings import check_range
from samevent.similarity.links import MentionLinks
from samevent.similarity.mentions import MentionTable

LEAST, MOST = 0.001, 0.999
"""Thresholds lie in here: at 0 everything would be linked, at 1 nothing."""


class Rule(ABC):
    """A clusterer that labels mentions by a deterministic rule."""

    __slots__ = ()

    @property
    def answer(self) -> Answer:
        """The rule's labels."""
        return "rule"

    @property
    def sampled(self) -> bool:
        """Nothing is sampled."""
        return False

    @property
    def total_sweeps(self) -> int:
        """One step."""
        return 1

    @abstractmethod
    def labels(self, evidence: Evidence) -> NDArray[np.integer]:
        """Return one label per mention."""

    def cluster(
        self,
        evidence: Evidence,
        *,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
        checkpoint: Path | None = None,  # noqa: ARG002 -- part of the protocol; a rule has nothing to resume
    ) -> Clustered:
        """Return the groups of mentions with the same label."""
        check_seed_and_jobs(seed, jobs)
        check_unconstrained(evidence, type(self).__name__.lower())
        labels = canonical(self.labels(evidence)).astype(np.int32)
        if progress:
            progress(1, 1)
        return Clustered(evidence.table.ids, labels, Posterior(samples=labels[np.newaxis]))


@dataclass(frozen=True, slots=True)
class Lemma(WithoutPairs, Rule):
    """Group all mentions of the corpus by the lemma of their head, in lower case. There is nothing to set."""

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing but words."""
        return frozenset()

    def labels(self, evidence: Evidence) -> NDArray[np.integer]:
        """Return the number of each mention's head lemma."""
        table = evidence.table
        return table.heads.lemma[table.head]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agglomerative(Rule):
    """Link mentions of a document from the similarity `within` on, groups across documents from `across` on.

    With a `document_gate`, only documents that are at least that similar are linked.
    """

    within: float = 0.5
    across: float = 0.5
    pair_model: PairModelName = "paper"
    document_gate: float = 0.0

    def __post_init__(self) -> None:
        check_range("within", self.within, LEAST, MOST)
        check_range("across", self.across, LEAST, MOST)
        check_range("document_gate", self.document_gate, 0, 1)

    @property
    def needs(self) -> frozenset[Need]:
        """Similarities, and the arguments that these compare."""
        return frozenset(("arguments", "similarity"))

    @property
    def minimum_similarity(self) -> float:
        """The lower of the two thresholds."""
        return min(self.within, self.across)

    def links(self, evidence: Evidence, *, jobs: int = 1) -> MentionLinks:
        """Return the pairs of mentions that reach the lower of the two thresholds."""
        return evidence.links(
            self.minimum_similarity,
            pair_model=self.pair_model,
            document_gate=self.document_gate,
            jobs=jobs,
        )

    def labels(self, evidence: Evidence) -> NDArray[np.integer]:
        """Return the groups after both phases."""
        links = self.links(evidence)
        return single_link(evidence.table, links, within=self.within, across=self.across)


def single_link(
    table: MentionTable, links: MentionLinks, *, within: float, across: float
) -> NDArray[np.integer]:
    """Return the groups that are connected by links which reach the threshold of their kind."""
    near = links.pairs.equal(table.document)
    kept = links.pairs[links.similarity >= np.where(near, within, across)]
    graph = coo_array((np.ones(len(kept)), (kept.i, kept.j)), shape=(len(table), len(table)))
    groups: NDArray[np.integer] = connected_components(graph, directed=False)[1]
    return groups
