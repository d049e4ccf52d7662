"""Why two mentions were found alike: what each feature adds to the score of one pair, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from samevent.similarity.bags import Indices
from samevent.similarity.features import ALL, TAGS, tag_pairs
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel


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


def explanations(table: MentionTable, model: PairModel, i: Indices, j: Indices) -> list[Explanation]:
    """Explain many pairs of rows at once."""
    if model.cases:
        found: dict[int, Explanation] = {}
        for case in model.cases:
            its = np.flatnonzero(case.holds(table, i, j))
            found |= zip(its.tolist(), explanations(table, model.part(case), i[its], j[its]), strict=True)
        return [found[pair] for pair in range(len(i))]
    probability = model.probability(table, i, j).tolist()
    used = [(feature, model.weights[feature.name]) for feature in ALL if model.weights.get(feature.name)]
    values = [feature.compare(table, i, j).tolist() for feature, _ in used]
    one, other, _ = tag_pairs(table, i, j)
    tags = [
        f"heads tagged {table.heads.tags[a]} and {table.heads.tags[b]}"
        for a, b in zip(one, other, strict=True)
    ]
    tag_scores = model.tag_score(table, i, j).tolist()

    def explained(pair: int, first: int, second: int) -> Explanation:
        found = [Contribution(TAGS, tags[pair], 1.0, tag_scores[pair])]
        for (feature, weight), column in zip(used, values, strict=True):
            if value := column[pair]:
                shared = _shared(table, feature.name, first, second)
                about = feature.about.format(value) + (f" ({', '.join(shared)})" if shared else "")
                found.append(Contribution(feature.name, about, value, weight))
        return Explanation(
            first=table.ids[first],
            second=table.ids[second],
            probability=probability[pair],
            intercept=model.intercept,
            contributions=tuple(sorted((c for c in found if c.added), key=lambda c: -abs(c.added))),
        )

    return [explained(pair, *rows) for pair, rows in enumerate(zip(i.tolist(), j.tolist(), strict=True))]


def _shared(table: MentionTable, field: str, first: int, second: int) -> list[str]:
    """Return the words that two mentions have in common in a field, if the feature is about one."""
    if field not in table.fields:
        return []
    bags = table.fields[field]
    shared = set(bags.row(first).tolist()).intersection(bags.row(second).tolist())
    return [table.vocabulary[word] for word in sorted(shared)]
