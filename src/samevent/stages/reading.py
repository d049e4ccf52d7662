"""Reading: documents become mentions and mention tables, by partitions of documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Corpus, Document
from samevent.corpus.stored import StoredDocuments
from samevent.errors import FormatError, SameventError
from samevent.formats.compact import compact, restored
from samevent.formats.store import check_mention_ids, mention_marks
from samevent.model import Model, Watch
from samevent.packing import pack, unpack
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.mentions import MentionTable
from samevent.similarity.tables import TABLE_CLASSES, merged
from samevent.stages.tasks import Executor, Job, LazyCalls, Lost, Parts, model_of, outcomes

PARTITION = 32
"""Documents that are read in one task."""
_PARTITIONS_AT_HAND = 16
"""Partitions whose texts are kept after they were looked up."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a partition: its event mentions, and the documents that failed, with reasons."""

    mentions: int
    failed: dict[str, str] = field(default_factory=dict)


def read_part(job: Job, name: str, documents: Sequence[Document]) -> Receipt:
    """Find the mentions of some documents and compile their table. Documents that fail are left out."""
    if stored := _stored(job, name):
        return Receipt(len(stored["table"].ids), stored["failed"])
    failed: dict[str, str] = {}
    try:
        part = _prepared(job, documents)
    except Exception:  # noqa: BLE001 -- whatever it is, one document may be the reason
        failed = _failing(job, documents)
        part = _prepared(job, [document for document in documents if document.id not in failed])
    store_part(job.parts, name, *part, failed)
    return Receipt(len(part[1]), failed)


def store_part(
    parts: Parts, name: str, documents: Corpus, table: MentionTable, failed: Mapping[str, str]
) -> None:
    """Store documents with their mentions, and their table."""
    lines = [json.dumps(compact(document)) for document in documents]
    ids = [document.id for document in documents]
    # The texts come first: where there is a table, there are texts.
    parts.write(_texts(name), pack(np.frombuffer("\n".join(lines).encode(), np.uint8)))
    stored = {"ids": ids, "marks": mention_marks(documents), "table": table, "failed": dict(failed)}
    parts.write(name, pack(stored))


def read_all(job: Job, corpus: Corpus, executor: Executor, show: Watch) -> tuple[list[str], dict[str, str]]:
    """Read all partitions; halve those whose processes die, until the document is found that they die of."""
    waiting = [
        (part_name(start // PARTITION), range(start, min(start + PARTITION, len(corpus))))
        for start in range(0, len(corpus), PARTITION)
    ]
    names, failed, done, mentions = [], {}, 0, 0
    while waiting:
        again = []
        calls = LazyCalls(len(waiting), partial(_call, job, corpus, waiting))
        for number, outcome in outcomes(executor, read_part, calls, large=True):
            name, part = waiting[number]
            if isinstance(outcome, Lost) and len(part) > 1:
                half = len(part) // 2
                again += [(f"{name}.0", part[:half]), (f"{name}.1", part[half:])]
                continue
            done += len(part)
            if isinstance(outcome, Lost):
                failed[corpus.documents[part[0]].id] = outcome.reason
            else:
                names.append(name)
                failed |= outcome.failed
                mentions += outcome.mentions
            show("reading", done, len(corpus), f"{mentions:,} mentions")
        waiting = again
    return sorted(names), dict(sorted(failed.items()))


def part_name(number: int) -> str:
    """Return the name of a partition."""
    return f"read-{number:06}"


def _call(
    job: Job, corpus: Corpus, partitions: Sequence[tuple[str, range]], number: int
) -> tuple[Job, str, tuple[Document, ...]]:
    name, places = partitions[number]
    return job, name, tuple(corpus.documents[places.start : places.stop])


def _prepared(job: Job, documents: Sequence[Document]) -> tuple[Corpus, MentionTable]:
    """Return documents with their mentions, and their table with the vectors as they were read."""
    model, system = model_of(job.model), job.system
    prepared = model.prepare(documents, preset=job.options.preset, corrections=job.corrections)
    table = prepared.table
    pair_model = model.pair_models.get(system.pair_model or "")
    if isinstance(pair_model, BoostedModel) and pair_model.needs_context:
        table = replace(table, contextual=prepared.contextual())
    return prepared.corpus, table


def _failing(job: Job, documents: Sequence[Document]) -> dict[str, str]:
    """Return the documents that fail alone, with reasons."""
    failed = {}
    for document in documents:
        try:
            _prepared(job, [document])
        except Exception as error:  # noqa: BLE001 -- see above
            failed[document.id] = f"{type(error).__name__}: {error}"
    if not failed:
        raise SameventError(
            f"documents fail together and not alone, among them {documents[0].id!r}",
            hint="this is an error in samevent; please report it",
        )
    return failed


@dataclass(frozen=True, slots=True)
class Reading:
    """All documents, which stay in their parts, and their table with the vectors as they were read.

    `parts` are the names of the parts with the ids of their documents; documents that `failed` have reasons.
    """

    documents: Corpus
    table: MentionTable
    parts: Mapping[str, Sequence[str]]
    failed: dict[str, str]


def put_together(job: Job, names: Sequence[str], failed: dict[str, str], model: Model) -> Reading:
    """Put the parts that were read together."""
    tables, marks, parts, places = [], [], dict[str, Sequence[str]](), list[tuple[str, int]]()
    for name in names:
        stored = _stored(job, name)
        if stored is None:
            raise gone(name)
        tables.append(stored["table"])
        marks.append(stored["marks"])
        parts[name] = stored["ids"]
        places += [(name, row) for row in range(len(stored["ids"]))]
    ids = [id for part in parts.values() for id in part]
    documents = StoredDocuments(ids, lambda place: _document(job.parts, *places[place]))
    check_mention_ids(documents, np.concatenate([np.empty(0, np.int64), *marks]))
    resources = model.resources
    table = merged(tables, lexicon=resources.lexicon, vectors=resources.vectors)
    return Reading(Corpus(documents), table, parts, failed)


def documents_of(parts: Parts, name: str) -> list[Document]:
    """Return the documents of a part, with their mentions."""
    return [restored(json.loads(line)) for line in _lines(parts, _texts(name)) if line]


def gone(name: str) -> FormatError:
    """Return the error of a part that is not there any more."""
    return FormatError(f"the part {name!r} of the run is gone", hint="use --resume to make it again")


def _texts(name: str) -> str:
    """Return the name of the part that has the documents of another one."""
    return name.replace("read", "texts", 1)


def _document(parts: Parts, name: str, row: int) -> Document:
    return restored(json.loads(_lines(parts, _texts(name))[row]))


@lru_cache(maxsize=_PARTITIONS_AT_HAND)
def _lines(parts: Parts, name: str) -> list[bytes]:
    data = parts.read(name)
    if data is None:
        raise gone(name)
    lines: NDArray[np.uint8] = unpack(data)
    return lines.tobytes().split(b"\n")


def _stored(job: Job, name: str) -> dict[str, Any] | None:
    """Return a part that was read, or None if it is absent or damaged."""
    data = job.parts.read(name)
    if data is None:
        return None
    try:
        stored: dict[str, Any] = unpack(data, TABLE_CLASSES)
    except FormatError:
        return None
    return stored
