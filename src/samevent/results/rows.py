"""Stories, events and mentions as rows of plain cells, in the columns of `stories.csv`, `events.csv`, `mentions.csv`.

What a spreadsheet could take for a formula is guarded where rows are written (`formats.sheets`), not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from samevent.corpus import Document, Entity, Kind, Mention
from samevent.corpus.mention import named_participants
from samevent.corrections import Mark
from samevent.events import Event, Member
from samevent.formats.sheets import YES, Cell
from samevent.results.result import Result, sentence_of
from samevent.stories import Story

EVENT_COLUMNS = (
    "event label event_class mentions documents copies first_date last_date when where who probability "
    "document_ids corrections part weight likely"
).split()
STORY_COLUMNS = "story headline documents first_date last_date events document_ids".split()
MENTION_COLUMNS = (
    "event mention event_class negated document title date text sentence char_start char_end probability "
    "participants times locations when where who closest similarity corrections how_many"
).split()

MAIN, BACKGROUND = "main", "background"
"""The parts that events play."""

Row = dict[str, Cell]
"""Cells by column, in the order of the columns; None is an empty cell."""

_DOCUMENTS = 1024
"""Of how many documents the mentions are kept at hand; events of one story follow each other."""
_DIGITS = 4
"""Probabilities come from at most some thousands of samples."""


def event_rows(result: Result) -> Iterator[Row]:
    """Yield one row per event, in order of first mentions."""
    return (_event_row(event) for event in result.events)


def story_rows(result: Result) -> Iterator[Row]:
    """Yield one row per story, those with most documents first."""
    return map(story_row, result.stories)


def story_row(story: Story) -> Row:
    """Return the row of a story."""
    first, last = (story.dates[0], story.dates[-1]) if story.dates else (None, None)
    cells: tuple[Cell, ...] = (
        story.id,
        story.headline,
        len(story),
        first,
        last,
        ";".join(story.events),
        ";".join(story.documents),
    )
    return dict(zip(STORY_COLUMNS, cells, strict=True))


def mention_rows(result: Result) -> Iterator[Row]:
    """Yield one row per mention of an event: event by event, in reading order."""

    @lru_cache(maxsize=_DOCUMENTS)
    def mentions_of(document: str) -> dict[str, Mention]:
        return {mention.id: mention for mention in result.corpus[document].mentions}

    for event in result.events:
        for member in event.members:
            document = result.corpus[member.mention.document]
            known = mentions_of(document.id)
            yield mention_row(document, result.dates[document.id], event.id, member, known)


def _event_row(event: Event) -> Row:
    first, last = (event.dates[0], event.dates[-1]) if event.dates else (None, None)
    cells: tuple[Cell, ...] = (
        event.id,
        event.label,
        event.event_class,
        len(event),
        event.distinct_documents,
        event.copies,
        first,
        last,
        str(event.when) if event.when else None,
        str(event.where) if event.where else None,
        _called(event.who),
        _rounded(event.probability),
        ";".join(event.documents),
        _decisions(event.marks),
        BACKGROUND if event.background else MAIN,
        event.weight,
        event.likely,
    )
    return dict(zip(EVENT_COLUMNS, cells, strict=True))


def mention_row(
    document: Document, date: str | None, event: str, member: Member, known: Mapping[str, Mention]
) -> Row:
    """Return the row of a mention of an event; `known` are the mentions of its document by id."""
    mention, why, refers = member.mention, member.why, member.mention.refers
    start, end = sentence_of(document, mention)
    fillers = [known[argument.mention] for argument in mention.arguments]
    cells: tuple[Cell, ...] = (
        event,
        mention.id,
        mention.event_class,
        YES if mention.negated else None,
        document.id,
        document.title,
        date,
        _on_one_line(mention.text),
        _on_one_line(document.text[start:end]),
        mention.char_start,
        mention.char_end,
        _rounded(member.probability),
        _listed(fillers, "participant"),
        _listed(fillers, "time"),
        _listed(fillers, "location"),
        str(refers.when) if refers and refers.when else None,
        str(refers.where) if refers and refers.where else None,
        _called(named_participants(mention, known)),
        why.mention if why else None,
        _rounded(why.similarity) if why else None,
        _decisions(member.marks),
        "; ".join(map(str, refers.quantities)) or None if refers else None,
    )
    return dict(zip(MENTION_COLUMNS, cells, strict=True))


def _decisions(marks: Iterable[Mark]) -> str | None:
    """Return what a person decided, with the ids of the decisions in corrections.jsonl."""
    return "; ".join(f"{mark.decision} {mark.id}" for mark in marks) or None


def _listed(fillers: list[Mention], kind: Kind) -> str | None:
    return "; ".join(dict.fromkeys(_on_one_line(m.text) for m in fillers if m.kind == kind)) or None


def _called(entities: Iterable[Entity]) -> str | None:
    return "; ".join(map(str, entities)) or None


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, _DIGITS)
