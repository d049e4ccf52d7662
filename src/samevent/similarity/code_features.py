"""The pair features of the authors' program that the paper does not list, and its conditions on two that it does.

The program compared the words of two mentions only where both have several, and their contexts only where they are in
different sentences.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import numpy as np

from samevent.errors import UsageError
from samevent.similarity.bags import Bags, Booleans, Floats, Indices
from samevent.similarity.features import FEATURES, TAGS, Feature, dot_products, field_cosine
from samevent.similarity.mentions import MentionTable

NEAR = 3
"""Distances of up to so many sentences are told apart."""

CONDITIONS = {"words": "several_words", "context": "far_context"}
"""Features of the paper that the program compared only under a condition, and their names then."""


def several_words(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of the words of two mentions if both have several, else 0."""
    several = table.knowledge.several
    return np.where(several[i] & several[j], field_cosine("words", table, i, j), 0.0)


def far_context(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of the contexts of two mentions of different sentences, else 0."""
    return np.where(table.sentence[i] != table.sentence[j], field_cosine("context", table, i, j), 0.0)


def substring(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether one head lemma contains the other, and they differ."""
    lemma = table.heads.lemma[table.head]
    return table.knowledge.part_of(lemma[i], lemma[j]).astype(np.float64)


def head_information(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the pointwise mutual information of the head lemmas in the documents at hand, between 0 and 1."""
    lemma = table.heads.lemma[table.head]
    return table.knowledge.information(lemma[i], lemma[j], len(table.documents))


def sentence_distance(distance: int, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return whether two mentions of one document are so many sentences apart."""
    apart: Booleans = np.abs(table.position[i] - table.position[j]) == distance
    same: Booleans = table.document[i] == table.document[j]
    return (apart & same).astype(np.float64)


def head_overlap(name: str, table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of two heads' sets of hypernyms, verb classes or frames."""
    bags: Bags = getattr(table.knowledge, name)
    return bags.cosines(table.head[i], table.head[j])


def phrase_vector(table: MentionTable, i: Indices, j: Indices) -> Floats:
    """Return the cosine of the mean vectors of two mentions; 1 for the same words, even if they are unknown."""
    phrase = table.knowledge.phrase
    cosines = np.empty(len(i))
    dot_products(table.knowledge.phrases, phrase[i], phrase[j], cosines)
    return np.where(phrase[i] == phrase[j], 1.0, cosines)


CODE_FEATURES: tuple[Feature, ...] = (
    Feature("several_words", "words", "words of two long mentions {:.2f} similar", several_words),
    Feature("far_context", "context", "surrounding words {:.2f} similar in different sentences", far_context),
    Feature("substring", "substring", "one head is a part of the other", substring, otherwise="no substring"),
    Feature("head_information", "information", "heads share documents {:.2f}", head_information),
    *(
        Feature(
            f"distance_{distance}",
            "distance",
            f"{distance} sentences apart" if distance else "in the same sentence",
            partial(sentence_distance, distance),
            otherwise=f"not {distance} sentences apart",
        )
        for distance in range(NEAR + 1)
    ),
    Feature("hypernyms", "hypernyms", "head hypernyms {:.2f} similar", partial(head_overlap, "hypernyms")),
    Feature("verb_classes", "verbnet", "verb classes {:.2f} similar", partial(head_overlap, "verb_classes")),
    Feature("frames", "framenet", "frames {:.2f} similar", partial(head_overlap, "frames")),
    Feature("phrase_vector", "phrase", "phrase vectors {:.2f} similar", phrase_vector, lowest=-1.0),
)
"""What the program compared beside or instead of the paper's features."""

ALL_FEATURES: tuple[Feature, ...] = (*FEATURES, *CODE_FEATURES)
"""All features that a log-linear model may have, in the order in which a score adds them up."""

PAPER_NAMES: tuple[str, ...] = tuple(feature.name for feature in FEATURES)
"""The features of the paper."""
CODE_NAMES: tuple[str, ...] = tuple(f.name for f in ALL_FEATURES if f.name not in CONDITIONS)
"""The features of the authors' program."""
GROUPS: tuple[str, ...] = (*dict.fromkeys(feature.group for feature in ALL_FEATURES), TAGS)


def select_features(
    names: Collection[str] = PAPER_NAMES, without: Collection[str] = ()
) -> tuple[Feature, ...]:
    """Return the numeric features of these names, except those of some groups.

    >>> from samevent.similarity.mentions import FIELDS
    >>> [feature.name for feature in select_features(without=[*FIELDS, "string"])]
    ['head_vector', 'synonyms']
    """
    known = {feature.name for feature in ALL_FEATURES}
    for kind, asked, names_of_kind in (("group", without, GROUPS), ("", names, known)):
        unknown = sorted(set(asked) - set(names_of_kind))
        if unknown:
            raise UsageError(
                f"unknown feature {kind} {unknown[0]!r}".replace("  ", " "),
                expected=f"some of {', '.join(sorted(names_of_kind))}",
            )
    return tuple(f for f in ALL_FEATURES if f.name in names and f.group not in without)
