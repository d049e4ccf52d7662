"""Candidate links: all pairs of mentions above a minimum similarity, and their affinities as sparse rows.

F_d links mentions within a document, F_0 across documents. f is cut off first (below the minimum similarity it is 0)
and multiplied by the document weight afterwards. With a log-linear model, no pair that reaches the minimum is missing;
boosted trees score the pairs that `blocking` keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from samevent.errors import UsageError
from samevent.hddcrp.problem import Rows
from samevent.parallel import map_ahead
from samevent.scratch import IN_MEMORY, Scratch
from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.boosted import LEAST_LINK, AnyPairModel, BoostedModel
from samevent.similarity.candidates import Progress, candidates
from samevent.similarity.documents import compare_documents, document_similarity, document_weight
from samevent.similarity.gated import gated_candidates
from samevent.similarity.mentions import MentionTable
from samevent.similarity.neighbours import topical_documents
from samevent.similarity.pairs import Pairs, in_chunks

_CHUNK = 1 << 16
"""Number of pairs scored at a time: their columns are small enough for memory to be used again, not mapped anew."""
_SOME = 1 << 20
"""Number of links whose log-odds are computed at a time."""
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSettings:
    """Which pairs are links, and their weight; the defaults are the values of the paper.

    Pairs below `minimum_similarity` are not linked. A `gate` above 0 links only documents whose topical similarity
    reaches it. `document_weight` is gamma.
    """

    minimum_similarity: float = 0.5
    gate: float = 0.0
    document_weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.minimum_similarity < 1:
            raise UsageError(
                f"the parameter 'minimum_similarity' is {self.minimum_similarity}",
                expected="a number between 0 and 1, both excluded",
            )

    @property
    def minimum_score(self) -> float:
        """The log-odds of the minimum similarity."""
        return float(logit(self.minimum_similarity))


@dataclass(frozen=True, slots=True, eq=False)
class Affinities:
    """Row i of `within` holds earlier mentions of the same document, row i of `across` mentions of other documents.

    Columns ascend. `scored` is the number of pairs that the model scored.
    """

    within: Rows
    across: Rows
    scored: int


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """All pairs that a first look kept, the f of that look, and the f that a second look gives them.

    Where there is no second look, both are the same.
    """

    pairs: Pairs
    first: Floats
    final: Floats

    def links(self, minimum_similarity: float, scored: int = 0) -> MentionLinks:
        """Return the pairs that reach a similarity."""
        kept = self.final >= minimum_similarity
        if kept.all():
            return MentionLinks(self.pairs, self.final, scored, self)
        return MentionLinks(self.pairs[kept], self.final[kept], scored, self)


@dataclass(frozen=True, slots=True, eq=False)
class MentionLinks:
    """Pairs of mentions, each once, and their f; `scored` is the number of pairs that the model scored.

    All links of a corpus come with the `looks` that they result from.
    """

    pairs: Pairs
    similarity: Floats
    scored: int = 0
    looks: Looks | None = None

    def __getitem__(self, which: Booleans) -> MentionLinks:
        return MentionLinks(self.pairs[which], self.similarity[which], self.scored)

    def take(self, which: NDArray[np.integer]) -> MentionLinks:
        """Return links by number."""
        return MentionLinks(Pairs(self.pairs.i[which], self.pairs.j[which]), self.similarity[which])

    @classmethod
    def concatenate(cls, parts: Sequence[MentionLinks]) -> MentionLinks:
        """Concatenate links."""
        return cls(
            Pairs.concatenate(part.pairs for part in parts),
            np.concatenate([np.empty(0), *(part.similarity for part in parts)]),
            sum(part.scored for part in parts),
        )


def find_links(
    table: MentionTable,
    model: AnyPairModel,
    *,
    settings: LinkSettings | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    scratch: Scratch = IN_MEMORY,
) -> MentionLinks:
    """Return all pairs of a corpus whose f is at least the minimum similarity, searched by `jobs` threads.

    With a boosted model, all such pairs among those that its blocking keeps. Links of a boosted model lie in the
    `scratch`.
    """
    settings = settings or LinkSettings()
    if isinstance(model, BoostedModel):
        blocks = model.blocking.pairs(table, gate=settings.gate, jobs=jobs)
        links = score_pairs(table, model, blocks, first_look(model, settings), jobs=jobs, scratch=scratch)
        again = look_again(table, model, links, scratch=scratch).similarity
        looks = Looks(links.pairs, links.similarity, again)
        return scratch.kept(looks.links(settings.minimum_similarity, links.scored))
    if settings.gate:
        d, e, _ = topical_documents(table, settings.gate, jobs=jobs)
        blocks = gated_candidates(table, model, settings.minimum_score, d, e, jobs=jobs)
    else:
        blocks = candidates(table, model, settings.minimum_score, jobs=jobs, progress=progress)
    return score_pairs(table, model, blocks, settings)


def first_look(model: BoostedModel, settings: LinkSettings) -> LinkSettings:
    """Return which pairs a first look keeps: more than are links, if there is a second."""
    if model.second is None:
        return settings
    return LinkSettings(minimum_similarity=min(LEAST_LINK, settings.minimum_similarity), gate=settings.gate)


def look_again(
    table: MentionTable, model: BoostedModel, links: MentionLinks, *, scratch: Scratch = IN_MEMORY
) -> MentionLinks:
    """Return all links of a corpus with the f that the second look of a model gives them, if it has one."""
    if model.second is None:
        return links
    score = scratch.empty(len(links.pairs), np.float64)
    parts = [slice(start, start + _SOME) for start in range(0, len(score), _SOME)]
    for part in parts:
        score[part] = log_odds(links.similarity[part])
    model.look_again(table.document, links.pairs, score, out=score, scratch=scratch)
    for part in parts:
        expit(score[part], out=score[part])
    return MentionLinks(links.pairs, score, links.scored)


def log_odds(similarity: Floats) -> Floats:
    """Return the log-odds of similarities, none of them infinite."""
    odds: Floats = logit(np.clip(similarity, _LEAST, 1 - _LEAST))
    return odds


def score_pairs(
    table: MentionTable,
    model: AnyPairModel,
    blocks: Iterable[Pairs],
    settings: LinkSettings,
    *,
    jobs: int = 1,
    scratch: Scratch = IN_MEMORY,
) -> MentionLinks:
    """Score pairs in `jobs` threads, and keep those that reach the minimum similarity, in the `scratch`."""
    scored = 0

    def score(pairs: Pairs) -> MentionLinks:
        similarity = model.probability(table, pairs.i, pairs.j)
        return MentionLinks(pairs, similarity, len(pairs))[similarity >= settings.minimum_similarity]

    def rows() -> Iterator[tuple[Indices, Indices, Floats]]:
        nonlocal scored
        for links in map_ahead(score, in_chunks(blocks, _CHUNK), jobs):
            scored += links.scored
            yield links.pairs.i, links.pairs.j, links.similarity

    i, j, similarity = scratch.joined(rows(), (np.int32, np.int32, np.float64))
    return MentionLinks(Pairs(i, j), similarity, scored)


def to_affinities(
    table: MentionTable, links: MentionLinks, settings: LinkSettings, *, customers: Indices | None = None
) -> Affinities:
    """Turn links into rows: within a document from the later to the earlier mention, across documents both ways.

    Of some `customers`, in ascending order, there is one row each, and links number them from 0.
    """
    inside = links.pairs.equal(table.document)
    within, across = links.pairs[inside], links.pairs[~inside]
    similarity = links.similarity[~inside]
    if settings.document_weight:
        documents = compare_documents(table, across.i, across.j, document_similarity)
        similarity *= document_weight(documents, gamma=settings.document_weight)
    n = len(table)
    if customers is not None:
        n = len(customers)
        within, across = (
            Pairs(*(np.searchsorted(customers, rows).astype(np.int32) for rows in (pairs.i, pairs.j)))
            for pairs in (within, across)
        )
    return Affinities(
        within=Rows.from_triples(n, within.i, within.j, links.similarity[inside]),
        across=Rows.from_triples(
            n,
            np.concatenate([across.i, across.j]),
            np.concatenate([across.j, across.i]),
            np.concatenate([similarity, similarity]),
        ),
        scored=links.scored,
    )
