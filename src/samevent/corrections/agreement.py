"""What all decisions together say: pairs that are the same event or not, mentions that are none, names of events.

A later decision about a pair of mentions replaces an earlier one about that pair. Whatever remains must be consistent:
if chains of `same` join two mentions that are kept apart, that is an error which names the shortest chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from samevent.corrections.decisions import Group, MarkedMention
from samevent.corrections.file import Corrections
from samevent.errors import DataError
from samevent.partitions.constraints import shortest_contradiction

Pairs = NDArray[np.int32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Pairs of the numbered `mentions` that are one event (`must_link`) or not (`cannot_link`).

    `must_by` and `cannot_by` have the number of the decision behind each pair. Mentions that are no events are
    `removed` by decisions, and `labels` are by the mention whose event has them, with the number of the decision.
    """

    mentions: tuple[MarkedMention, ...]
    must_link: Pairs
    must_by: Numbers
    cannot_link: Pairs
    cannot_by: Numbers
    removed: Mapping[int, int]
    labels: Mapping[int, tuple[int, str]]


@lru_cache(maxsize=4)
def agreed(corrections: Corrections) -> Agreement:
    """Return what decisions say together, or raise if they contradict each other."""
    standing = corrections.standing
    mentions = tuple(sorted({mention for _, decision in standing for mention in decision.mentions}))
    place = {mention: number for number, mention in enumerate(mentions)}
    removed: dict[int, int] = {}
    labels: dict[int, tuple[int, str]] = {}
    said = _Said(len(mentions))
    for number, decision in standing:
        groups = [_rows(group, place) for group in decision.groups]
        named = np.concatenate(groups).tolist()
        if decision.decision == "not-an-event":
            removed |= dict.fromkeys(named, number)
            continue
        for mention in named:  # a later decision takes it for an event again
            removed.pop(mention, None)
        if decision.label is not None:
            labels[place[decision.mentions[0]]] = number, decision.label
        if decision.decision in ("same", "split"):
            for group in groups:
                said.add(*_pairs_of(group), same=True, number=number)
        if decision.decision in ("different", "split"):
            for at, group in enumerate(groups):
                for other in groups[at + 1 :]:
                    i, j = np.repeat(group, len(other)), np.tile(other, len(group))
                    said.add(i, j, same=False, number=number)
    (must, must_by), (cannot, cannot_by) = said.last_words(removed)
    agreement = Agreement(
        mentions,
        must,
        must_by,
        cannot,
        cannot_by,
        removed,
        {mention: label for mention, label in labels.items() if mention not in removed},
    )
    _check(agreement, corrections)
    return agreement


def _rows(group: Group, place: Mapping[MarkedMention, int]) -> Numbers:
    return np.array([place[mention] for mention in group], np.int64)


def _pairs_of(group: Numbers) -> tuple[Numbers, Numbers]:
    i, j = np.triu_indices(len(group), 1)
    return group[i], group[j]


class _Said:
    """Pairs with what was said about them, in order."""

    def __init__(self, mentions: int) -> None:
        self._mentions = max(1, mentions)
        self._codes = [np.empty(0, np.int64)]
        self._same = [np.empty(0, np.bool_)]
        self._numbers = [np.empty(0, np.int64)]

    def add(self, i: Numbers, j: Numbers, *, same: bool, number: int) -> None:
        self._codes.append(np.minimum(i, j) * self._mentions + np.maximum(i, j))
        self._same.append(np.full(len(i), same))
        self._numbers.append(np.full(len(i), number, np.int64))

    def last_words(self, removed: Mapping[int, int]) -> list[tuple[Pairs, Numbers]]:
        """Return the pairs that are the same, and those that are not, by the last that was said of each."""
        codes, same = np.concatenate(self._codes), np.concatenate(self._same)
        numbers = np.concatenate(self._numbers)
        _, last = np.unique(codes[::-1], return_index=True)
        last = len(codes) - 1 - last
        pairs = np.stack(np.divmod(codes[last], self._mentions), axis=1).astype(np.int32)
        left = ~np.isin(pairs, list(removed)).any(axis=1)
        kept = [left & same[last], left & ~same[last]]
        return [(pairs[each], numbers[last][each]) for each in kept]


def _check(agreement: Agreement, corrections: Corrections) -> None:
    must, cannot = agreement.must_link, agreement.cannot_link
    chain = shortest_contradiction(must, cannot, len(agreement.mentions))
    if not chain:
        return
    by = {tuple(pair): number for pair, number in zip(must.tolist(), agreement.must_by.tolist(), strict=True)}
    names = " - ".join(str(agreement.mentions[mention]) for mention in chain)
    links = [by[min(a, b), max(a, b)] for a, b in pairwise(chain)]
    ends = sorted((chain[0], chain[-1]))
    apart = int(agreement.cannot_by[(cannot == ends).all(axis=1)][0])
    joined = ", ".join(dict.fromkeys(map(corrections.place, links)))
    raise DataError(
        f"keeps {agreement.mentions[chain[0]]} and {agreement.mentions[chain[-1]]} apart, but other decisions join "
        f"them: {names} ({joined})",
        where=corrections.place(apart),
        hint="undo one of these decisions",
    )
