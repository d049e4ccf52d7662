"""A single table of any origin (.csv, .tsv) whose rows are documents, read row by row.

The columns of text, title, date and id are named (`--text-column` ...), or found by their usual names. The other
columns are kept in `extra`. A row without an id is called after its file and its number.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from samevent.corpus import Document
from samevent.formats.base import ReadOptions, loose_format
from samevent.formats.encodings import encoding_of
from samevent.formats.files import STANDARD
from samevent.formats.records import document_from_record
from samevent.formats.sheets import rows


def documents(path: Path, id: str, options: ReadOptions) -> Iterator[Document]:
    """Read the rows of a table."""
    guess = encoding_of(path) if not options.encoding and path != STANDARD else None
    more = {"encoding": guess} if guess and guess != "utf-16" else {}  # which has a mark
    fields: dict[str, str] = {}
    for number, row in enumerate(
        rows(path, (), encoding=options.encoding or guess, checked=options.loose_at), 1
    ):
        fields = fields or options.columns.resolved(row.cells)
        with options.loose_at(path, row.line):
            yield document_from_record(more | {**row.cells}, fields, f"{id}/{number}")


FORMAT = loose_format("csv", "a table (CSV, TSV) with a column of texts", (".csv", ".tsv"), documents)
