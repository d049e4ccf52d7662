"""Affinities of a corpus too large for all of them. APPROXIMATE: links are missing, and it is measured how many.

Two things are given up. Mentions of documents that are not similar are never paired (the gate). Of the links across
documents, a mention keeps the strongest (the cap); a link stays if one of its two mentions keeps it. Links within
documents are all there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samevent.errors import UsageError
from samevent.seeds import stream
from samevent.similarity.affinities import Affinities, Links, Settings, assembled, scored
from samevent.similarity.bags import Booleans
from samevent.similarity.candidates import Progress, candidates, gate_between
from samevent.similarity.documents import similar_documents
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What may be spent: `document_gate` is the similarity that two documents must exceed, `links` how many links
    across documents a mention keeps, `sample` on how many mentions the loss is measured."""

    document_gate: float = 0.2
    links: int = 50
    sample: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.document_gate < 1:
            raise UsageError(
                f"the parameter 'document_gate' is {self.document_gate}",
                expected="a number from 0 to below 1",
            )
        for name in ("links", "sample"):
            if getattr(self, name) < 1:
                raise UsageError(f"the parameter {name!r} is {getattr(self, name)}", expected="1 or more")


@dataclass(frozen=True, slots=True)
class Recall:
    """How many of the links that some mentions should have are there."""

    mentions: int
    links: int
    found: int

    @property
    def share(self) -> float:
        """The measured recall; 1 if there was nothing to find."""
        return self.found / self.links if self.links else 1.0

    def __str__(self) -> str:
        return (
            f"approximate: {self.found:,} of {self.links:,} links found "
            f"({self.share:.1%}, measured on {self.mentions:,} mentions)"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Approximation:
    """Affinities of which some are missing, and how many are there by measurement."""

    affinities: Affinities
    recall: Recall


def approximate_affinities(
    table: MentionTable,
    model: PairModel,
    *,
    budget: Budget | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Approximation:
    """Find the strongest links between mentions of similar documents, and measure what share of all links that is."""
    budget, settings = budget or Budget(), settings or Settings()
    gate = gate_between(table, *similar_documents(table, budget.document_gate))
    links = Links.joined([])
    for block in candidates(table, model, settings.least_score, gate=gate, progress=progress):
        links = Links.joined([links, scored(table, model, [block], settings)])
        if len(links.pairs) > 2 * budget.links * len(table):
            links = links[_kept(table, links, budget.links)]
    links = links[_kept(table, links, budget.links)]
    return Approximation(
        assembled(table, links, settings), _recall(table, model, links.pairs, budget, settings)
    )


def _kept(table: MentionTable, links: Links, most: int) -> Booleans:
    """Say which links lie within a document or are among the strongest of one of their mentions."""
    kept = links.pairs.agree(table.document)
    across = np.flatnonzero(~kept)
    i, j = links.pairs.i[across], links.pairs.j[across]
    mention, partner, link = np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([across, across])
    order = np.lexsort((partner, -links.similarity[link], mention))
    first = np.searchsorted(mention[order], mention[order])
    kept[link[order][np.arange(len(order)) - first < most]] = True
    return kept


def _recall(
    table: MentionTable, model: PairModel, found: Pairs, budget: Budget, settings: Settings
) -> Recall:
    """Score some mentions with all others and look how many of their links were found."""
    size = min(budget.sample, len(table))
    sample = np.sort(stream(budget.seed, "recall").choice(len(table), size, replace=False)).astype(np.int32)
    everything = np.arange(len(table), dtype=np.int32)
    expected = 0
    for mention in sample.tolist():
        others = everything[everything != mention]
        mine = np.full_like(others, mention)
        pairs = Pairs(np.maximum(mine, others), np.minimum(mine, others))
        expected += len(scored(table, model, [pairs], settings).pairs)
    chosen = np.zeros(len(table), np.int64)
    chosen[sample] = 1
    return Recall(size, expected, int((chosen[found.i] + chosen[found.j]).sum()))
