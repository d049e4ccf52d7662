"""Exports: a result for other programs. They show what a result says, with labels and dates; they are not read back.

`write` takes every format: exports, and those of `formats`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from samevent import formats
from samevent.corpus import Corpus, Unit
from samevent.errors import UsageError, checked_path
from samevent.exports import database, graphs, parquet
from samevent.formats.files import STANDARD
from samevent.results import Result


class _Write(Protocol):
    def __call__(self, result: Result, path: Path, *, overwrite: bool = False) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One way to write a result for other programs; `check` raises if a library is missing."""

    name: str
    suffixes: tuple[str, ...]
    write: _Write
    check: Callable[[], object] = lambda: None


EXPORTS = {
    export.name: export
    for export in (
        Export(
            name="sqlite",
            suffixes=(".db", ".sqlite", ".sqlite3"),
            write=database.write,
        ),
        Export(
            name="parquet",
            suffixes=(".parquet",),
            write=parquet.write,
            check=parquet.check_installed,
        ),
        Export(
            name="graphml",
            suffixes=(".graphml", ".graphml.gz"),
            write=graphs.write_graphml,
        ),
        Export(
            name="graph",
            suffixes=(".graph.json", ".graph.json.gz"),
            write=graphs.write_json,
        ),
    )
}
"""All exports by name; `names.EXPORTS` says what they are."""


def write(
    corpus: Corpus | Result,
    path: str | Path,
    *,
    format: str | None = None,
    unit: Unit = "document",
    overwrite: bool = False,
) -> None:
    """Write a result or a corpus to a file or folder, whole or not at all.

    The format follows from the suffix unless `format` names it: one that can be read again (`formats`), or an export
    for other programs (`sqlite`, `parquet`, `graphml`, `graph`). `unit` merges documents into meta-documents where the
    format can (CoNLL, CorefUD).
    """
    if not isinstance(corpus, Corpus | Result):
        raise UsageError(
            f"a {type(corpus).__name__} cannot be written", expected="a Corpus, or a Result of resolving one"
        )
    export = export_of(path := checked_path(path), format)
    if export is None:
        formats.write(corpus, path, format=format, unit=unit, overwrite=overwrite)
        return
    if path == STANDARD and export.write in (database.write, parquet.write):
        raise UsageError(f"{export.name} cannot be written to standard output", expected="a file name")
    result = corpus if isinstance(corpus, Result) else Result.from_corpus(corpus)
    export.write(result, path, overwrite=overwrite)


def export_of(path: Path, name: str | None = None) -> Export | None:
    """Return the export that is named, or that the suffix implies; None if it is none."""
    if name is not None:
        return EXPORTS.get(name)
    return next((export for export in EXPORTS.values() if path.name.lower().endswith(export.suffixes)), None)


def check_writable(corpus: Corpus, name: str, *, format: str | None = None) -> None:
    """Raise if a corpus cannot be written under a file name, before work is spent on it."""
    if export := export_of(Path(name), format):
        export.check()
    else:
        formats.check_writable(corpus, name, format=format)


def result_name(format: str) -> str:
    """Return the name of a result in a format."""
    suffixes = (EXPORTS.get(format) or formats.output_format(STANDARD, format)).suffixes
    return f"result{next(iter(suffixes), f'.{format}')}"


__all__ = ["EXPORTS", "Export", "check_writable", "export_of", "result_name", "write"]
