"""The named entities of a mention table, joined across its documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samevent.grounding.entities import EntityReader
from samevent.grounding.entity_joining import Neighbours, Related, join_entities
from samevent.grounding.entity_names import parse_name
from samevent.grounding.identities import Identities, JoinedEntities
from samevent.memory import trim
from samevent.similarity.bags import Booleans, Floats
from samevent.similarity.blocking import Blocking
from samevent.similarity.documents import topical_values
from samevent.similarity.mentions import MentionTable
from samevent.similarity.neighbours import neighbour_documents

_GATE = Blocking().documents
"""Documents less similar than this are on different stories."""
_SLACK = 1e-9
"""Rounding errors of sums."""

Rows = NDArray[np.int64]


def joined_entities(
    table: MentionTable,
    reader: EntityReader | None,
    *,
    known: Identities | None = None,
    within_only: bool = False,
    seed: int = 0,
    jobs: int = 1,
) -> JoinedEntities:
    """Return who is who across documents, whose words have the weights that documents are compared by.

    The first rows may be `known`. With `within_only`, or without a model of entities, documents have no neighbours.
    """
    trim()  # sampling has left many small objects
    entities = table.entities
    neighbours: Neighbours = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    if reader and not within_only:
        first = int(entities.document[len(known) - 1]) + 1 if known and len(known) else 0
        neighbours = neighbour_documents(table, _GATE, first=first, jobs=jobs)
    identities = join_entities(
        entities,
        table.documents,
        neighbours,
        reader,
        related=related_beside_names(table),
        known=known,
        seed=seed,
        jobs=jobs,
    )
    return JoinedEntities(table.documents, entities, identities)


def related_beside_names(table: MentionTable) -> Related:
    """Return whether documents are similar beside the words that two of their names share.

    Two short texts on different people called *Reid* are similar by that name.
    """
    entities, bags, values, width = (
        table.entities,
        table.contents,
        topical_values(table),
        len(table.vocabulary),
    )
    number = {word: at for at, word in enumerate(table.vocabulary)}
    words = [sorted({number[w] for w in parse_name(name).words if w in number}) for name in entities.names]
    starts = np.concatenate([[0], np.cumsum([len(own) for own in words])]).astype(np.int64)
    flat = np.array([word for own in words for word in own], np.int64)
    of_names = np.repeat(np.arange(len(words)), np.diff(starts)) * width + flat
    of_documents = np.repeat(np.arange(len(bags)), np.diff(bags.starts)) * width + bags.words

    def value(document: Rows, word: Rows) -> Floats:
        place, known = _found(of_documents, document * width + word)
        return np.where(known, values[np.minimum(place, len(values) - 1)], 0.0)

    def related(i: Rows, j: Rows, similarity: Floats) -> Booleans:
        first, second = entities.name[i].astype(np.int64), entities.name[j].astype(np.int64)
        sizes = starts[first + 1] - starts[first]
        pair = np.repeat(np.arange(len(i)), sizes)
        word = flat[np.arange(len(pair)) + np.repeat(starts[first] - (np.cumsum(sizes) - sizes), sizes)]
        _, shared = _found(of_names, second[pair] * width + word)
        pair, word = pair[shared], word[shared]
        d, e = (entities.document[rows[pair]].astype(np.int64) for rows in (i, j))
        by_names = np.bincount(pair, value(d, word) * value(e, word), minlength=len(i))
        beside: Booleans = similarity - by_names >= _GATE - _SLACK
        return beside

    return related


def _found(codes: Rows, wanted: Rows) -> tuple[Rows, Booleans]:
    """Return the places of codes among sorted ones, and whether they are there."""
    place = np.searchsorted(codes, wanted)
    if not len(codes):
        return place, np.zeros(len(wanted), np.bool_)
    return place, codes[np.minimum(place, len(codes) - 1)] == wanted
