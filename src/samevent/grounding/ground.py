"""Ground one document: its arguments first, then its actions by what their arguments and sentences say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any, TypeVar

from samevent.corpus import Document, Mention, Quantity, Reference, Source, When, Where
from samevent.corpus.reference import common_where
from samevent.grounding.calendar import shifted
from samevent.grounding.entities import EntityReader
from samevent.grounding.places import PlaceName, places
from samevent.grounding.quantities import quantities
from samevent.grounding.tense import Tense, Tenses
from samevent.grounding.time_words import is_address, is_model_year
from samevent.grounding.times import is_time_of_day, resolve_time
from samevent.language.annotation import Annotation
from samevent.language.dates import document_date
from samevent.language.gazetteer import Gazetteer

RECENT_DAYS = 7
"""An event without a stated time has probably happened in so many days before its document."""
_TIME_LABELS = frozenset(("DATE", "TIME"))


def ground(
    document: Document,
    annotation: Annotation,
    gazetteer: Gazetteer | None = None,
    reader: EntityReader | None = None,
) -> Document:
    """Return a document whose mentions say what they refer to; what is known already is kept.

    Without a gazetteer, places are names; without a reader, nobody says who participants are.
    """
    if not document.mentions:
        return document
    grounding = _Grounding(document, annotation, gazetteer)
    arguments = {m.id: grounding.argument(m) for m in document.mentions if m.kind != "action"}

    participants = any(m.kind == "participant" for m in document.mentions)
    entities = reader.entities(document, annotation) if reader and participants else {}

    references = {}
    for mention in document.mentions:
        found = arguments[mention.id] if mention.kind != "action" else grounding.action(mention, arguments)
        if mention.kind == "participant" and mention.id in entities:
            found = Reference(found.when, found.where, found.quantities, entities[mention.id])
        if mention.refers:
            found = mention.refers.completed_by(found)
        if found and found != mention.refers:
            references[mention.id] = found
    return document.with_references(references)


class _Grounding:
    """What one document says about times, places and numbers."""

    def __init__(self, document: Document, annotation: Annotation, gazetteer: Gazetteer | None) -> None:
        self._document, self._annotation = document, annotation
        self._words = [token.text for token in document.tokens]
        written = document_date(document)
        self._written = date.fromisoformat(written) if written else None
        self._tenses = Tenses(annotation)
        located = [m.span for m in document.mentions if m.kind == "location"]
        self._places = places(self._words, annotation, gazetteer, located)
        self._quantities = quantities(self._words, annotation)
        self._main = common_where(Reference(where=name.where) for name in self._places if name.where.id)
        self._times = self._time_spans()
        self._clocks = {m.id: is_time_of_day(m.text) for m in document.mentions if m.kind == "time"}
        self._governed = self._governed_times()
        self._by_sentence: dict[int, Reference] = {}

    def argument(self, mention: Mention) -> Reference:
        """Return what an argument says by itself."""
        start, end = mention.span
        when = self._time(start, end) if mention.kind == "time" else None
        where = None
        if mention.kind == "location":
            where = _first_place(name for name in self._places if start <= name.start and name.end <= end)
        found: tuple[Quantity, ...] = ()
        if mention.kind == "participant":
            found = tuple(f.quantity for f in self._quantities if start <= f.start and f.end <= end)[:1]
        return Reference(when, where, found)

    def action(self, mention: Mention, arguments: dict[str, Reference]) -> Reference:
        """Return the time, place and quantities of an event."""
        head = mention.start if mention.head is None else mention.head
        own = [arguments[a.mention] for a in mention.arguments if a.mention in arguments]
        clocks = [self._clocks[a.mention] for a in mention.arguments if a.mention in self._clocks]
        stated = [r.when for r in own if r.when and not r.when.duration]
        stated += self._governed.get(head, ())
        around = self._sentence(self._document.sentence_of(mention.start))
        when = _sourced(_narrowest(stated), "argument")
        if around.when and (when is None or (clocks and all(clocks))):
            when = around.when
        if when is None and self._written:
            when = _around(self._written, self._tenses[head])
        place = _first([r.where for r in own if r.where and r.where.id] or [r.where for r in own])
        where = _sourced(place, "argument") or around.where or _sourced(self._main, "document")
        counted = tuple(_with_source(q, "argument") for r in own for q in r.quantities)
        return Reference(when, where, counted or around.quantities)

    def _sentence(self, number: int) -> Reference:
        """Return what a sentence says of the time and place of its events, and its quantities."""
        if number not in self._by_sentence:
            sentence = self._document.sentences[number]
            whens = [when for token, when in self._times if sentence.start <= token < sentence.end]
            names = [name.where for name in self._places if sentence.start <= name.start < sentence.end]
            found = (f.quantity for f in self._quantities if sentence.start <= f.start < sentence.end)
            self._by_sentence[number] = Reference(
                _sourced(_narrowest(whens), "sentence"),
                _sourced(_nested(names), "sentence"),
                tuple(dict.fromkeys(_with_source(q, "sentence") for q in found)),
            )
        return self._by_sentence[number]

    def _time_spans(self) -> list[tuple[int, When]]:
        """Return the head token of every time expression, and what it means; durations do not say when."""
        spans = {m.span for m in self._document.mentions if m.kind == "time"}
        covered = {token for start, end in spans for token in range(start, end)}
        spans |= {
            (start, end)
            for start, end, label in self._annotation.entities
            if label in _TIME_LABELS and not covered & set(range(start, end))
        }
        found = []
        for start, end in sorted(spans):
            when = self._time(start, end)
            if when and not when.duration:
                found.append((self._root(start, end), when))
        return found

    def _time(self, start: int, end: int) -> When | None:
        text = self._document.text[self._document.tokens[start].start : self._document.tokens[end - 1].end]
        if self._words[end - 1].isdigit():
            after = self._words[end : end + 1]
            if is_address(" ".join(self._words[start : end + 4])) or is_model_year("".join(after)):
                return None
        before = self._words[start - 1].lower() if start else ""
        if before in ("since", "until", "till", "before", "by", "after"):
            text = f"{before} {text}"
        return resolve_time(text, self._written, self._tenses[self._root(start, end)])

    def _root(self, start: int, end: int) -> int:
        """Return the token of a span whose head lies outside it."""
        heads = self._annotation.heads
        return next((t for t in range(start, end) if not start <= heads[t] < end or heads[t] == t), start)

    def _governed_times(self) -> dict[int, list[When]]:
        """Return the times that depend on each word, directly or by a preposition."""
        governed: dict[int, list[When]] = defaultdict(list)
        heads, pos = self._annotation.heads, self._annotation.pos
        for token, when in self._times:
            up = heads[token]
            for word in {up, heads[up]} if pos[up] == "ADP" else {up}:
                governed[word].append(when)
        return dict(governed)


def _around(written: date, tense: Tense) -> When:
    """Return when an event without a stated time happened."""
    if tense == "future":
        return When(written.isoformat(), None, source="document")
    return When(shifted(written, -RECENT_DAYS).isoformat(), written.isoformat(), source="document")


def _narrowest(whens: Iterable[When]) -> When | None:
    """Return the shortest interval, the first one among equals; one with an open end is longer than any other."""
    return min(whens, key=_days, default=None)


def _days(when: When) -> int:
    if not when.start or not when.end:
        return date.max.toordinal()
    return date.fromisoformat(when.end).toordinal() - date.fromisoformat(when.start).toordinal()


def _nested(names: list[Where]) -> Where | None:
    """Return the innermost place if all others contain it; else nobody can tell which one is meant."""
    known = [name for name in names if name.id] or names
    inner = max(known, key=lambda place: len(place.path), default=None)
    if inner is None or any(inner.path[-len(place.path) :] != place.path for place in known):
        return None
    return inner


def _first_place(names: Iterable[PlaceName]) -> Where | None:
    found = [name.where for name in names]
    return _nested(found) or _first(found)


def _first(places: Iterable[Where | None]) -> Where | None:
    return next((place for place in places if place), None)


Part = TypeVar("Part", When, Where)


def _sourced(part: Part | None, source: Source) -> Part | None:
    known: Part | None = _with_source(part, source) if part else None
    return known


@lru_cache(maxsize=16_384)
def _with_source(part: Any, source: Source) -> Any:
    """Return a time, place or quantity that says where it is stated."""
    return replace(part, source=source)
