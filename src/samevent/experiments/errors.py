"""Errors by kind: pairs of one event that a system leaves apart (missed), pairs of two events that it joins (wrong).

The first kind that applies counts:

    not extracted    an extracted mention is missing (missed), or is no gold mention (wrong)
    boundary         both heads are right, but not both spans
    pronoun          one of the two is a pronoun
    reporting        one of the two reports what somebody said
    other story      the documents have different topics or sub-topics (wrong links only)
    time or place    both have a weekday, a month or a named place as argument, and not the same
    same word        their heads have the same lemma
    nominal          one of the two is a noun
    other word       none of these: two verbs with different lemmas
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from samevent.clusterers import clusterer
from samevent.corpus import Corpus, Document, Mention
from samevent.corpus.corpus import event_key
from samevent.errors import DataError
from samevent.experiments.cells import answers_of
from samevent.experiments.given import Given, Mentions, catch_all, prepare_given
from samevent.experiments.reliability import Integers, clusters_of
from samevent.experiments.work import Work, provenance
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.similarity.bags import Bags
from samevent.similarity.mentions import MentionTable

Side = Literal["missed", "wrong"]
SIDES: tuple[Side, ...] = ("missed", "wrong")
KINDS = (
    "not extracted", "boundary", "pronoun", "reporting", "other story", "time or place", "same word", "nominal",
    "other word",
)  # fmt: skip
EXAMPLES = 5
"""How many pairs of head lemmas are kept per kind, the most frequent first."""

REPORTING = frozenset(
    "say tell report announce claim state add confirm deny admit explain note describe according comment insist "
    "statement announcement".split()
)
"""Lemmas of words that report what somebody said."""
WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec jan. feb. aug. sept. oct. nov. dec.".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPlan:
    """Whose errors to count: those of the hddcrp with some presets, and of other answers by name.

    With `sentences`, errors come with sentences that show them.
    """

    presets: tuple[str, ...]
    answers: Mapping[str, Corpus] = field(default_factory=dict)
    mentions: Mentions = "gold"
    model: str = "en-news"
    sentences: bool = False
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Words:
    """What kinds of errors look at, by row of the mention table."""

    table: MentionTable
    stories: Mapping[str, tuple[str | None, str | None]]

    def lemma(self, row: int) -> str:
        """Return the lemma of a mention's head."""
        heads = self.table.heads
        return heads.lemmas[int(heads.lemma[self.table.head[row]])]

    def tag(self, row: int) -> str:
        """Return the part of speech of a mention's head."""
        heads = self.table.heads
        return heads.tags[int(heads.tag[self.table.head[row]])]

    def story(self, row: int) -> tuple[str | None, str | None]:
        """Return the topic and sub-topic of a mention's document."""
        return self.stories[self.table.documents[int(self.table.document[row])]]

    def contradict(self, i: int, j: int) -> bool:
        """Return whether two mentions have times or places of the same sort with nothing in common."""
        return any(
            first and second and not first & second
            for first, second in zip(self._circumstances(i), self._circumstances(j), strict=True)
        )

    def _circumstances(self, row: int) -> tuple[frozenset[str], ...]:
        """Return the weekdays and months of a mention's times, and the names of its places."""
        words = {name: self._words(self.table.fields[name], row) for name in ("times", "locations")}
        names = self._words(self.table.sentences["places"], row)
        return words["times"] & WEEKDAYS, words["times"] & MONTHS, words["locations"] & names

    def _words(self, bags: Bags, row: int) -> frozenset[str]:
        return frozenset(self.table.vocabulary[word].lower() for word in bags.row(row).tolist())

    def kind(self, i: int, j: int, side: Side) -> str:
        """Return the first kind that applies to two mentions, extracted as they should be."""
        tags, lemmas = (self.tag(i), self.tag(j)), (self.lemma(i), self.lemma(j))
        if any(tag.startswith(("PRP", "WP", "DT", "WDT", "EX")) for tag in tags):
            return "pronoun"
        if any(lemma in REPORTING for lemma in lemmas):
            return "reporting"
        if side == "wrong" and self.story(i) != self.story(j):
            return "other story"
        if self.contradict(i, j):
            return "time or place"
        if lemmas[0] == lemmas[1]:
            return "same word"
        return "nominal" if any(tag.startswith("N") for tag in tags) else "other word"


