"""Pairs of entity mentions: which to compare, and what tells the same entity from another."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from samevent.grounding.entity_tables import FORMS, EntityTable, Floats, Integers
from samevent.language.vectors import Matrix

PAIR_KINDS = ("names", "name and description", "descriptions", "pronoun")
"""Each kind of pair has weights of its own: what makes two names the same says little about a pronoun."""
_KIND_OF = np.array([[0, 1, 3], [1, 2, 3], [3, 3, 3]])
"""The kind of a pair by the forms of both mentions."""
_PRONOUN = FORMS.index("pronoun")

SIMILAR_DOCUMENTS, SIMILAR_WORDS = 0.25, 0.5
"""Mentions of other documents that share no word are compared if the documents and what they mean are this similar."""
MOST_SHARING = 2000
"""A word of more mentions than this brings none together: it is no name."""
_DENSE = 4000
"""Up to so many mentions, all pairs fit into a matrix."""

_SMALL_TABLE = 2**18
"""Up to so many mentions times words, which most single documents have, sparse matrices cost more than they save."""

LIKE_HEADS, NEARBY, REACH = 0.4, 2, 5
"""In one document, descriptions with heads this similar or so few sentences apart are compared, and pronouns with what
is so few sentences before them."""

EQUAL = ("words", "text", "name", "first", "last", "lemma", "number", "gender", "person", "animacy", "label")
"""Values that may be equal, different or unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class EntityPairs:
    """Pairs of rows of a table, `i` the later one, with the kind of each; across documents, with their similarity."""

    i: Integers
    j: Integers
    kind: Integers
    documents: Floats = field(default_factory=lambda: np.ones(0))

    def __len__(self) -> int:
        return len(self.i)

    @classmethod
    def of(cls, table: EntityTable, i: Integers, j: Integers, documents: Floats | None = None) -> EntityPairs:
        """Return pairs with their kinds; how similar their `documents` are is looked up unless it is given."""
        form = table.codes["form"]
        if documents is None:
            documents = table.document_similarity[table.document[i], table.document[j]]
        return cls(i, j, _KIND_OF[form[i], form[j]], documents)


def pairs_within(table: EntityTable) -> EntityPairs:
    """Return the pairs of mentions of one document that may be the same entity.

    Two names share a word or an acronym. A pronoun refers to something in the few sentences before it; nothing else
    refers back to a pronoun. Descriptions share a word, mean something similar, or are near.
    """
    starts = np.searchsorted(table.document, np.unique(table.document)).tolist()
    parts = [_candidates(table, slice(*each)) for each in pairwise([*starts, len(table)])]
    i, j = np.concatenate([np.zeros((2, 0), np.int64), *parts], axis=1)
    return EntityPairs.of(table, i, j)


def _candidates(table: EntityTable, rows: slice) -> Integers:
    form, sentence = table.codes["form"][rows], table.codes["sentence"][rows]
    capitals, pronoun = table.codes["capitals"][rows], form == _PRONOUN
    kind = _KIND_OF[form[:, None], form]
    near = np.abs(sentence[:, None] - sentence)
    shared = table.words[rows]
    if shared.shape[0] * shared.shape[1] <= _SMALL_TABLE:
        marks = shared.toarray()
        alike = marks @ marks.T > 0
    else:
        alike = (shared @ shared.T).toarray() > 0
    alike |= (capitals[:, None] == capitals) & (capitals >= 0)
    similar = alike | (table.head_meaning[rows] @ table.head_meaning[rows].T > LIKE_HEADS) | (near <= NEARBY)
    anaphoric = pronoun[:, None] & (near <= REACH)
    allowed = np.where(kind == 0, alike, np.where(kind == 3, anaphoric, similar))
    found: Integers = np.array(np.nonzero(np.tril(allowed, -1))) + rows.start
    return found


