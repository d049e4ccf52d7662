"""A result as related tables: stories, documents, events, entities, mentions, arguments, quantities.

Databases and Parquet files hold them.
Unlike `mentions.csv`, which people read, the table of mentions has all kinds, and rows refer to each other by id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from samevent.corpus import Mention
from samevent.results import Result
from samevent.results.result import sentence_of
from samevent.results.rows import BACKGROUND, MAIN

Cell = str | int | float | None
Kind = Literal["TEXT", "INTEGER", "REAL"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `references` is the table whose `id` it holds."""

    name: str
    kind: Kind = "TEXT"
    references: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its rows are keyed by the column `id` if it has one. Words in the columns `searched` can be searched."""

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[Result], Iterator[tuple[Cell, ...]]]
    searched: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]


def _stories(result: Result) -> Iterator[tuple[Cell, ...]]:
    for story in result.stories:
        first, last = (story.dates[0], story.dates[-1]) if story.dates else (None, None)
        yield story.id, story.headline, len(story), first, last


def _documents(result: Result) -> Iterator[tuple[Cell, ...]]:
    for d in result.corpus:
        copy_of = result.copies.get(d.id)
        story = result.document_stories.get(d.id)
        yield d.id, d.title, result.dates[d.id], d.topic, d.subtopic, story, copy_of, d.text


def _events(result: Result) -> Iterator[tuple[Cell, ...]]:
    for event in result.events:
        first, last = (event.dates[0], event.dates[-1]) if event.dates else (None, None)
        when, where = (str(value) if value else None for value in (event.when, event.where))
        counts = len(event), event.distinct_documents, event.copies
        part = BACKGROUND if event.background else MAIN
        about = event.id, event.label, event.event_class, part
        yield *about, *counts, first, last, when, where, event.probability


def _entities(result: Result) -> Iterator[tuple[Cell, ...]]:
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for mention in result.corpus.mentions():
        if mention.refers and (entity := mention.refers.entity):
            names.setdefault(entity.id, entity.name)
            counts[entity.id] = counts.get(entity.id, 0) + 1
    yield from ((id, name, counts[id]) for id, name in names.items())


def _mentions(result: Result) -> Iterator[tuple[Cell, ...]]:
    for document in result.corpus:
        for m in document.mentions:
            start, end = sentence_of(document, m)
            why, refers = result.whys.get(m.id), m.refers
            event = m.event if m.kind == "action" else None
            said = document.text[start:end]
            span = m.char_start, m.char_end
            stated = (
                str(refers.when) if refers and refers.when else None,
                str(refers.where) if refers and refers.where else None,
                refers.entity.id if refers and refers.entity else None,
            )
            closest = (why.mention, why.similarity) if why else (None, None)
            about = m.kind, m.event_class, int(m.negated)
            yield (
                m.id,
                event,
                document.id,
                *about,
                m.text,
                said,
                *span,
                _probability(result, m),
                *stated,
                *closest,
            )


def _probability(result: Result, mention: Mention) -> float | None:
    return result.member_probability.get(mention.id)


def _arguments(result: Result) -> Iterator[tuple[Cell, ...]]:
    for mention in result.corpus.mentions():
        yield from ((mention.id, argument.mention, argument.role) for argument in mention.arguments)


def _quantities(result: Result) -> Iterator[tuple[Cell, ...]]:
    for mention in result.corpus.mentions():
        quantities = mention.refers.quantities if mention.refers else ()
        yield from ((mention.id, each.low, each.high, each.unit or None) for each in quantities)


TABLES = (
    Table(
        "stories",
        (
            Column("id"),
            Column("headline"),
            Column("documents", "INTEGER"),
            *map(Column, ("first_date", "last_date")),
        ),
        _stories,
        ("headline",),
    ),
    Table(
        "documents",
        (
            *map(Column, ("id", "title", "date", "topic", "subtopic")),
            Column("story", references="stories"),
            Column("copy_of", references="documents"),
            Column("text"),
        ),
        _documents,
        ("title", "text"),
    ),
    Table(
        "events",
        (
            *map(Column, ("id", "label", "event_class", "part")),
            *(Column(name, "INTEGER") for name in ("mentions", "documents", "copies")),
            *map(Column, ("first_date", "last_date", "time", "place")),
            Column("probability", "REAL"),
        ),
        _events,
        ("label",),
    ),
    Table("entities", (Column("id"), Column("name"), Column("mentions", "INTEGER")), _entities, ("name",)),
    Table(
        "mentions",
        (
            Column("id"),
            Column("event", references="events"),
            Column("document", references="documents"),
            *map(Column, ("kind", "event_class")),
            Column("negated", "INTEGER"),
            *map(Column, ("text", "sentence")),
            Column("char_start", "INTEGER"),
            Column("char_end", "INTEGER"),
            Column("probability", "REAL"),
            *map(Column, ("time", "place")),
            Column("entity", references="entities"),
            Column("closest", references="mentions"),
            Column("similarity", "REAL"),
        ),
        _mentions,
        ("text", "sentence"),
    ),
    Table(
        "arguments",
        (
            Column("mention", references="mentions"),
            Column("argument", references="mentions"),
            Column("role"),
        ),
        _arguments,
    ),
    Table(
        "quantities",
        (
            Column("mention", references="mentions"),
            Column("low", "REAL"),
            Column("high", "REAL"),
            Column("unit"),
        ),
        _quantities,
    ),
)
"""All tables; one refers to itself or to those before it."""
