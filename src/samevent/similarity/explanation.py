"""Explanations of the pair model: what each feature adds to the score of a pair, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.boosted import AnyPairModel, BoostedModel
from samevent.similarity.code_features import ALL_FEATURES
from samevent.similarity.features import TAGS, Feature
from samevent.similarity.mentions import MentionTable, once_per_table
from samevent.similarity.tree_features import ABOUT_DOCUMENTS, SAME_DOCUMENT, compared_words

NAMED_WORDS = 4
"""Maximum number of shared words to name, the most informative first."""


class Contribution(NamedTuple):
    """What a feature adds to a score; `about` describes it in words."""

    feature: str
    about: str
    value: float
    added: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The score of a pair as a sum of contributions, the largest first."""

    first: str
    second: str
    probability: float
    intercept: float
    contributions: tuple[Contribution, ...]

    def __str__(self) -> str:
        lines = [f"{self.first} and {self.second}: same event with probability {self.probability:.2f}"]
        lines += [f"  {c.added:+.2f}  {c.about}" for c in self.contributions]
        return "\n".join([*lines, f"  {self.intercept:+.2f}  any pair (intercept)"])


def explain(table: MentionTable, model: AnyPairModel, first: int, second: int) -> Explanation:
    """Return the evidence for and against two rows of a table referring to the same event."""
    return explanations(table, model, np.array([first], np.int32), np.array([second], np.int32))[0]


def explanations(
    table: MentionTable,
    model: AnyPairModel,
    i: Indices,
    j: Indices,
    *,
    limit: int | None = None,
) -> list[Explanation]:
    """Explain many pairs of rows, each with at most `limit` contributions."""
    if isinstance(model, BoostedModel):
        matrix = model.columns(table, i, j)
        means, added = model.trees.contributions(matrix)
        _join_same_document(model, table.document[i] == table.document[j], added)
        probability = model.probability(table, i, j)
        values = matrix.astype(np.float64)
        return _worded(
            table, i, j, probability, model.intercept + means, model.features, values, added, limit
        )
    used = [feature for feature in ALL_FEATURES if model.weights.get(feature.name)]
    values = np.stack([np.ones(len(i)), *(feature.compare(table, i, j) for feature in used)], axis=1)
    weights = np.tile([0.0, *(model.weights[feature.name] for feature in used)], (len(i), 1))
    weights[:, 0] = model.tag_score(table, i, j)
    probability = model.probability(table, i, j)
    features = [None, *used]
    return _worded(table, i, j, probability, model.intercept, features, values, values * weights, limit)


def _join_same_document(model: BoostedModel, inside: Booleans, added: Floats) -> None:
    """Credit what features of documents add to pairs within a document to the fact that it is one."""
    if SAME_DOCUMENT in model.names:
        about = np.array([name in ABOUT_DOCUMENTS for name in model.names], np.bool_)
        block = np.ix_(inside, about)
        added[inside, model.names.index(SAME_DOCUMENT)] += added[block].sum(axis=1)
        added[block] = 0.0


def _worded(
    table: MentionTable,
    i: Indices,
    j: Indices,
    probability: Floats,
    intercept: float,
    features: Sequence[Feature | None],
    values: Floats,
    added: Floats,
    limit: int | None,
) -> list[Explanation]:
    """Put the contributions of each pair in order and into words; the feature None is the pair of tags."""
    strongest = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :limit]
    counts = (np.take_along_axis(added, strongest, axis=1) != 0).sum(axis=1)  # zeros come last
    information = _information(table)

    def tag(mention: int) -> str:
        return table.heads.tags[int(table.heads.tag[table.head[mention]])]

    def contribution(which: int, value: float, amount: float, first: int, second: int) -> Contribution:
        feature = features[which]
        if feature is None:
            about = f"heads tagged {tag(min(first, second))} and {tag(max(first, second))}"
            return Contribution(TAGS, about, value, amount)
        shared = _shared_words(table, information, feature.name, first, second)
        about = feature.describe(value) + (f" ({', '.join(shared)})" if shared else "")
        return Contribution(feature.name, about, value, amount)

    columns = (i, j, probability, strongest, counts, values, added)
    return [
        Explanation(
            first=table.ids[first],
            second=table.ids[second],
            probability=pair_probability,
            intercept=intercept,
            contributions=tuple(contribution(k, value[k], amount[k], first, second) for k in order[:count]),
        )
        for first, second, pair_probability, order, count, value, amount in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


@once_per_table
def _information(table: MentionTable) -> Floats:
    """Return the weight of each word as evidence; 0 for those that are never content words, like *the*."""
    information = np.zeros(len(table.vocabulary))
    information[table.contents.words] = table.weights[table.contents.words]
    return information


def _shared_words(
    table: MentionTable, information: Floats, feature: str, first: int, second: int
) -> list[str]:
    """Return the words that a feature compares and two mentions share; none if it compares no words."""
    words = (compared_words(table, feature, mention).tolist() for mention in (first, second))
    shared = set.intersection(*map(set, words))
    ranked = sorted(shared, key=lambda word: (-information[word], word))
    return [
        *(table.vocabulary[word] for word in ranked[:NAMED_WORDS]),
        *(["…"] if len(ranked) > NAMED_WORDS else []),
    ]
