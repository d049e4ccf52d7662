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
    """What a user may say about input; each format takes note of what concerns it.

    `encoding`: of text files that are not UTF-8. `sentences`: the list of validated sentences that goes with
    ECB+. `repeats`: keep a span that stands in two clusters (for scoring only) instead of refusing it.
    `failures`: collect what is wrong with single documents here and read on, instead of raising at the first.
    """

    encoding: str | None = None
    sentences: Path | None = None
    repeats: bool = False
    failures: list[SameventError] | None = None

    @contextmanager
    def document_at(self, path: Path | str, line: int | None = None) -> Iterator[None]:
        """Wrap the reading of one document: errors learn their place, and are raised or collected."""
        try:
            with located(path, line):
                yield
        except SameventError as error:
            if self.failures is None:
                raise
            self.failures.append(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """What a user may say about output: `unit` merges documents (CoNLL, CorefUD), `overwrite` replaces."""

    unit: Unit = "document"
    overwrite: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format. `recognises` looks at a path that exists and says whether this format reads it."""

    name: str
    summary: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Path], bool]
    read: Callable[[Path, ReadOptions], Iterator[Document]]
    write: Callable[[Corpus, Path, WriteOptions], None]


def has_suffix(path: Path, *suffixes: str) -> bool:
    """Say whether a file's name ends in one of these, `.gz` aside."""
    return path.name.lower().removesuffix(".gz").endswith(suffixes)


def holds(folder: Path, pattern: str) -> bool:
    """Say whether a folder holds, at any depth, a file whose name fits a pattern."""
    return folder.is_dir() and next(folder.rglob(pattern), None) is not None
