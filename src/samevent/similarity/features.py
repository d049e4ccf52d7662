"""What is compared in a pair of event mentions: the features of Eq. 6, each a small function over arrays of pairs.

All but one are numbers with a fixed range. The exception is the pair of the heads' tags, a category (`tag_pairs`).
A feature belongs to a group, and groups can be switched off. A few features go beyond the paper (`MORE`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit

from samevent.errors import UsageError
from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.documents import of_their_documents, topical_similarity
from samevent.similarity.mentions import ARGUMENTS, FIELDS, SENTENCE, MentionTable

Compare = Callable[[MentionTable, Indices, Indices], Floats]

TAGS = "tags"
"""The group of the tag pairs."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A number for each pair of rows of a table, from `lowest` to 1, the same whichever row comes first.

    `about` says in words what a value means.
    """

    name: str
    group: str
    about: str
    compare: Compare
    lowest: float = 0.0


def head_word(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Say whether the head words are the same, letter case aside."""
    return _equal(table.heads.word[table.head], i, j)


def head_lemma(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Say whether the heads' lemmas are the same."""
    return _equal(table.heads.lemma[table.head], i, j)


def head_stem(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Say whether the heads' lemmas have the same stem."""
    return _equal(table.heads.stem[table.head], i, j)


def same_sentence(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Say whether both mentions stand in one sentence, which seldom tells of an event twice."""
    return _equal(table.sentence, i, j)


def documents(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return how much the documents of the mentions are about the same; 1 for mentions of one document."""
    return of_their_documents(table, i, j, topical_similarity)


def head_vector(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of the head words' vectors; an unknown word is similar to nothing, not even itself."""
    word = table.heads.word[table.head]
    found = np.empty(len(i))
    _dot_products(table.heads.vectors, word[i], word[j], found)
    return found


def synonyms(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the Jaccard coefficient of the heads' synonyms."""
    return table.heads.synonyms.jaccards(table.head[i], table.head[j])


def likeness(field: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of the word counts of a field; 0 where one mention has no such field."""
    return table.fields[field].cosines(i, j)


def both_have(field: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Say whether both mentions have a field at all, so that a cosine of 0 means different and not unknown."""
    present = table.fields[field].present
    return (present[i] & present[j]).astype(np.float64)


def presence(field: str) -> str:
    """Return the name of the feature that says whether both mentions have a field."""
    return f"both_{field}"


_ABOUT = {
    "words": "words of the mentions {:.2f} alike",
    "context": "words around the mentions {:.2f} alike",
    "participants": "words of their participants {:.2f} alike",
    "times": "words of their times {:.2f} alike",
    "locations": "words of their locations {:.2f} alike",
    "arg0": "words of their ARG0 {:.2f} alike",
    "arg1": "words of their ARG1 {:.2f} alike",
    "arg2": "words of their ARG2 {:.2f} alike",
}

FEATURES: tuple[Feature, ...] = (
    Feature("head_word", "string", "same head word", head_word),
    Feature("head_lemma", "string", "same head lemma", head_lemma),
    Feature("head_vector", "vector", "vectors of the head words {:.2f} alike", head_vector, lowest=-1.0),
    Feature("synonyms", "synonyms", "synonyms of the heads {:.2f} alike", synonyms),
    *(Feature(field, field, _ABOUT[field], partial(likeness, field)) for field in FIELDS),
    *(
        Feature(presence(field), field, f"{field} known of both", partial(both_have, field))
        for field in ARGUMENTS
    ),
)
"""The paper's numeric features, in the order in which a score adds them up."""

MORE: tuple[Feature, ...] = (
    Feature("head_stem", "stem", "same stem of the heads", head_stem),
    Feature(SENTENCE, SENTENCE, "sentences {:.2f} alike", partial(likeness, SENTENCE)),
    Feature("same_sentence", SENTENCE, "in the same sentence", same_sentence),
    Feature("documents", "documents", "documents {:.2f} about the same", documents),
)
"""Features that the paper does not have."""
ALL: tuple[Feature, ...] = (*FEATURES, *MORE)

GROUPS: tuple[str, ...] = (*dict.fromkeys(feature.group for feature in ALL), TAGS)


def chosen(without: Collection[str] = (), *, more: bool = False) -> tuple[Feature, ...]:
    """Return the paper's numeric features, or some `more`, leaving some groups out.

    >>> [feature.name for feature in chosen(without=[*FIELDS, "string"])]
    ['head_vector', 'synonyms']
    """
    unknown = sorted(set(without) - set(GROUPS))
    if unknown:
        raise UsageError(f"there is no feature group {unknown[0]!r}", expected=f"some of {', '.join(GROUPS)}")
    return tuple(feature for feature in (ALL if more else FEATURES) if feature.group not in without)


def tag_pairs(table: MentionTable, i: Indices, j: Indices) -> tuple[Indices, Indices, Booleans]:
    """Return the tags of the heads, as numbers, and whether they have an order.

    In one document the mention that is read first gives the first tag. Mentions of two documents have no order: such
    a pair counts half as one order and half as the other.
    """
    tag = table.heads.tag[table.head]
    return (
        tag[np.minimum(i, j)],
        tag[np.maximum(i, j)],
        table.document[i] == table.document[j],
    )


def _equal(values: Indices, i: Indices, j: Indices) -> Floats:
    equal: Booleans = values[i] == values[j]
    return equal.astype(np.float64)


@njit(cache=True, nogil=True)
def _dot_products(rows, i, j, found):  # type: ignore[no-untyped-def]
    dimension = rows.shape[1]
    for pair in range(len(i)):
        a, b = rows[i[pair]], rows[j[pair]]
        total = 0.0
        for k in range(dimension):
            total += np.float64(a[k]) * np.float64(b[k])
        found[pair] = total
