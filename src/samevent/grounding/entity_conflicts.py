"""What no entity can be: two names that exclude each other, he and she, a person and a place.

Links of pairs know nothing of each other, so *the man* may lead from one name to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samevent.grounding.entity_mentions import EntityMention, Gender
from samevent.grounding.entity_names import compatible


@dataclass(slots=True)
class Traits:
    """What is known of an entity by its mentions: names with the parser's labels, and kinds (*male*, *neuter*)."""

    names: dict[str, str] = field(default_factory=dict)
    kinds: set[Gender] = field(default_factory=set)

    @classmethod
    def of(cls, mention: EntityMention) -> Traits:
        """Return what one mention says. Only what the parser calls a name is one for certain."""
        names = {mention.called: mention.label} if mention.called and mention.label else {}
        return cls(names, {mention.gender} if mention.gender else set())

    def contradict(self, other: Traits) -> bool:
        """Return whether two groups of mentions cannot be one entity, though each by itself can."""
        kinds = self.kinds | other.kinds
        if len(kinds) > 1:
            return True
        return any(
            not compatible(first, second, label, other_label)
            for first, label in self.names.items()
            for second, other_label in other.names.items()
        )

    def add(self, other: Traits) -> None:
        """Take over what is known of another group."""
        self.names |= other.names
        self.kinds |= other.kinds


def contradicting(mentions: Sequence[EntityMention], labels: Sequence[int]) -> bool:
    """Return whether some group of mentions contradicts itself."""
    groups: dict[int, Traits] = {}
    for mention, label in zip(mentions, labels, strict=True):
        if not (mention.gender or (mention.called and mention.label)):
            continue
        traits = Traits.of(mention)
        known = groups.setdefault(label, Traits())
        if known.contradict(traits):
            return True
        known.add(traits)
    return False


def consistent_links(
    mentions: Sequence[EntityMention],
    i: NDArray[np.integer],
    j: NDArray[np.integer],
    score: NDArray[np.float64],
) -> list[int]:
    """Return the group of each mention: links from `i` to `j` in the order of their scores, one per mention.

    Links between names come first, since they are surer than what descriptions and pronouns refer to. Links between
    groups that contradict each other are left out. Of equal scores, the link to the nearest is first.
    """
    traits = [Traits.of(mention) for mention in mentions]
    group = list(range(len(mentions)))

    def first(at: int) -> int:
        while group[at] != at:
            group[at] = group[group[at]]
            at = group[at]
        return at

    linked = [False] * len(mentions)
    named = np.array([mention.form == "name" for mention in mentions], np.bool_)
    order = np.lexsort((-j, i, -score, ~(named[i] & named[j])))
    for mention, antecedent in zip(i[order].tolist(), j[order].tolist(), strict=True):
        if linked[mention]:
            continue
        a, b = first(mention), first(antecedent)
        if a != b:
            a, b = min(a, b), max(a, b)
            if traits[a].contradict(traits[b]):
                continue
            traits[a].add(traits[b])
            group[b] = a
        linked[mention] = True
    return [first(at) for at in range(len(mentions))]
