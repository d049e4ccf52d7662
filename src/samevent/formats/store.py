"""Documents held in memory while they are few, and in a file once they are many.

    shelf = Shelf(folder)
    for document in stream("news.jsonl"):
        shelf.add(document)
    corpus = Corpus(shelf.documents())

The file has one line of JSON per document, which keeps everything, and is read one document at a time. It has no name,
so it is gone when nobody needs it any more, however the program ends.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Self, cast
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document
from samevent.corpus.corpus import repeated_mention
from samevent.corpus.stored import StoredDocuments
from samevent.formats.files import writing
from samevent.formats.jsonl import document_from_json, document_to_json

HELD = 2_000_000
"""How many characters of text are held in memory; their tokens and mentions take about sixty times as much."""


class LineFile:
    """Lines in a file, each found by where it begins."""

    content = "values"
    """What the lines hold, for messages."""

    def __init__(self, file: BinaryIO, lines: Iterable[bytes] = ()) -> None:
        self._file = file
        finalize(self, file.close)
        self._ends = array("q", [0])
        self._lock = Lock()
        for line in lines:
            self._ends.append(self._ends[-1] + len(line))

    @classmethod
    def temporary(cls, folder: Path | None = None) -> Self:
        """Return an empty file without a name, in a folder with room for it."""
        with writing(folder or Path(tempfile.gettempdir())):
            return cls(cast(BinaryIO, tempfile.TemporaryFile(dir=folder)))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def append(self, line: bytes) -> None:
        """Write a line, with its end, after the others."""
        with self._lock, writing(Path(f"the file of {self.content} that are too many to hold")):
            self._file.seek(self._ends[-1])
            self._file.write(line)
        self._ends.append(self._ends[-1] + len(line))

    def line(self, place: int) -> bytes:
        """Return the line at a place."""
        with self._lock:
            self._file.seek(self._ends[place])
            return self._file.read(self._ends[place + 1] - self._ends[place])


class DocumentFile(LineFile):
    """Documents in a file, one per line."""

    content = "documents"

    @classmethod
    def open(cls, path: Path) -> DocumentFile:
        """Return the documents of a JSON Lines file without blank lines."""
        file = path.open("rb")
        return cls(file, file)

    def add(self, document: Document) -> None:
        """Write a document after the others."""
        self.append((json.dumps(document_to_json(document)) + "\n").encode())

    def load(self, place: int) -> Document:
        """Return the document at a place."""
        return document_from_json(json.loads(self.line(place)))

    def documents(self, ids: Sequence[str]) -> StoredDocuments:
        """Return all documents, whose ids are known."""
        return StoredDocuments(ids, self.load)


class Shelf:
    """Documents that are added one by one. Beyond `held` characters of text they all go to a file in `folder`."""

    def __init__(self, folder: Path | None = None, *, held: int = HELD) -> None:
        self.ids: list[str] = []
        self.mentions = False
        """Whether any document has mentions."""
        self._folder, self._room = folder, held
        self._memory: list[Document] = []
        self._file: DocumentFile | None = None

    def add(self, document: Document) -> None:
        """Add a document."""
        self.ids.append(document.id)
        self.mentions = self.mentions or bool(document.mentions)
        self._room -= len(document.text)
        if self._room < 0 and self._file is None:
            self._file = DocumentFile.temporary(self._folder)
            for earlier in self._memory:
                self._file.add(earlier)
            self._memory = []
        if self._file is None:
            self._memory.append(document)
        else:
            self._file.add(document)

    def documents(self) -> Sequence[Document]:
        """Return all documents, in the order in which they were added."""
        return tuple(self._memory) if self._file is None else self._file.documents(self.ids)


def mention_marks(documents: Iterable[Document]) -> NDArray[np.int64]:
    """Return a hash of the id of each mention, the same in every process."""
    ids = (m.id.encode() for document in documents for m in document.mentions)
    return np.fromiter(
        (int.from_bytes(blake2b(id, digest_size=8).digest(), signed=True) for id in ids), np.int64
    )


def check_mention_ids(documents: Iterable[Document], marks: NDArray[np.int64] | None = None) -> None:
    """Raise if two stored documents have a mention with the same id; in memory a corpus checks that itself.

    Documents are read again only if two of their `marks` are the same.
    """
    marks = np.sort(mention_marks(documents) if marks is None else marks)
    if (marks[1:] != marks[:-1]).all():
        return
    owners: dict[str, str] = {}
    for document in documents:
        for m in document.mentions:
            if owners.setdefault(m.id, document.id) != document.id:
                raise repeated_mention(owners[m.id], document.id, m.id)
