"""Why two mentions were found alike: what each feature adds to the score of one pair, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samevent.similarity.features import FEATURES, TAGS, tag_pairs
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel


@dataclass(frozen=True, slots=True)
class Contribution:
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
    i, j = np.array([first], np.int32), np.array([second], np.int32)
    found = []
    for feature in FEATURES:
        value = float(feature.compare(table, i, j)[0])
        shared = _shared(table, feature.name, first, second)
        about = feature.about.format(value) + (f" ({', '.join(shared)})" if shared else "")
        found.append(Contribution(feature.name, about, value, model.weights.get(feature.name, 0.0)))
    (one,), (other,), _ = tag_pairs(table, i, j)
    tags = f"heads tagged {table.heads.tags[one]} and {table.heads.tags[other]}"
    found.append(Contribution(TAGS, tags, 1.0, float(model.tag_score(table, i, j)[0])))
    return Explanation(
        first=table.ids[first],
        second=table.ids[second],
        probability=float(model.probability(table, i, j)[0]),
        intercept=model.intercept,
        contributions=tuple(sorted((c for c in found if c.added), key=lambda c: -abs(c.added))),
    )


def _shared(table: MentionTable, field: str, first: int, second: int) -> list[str]:
    """Return the words that two mentions have in common in a field, if the feature is about one."""
    if field not in table.fields:
        return []
    bags = table.fields[field]
    return [table.vocabulary[word] for word in np.intersect1d(bags.row(first), bags.row(second))]
