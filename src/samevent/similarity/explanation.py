"""Why two mentions were found alike: what each feature adds to the score of one pair, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from samevent.similarity.bags import Floats, Indices
from samevent.similarity.features import ALL, TAGS
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel

NAMED = 4
"""How many of the words that two mentions share are named: those that tell most."""


class Contribution(NamedTuple):
    """What a feature adds: its weight times its value. `about` says it in words."""

    feature: str
    about: str
    value: float
    weight: float

    @property
    def added(self) -> float:
        """How much the score rises by it."""
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class Explanation:
    """The score of a pair taken apart; contributions that matter most come first."""

    first: str
    second: str
    probability: float
    intercept: float
    contributions: tuple[Contribution, ...]

    def __str__(self) -> str:
        lines = [f"{self.first} and {self.second}: the same event with probability {self.probability:.2f}"]
        lines += [f"  {c.added:+.2f}  {c.about}" for c in self.contributions]
        return "\n".join([*lines, f"  {self.intercept:+.2f}  any pair (the intercept)"])


def explain(table: MentionTable, model: PairModel, first: int, second: int) -> Explanation:
    """Say what speaks for and against two rows of a table telling of the same event."""
    return explanations(table, model, np.array([first], np.int32), np.array([second], np.int32))[0]


def explanations(
    table: MentionTable, model: PairModel, i: Indices, j: Indices, *, most: int | None = None
) -> list[Explanation]:
    """Explain many pairs of rows at once, each with so many contributions at `most`."""
    if model.cases:
        found: dict[int, Explanation] = {}
        for case in model.cases:
            its = np.flatnonzero(case.holds(table, i, j))
            part = explanations(table, model.part(case), i[its], j[its], most=most)
            found |= zip(its.tolist(), part, strict=True)
        return [found[pair] for pair in range(len(i))]
    used = [feature for feature in ALL if model.weights.get(feature.name)]
    values = np.stack([np.ones(len(i)), *(feature.compare(table, i, j) for feature in used)], axis=1)
    weights = np.tile([0.0, *(model.weights[feature.name] for feature in used)], (len(i), 1))
    weights[:, 0] = model.tag_score(table, i, j)
    added = values * weights
    strongest = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :most]
    counts = (np.take_along_axis(added, strongest, axis=1) != 0).sum(axis=1)  # those of nothing come last
    names = [TAGS, *(feature.name for feature in used)]
    tags = [table.heads.tags[tag] for tag in table.heads.tag[table.head].tolist()]
    telling = _telling(table)

    def about(which: int, value: float, first: int, second: int) -> str:
        if which == 0:
            return f"heads tagged {tags[min(first, second)]} and {tags[max(first, second)]}"
        shared = _shared(table, telling, names[which], first, second)
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


def _telling(table: MentionTable) -> Floats:
    """Return how much each word tells; one that is never a content word, like *the*, tells nothing."""
    found = np.zeros(len(table.vocabulary))
    found[table.contents.words] = table.weights[table.contents.words]
    return found


def _shared(table: MentionTable, telling: Floats, field: str, first: int, second: int) -> list[str]:
    """Return words that two mentions have in common in a field, if the feature is about one."""
    if field not in table.fields:
        return []
    bags = table.fields[field]
    shared = set(bags.row(first).tolist()).intersection(bags.row(second).tolist())
    most = sorted(shared, key=lambda word: (-telling[word], word))
    return [*(table.vocabulary[word] for word in most[:NAMED]), *(["…"] if len(most) > NAMED else [])]
