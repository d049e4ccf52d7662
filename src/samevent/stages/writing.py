"""Writing: documents with their events become rows of the files of a run, by partitions of documents.

A task leaves the lines of `result.jsonl` and the rows of `mentions.csv` of its documents. Whoever puts the files
together copies bytes: lines in the order of the partitions, rows in the order of their events.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Corpus, Document, Entity
from samevent.corrections import Mark, Renaming
from samevent.events import Member
from samevent.formats.jsonl import document_to_json
from samevent.formats.sheets import written
from samevent.formats.store import LineFile
from samevent.grounding.identities import with_entities
from samevent.hddcrp.checkpoint import fingerprint
from samevent.language.dates import document_date
from samevent.model import Watch
from samevent.packing import pack, unpack
from samevent.partitions.labels import canonical
from samevent.results import Result
from samevent.results.assembly import named
from samevent.results.parts import PartAnswer
from samevent.results.result import without_reasons
from samevent.results.rows import mention_row
from samevent.similarity.bags import Booleans, Indices
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import first_rows
from samevent.stages.reading import documents_of, gone
from samevent.stages.sampling import Answers
from samevent.stages.tasks import Executor, Job, Parts, check_found, outcomes

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What a task knows about the event mentions of its documents, in reading order.

    `event` is the number of the event, 0 for none; `probability` is NaN where it is unknown. There are `events` in all,
    and reasons are in the parts `answers`. What a person decided is by mention id, `stories` and the joined
    `entities` (`JoinedEntities.changed`) by document id.
    """

    event: Numbers
    probability: NDArray[np.float64]
    events: int
    answers: tuple[str, ...]
    marks: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)
    renamings: Mapping[str, Renaming] = field(default_factory=dict)
    stories: Mapping[str, str] = field(default_factory=dict)
    entities: Mapping[str, Mapping[str, Entity]] = field(default_factory=dict)


def write_part(job: Job, name: str, read: str, verdicts: Verdicts) -> int:
    """Write the rows of some documents; return their number."""
    documents = documents_of(job.parts, read)
    if job.parts.read(name) is None:
        job.parts.write(name, pack(_rows(job, documents, verdicts)))
    return len(documents)


def _rows(job: Job, documents: Sequence[Document], verdicts: Verdicts) -> dict[str, NDArray[np.generic]]:
    ids = [m.id for document in documents for m in document.mentions if m.kind == "action"]
    numbers = dict(zip(ids, verdicts.event.tolist(), strict=True))
    sure = {id: p for id, p in zip(ids, verdicts.probability.tolist(), strict=True) if p == p}
    answers = [_answer(job.parts, each) for each in verdicts.answers]
    whys = {id: answer.whys[id] for answer in answers for id in ids if id in answer.whys}
    beliefs = {id: answer.beliefs[id] for answer in answers for id in ids if id in answer.beliefs}
    events = {id: f"e{number}" for id, number in numbers.items() if number}
    joined = [with_entities(document, verdicts.entities.get(document.id, {})) for document in documents]
    corpus = named(without_reasons(Corpus(joined)), events, _names(verdicts.events))
    marks = verdicts.marks
    result = Result(
        corpus,
        member_probability=sure,
        whys=whys,
        beliefs=beliefs,
        marks=marks,
        renamings=verdicts.renamings,
        story_of=verdicts.stories,
    )
    lines = [
        json.dumps(document_to_json(document), ensure_ascii=False) + "\n" for document in result.to_corpus()
    ]
    table, order = [], []
    for document in corpus:
        known = {m.id: m for m in document.mentions}
        date = document_date(document)
        for m in document.mentions:
            if m.kind == "action" and m.event is not None:
                member = Member(m, sure.get(m.id), whys.get(m.id), marks.get(m.id, ()))
                table.append(tuple(mention_row(document, date, m.event, member, known).values()))
                order.append(numbers[m.id])
    rows = [row.encode() for row in islice(written((), table), 2, None)]
    return {
        "documents": np.frombuffer("".join(lines).encode(), np.uint8),
        "rows": np.frombuffer(b"".join(rows), np.uint8),
        "ends": np.cumsum([0, *map(len, rows)], dtype=np.int64),
        "event": np.array(order, np.int64),
    }


