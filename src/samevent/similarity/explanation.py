"""Explanations of the pair model: what each feature adds to the score of a pair, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from samevent.similarity.bags import Floats, Indices
from samevent.similarity.features import ALL_FEATURES, TAGS
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel

NAMED_WORDS = 4
"""Maximum number of shared words to name, the most informative first."""


class Contribution(NamedTuple):
    """What a feature adds to a score: its weight times its value; `about` describes it in words."""

    feature: str
    about: str
    value: float
    weight: float

    @property
    def added(self) -> float:
        """The amount added to the score."""
        return self.value * self.weight


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


def explain(table: MentionTable, model: PairModel, first: int, second: int) -> Explanation:
    """Return the evidence for and against two rows of a table referring to the same event."""
    return explanations(table, model, np.array([first], np.int32), np.array([second], np.int32))[0]


def explanations(
    table: MentionTable, model: PairModel, i: Indices, j: Indices, *, limit: int | None = None
) -> list[Explanation]:
    """Explain many pairs of rows, each with at most `limit` contributions."""
    if model.cases:
        by_pair: dict[int, Explanation] = {}
        for case in model.cases:
            rows = np.flatnonzero(case.mask(table, i, j))
            part = explanations(table, model.for_case(case), i[rows], j[rows], limit=limit)
            by_pair |= zip(rows.tolist(), part, strict=True)
        return [by_pair[pair] for pair in range(len(i))]
    used = [feature for feature in ALL_FEATURES if model.weights.get(feature.name)]
    values = np.stack([np.ones(len(i)), *(feature.compare(table, i, j) for feature in used)], axis=1)
    weights = np.tile([0.0, *(model.weights[feature.name] for feature in used)], (len(i), 1))
    weights[:, 0] = model.tag_score(table, i, j)
    added = values * weights
    strongest = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :limit]
    counts = (np.take_along_axis(added, strongest, axis=1) != 0).sum(axis=1)  # zeros come last
    names = [TAGS, *(feature.name for feature in used)]
    tags = [table.heads.tags[tag] for tag in table.heads.tag[table.head].tolist()]
    information = _information(table)

    def about(which: int, value: float, first: int, second: int) -> str:
        if which == 0:
            return f"heads tagged {tags[min(first, second)]} and {tags[max(first, second)]}"
        shared = _shared_words(table, information, names[which], first, second)
        return used[which - 1].about.format(value) + (f" ({', '.join(shared)})" if shared else "")

    columns = (i, j, model.probability(table, i, j), strongest, counts, values, weights)
    return [
        Explanation(
            first=table.ids[first],
            second=table.ids[second],
            probability=probability,
            intercept=model.intercept,
            contributions=tuple(
                Contribution(names[k], about(k, value[k], first, second), value[k], weight[k])
                for k in order[:count]
            ),
        )
        for first, second, probability, order, count, value, weight in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _information(table: MentionTable) -> Floats:
    """Return the weight of each word as evidence; 0 for those that are never content words, like *the*."""
    information = np.zeros(len(table.vocabulary))
    information[table.contents.words] = table.weights[table.contents.words]
    return information


def _shared_words(table: MentionTable, information: Floats, field: str, first: int, second: int) -> list[str]:
    """Return the words of a field that two mentions share; none if the feature is not about a field."""
    if field not in table.fields:
        return []
    bags = table.fields[field]
    shared = set(bags.row(first).tolist()).intersection(bags.row(second).tolist())
    ranked = sorted(shared, key=lambda word: (-information[word], word))
    return [
        *(table.vocabulary[word] for word in ranked[:NAMED_WORDS]),
        *(["…"] if len(ranked) > NAMED_WORDS else []),
    ]
