"""What a run keeps for later updates: its inputs, and what its mentions were linked by.

    State.of(result, inputs, system).save(folder)

Inputs are kept as they were read, to run everything anew. Where the answer falls into independent components, the
mention table and the links are kept too, so that new documents can be added without reading the others again. The
weights of words in the table count `weighted` documents: those of the last time that everything was linked.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clusterer, Evidence
from samevent.clusterers.linked import Factorised
from samevent.corpus import Document
from samevent.errors import FormatError, UsageError, place
from samevent.formats.jsonl import document_from_json, document_to_json
from samevent.grounding.identities import Identities
from samevent.language.vectors import Vectors
from samevent.packing import pack_file, unpack_file
from samevent.results import Result
from samevent.results.parts import divisible
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.links import Looks
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import Pairs
from samevent.similarity.tables import TABLE_CLASSES

STATE_FILE = "state.npz"


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Inputs as compressed lines of JSON, in chunks; table and looks at pairs, if new documents can be added to them.

    `next_event` is the number of the next new event: numbers are never used twice. The contextual vectors of the table
    are those that the encoder returned. `identities` are the entities of the table's named entities.
    """

    inputs: tuple[NDArray[np.uint8], ...]
    next_event: int
    weighted: int = 0
    table: MentionTable | None = None
    looks: Looks | None = None
    identities: Identities | None = None

    @classmethod
    def of(cls, result: Result, inputs: Iterable[Document], system: Clusterer) -> State:
        """Return what a full run keeps."""
        packed, numbers = (pack_documents(inputs),), [_number(event.id) for event in result.events]
        first, evidence = 1 + max(numbers, default=0), result.evidence
        if evidence is None or not can_grow(system, evidence):
            return cls(packed, first)
        table, links = evidence.table, system.links(evidence)
        if links is None or links.looks is None:
            return cls(packed, first)
        vectors: Mapping[str, Vectors] = evidence.encode() if evidence.encode and table.contextual else {}
        return cls(
            packed,
            first,
            len(table.documents),
            replace(table, contextual={**table.contextual, **vectors}),
            links.looks,
            result.entities.identities if result.entities else None,
        )

    @classmethod
    def load(cls, folder: Path) -> State:
        """Read what a run has kept."""
        file = folder / STATE_FILE
        if not file.is_file():
            raise UsageError(
                f"has no {STATE_FILE}, so nothing can be added to it",
                where=place(folder),
                expected="the folder that samevent run wrote, without --final",
                hint="run all documents anew",
            )
        known = (State, *TABLE_CLASSES, Looks, Pairs, Identities)
        state = unpack_file(file, known)
        if not isinstance(state, State):
            raise FormatError("is not the state of a run", where=place(file))
        return state

    def save(self, folder: Path) -> None:
        """Write the state into the folder of a run."""
        pack_file(folder / STATE_FILE, self)

    def documents(self) -> Iterator[Document]:
        """Yield the inputs as they were read."""
        for chunk in self.inputs:
            for line in zlib.decompress(chunk.tobytes()).decode().splitlines():
                yield document_from_json(json.loads(line))


def can_grow(system: Clusterer, evidence: Evidence) -> bool:
    """Return whether documents can be added to an answer without doing everything anew.

    Words must not count: their vocabulary is that of all documents. And mentions that only some pair makes worth
    reading closely depend on all documents too.
    """
    if not (isinstance(system, Factorised) and divisible(system) and not system.likelihood_weight):
        return False
    model = evidence.models.get(system.pair_model)
    return isinstance(model, BoostedModel) and not model.needs_large


def pack_documents(documents: Iterable[Document]) -> NDArray[np.uint8]:
    """Return documents as compressed lines of JSON."""
    packer = zlib.compressobj(6)
    parts = [
        packer.compress((json.dumps(document_to_json(document)) + "\n").encode()) for document in documents
    ]
    return np.frombuffer(b"".join([*parts, packer.flush()]), np.uint8)


def _number(event: str) -> int:
    """Return the number of an event that a run named.

    >>> _number("e12")
    12
    """
    return int(event.removeprefix("e"))
