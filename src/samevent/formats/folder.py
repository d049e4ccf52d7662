"""A folder of loose files, at any depth, each read by its kind: text, web pages, PDF, Word, mail, feeds, tables, JSON.

The id of a document is the path of its file in the folder, of a text file without its suffix. What cannot be read is
left out and listed (`ReadOptions.unread`), unless the first is to be an error. Corpora among the files (JSON Lines,
CoNLL) must be readable to their end: half of one must never look complete. Hidden files and links to folders are
skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from samevent.corpus import Argument, Document, Mention
from samevent.errors import FormatError, located, place
from samevent.formats import (
    conll2012,
    corefi,
    corefud,
    docx,
    feed,
    jsonl,
    mail,
    objects,
    pdf,
    rows,
    text,
    webpage,
)
from samevent.formats.base import Format, ReadOptions
from samevent.formats.files import check_regular, files_in
from samevent.formats.text import document_id
from samevent.formats.unknown import unknown_format

LOOSE = {
    module.FORMAT.name: module.FORMAT for module in (text, webpage, pdf, docx, mail, feed, rows, objects)
}
"""Formats of files that are documents of their own."""
_KINDS: tuple[Format, ...] = (
    *(module.FORMAT for module in (jsonl, conll2012, corefud, corefi)),
    *LOOSE.values(),
)


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read the files of a folder in the order of their names."""
    files = {
        PurePosixPath(file.relative_to(path).as_posix()): file
        for file in files_in(path, refused=options.leave_out)
    }
    ids: set[str] = set()
    for name in sorted(files, key=str):
        for document in _documents_or_reason(files[name], name, options):
            unique = _with_own_id(document, name) if document.id in ids else document
            with options.loose_at(files[name]):
                if unique.id in ids:
                    raise FormatError(f"two documents have the id {document.id!r}", expected="unique ids")
                ids.add(unique.id)
                yield unique


def _documents_or_reason(file: Path, name: PurePosixPath, options: ReadOptions) -> Iterator[Document]:
    """Yield the documents of a file; one that has none, such as a table without rows, is left out and listed."""
    empty, before = True, options.left_out
    for document in _documents(file, name, options):
        empty = False
        yield document
    if empty and options.left_out == before:
        options.leave_out(
            FormatError("contains no documents", where=place(file), expected="at least one document")
        )


def _documents(file: Path, name: PurePosixPath, options: ReadOptions) -> Iterator[Document]:
    kind: Format | None = None
    with options.loose_at(file):
        check_regular(file)
        kind = next((format for format in _KINDS if format.recognises(file)), None)
        if kind is None:
            raise unknown_format(file, LOOSE)
        if kind.loose:
            id = document_id(name) if kind.name == text.FORMAT.name else str(name)
            yield from kind.loose(file, id, options)
            return
    if kind and not kind.loose:
        with located(file):
            for document in kind.read(file, options):
                yield document if name.parent == PurePosixPath(".") else renamed(document, str(name.parent))


def _with_own_id(document: Document, name: PurePosixPath) -> Document:
    """Return the document with an id that begins with the whole name of its file."""
    own = document.id.removeprefix(f"{name.parent}/")
    alone = document_id(name) == document.id
    return with_ids(document, {document.id: str(name) if alone else f"{name}/{own}"})


def renamed(document: Document, prefix: str) -> Document:
    """Return the document with a prefix before its id and the ids of its mentions."""
    return with_ids(
        document, {id: f"{prefix}/{id}" for id in (document.id, *(m.id for m in document.mentions))}
    )


def with_ids(document: Document, names: Mapping[str, str]) -> Document:
    """Return the document with other ids for itself and its mentions; those without a new one keep theirs."""

    def moved(m: Mention) -> Mention:
        arguments = tuple(Argument(names.get(a.mention, a.mention), a.role) for a in m.arguments)
        return replace(
            m, id=names.get(m.id, m.id), document=names.get(document.id, document.id), arguments=arguments
        )

    id = names.get(document.id, document.id)
    return replace(document, id=id, mentions=tuple(map(moved, document.mentions)))


def _recognises(path: Path) -> bool:
    return path.is_dir() and any(
        kind.recognises(file)
        for file in files_in(path, refused=lambda _: None)
        if file.is_file()
        for kind in _KINDS
    )


FORMAT = Format(
    name="folder",
    summary="a folder of loose files, each read by its kind",
    suffixes=(),
    recognises=_recognises,
    read=read,
)
