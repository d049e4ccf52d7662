"""What a file format is: a name, how to recognise it, a reader and a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from samevent.corpus import Corpus, Document, Unit
from samevent.errors import SameventError, located


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options for reading; each format uses those that apply to it.

    `encoding`: of text files that are not UTF-8. `sentences`: the list of validated sentences that goes with
    ECB+. `repeats`: keep a span that is in two clusters (for scoring only) instead of rejecting it.
    `failures`: collect the errors of single documents here and read on, instead of raising the first.
    """

    encoding: str | None = None
    sentences: Path | None = None
    repeats: bool = False
    failures: list[SameventError] | None = None

    @contextmanager
    def document_at(self, path: Path | str, line: int | None = None) -> Iterator[None]:
        """Wrap the reading of one document: errors get their location, and are raised or collected."""
        try:
            with located(path, line):
                yield
        except SameventError as error:
            if self.failures is None:
                raise
            self.failures.append(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Options for writing: `unit` merges documents (CoNLL, CorefUD), `overwrite` replaces existing files."""

    unit: Unit = "document"
    overwrite: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format. `recognises` returns whether this format reads an existing path."""

    name: str
    summary: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Path], bool]
    read: Callable[[Path, ReadOptions], Iterator[Document]]
    write: Callable[[Corpus, Path, WriteOptions], None]


def has_suffix(path: Path, *suffixes: str) -> bool:
    """Return whether a file name ends in one of these suffixes, ignoring `.gz`."""
    return path.name.lower().removesuffix(".gz").endswith(suffixes)
