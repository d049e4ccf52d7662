"""New documents for linked ones: new links, the components that they touch, and the answer for these.

Words keep the weights that they had when everything was last linked, so links among earlier mentions stay what they
are. Components that no new mention is linked to keep their answer: the posterior is a product over components, so
the answer as a whole has the law of one that samples everything given the same links.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from samevent.clusterers import Clusterer, Evidence
from samevent.clusterers.convergence import Convergence
from samevent.language.resources import Resources
from samevent.results.parts import PartAnswer, grouped, links_of_groups, part_evidence, solve_part
from samevent.seeds import stream
from samevent.similarity.bags import Background, Booleans, Indices
from samevent.similarity.blocking import document_blocks
from samevent.similarity.boosted import AnyPairModel, BoostedModel
from samevent.similarity.links import LinkSettings, Looks, MentionLinks, first_look, log_odds, score_pairs
from samevent.similarity.mentions import MentionTable
from samevent.similarity.neighbours import DocumentIndex
from samevent.similarity.pairs import Pairs, across_documents
from samevent.similarity.tables import merged

_BLOCK = 256
"""Number of new documents whose neighbours are searched at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Mentions that were resolved anew, and the answers for their components.

    Touched mentions in no answer are alone.
    """

    touched: Booleans
    answers: tuple[PartAnswer, ...]

    @property
    def convergence(self) -> Convergence:
        """How the chains of the touched components went."""
        parts = [answer.convergence for answer in self.answers]
        members = max((part.members for part in parts), default=0)
        return Convergence.joined(parts, members=members, mentions=int(self.touched.sum()))


class NewLinks:
    """Finds the links of documents from number `first` on, and adds them to those known before.

    Pairs of which a mention has new links are looked at again, so their similarity may change as well. Afterwards
    `looks` has all pairs, and `changed` the mentions of pairs that are new or looked at again.
    """

    def __init__(self, known: Looks, first: int) -> None:
        self.looks, self._first = known, first
        self.changed: Indices = np.empty(0, np.int32)

    def __call__(
        self, table: MentionTable, model: AnyPairModel, *, settings: LinkSettings | None = None, jobs: int = 1
    ) -> MentionLinks:
        """Return all links."""
        if not isinstance(model, BoostedModel):
            raise TypeError("only boosted models have a gate to search by")
        settings, blocking, total = settings or LinkSettings(), model.blocking, len(table.documents)
        index, least = DocumentIndex.of(table), max(settings.gate, blocking.documents)
        starts = range(self._first, total, _BLOCK)
        d, e, _ = index.join([index.block(start, min(start + _BLOCK, total), least) for start in starts])
        new = np.arange(self._first, total, dtype=np.int32)
        within = across_documents(table, new, new)
        within = within[within.i > within.j]
        blocks = [within[blocking.related(table, within)]]
        blocks += [blocking.between(table, *block) for block in document_blocks(table, d, e)]
        found = score_pairs(table, model, blocks, first_look(model, settings), jobs=jobs)
        self._add(table, model, found)
        return self.looks.links(settings.minimum_similarity)

    def _add(self, table: MentionTable, model: BoostedModel, new: MentionLinks) -> None:
        known = self.looks
        pairs = Pairs.concatenate([known.pairs, new.pairs])
        first = np.concatenate([known.first, new.similarity])
        final = np.concatenate([known.final, new.similarity])
        with_new = np.zeros(len(table), np.bool_)
        with_new[new.pairs.i] = with_new[new.pairs.j] = True
        affected = np.flatnonzero(with_new[pairs.i] | with_new[pairs.j])
        if model.second:
            score = model.look_again(table.document, pairs, log_odds(first), affected.astype(np.int32))
            final[affected] = expit(score)
        self.looks = Looks(pairs, first, final)
        self.changed = np.union1d(pairs.i[affected], pairs.j[affected])


def grow(
    evidence: Evidence,
    system: Clusterer,
    links: MentionLinks,
    *,
    new: NDArray[np.integer],
    seed: int,
    min_probability: float = 0.0,
) -> Growth:
    """Resolve the components that mentions in the rows `new` belong to."""
    mentions = len(evidence)
    pairs, must = links.pairs, evidence.constraints.must_link
    i, j = np.append(pairs.i, must[:, 0]), np.append(pairs.j, must[:, 1])
    graph = coo_array((np.ones(len(i), np.int8), (i, j)), shape=(mentions, mentions))
    component = connected_components(graph, directed=False)[1]
    touched: Booleans = np.isin(component, component[new])
    rows = grouped(links[touched[pairs.i]], mentions, must[touched[must[:, 0]]])
    own = links_of_groups(links, rows, mentions)
    answers = [
        solve_part(
            part_evidence(evidence, system, links.take(numbers), group),
            system,
            seed=seed,
            min_probability=min_probability,
        )
        for group, numbers in zip(rows, own, strict=True)
    ]
    return Growth(touched, tuple(answers))


def with_documents(
    table: MentionTable, new: MentionTable, resources: Resources, background: Background, weighted: int
) -> MentionTable:
    """Return a table with the documents of another behind its own.

    Known words keep their weights. Others are weighted as if the first `weighted` documents of a run, which the weights
    were counted in, did not have them.
    """
    together = merged([table, new], lexicon=resources.lexicon, vectors=resources.vectors, by_id=False)
    frozen = Background(background.documents + weighted, background.counts)
    weights = frozen.weights(together.vocabulary)
    place = {word: number for number, word in enumerate(together.vocabulary)}
    weights[[place[word] for word in table.vocabulary]] = table.weights
    return replace(together, weights=weights)


def update_seed(seed: int, update: int) -> int:
    """Return the seed of an update: components that are touched again draw anew."""
    return int(stream(seed, "update", update).integers(2**62))
