"""Why the HDDCRP errs on extracted mentions: every wrong pair of mentions of a sub-topic has a cause.

Two mentions of one event that are not brought together are missed, two of different events that are brought together
are spurious. The first cause that applies counts:

    mention      one of the two was not found, or is no gold mention
    boundary     both were found by their heads, but not with their spans
    arguments    f is on the wrong side of the minimum, but is on the right one with the annotators' arguments
    pair model   f is on the wrong side of the minimum
    sampling     f is on the right side, and the sampler went the other way
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from samevent.clusterers import Evidence
from samevent.corpus import Corpus, Mention, unit_of
from samevent.errors import UsageError
from samevent.experiments.ecbplus.mentions import MentionSet
from samevent.experiments.ecbplus.plan import Answers

Pair = tuple[str, str]


def causes(answers: Answers, annotators: Evidence, name: str = "hddcrp") -> dict[str, Any]:
    """Count the causes of a system's missed and spurious pairs, with a few examples, and the pairs that are right.

    `annotators` are the gold mentions with the annotators' own arguments.
    """
    judge = _Judge(answers, annotators, name)
    return {
        "missed": _counted(judge.missed()),
        "spurious": _counted(judge.spurious()),
        "right": judge.right,
    }


class _Judge:
    """Finds causes of errors on mentions that are not gold."""

    def __init__(self, answers: Answers, annotators: Evidence, name: str) -> None:
        system = answers.systems[name]
        if system.minimum_similarity is None:
            raise UsageError(f"{name} does not link pairs of mentions, so its errors have no such causes")
        given, self._evidence, self._annotators = answers.given, answers.evidence, annotators
        self._label, self._minimum = answers.cells[name].reported, system.minimum_similarity
        self._row = {id: row for row, id in enumerate(self._evidence.table.ids)}
        self._gold_row = {id: row for row, id in enumerate(annotators.table.ids)}
        self._gold, self._system = _by_subtopic(given.gold, given), _by_subtopic(given.documents, given)
        self._found = {(m.document, m.head): m for m in given.documents.mentions("action")}
        self._known = {(m.document, m.head): m for m in given.gold.mentions("action")}
        self.right = 0

    def missed(self) -> Iterator[tuple[str, Pair]]:
        """Go through pairs of one event that are not brought together, with their causes."""
        for a, b in (pair for mentions in self._gold for pair in combinations(mentions, 2)):
            if a.event == b.event:
                cause = self._why_missed(a, b)
                self.right += cause is None
                if cause:
                    yield cause, (a.id, b.id)

    def spurious(self) -> Iterator[tuple[str, Pair]]:
        """Go through pairs that are wrongly brought together, with their causes."""
        for mentions in self._system:
            groups = defaultdict(list)
            for m in mentions:
                groups[int(self._label[self._row[m.id]])].append(m)
            for a, b in (pair for group in groups.values() for pair in combinations(group, 2)):
                cause = self._why_spurious(a, b)
                if cause:
                    yield cause, (a.id, b.id)

    def _why_missed(self, a: Mention, b: Mention) -> str | None:
        found = [self._found.get((m.document, m.head)) for m in (a, b)]
        first, second = found
        if first is None or second is None:
            return "missed mention"
        if first.span != a.span or second.span != b.span:
            return "boundary"
        i, j = self._row[first.id], self._row[second.id]
        if self._label[i] == self._label[j]:
            return None
        if pair_similarity(self._evidence, i, j) >= self._minimum:
            return "sampling"
        return "arguments" if self._goldpair_similarity(a, b) >= self._minimum else "pair model"

    def _why_spurious(self, a: Mention, b: Mention) -> str | None:
        known = [self._known.get((m.document, m.head)) for m in (a, b)]
        first, second = known
        if first is None or second is None:
            return "spurious mention"
        if first.event == second.event:
            return None
        if first.span != a.span or second.span != b.span:
            return "boundary"
        if pair_similarity(self._evidence, self._row[a.id], self._row[b.id]) < self._minimum:
            return "sampling"
        return "arguments" if self._goldpair_similarity(first, second) < self._minimum else "pair model"

    def _goldpair_similarity(self, a: Mention, b: Mention) -> float:
        return pair_similarity(self._annotators, self._gold_row[a.id], self._gold_row[b.id])


def _by_subtopic(corpus: Corpus, given: MentionSet) -> list[list[Mention]]:
    found: dict[str, list[Mention]] = defaultdict(list)
    for document in corpus:
        unit = unit_of(given.gold[document.id], "subtopic")
        found[unit] += [m for m in document.mentions if m.kind == "action"]
    return list(found.values())


def pair_similarity(evidence: Evidence, i: int, j: int) -> float:
    """Return f of two mentions, by row, by the paper's pair model."""
    model = evidence.pair_model("paper")
    first, second = np.array([max(i, j)], np.int32), np.array([min(i, j)], np.int32)
    return float(model.probability(evidence.table, first, second)[0])


def _counted(errors: Iterable[tuple[str, Pair]]) -> dict[str, Any]:
    found: dict[str, list[Pair]] = defaultdict(list)
    for cause, pair in errors:
        found[cause].append(pair)
    return {
        cause: {"pairs": len(pairs), "examples": _spread_out(pairs)} for cause, pairs in sorted(found.items())
    }


def _spread_out(pairs: Sequence[Pair]) -> list[list[str]]:
    """Return a few pairs from all over."""
    every = max(1, len(pairs) // 3)
    return [list(pair) for pair in pairs[::every][:3]]
