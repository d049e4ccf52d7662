"""File formats: one per file, reader and writer side by side, and the registry that finds them.

corpus = read("news/")                    # recognises the format
write(corpus, "out.conll", unit="topic")
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from samevent.corpus import Corpus, Document, Mention, Unit
from samevent.corpus.corpus import event_key
from samevent.errors import (
    FormatError,
    SameventError,
    UnreadWarning,
    UsageError,
    checked_path,
    located,
    place,
)
from samevent.formats import brat, conll2012, corefi, corefud, ecbplus, feed, folder, jsonl, tables
from samevent.formats.base import Format, ReadOptions, WriteOptions
from samevent.formats.files import STANDARD, checked_encoding
from samevent.formats.records import Columns
from samevent.formats.unknown import unknown_format
from samevent.formats.unread import Unread
from samevent.names import EXPORTS

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        jsonl.FORMAT,
        feed.FORMAT,
        *(module.FORMAT for module in (ecbplus, conll2012, corefud, brat, corefi, tables)),
        *(format for format in folder.LOOSE.values() if format is not feed.FORMAT),
        folder.FORMAT,
    )
}
"""All formats by name; recognition tries them in this order."""


READABLE = tuple(name for name, format in FORMATS.items() if format.readable)
WRITABLE = tuple(name for name, format in FORMATS.items() if format.writable)


class HasCorpus(Protocol):
    """Something that can be written as a corpus, such as the result of a run."""

    def to_corpus(self) -> Corpus:
        """Return the documents with their mentions, as files hold them."""


def read(
    path: str | Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    sentences: str | Path | None = None,
    repeats: bool = False,
    columns: Mapping[str, str | None] | None = None,
    strict: bool = False,
) -> Corpus:
    """Read a corpus from a file or folder.

    The format is recognised from names and contents unless `format` names it. `encoding` is for text that is not
    UTF-8, `sentences` names ECB+'s list of validated sentences if it is not beside the data. `repeats` lets a CoNLL
    file put one span into two clusters, as the official scorer does; otherwise that is an error. `columns` say which
    columns of a table hold the `text`, `title`, `date` and `id`.

    Loose files of a folder (and rows of a table) that cannot be read are left out with an `UnreadWarning`, or raise an
    error if reading is `strict`. In a corpus, anything that cannot be read is an error.
    """
    unread = None if strict else Unread()
    documents = stream(
        path,
        format=format,
        encoding=encoding,
        sentences=sentences,
        repeats=repeats,
        columns=columns,
        unread=unread,
    )
    with located(path):
        corpus = Corpus(documents)
    if unread:
        check_some_read(corpus, unread)
        warnings.warn(UnreadWarning("\n".join(unread.lines())), stacklevel=2)
    return corpus


def check_some_read(corpus: Corpus, unread: Unread | None) -> None:
    """Raise if nothing could be read, with the first reason."""
    if unread and not len(corpus):
        raise unread.errors[0] if len(unread) == 1 else unread.summary()


def stream(
    path: str | Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    sentences: str | Path | None = None,
    repeats: bool = False,
    columns: Mapping[str, str | None] | None = None,
    unread: Unread | None = None,
) -> Iterator[Document]:
    """Yield the documents of a corpus one by one, as `read` reads them; ids are not compared with each other.

    Loose files and rows that cannot be read go to `unread`; without it the first is an error.
    """
    path = checked_path(path)
    chosen = chosen_format(path, format)
    options = ReadOptions(
        encoding=checked_encoding(encoding),
        sentences=Path(sentences) if sentences else None,
        repeats=repeats,
        columns=Columns.of(columns or {}),
        unread=unread,
    )

    def documents() -> Iterator[Document]:
        empty, before = True, len(unread or ())
        with located(path):
            for document in chosen.read(path, options):
                if not repeats:
                    check_repeats(document)
                empty = False
                yield document
            if empty and len(unread or ()) == before:
                raise FormatError(
                    f"contains no documents (read as {chosen.name})",
                    expected="at least one document",
                    hint="name the format if this is the wrong one (--from)",
                )

    return documents()


def check_repeats(document: Document) -> None:
    """Raise if two mentions of one kind have the same tokens: one mention in two clusters, or listed twice."""
    seen: dict[tuple[str, tuple[int, int], tuple[int, ...]], Mention] = {}
    for m in document.mentions:
        if (other := seen.setdefault((m.kind, m.span, m.anchors), m)) is not m:
            what = "in two clusters" if event_key(m) != event_key(other) else "listed twice"
            raise FormatError(
                f"the {m.kind} {m.text!r} at tokens {m.start}-{m.end} of document {document.id!r} is {what} "
                f"(mentions {other.id!r} and {m.id!r})",
                expected="every mention once, in one cluster",
            )


def chosen_format(path: Path, name: str | None = None) -> Format:
    """Return the named format, or the one that recognises the path."""
    if path != STANDARD and not _is_there(path):
        raise FormatError(
            "no such file or folder",
            where=place(path),
            expected="an existing file or folder, or - for standard input",
        )
    return _named(name, READABLE) if name else recognised(path)


def output_format(path: Path, name: str | None = None) -> Format:
    """Return the named format, or the one that the suffix of the output path implies."""
    return _named(name, WRITABLE) if name else _by_suffix(path)


def write(
    corpus: Corpus | HasCorpus,
    path: str | Path,
    *,
    format: str | None = None,
    unit: Unit = "document",
    overwrite: bool = False,
) -> None:
    """Write a corpus, or the corpus of a result, to a file or folder, whole or not at all.

    The format follows from the suffix unless `format` names it. `unit` merges documents into meta-documents
    where the format can (CoNLL, CorefUD).
    """
    path = checked_path(path)
    chosen = output_format(path, format)
    documents = corpus if isinstance(corpus, Corpus) else corpus.to_corpus()
    chosen.write(documents, path, WriteOptions(unit=unit, overwrite=overwrite))


def check_writable(corpus: Corpus, name: str, *, format: str | None = None) -> None:
    """Raise if a corpus cannot be written under a file name: a rehearsal, before work is spent on it."""
    if output_format(Path(name), format).name == "jsonl":  # can be written always
        return
    with TemporaryDirectory() as folder:
        try:
            write(corpus, Path(folder, name), format=format)
        except SameventError as error:
            error.where = name
            raise


def recognised(path: Path) -> Format:
    """Return the format that reads a path."""
    if path == STANDARD:
        return FORMATS["jsonl"]
    for format in FORMATS.values():
        if format.recognises(path):
            return format
    raise unknown_format(path, READABLE)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # not a possible file name
        return False


def _named(name: str, offered: Sequence[str]) -> Format:
    if name not in offered:
        what = "this direction cannot be done with" if name in FORMATS else "unknown format"
        raise UsageError(f"{what} {name!r}", expected=f"one of {', '.join(offered)}")
    return FORMATS[name]


def _by_suffix(path: Path) -> Format:
    if path == STANDARD:
        return FORMATS["jsonl"]
    name = path.name.lower().removesuffix(".gz")
    for format in FORMATS.values():
        if format.writable and name.endswith(format.suffixes):
            return format
    raise UsageError(
        "the file name does not show which format to write",
        where=place(path),
        hint=f"name the format (--to): one of {', '.join(WRITABLE)}; results can also be exported: "
        f"{', '.join(EXPORTS)} (samevent run --format, cluster, convert)",
    )


__all__ = [
    "FORMATS",
    "READABLE",
    "WRITABLE",
    "Format",
    "ReadOptions",
    "Unread",
    "WriteOptions",
    "output_format",
    "read",
    "recognised",
    "stream",
    "write",
]
