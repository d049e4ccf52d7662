"""What a file format is: a name, how to recognise it, a reader and a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from samevent.corpus import Corpus, Document, Unit
from samevent.errors import FormatError, SameventError, UsageError, located, place
from samevent.formats.files import STANDARD, files_in
from samevent.formats.files import has_suffix as has_suffix
from samevent.formats.records import Columns
from samevent.formats.unread import Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options for reading; each format uses those that apply to it.

    `encoding`: of text files that are not UTF-8. `sentences`: the list of validated sentences that goes with
    ECB+. `repeats`: keep a span that is in two clusters (for scoring only) instead of rejecting it.
    `failures`: collect the errors of single documents here and read on, instead of raising the first.
    `unread`: collect loose files and rows that cannot be read here and read on. `columns`: which fields of tables
    hold the text, title, date and id.
    """

    encoding: str | None = None
    sentences: Path | None = None
    repeats: bool = False
    failures: list[SameventError] | None = None
    unread: Unread | None = None
    columns: Columns = field(default_factory=Columns)

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

    @contextmanager
    def loose_at(self, path: Path | str, line: int | None = None) -> Iterator[None]:
        """Wrap the reading of a loose file or row, without which a corpus is still one: it may be left unread."""
        try:
            with self.document_at(path, line):
                yield
        except SameventError as error:
            if self.unread is None:
                raise
            self.unread.add(error)

    def leave_out(self, error: FormatError) -> None:
        """Collect an error about something loose, or raise it."""
        with self.loose_at(error.where or ""):
            raise error

    @property
    def left_out(self) -> int:
        """How much could not be read so far."""
        return len(self.unread or self.failures or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Options for writing: `unit` merges documents (CoNLL, CorefUD), `overwrite` replaces existing files."""

    unit: Unit = "document"
    overwrite: bool = False


def _not_readable(path: Path, _options: ReadOptions) -> Iterator[Document]:
    raise UsageError("this format can be written, but not read", where=place(path))


def _not_writable(_corpus: Corpus, path: Path, _options: WriteOptions) -> None:
    raise UsageError("this format can be read, but not written", where=place(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format. `recognises` returns whether this format reads an existing path.

    A format without `read` or `write` is only written or only read. Files of a `loose` format are documents of their
    own, which belong to no corpus.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Path], bool]
    read: Callable[[Path, ReadOptions], Iterator[Document]] = _not_readable
    write: Callable[[Corpus, Path, WriteOptions], None] = _not_writable
    loose: LooseReader | None = None

    @property
    def readable(self) -> bool:
        """Whether files of this format can be read."""
        return self.read is not _not_readable

    @property
    def writable(self) -> bool:
        """Whether a corpus can be written in this format."""
        return self.write is not _not_writable


LooseReader = Callable[[Path, str, ReadOptions], Iterator[Document]]
"""Takes a file, the id of its document (of several, each id begins with it), and options."""


def loose_format(
    name: str,
    summary: str,
    suffixes: tuple[str, ...],
    documents: LooseReader,
    *,
    recognises: Callable[[Path], bool] | None = None,
) -> Format:
    """Return a format of loose files, recognised by their suffixes; the name of a file is the id of its document.

    Of a folder, only files with these suffixes are read.
    """

    def unique(path: Path, id: str, options: ReadOptions) -> Iterator[Document]:
        return unique_ids(documents(path, id, options), id)

    def read(path: Path, options: ReadOptions) -> Iterator[Document]:
        found = files_in(path, *suffixes, refused=options.leave_out)
        for file in sorted(found) if path.is_dir() else [path]:
            id = file.relative_to(path).as_posix() if path.is_dir() else file.name
            with options.loose_at(file):
                yield from unique(file, "stdin" if file == STANDARD else id, options)

    def by_suffix(path: Path) -> bool:
        return path.is_file() and has_suffix(path, *suffixes)

    return Format(
        name=name,
        summary=summary,
        suffixes=suffixes,
        recognises=recognises or by_suffix,
        read=read,
        loose=unique,
    )


def unique_ids(documents: Iterable[Document], id: str) -> Iterator[Document]:
    """Yield the documents of one file; one with the id of an earlier one is named after the file and its number.

    Documents with mentions keep their ids, which the mentions share.
    """
    seen: set[str] = set()
    for number, document in enumerate(documents, 1):
        repeated = document.id in seen and not document.mentions
        seen.add(document.id)
        yield replace(document, id=f"{id}/{number}") if repeated else document
