"""What HDDCRP gets right and wrong, as in the paper's discussion, counted in pairs of mentions within a sub-topic.

On gold mentions: pairs that it gets right and another system gets wrong, and vice versa. On extracted mentions: the
causes of its errors.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from samevent.clusterers import Evidence
from samevent.corpus import Corpus, Mention, unit_of
from samevent.errors import UsageError
from samevent.experiments.ecbplus import Answers, Plan, run_systems
from samevent.experiments.mention_sets import MentionSet
from samevent.experiments.protocols import GOLD, PREDICTED, TASKS, Part, Task
from samevent.experiments.work import Work, provenance
from samevent.preparation import MISSING_ARGUMENTS

OURS, OTHERS = "hddcrp", ("agglomerative", "hdp-lex")
WORDS = ("unveil", "announce")
"""The paper's example: two words for one event that its HDDCRP links."""
EXAMPLES = 8
"""Number of pairs of lemmas to show, the most frequent first."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class _GoldMentions:
    """Gold mentions by sub-topic, with the row and the head lemma of each."""

    units: tuple[tuple[Mention, ...], ...]
    row: Mapping[str, int]
    lemma: Mapping[str, str]

    @classmethod
    def of(cls, gold: Corpus, evidence: Evidence) -> _GoldMentions:
        table = evidence.table
        lemmas = (table.heads.lemmas[table.heads.lemma[head]] for head in table.head)
        by_unit: dict[str, list[Mention]] = defaultdict(list)
        for document in gold:
            by_unit[unit_of(document, "subtopic")] += document.mentions
        return cls(
            tuple(map(tuple, by_unit.values())),
            {id: row for row, id in enumerate(table.ids)},
            dict(zip(table.ids, lemmas, strict=True)),
        )

    def pairs(self) -> Iterator[tuple[Mention, Mention]]:
        """Yield all pairs of mentions within a sub-topic."""
        return (pair for mentions in self.units for pair in combinations(mentions, 2))


def measure_analysis(
    corpus: Corpus,
    work: Work,
    *,
    part: Part,
    model: str | None = None,
    seed: int = 0,
    protocol: str = "yang2015",
) -> dict[str, Any]:
    """Compare systems pair by pair on gold mentions, and find the causes of errors on extracted ones."""
    plan = Plan(task=TASKS[protocol], part=part, model=model, seed=seed, clusterers=(*OTHERS, OURS))
    documents, trained = plan.documents(corpus), plan.load_model(corpus, work)
    gold = run_systems(GOLD, documents, plan, trained, work)
    ours = replace(plan, clusterers=(OURS,))
    extracted = run_systems(PREDICTED, documents, ours, trained, work)
    with_gold_arguments = trained.prepare(
        _with_gold_arguments(documents, plan.task),
        extraction=MISSING_ARGUMENTS,
        preset=plan.preset,
        jobs=work.jobs,
    ).evidence
    settings = {name: repr(system) for name, system in gold.systems.items()}
    return {
        "protocol": plan.task.name,
        "part": part,
        "preset": plan.preset,
        "model": model or f"trained on the train topics of {plan.task.split_name}",
        **provenance(seed, settings),
        "comparisons": compare_systems(gold),
        "words": word_pair(gold, WORDS),
        "causes": causes(extracted, with_gold_arguments),
    }


def compare_systems(answers: Answers) -> dict[str, Any]:
    """Count the pairs on which HDDCRP and another system differ, by which of them is right, with examples."""
    gold = _GoldMentions.of(answers.given.gold, answers.evidence)
    labels = {name: cell.reported for name, cell in answers.cells.items()}
    comparisons: dict[str, Any] = {}
    for other in OTHERS:
        kinds: dict[str, list[Pair]] = {
            f"{who} {what}": [] for who in ("hddcrp", "other") for what in ("links", "parts")
        }
        for a, b in gold.pairs():
            i, j = gold.row[a.id], gold.row[b.id]
            together = bool(labels[OURS][i] == labels[OURS][j])
            if together != bool(labels[other][i] == labels[other][j]):
                same = a.event == b.event
                who = "hddcrp" if together == same else "other"
                kinds[f"{who} {'links' if same else 'parts'}"].append((a.id, b.id))
        comparisons[other] = {
            kind: {"pairs": len(pairs), "examples": _examples(pairs, gold)} for kind, pairs in kinds.items()
        }
    return comparisons


def word_pair(answers: Answers, lemmas: tuple[str, str]) -> dict[str, Any]:
    """Return the pairs of mentions with these two head lemmas: their f, and which systems link them."""
    gold, evidence = _GoldMentions.of(answers.given.gold, answers.evidence), answers.evidence
    rows: list[dict[str, Any]] = []
    for a, b in gold.pairs():
        if {gold.lemma[a.id], gold.lemma[b.id]} == set(lemmas):
            i, j = gold.row[a.id], gold.row[b.id]
            linked = {
                name: bool(cell.reported[i] == cell.reported[j]) for name, cell in answers.cells.items()
            }
            rows.append(
                {
                    "pair": [a.id, b.id],
                    "same": a.event == b.event,
                    "linked": linked,
                    "f": pair_similarity(evidence, i, j),
                }
            )
    same = [row for row in rows if row["same"]]
    return {
        "lemmas": list(lemmas),
        "pairs": len(rows),
        "same": len(same),
        "linked": {
            name: {
                "same": sum(row["linked"][name] for row in same),
                "different": sum(row["linked"][name] for row in rows if not row["same"]),
            }
            for name in answers.cells
        },
        "highest_f": max((row["f"] for row in same), default=None),
        "examples": sorted(same, key=lambda row: -row["f"])[:3],
    }


def _with_gold_arguments(documents: Corpus, task: Task) -> Corpus:
    """Return documents with the gold events that count, and all gold participants, times and locations."""
    counted = {m.id for m in task.gold(documents).mentions()}
    kept = documents.filtered(lambda m: m.kind != "action" or m.id in counted)
    return kept.mapped(lambda d: replace(d, topic=None, subtopic=None))


def _examples(pairs: Sequence[Pair], gold: _GoldMentions) -> list[dict[str, Any]]:
    """Return the most frequent pairs of head lemmas, with one pair of mentions each."""
    kinds = {pair: tuple(sorted(gold.lemma[id] for id in pair)) for pair in pairs}
    first = {kind: pair for pair, kind in reversed(kinds.items())}
    counts = Counter(kinds.values())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]
    return [{"lemmas": list(kind), "pairs": count, "example": list(first[kind])} for kind, count in ranked]


def causes(answers: Answers, gold: Evidence, name: str = OURS) -> dict[str, Any]:
    """Count a system's missed and spurious pairs by cause, with a few examples, and its correct pairs.

    A missed pair refers to the same event but is not linked; a spurious pair is linked but refers to different events.
    The first cause that applies counts:

        mention      one of the two was not extracted, or is not a gold mention
        boundary     both were extracted with the right heads, but not with the right spans
        arguments    f is on the wrong side of the minimum, but not with the gold arguments
        pair model   f is on the wrong side of the minimum
        sampling     f is on the right side, but the sampler decided otherwise

    `gold` has the gold mentions with gold arguments.
    """
    finder = _CauseFinder(answers, gold, name)
    return {
        "missed": _count(finder.missed()),
        "spurious": _count(finder.spurious()),
        "right": finder.right,
    }


class _CauseFinder:
    """Finds the causes of errors on extracted mentions."""

    def __init__(self, answers: Answers, gold: Evidence, name: str) -> None:
        system = answers.systems[name]
        if system.minimum_similarity is None:
            raise UsageError(
                f"errors of {name} cannot be explained", expected="a clusterer that links pairs of mentions"
            )
        given, self._evidence, self._gold_evidence = answers.given, answers.evidence, gold
        self._label, self._minimum = answers.cells[name].reported, system.minimum_similarity
        self._row = {id: row for row, id in enumerate(self._evidence.table.ids)}
        self._gold_row = {id: row for row, id in enumerate(gold.table.ids)}
        self._gold, self._system = _by_subtopic(given.gold, given), _by_subtopic(given.documents, given)
        self._extracted = {(m.document, m.head): m for m in given.documents.mentions("action")}
        self._gold_mention = {(m.document, m.head): m for m in given.gold.mentions("action")}
        self.right = 0

    def missed(self) -> Iterator[tuple[str, Pair]]:
        """Yield pairs of the same event that are not linked, with their causes."""
        for a, b in (pair for mentions in self._gold for pair in combinations(mentions, 2)):
            if a.event == b.event:
                cause = self._cause_of_missed(a, b)
                self.right += cause is None
                if cause:
                    yield cause, (a.id, b.id)

    def spurious(self) -> Iterator[tuple[str, Pair]]:
        """Yield pairs that are wrongly linked, with their causes."""
        for mentions in self._system:
            groups = defaultdict(list)
            for m in mentions:
                groups[int(self._label[self._row[m.id]])].append(m)
            for a, b in (pair for group in groups.values() for pair in combinations(group, 2)):
                cause = self._cause_of_spurious(a, b)
                if cause:
                    yield cause, (a.id, b.id)

    def _cause_of_missed(self, a: Mention, b: Mention) -> str | None:
        first, second = (self._extracted.get((m.document, m.head)) for m in (a, b))
        if first is None or second is None:
            return "missed mention"
        if first.span != a.span or second.span != b.span:
            return "boundary"
        i, j = self._row[first.id], self._row[second.id]
        if self._label[i] == self._label[j]:
            return None
        if pair_similarity(self._evidence, i, j) >= self._minimum:
            return "sampling"
        return "arguments" if self._gold_similarity(a, b) >= self._minimum else "pair model"

    def _cause_of_spurious(self, a: Mention, b: Mention) -> str | None:
        first, second = (self._gold_mention.get((m.document, m.head)) for m in (a, b))
        if first is None or second is None:
            return "spurious mention"
        if first.event == second.event:
            return None
        if first.span != a.span or second.span != b.span:
            return "boundary"
        if pair_similarity(self._evidence, self._row[a.id], self._row[b.id]) < self._minimum:
            return "sampling"
        return "arguments" if self._gold_similarity(first, second) < self._minimum else "pair model"

    def _gold_similarity(self, a: Mention, b: Mention) -> float:
        return pair_similarity(self._gold_evidence, self._gold_row[a.id], self._gold_row[b.id])


def _by_subtopic(corpus: Corpus, given: MentionSet) -> list[list[Mention]]:
    by_unit: dict[str, list[Mention]] = defaultdict(list)
    for document in corpus:
        unit = unit_of(given.gold[document.id], "subtopic")
        by_unit[unit] += [m for m in document.mentions if m.kind == "action"]
    return list(by_unit.values())


def pair_similarity(evidence: Evidence, i: int, j: int) -> float:
    """Return f of two rows by the paper's pair model."""
    model = evidence.pair_model("paper")
    first, second = np.array([max(i, j)], np.int32), np.array([min(i, j)], np.int32)
    return float(model.probability(evidence.table, first, second)[0])


def _count(errors: Iterable[tuple[str, Pair]]) -> dict[str, Any]:
    by_cause: dict[str, list[Pair]] = defaultdict(list)
    for cause, pair in errors:
        by_cause[cause].append(pair)
    return {
        cause: {"pairs": len(pairs), "examples": _spread_out(pairs)}
        for cause, pairs in sorted(by_cause.items())
    }


def _spread_out(pairs: Sequence[Pair]) -> list[list[str]]:
    """Return three evenly spaced pairs."""
    every = max(1, len(pairs) // 3)
    return [list(pair) for pair in pairs[::every][:3]]
