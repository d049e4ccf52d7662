"""Stories after an update: all documents are grouped anew by the table of events, and stories keep their ids.

Grouping is quick, as it needs no document. Only documents whose story is another one than before are written anew, and
only stories that have changed are told anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samevent.corpus import Document
from samevent.formats.sheets import Row as SheetRow
from samevent.formats.sheets import rows as read
from samevent.language.dates import document_date
from samevent.results.rows import MAIN, Row, story_row
from samevent.results.stories import EventLine, Head, group_documents, head_of, tell
from samevent.updates.ids import named


def event_lines(events: Path, ids: Collection[str]) -> list[EventLine]:
    """Return the main events of several mentions in a table of events; `ids` are those of all documents."""
    return [
        EventLine(
            row.needed("event"),
            split_ids(row.needed("document_ids"), ids),
            float(row["probability"] or 0),
            float(row["weight"] or 0),
        )
        for row in read(events, ("part", "weight"))
        if row["part"] == MAIN and row.whole("mentions") > 1
    ]


def split_ids(joined: str, ids: Collection[str]) -> tuple[str, ...]:
    """Return the ids that a cell has joined by semicolons, which may occur in ids too.

    >>> split_ids("a;b;c;d", {"a", "b;c", "d"})
    ('a', 'b;c', 'd')
    """
    split: list[str] = []
    part = ""
    for piece in joined.split(";"):
        part = f"{part};{piece}" if part else piece
        if part in ids:
            split.append(part)
            part = ""
    return tuple(split)


@dataclass(frozen=True, slots=True)
class Retelling:
    """The stories of a run before and after an update, by document, and its main events now."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    lines: Sequence[EventLine]
    rows: Mapping[str, SheetRow]
    """The rows of stories before."""

    @classmethod
    def of(cls, stories: Path, events: Path, ids: Sequence[str]) -> Retelling:
        """Group documents anew, given the old table of stories and the new table of events."""
        known = set(ids)
        rows = {row.needed("story"): row for row in read(stories, ())} if stories.exists() else {}
        before = {
            document: id
            for id, row in rows.items()
            for document in split_ids(row.needed("document_ids"), known)
        }
        lines = event_lines(events, known)
        return cls(before, _grouped(ids, lines, before), lines, rows)

    def changed(self, ids: Sequence[str]) -> list[str]:
        """Return the documents that have another story than before."""
        return [id for id in ids if self.before.get(id) != self.after.get(id)]

    def stories(self, ids: Sequence[str], document: Callable[[str], Document]) -> Iterator[Row]:
        """Yield the rows of all stories; `document` returns one of the documents by its id.

        Stories that have the documents that they had keep their headlines and dates.
        """
        touched = {story for id in self.changed(ids) for story in (self.before.get(id), self.after.get(id))}
        heads: dict[str, Head] = {}
        begun: set[str] = set()
        for id in (id for id in ids if id in self.after):
            row = self.rows.get(self.after[id])
            if row is None or self.after[id] in touched:
                text = document(id)
                heads[id] = head_of(text, document_date(text))
            else:  # a row has two dates, and any of the documents may carry them
                which = "last_date" if self.after[id] in begun else "first_date"
                heads[id] = Head(row["headline"] or id, row[which])
                begun.add(self.after[id])
        return map(story_row, tell(self.after, heads, self.lines))


def _grouped(ids: Sequence[str], lines: Sequence[EventLine], before: Mapping[str, str]) -> dict[str, str]:
    """Return the story of each document that belongs to one; stories keep the ids of those they share most with."""
    groups: dict[int, list[str]] = {}
    for document, group in group_documents(ids, lines).items():
        groups.setdefault(group, []).append(document)
    following = 1 + max((int(story.removeprefix("s")) for story in before.values()), default=0)
    names, _ = named(list(groups.values()), before, following, "s")
    return {d: name for name, group in zip(names, groups.values(), strict=True) for d in group}


def retold(line: bytes, story: str | None) -> bytes:
    """Return the line of a document with another story.

    >>> retold(b'{"id": "a", "story": "s1"}\\n', "s2")
    b'{"id": "a", "story": "s2"}\\n'
    """
    data = json.loads(line)
    data.pop("story", None)
    if story is not None:
        data["story"] = story
    return (json.dumps(data, ensure_ascii=False) + "\n").encode()