@dataclass(frozen=True, eq=False)
class Judge:
    """Finds the errors of answers on some given mentions."""

    given: Given
    words: Words

    @cached_property
    def gold(self) -> tuple[Mention | None, ...]:
        """The gold mention of each row."""
        return tuple(map(self.given.match.get, self.words.table.ids))

    @cached_property
    def exact(self) -> tuple[bool, ...]:
        """Whether each row has the span of its gold mention."""
        mentions = {m.id: m for m in self.given.in_scope.mentions("action")}
        return tuple(
            gold is not None
            and (gold.char_start, gold.char_end) == (mentions[id].char_start, mentions[id].char_end)
            for id, gold in zip(self.words.table.ids, self.gold, strict=True)
        )

    @cached_property
    def scored(self) -> frozenset[int]:
        """The rows that are scored."""
        ids = {m.id for m in self.given.in_scope.mentions("action")}
        return frozenset(row for row, id in enumerate(self.words.table.ids) if id in ids)

    @cached_property
    def row(self) -> dict[str, int]:
        """The row of each gold mention that was extracted, with the same span if there is one."""
        order = sorted(self.scored, key=lambda row: not self.exact[row])
        found: dict[str, int] = {}
        for row in order:
            if gold := self.gold[row]:
                found.setdefault(gold.id, row)
        return found

    def missed(self, labels: Integers) -> Iterator[tuple[str, Mention, Mention]]:
        """Yield pairs of one event that are not together, with the kind of error."""
        events: dict[tuple[str, ...], list[Mention]] = defaultdict(list)
        for m in self.given.gold.mentions("action"):
            events[event_key(m)].append(m)
        for a, b in (pair for group in events.values() for pair in combinations(group, 2)):
            i, j = self.row.get(a.id), self.row.get(b.id)
            if i is None or j is None:
                yield "not extracted", a, b
            elif not (self.exact[i] and self.exact[j]):
                yield "boundary", a, b
            elif labels[i] != labels[j]:
                yield self.words.kind(i, j, "missed"), a, b

    def wrong(self, labels: Integers) -> Iterator[tuple[str, int, int]]:
        """Yield pairs of rows that are together and should not be, with the kind of error."""
        for members in clusters_of(labels):
            rows = [row for row in members.tolist() if row in self.scored]
            for i, j in combinations(rows, 2):
                a, b = self.gold[i], self.gold[j]
                if a is None or b is None:
                    yield "not extracted", i, j
                elif event_key(a) != event_key(b):
                    precise = self.exact[i] and self.exact[j]
                    yield self.words.kind(i, j, "wrong") if precise else "boundary", i, j

    def count(self, labels: Integers) -> dict[str, Any]:
        """Count errors by kind, within and across documents, with the most frequent pairs of head lemmas."""
        lemma = {m.id: self.words.lemma(row) for row, m in enumerate(self.gold) if m}
        missed = (
            (kind, a.document == b.document, (lemma.get(a.id), lemma.get(b.id)))
            for kind, a, b in self.missed(labels)
        )
        document = self.words.table.document
        wrong = (
            (kind, bool(document[i] == document[j]), (self.words.lemma(i), self.words.lemma(j)))
            for kind, i, j in self.wrong(labels)
        )
        return {"missed": _counts(missed), "wrong": _counts(wrong), "right": self.right(labels)}

    def sentences(self, labels: Integers) -> dict[str, dict[str, list[str]]]:
        """Return the sentences of the first error of each kind."""
        mentions = {m.id: m for m in self.given.in_scope.mentions("action")}
        ids = self.words.table.ids
        wrong = ((kind, mentions[ids[i]], mentions[ids[j]]) for kind, i, j in self.wrong(labels))
        shown: dict[str, dict[str, list[str]]] = {}
        for side, errors in (("missed", self.missed(labels)), ("wrong", wrong)):
            first = {kind: (a, b) for kind, a, b in reversed(list(errors))}
            shown[side] = {
                kind: [_sentence(self.given.gold[m.document], m) for m in first[kind]]
                for kind in KINDS
                if kind in first
            }
        return shown

    def right(self, labels: Integers) -> int:
        """Count the pairs of one event that are together."""
        gold = self.given.labels(self.words.table.ids)
        known = (gold >= 0) & np.array(self.exact)
        return sum(
            int(size * (size - 1) // 2)
            for members in clusters_of(labels)
            for size in np.unique(gold[members][known[members]], return_counts=True)[1]
        )


def _sentence(document: Document, mention: Mention) -> str:
    """Return the sentence of a mention, with the mention between asterisks."""
    at = bisect_right(document.tokens, mention.char_start, key=lambda token: token.start) - 1
    sentence = document.sentences[document.sentence_of(max(0, at))]
    start, end = document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
    text = document.text
    before, after = text[start : mention.char_start], text[mention.char_end : end]
    return " ".join(f"{before}*{mention.text}*{after}".split())


def _counts(errors: Iterable[tuple[str, bool, tuple[str | None, str | None]]]) -> dict[str, Any]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    words: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for kind, within, lemmas in errors:
        counts[kind]["within" if within else "across"] += 1
        if known := [lemma for lemma in lemmas if lemma]:
            words[kind][tuple(sorted(known))] += 1
    return {
        kind: {
            "within": counts[kind]["within"],
            "across": counts[kind]["across"],
            "words": [[*pair, count] for pair, count in _most_frequent(words[kind])],
        }
        for kind in KINDS
        if kind in counts
    }


def _most_frequent(words: Counter[tuple[str, ...]]) -> list[tuple[tuple[str, ...], int]]:
    return sorted(words.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]


def measure_errors(corpus: Corpus, plan: ErrorPlan, work: Work) -> dict[str, Any]:
    """Count the errors of each preset and each answer on a gold corpus."""
    ignore = catch_all(corpus)
    model = Model.load(plan.model, cache=Cache())
    given = prepare_given(corpus, model, work, mentions=plan.mentions, ignore=ignore)
    evidence = given.prepared.evidence
    judge = Judge(given, Words(evidence.table, {d.id: (d.topic, d.subtopic) for d in corpus}))
    systems = {preset: clusterer("hddcrp", preset=preset) for preset in plan.presets}
    labels: dict[str, Integers] = {
        name: label_rows(name, answer, evidence.table.ids) for name, answer in plan.answers.items()
    }
    for preset, system in systems.items():
        work.log(f"clustering with the preset {preset}")
        labels[preset] = answers_of(system, evidence, seed=plan.seed, jobs=work.jobs)[0]
    return {
        "documents": len(corpus),
        "mentions": plan.mentions,
        "model": Path(plan.model).name,
        "ignored": sorted(ignore),
        **provenance(plan.seed, {name: repr(system) for name, system in systems.items()}),
        "given": len(evidence),
        "answers": {
            name: judge.count(rows) | ({"sentences": judge.sentences(rows)} if plan.sentences else {})
            for name, rows in labels.items()
        },
    }


def label_rows(name: str, answer: Corpus, ids: Sequence[str]) -> Integers:
    """Return the labels of mentions in the answer of another system, which must have them all."""
    events = {m.id: event_key(m) for m in answer.mentions("action")}
    if missing := [id for id in ids if id not in events]:
        raise DataError(
            f"the answer {name!r} lacks {len(missing):,} mentions, first {missing[0]!r}",
            expected="the mentions that presets are given",
        )
    numbers: dict[tuple[str, ...], int] = {}
    return np.array([numbers.setdefault(events[id], len(numbers)) for id in ids], np.int64)