def pairs_across(table: EntityTable) -> EntityPairs:
    """Return pairs of names and descriptions of different documents that share a word, or might without sharing one."""
    sharing: dict[str, list[int]] = defaultdict(list)
    for row, mention in enumerate(table.mentions):
        if mention.form != "pronoun":
            for word in set(mention.words):
                sharing[word].append(row)
            if len(mention.capitals) > 1:
                sharing[f"capitals {mention.capitals}"].append(row)
    found = {
        row * len(table) + other
        for rows in sharing.values()
        if len(rows) <= MOST_SHARING
        for other, row in combinations(rows, 2)
        if table.document[row] != table.document[other]
    }
    codes = np.unique(np.concatenate([np.array(sorted(found), np.int64), _alike(table)]))
    return EntityPairs.of(table, codes // max(1, len(table)), codes % max(1, len(table)))


def _alike(table: EntityTable) -> Integers:
    """Return pairs of similar documents whose words or heads mean something similar, as numbers."""
    first = np.searchsorted(table.document, np.arange(len(table.document_similarity) + 1))
    near = np.argwhere(np.tril(table.document_similarity > SIMILAR_DOCUMENTS, -1))
    codes = [np.zeros(0, np.int64)]
    for d, e in near.tolist():
        rows, others = slice(first[d], first[d + 1]), slice(first[e], first[e + 1])
        alike = (table.meaning[rows] @ table.meaning[others].T > SIMILAR_WORDS) | (
            table.head_meaning[rows] @ table.head_meaning[others].T > SIMILAR_WORDS
        )
        i, j = np.nonzero(alike)
        i, j = i + first[d], j + first[e]
        form = table.codes["form"]
        kept = (form[i] != _PRONOUN) & (form[j] != _PRONOUN)
        codes.append((i * len(table) + j)[kept])
    return np.concatenate(codes)


def columns(
    table: EntityTable, pairs: EntityPairs, *, within: bool
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names of what is compared, and one row per pair."""
    i, j, codes, flags = pairs.i, pairs.j, table.codes, table.flags
    values: dict[str, NDArray[Any]] = {}
    for name in EQUAL:
        a, b = codes[name][i], codes[name][j]
        known = (a >= 0) & (b >= 0)
        values[f"same {name}"], values[f"other {name}"] = known & (a == b), known & (a != b)
    shared, rare = (shared_weight(table.words, weights, pairs) for weights in (None, table.rarity))
    sizes = np.diff(table.names.indptr)
    names, least = shared_weight(table.names, None, pairs), np.minimum(sizes[i], sizes[j])
    length, other = codes["length"][i], codes["length"][j]
    similar, heads = (
        np.maximum(_cosines(rows, pairs, within), 0) for rows in (table.meaning, table.head_meaning)
    )
    covered = shared / np.maximum(np.minimum(length, other), 1)
    values |= {
        "share of words": shared / np.maximum(length + other - shared, 1),
        "words covered": covered,
        "all words covered": covered == 1,
        "part of the name": names / np.maximum(least, 1),
        "other names": (least > 0) & (names == 0),
        "acronym": (codes["capitals"][i] == codes["capitals"][j])
        & (codes["capitals"][i] >= 0)
        & (flags["acronym"][i] != flags["acronym"][j]),
        "rarity": np.minimum(rare, 30) / 10,
        "meaning": similar,
        "meaning squared": similar**2,
        "heads": heads,
        "similar heads": heads > SIMILAR_WORDS,
        "length": np.log1p(np.maximum(length, other)),
        "same verb": (codes["verb"][i] == codes["verb"][j]) & (codes["verb"][i] >= 0),
        "same role": (codes["role"][i] == codes["role"][j]) & (codes["role"][i] >= 0),
        "definite": flags["definite"][i].astype(np.float64) + flags["definite"][j],
    }
    values |= _near(table, pairs, values) if within else _far(table, pairs, values)
    by_column = np.empty((len(values), len(pairs)))
    for number, value in enumerate(values.values()):
        by_column[number] = value
    return tuple(values), np.ascontiguousarray(by_column.T)


def _cosines(rows: Matrix, pairs: EntityPairs, within: bool) -> NDArray[np.float32]:
    """Return the cosines of pairs of unit vectors; in a document, most pairs of mentions are compared.

    Across documents, what else a table holds must leave no trace in the last digits, so no product of matrices does.
    """
    if within and len(rows) ** 2 <= _SMALL_TABLE:
        products: NDArray[np.float32] = (rows @ rows.T)[pairs.i, pairs.j]
    else:
        products = (rows[pairs.i] * rows[pairs.j]).sum(axis=1)
    return products


def _near(table: EntityTable, pairs: EntityPairs, values: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return what counts in one document: how far apart mentions are, and whether one contains the other."""
    i, j, codes, flags = pairs.i, pairs.j, table.codes, table.flags
    sentences = np.abs(codes["sentence"][i] - codes["sentence"][j])
    distance = np.log1p(sentences)
    nested = np.maximum(codes["start"][i], codes["start"][j]) < np.minimum(codes["end"][i], codes["end"][j])
    return {
        "sentences": distance,
        "same sentence": sentences == 0,
        "next sentence": sentences == 1,
        "tokens": np.log1p(np.abs(codes["start"][i] - codes["start"][j])),
        "nested": nested,
        "antecedent is subject": flags["subject"][j],
        "subject": flags["subject"][i],
        "later is definite": flags["definite"][i],
        "same lemma by distance": values["same lemma"] * distance,
    }


def _far(table: EntityTable, pairs: EntityPairs, values: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return what counts across documents: how similar they are, and the sentences around the mentions."""
    i, j = pairs.i, pairs.j
    similarity = pairs.documents
    contexts = table.contexts
    around = np.zeros(len(i))
    if contexts is not None:
        around = np.asarray(contexts[i].multiply(contexts[j]).sum(axis=1)).ravel()
    scaled = {
        f"{name} in similar documents": values[name] * similarity
        for name in (
            "same words",
            "same lemma",
            "words covered",
            "same name",
            "part of the name",
            "meaning",
            "rarity",
        )
    }
    return {
        "documents": similarity,
        "documents above .1": similarity > 0.1,
        "documents above .2": similarity > 0.2,
        "documents above .35": similarity > 0.35,
        "sentences around": around,
        "sentences around in similar documents": around * similarity,
        "rarity of the same words": values["rarity"] * values["same words"],
        "rarity of the same lemma": values["rarity"] * values["same lemma"],
        **scaled,
    }


def shared_weight(bags: sparse.csr_array, weights: Floats | None, pairs: EntityPairs) -> Floats:
    """Return the number of words that pairs share, or the sum of their weights."""
    if bags.shape[0] * bags.shape[1] <= _SMALL_TABLE:
        marks = bags.toarray()
        together: Floats = (marks if weights is None else marks * weights) @ marks.T
        return together[pairs.i, pairs.j].astype(np.float64)
    product = sparse.csr_array((bags if weights is None else bags * weights) @ bags.T)
    shared: Floats = np.asarray(
        (product.toarray() if len(product.indptr) < _DENSE else product)[pairs.i, pairs.j]
    ).ravel()
    return shared
