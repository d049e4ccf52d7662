"""What a run found: the corpus with its events, how sure that is, and how it came about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from samevent.corpus import Clustering, Corpus, Document, Mention
from samevent.errors import UsageError
from samevent.results.dates import document_date
from samevent.results.diagnostics import Diagnostics
from samevent.results.events import Event, Events, Member, Why
from samevent.results.labels import event_label
from samevent.results.probabilities import Probabilities
from samevent.similarity.explanation import Explanation


@dataclass(frozen=True)
class Result:
    """Documents whose event mentions carry events; what else is known of a mention is in its `extra`.

    `about` holds what the reader of a report wants to know of the run: preset, seed, settings, model, versions.
    """

    corpus: Corpus
    about: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    probabilities: Probabilities | None = None
    explainer: Callable[[str, str], Explanation] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def events(self) -> Events:
        """All events, numbered by their first mention; those with one mention too."""
        found: dict[str, list[Member]] = {}
        for mention in self.corpus.mentions("action"):
            if mention.event is not None:
                found.setdefault(mention.event, []).append(_member(mention))
        known = {mention.id: mention for mention in self.corpus.mentions()}
        return Events([self._event(id, tuple(members), known) for id, members in found.items()])

    @property
    def clustering(self) -> Clustering:
        """The events as a partition of mention ids."""
        return self.corpus.clustering()

    def probability(self, a: str, b: str) -> float:
        """Return P(same event) of two event mentions, by their ids."""
        if self.probabilities is None:
            raise UsageError("this result came without probabilities", hint="read it from a run's folder")
        return self.probabilities.between(a, b)

    def explain(self, a: str, b: str) -> Explanation:
        """Say what speaks for and against two event mentions, by their ids, telling of the same event."""
        if self.explainer is None:
            raise UsageError("this result came without a model", hint="read it from a run's folder")
        return self.explainer(a, b)

    @cached_property
    def dates(self) -> Mapping[str, str | None]:
        """The date of each document, given or found in its text (ISO)."""
        return {document.id: document_date(document) for document in self.corpus}

    def _event(self, id: str, members: tuple[Member, ...], known: Mapping[str, Mention]) -> Event:
        documents = tuple(dict.fromkeys(member.mention.document for member in members))
        dates = sorted({date for date in (self.dates[document] for document in documents) if date})
        told = [(member.mention, self.corpus[member.mention.document]) for member in members]
        return Event(id, event_label(told, known), members, documents, tuple(dates))


def _member(mention: Mention) -> Member:
    why = mention.extra.get("why")
    return Member(mention, mention.extra.get("event_probability"), Why.from_plain(why) if why else None)


def sentence_of(document: Document, mention: Mention) -> tuple[int, int]:
    """Return the characters of the sentence that a mention begins in."""
    sentence = document.sentences[document.sentence_of(mention.start)]
    return document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
