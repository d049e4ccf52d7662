"""Gold mentions of any corpus, what systems are given in their place, and which of these match which.

Gold and extracted mentions are matched by characters, so that their tokens may differ. Where a corpus says which
sentences were annotated, only mentions in these count.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from samevent.corpus import Corpus, Document, Mention
from samevent.corpus.corpus import event_key
from samevent.errors import UsageError
from samevent.experiments.reliability import Booleans, Integers
from samevent.experiments.work import Work
from samevent.model import Model
from samevent.names import DEFAULT_PRESET
from samevent.preparation import EVERYTHING, MISSING_ARGUMENTS, WORDS_ONLY, Prepared

Mentions = Literal["gold", "predicted"]
Matched = Literal["none", "head", "exact"]
"""Which extracted mentions are scored: all, or those whose head or whole span is that of a gold mention."""

CATCH_ALL = "0"
"""The name of a chain for whatever is no event, as in the Gun Violence Corpus."""


@dataclass(frozen=True, eq=False)
class Given:
    """What systems are given, and the gold corpus with heads that they are scored against.

    `ignored` are gold mentions that are no events: extracted mentions there are not scored.
    """

    prepared: Prepared
    gold: Corpus
    ignored: Corpus
    mentions: Mentions

    @cached_property
    def in_scope(self) -> Corpus:
        """The mentions that are scored: those in annotated sentences, unless they match an ignored one."""
        ignored = heads_at(self.ignored)
        given = self.prepared.corpus.filtered(lambda m: m.kind == "action")
        if self.mentions == "gold":
            return given
        return given.filtered(
            lambda m: (
                is_annotated(self.gold[m.document], m.char_start)
                and not any(at in ignored for at in head_places(given[m.document], m))
            )
        )

    @cached_property
    def match(self) -> Mapping[str, Mention]:
        """The gold mention that each mention matches: by its span, else by its head."""
        spans = {(m.document, m.char_start, m.char_end): m for m in self.gold.mentions("action")}
        heads = heads_at(self.gold)
        found: dict[str, Mention] = {}
        for m in self.in_scope.mentions("action"):
            places = head_places(self.in_scope[m.document], m)
            by_head = next((heads[at] for at in places if at in heads), None)
            if gold := spans.get((m.document, m.char_start, m.char_end), by_head):
                found[m.id] = gold
        return found

    def kept(self, filter: Matched) -> Corpus:
        """Return the mentions that pass a filter."""

        def passes(m: Mention) -> bool:
            gold = self.match.get(m.id)
            if filter == "head":
                return gold is not None
            return gold is not None and (gold.char_start, gold.char_end) == (m.char_start, m.char_end)

        return self.in_scope if filter == "none" else self.in_scope.filtered(passes)

    def labels(self, ids: Sequence[str]) -> Integers:
        """Return the number of the gold event of each mention, -1 if it matches none."""
        numbers: dict[tuple[str, ...], int] = {}
        return np.array(
            [
                numbers.setdefault(event_key(gold), len(numbers)) if (gold := self.match.get(id)) else -1
                for id in ids
            ],
            np.int64,
        )

    def chained(self, ids: Sequence[str]) -> Booleans:
        """Return whether each mention matches one in a gold chain of several."""
        sizes = Counter(event_key(m) for m in self.gold.mentions("action"))
        match = self.match
        return np.array([id in match and sizes[event_key(match[id])] > 1 for id in ids], np.bool_)

    @cached_property
    def groups(self) -> Mapping[str, int]:
        """The number of each document's group: its topic if all have one, else itself."""
        by_topic = all(document.topic is not None for document in self.gold)
        names: dict[str, int] = {}
        return {d.id: names.setdefault(str(d.topic) if by_topic else d.id, len(names)) for d in self.gold}


def catch_all(corpus: Corpus) -> frozenset[str]:
    """Return the name of a chain for whatever is no event: it is called 0, and alone crosses topics."""
    topics: dict[str, set[str | None]] = {}
    for document in corpus:
        for m in document.mentions:
            if m.kind == "action" and m.event is not None:
                topics.setdefault(m.event, set()).add(document.topic)
    across = {event for event, among in topics.items() if len(among) > 1}
    return frozenset(across) if across == {CATCH_ALL} else frozenset()


def prepare_given(
    corpus: Corpus,
    model: Model,
    work: Work,
    *,
    mentions: Mentions = "gold",
    raw_text: bool = False,
    ignore: frozenset[str] = frozenset(),
    preset: str = DEFAULT_PRESET,
) -> Given:
    """Return the mentions that systems are given, without anything that they may not see, and the gold ones.

    `ignore` are gold chains that are no events. With `raw_text`, mentions are extracted from the text alone. The
    `preset` chooses the extractor.
    """
    counted = corpus.filtered(
        lambda m: m.kind == "action" and is_annotated(corpus[m.document], m.char_start)
    ).mapped(_without_arguments)
    gold = counted.filtered(lambda m: m.event not in ignore)
    ignored = counted.filtered(lambda m: m.event in ignore)
    if not any(gold.mentions("action")):
        raise UsageError("the corpus has no gold event mentions to compare with")
    documents = gold if mentions == "gold" else corpus.mapped(_raw if raw_text else _bare)
    extraction = MISSING_ARGUMENTS if mentions == "gold" else EVERYTHING
    with work.progress("reading", len(documents)) as show:
        prepared = model.prepare(
            documents.mapped(_anonymous),
            extraction=extraction,
            preset=preset,
            jobs=work.jobs,
            watch=lambda stage, done, total, note: show(done),  # noqa: ARG005 (the signature of a watch)
        )
    gold, ignored = (
        model.prepare(each, extraction=WORDS_ONLY, jobs=work.jobs).corpus for each in (gold, ignored)
    )
    return Given(prepared, gold, ignored, mentions)


def _without_arguments(document: Document) -> Document:
    return document.with_mentions(replace(m, arguments=()) for m in document.mentions)


def _bare(document: Document) -> Document:
    return document.with_mentions(())


def _raw(document: Document) -> Document:
    return Document.from_text(document.id, document.text, title=document.title, date=document.date)


def _anonymous(document: Document) -> Document:
    mentions = (
        replace(m, event=None, within=None, event_class=None, negated=False) for m in document.mentions
    )
    return replace(document.with_mentions(mentions), topic=None, subtopic=None)


def is_annotated(document: Document, at: int) -> bool:
    """Return whether the sentence with a character was annotated, as far as the corpus says."""
    token = bisect_right(document.tokens, at, key=lambda token: token.start) - 1
    return document.sentences[document.sentence_of(max(0, token))].annotated is not False


def head_places(document: Document, mention: Mention) -> Iterator[tuple[str, int]]:
    """Yield the characters of a mention's head; without a head, of its first token."""
    token = document.tokens[mention.start if mention.head is None else mention.head]
    return ((document.id, at) for at in range(token.start, token.end))


def heads_at(corpus: Corpus) -> dict[tuple[str, int], Mention]:
    """Return the event mention whose head each character belongs to."""
    return {at: m for d in corpus for m in d.mentions if m.kind == "action" for at in head_places(d, m)}