@lru_cache(maxsize=8)
def _answer(parts: Parts, name: str) -> PartAnswer:
    """Keep answers that neighbouring documents need too."""
    return PartAnswer.from_bytes(_present(parts, name))


@lru_cache(maxsize=1)
def _names(events: int) -> frozenset[str]:
    return frozenset(f"e{number}" for number in range(1, events + 1))


def event_numbers(
    documents: Sequence[str], table: MentionTable, labels: Indices, listed: Booleans
) -> Numbers:
    """Number the events of mentions that are `listed` by their first mention in these documents; others have 0."""
    place = {id: at for at, id in enumerate(documents)}
    of_row = np.array([place[id] for id in table.documents], np.int64)[table.document]
    order = np.argsort(of_row, kind="stable")
    order = order[listed[order]]
    numbers = np.zeros(len(table), np.int64)
    numbers[order] = 1 + canonical(labels[order])
    return numbers


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """What tasks have written, by the names of their parts in the order of the documents."""

    parts: Parts
    names: tuple[str, ...]

    def documents(self) -> Iterator[str]:
        """Yield the lines of all documents, some at a time."""
        for name in self.names:
            yield unpack(_present(self.parts, name))["documents"].tobytes().decode()

    def mentions(self, folder: Path) -> Iterator[str]:
        """Yield the rows of all mentions, event by event; until then they lie in a file in a folder."""
        file, events = LineFile.temporary(folder), [np.empty(0, np.int64)]
        for name in self.names:
            part = unpack(_present(self.parts, name))
            rows = part["rows"].tobytes()
            for start, stop in pairwise(part["ends"].tolist()):
                file.append(rows[start:stop])
            events.append(part["event"])
        for place in np.argsort(np.concatenate(events), kind="stable").tolist():
            yield file.line(place).decode()


def write_all(
    job: Job,
    reads: Mapping[str, Sequence[str]],
    result: Result,
    answers: Answers,
    executor: Executor,
    show: Watch,
) -> WrittenRows:
    """Write the rows of all documents; `reads` are the parts that they were read in, with their ids."""
    evidence, clustered = result.evidence, result.clustered
    if evidence is None or clustered is None:
        raise TypeError("only a result with its evidence can be written by parts")
    table, ids = evidence.table, [id for part in reads.values() for id in part]
    probability = np.array([result.member_probability.get(id, np.nan) for id in table.ids])
    listed = np.ones(len(table), np.bool_) if job.options.keep_singletons else ~np.isnan(probability)
    event = event_numbers(ids, table, clustered.labels, listed)
    number, starts = {id: at for at, id in enumerate(table.documents)}, first_rows(table).tolist()
    place, most = answers.locate(len(table)), int(event.max(initial=0))
    stories, changed = result.document_stories, result.entities.changed if result.entities else {}
    calls = []
    for read, part in reads.items():
        rows = [row for id in part for row in range(starts[number[id]], starts[number[id] + 1])]
        needed = tuple(answers.names[at] for at in np.unique(place[rows]).tolist() if at >= 0)
        own = [table.ids[row] for row in rows]
        marks = {id: result.marks[id] for id in own if id in result.marks}
        renamings = {id: result.renamings[id] for id in own if id in result.renamings}
        told = {id: stories[id] for id in part if id in stories}
        called = {id: changed[id] for id in part if id in changed}
        verdicts = Verdicts(event[rows], probability[rows], most, needed, marks, renamings, told, called)
        name = f"{read.replace('read', 'rows', 1)}-{fingerprint(verdicts)}"
        calls.append((job, name, read, verdicts))
    done = 0
    for at, outcome in outcomes(executor, write_part, calls):
        check_found(outcome, calls[at][1])
        done += outcome
        show("writing", done, len(ids), "")
    return WrittenRows(job.parts, tuple(name for _, name, *_ in calls))


def _present(parts: Parts, name: str) -> bytes:
    data = parts.read(name)
    if data is None:
        raise gone(name)
    return data
