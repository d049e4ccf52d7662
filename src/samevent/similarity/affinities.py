"""The links that the models may use: F_d within documents and F_0 across them, as sparse rows.

f is cut off first (below the minimum similarity it is 0) and multiplied by the document weight afterwards. Every
pair that reaches the minimum is there; `budget` is for corpora where that is too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from samevent.errors import UsageError
from samevent.hddcrp.problem import Rows
from samevent.similarity.bags import Booleans, Floats
from samevent.similarity.candidates import Progress, candidates
from samevent.similarity.documents import document_similarity, document_weight, of_their_documents
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs, in_chunks

_CHUNK = 1 << 18
"""How many pairs are scored at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The paper's values: pairs below `minimum_similarity` are no links; `document_weight` is gamma."""

    minimum_similarity: float = 0.5
    document_weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.minimum_similarity < 1:
            raise UsageError(
                f"the parameter 'minimum_similarity' is {self.minimum_similarity}",
                expected="a number above 0 and below 1",
            )

    @property
    def least_score(self) -> float:
        """The score whose f is the minimum similarity."""
        return float(logit(self.minimum_similarity))


@dataclass(frozen=True, slots=True, eq=False)
class Affinities:
    """Row i of `within` holds earlier mentions of i's document, row i of `across` mentions of other documents.

    Columns ascend. `scored` says how many pairs the model was asked about.
    """

    within: Rows
    across: Rows
    scored: int


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Pairs of mentions, each once, and their f."""

    pairs: Pairs
    similarity: Floats
    scored: int = 0

    def __getitem__(self, which: Booleans) -> Links:
        return Links(self.pairs[which], self.similarity[which], self.scored)

    @classmethod
    def joined(cls, parts: Sequence[Links]) -> Links:
        """Put links one after the other."""
        return cls(
            Pairs.joined(part.pairs for part in parts),
            np.concatenate([np.empty(0), *(part.similarity for part in parts)]),
            sum(part.scored for part in parts),
        )


def affinities(
    table: MentionTable,
    model: PairModel,
    *,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Affinities:
    """Find all pairs of a corpus whose f is at least the minimum similarity, and give them their affinities.

    `progress` is told how many of how many mentions have been compared with those before them.
    """
    settings = settings or Settings()
    blocks = candidates(table, model, settings.least_score, progress=progress)
    return assembled(table, scored(table, model, blocks, settings), settings)


def scored(table: MentionTable, model: PairModel, blocks: Iterable[Pairs], settings: Settings) -> Links:
    """Ask the model about pairs, and keep those that reach the minimum similarity."""
    found = []
    for pairs in in_chunks(blocks, _CHUNK):
        similarity = model.probability(table, pairs.i, pairs.j)
        found.append(Links(pairs, similarity, len(pairs))[similarity >= settings.minimum_similarity])
    return Links.joined(found)


def assembled(table: MentionTable, links: Links, settings: Settings) -> Affinities:
    """Turn links into rows: within a document from the later mention to the earlier, across documents both ways."""
    n, inside = len(table), links.pairs.agree(table.document)
    near, far = links.pairs[inside], links.pairs[~inside]
    similarity = links.similarity[~inside]
    documents = of_their_documents(table, far.i, far.j, document_similarity)
    similarity *= document_weight(documents, gamma=settings.document_weight)
    return Affinities(
        within=Rows.from_triples(n, near.i, near.j, links.similarity[inside]),
        across=Rows.from_triples(
            n,
            np.concatenate([far.i, far.j]),
            np.concatenate([far.j, far.i]),
            np.concatenate([similarity, similarity]),
        ),
        scored=links.scored,
    )
