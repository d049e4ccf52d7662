"""Plain text: a `.txt` or `.text` file is a document; a folder of them, at any depth, is a corpus.

The text is left as it is: line ends count as the characters they are, only a byte-order mark is dropped. A
document's id is the file's name without its ending; in a folder, the relative path with `/`. An ISO date
such as `2013-05-03` in the id becomes the document's date, unless the id holds two different ones. Hidden files
and folders are skipped, links to folders are not followed. A file of white space is a document without tokens.

Writing keeps the ids and texts and nothing else. What cannot stand in a portable file name (`:`, a leading dot,
a name that Windows keeps for itself ...) is written as `%` and its number, and reading undoes just that. The
names serve brat too, which has the same files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path, PurePosixPath

from samevent.corpus import Corpus, Document
from samevent.errors import FormatError, UsageError, located, place
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.files import STANDARD, read_text, write_folder, write_text

_SUFFIXES = (".txt", ".text")

_UNPORTABLE = re.compile(
    r"""[\x00-\x1f\x7f<>:"\\|?*%]     # refused by some file system; % begins an escape
      | (?:^|(?<=/))[ ./]             # hidden or upward names, empty parts
      | [ .](?=/|\Z) | /\Z            # dropped or refused at the end of a name
      | (?:^|(?<=/))(?=(?:aux|con|nul|prn|com[1-9]|lpt[1-9])(?:[./]|\Z))[a-z]""",
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPE = re.compile("%([0-9A-F]{2})")
_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)


def read(path: Path, options: ReadOptions) -> Iterator[Document]:
    """Read a file, or the files of a folder in the order of their names."""
    for id, file in documents_in(path, *_SUFFIXES).items():
        with options.document_at(file):
            yield Document.from_text(id, text_of(file, options), date=date_in(id))


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write a folder with a file for each document, or the only document to a `.txt` file."""
    if path != STANDARD and not has_suffix(path, *_SUFFIXES):
        files = ((f"{file_name(d.id)}.txt", text_chunks(d)) for d in corpus)
        write_folder(path, files, overwrite=options.overwrite)
    elif len(corpus) == 1:
        write_text(path, text_chunks(corpus.documents[0]), overwrite=options.overwrite)
    else:
        raise UsageError(
            f"{len(corpus)} documents do not go into one text file",
            where=place(path),
            hint="give the name of a folder, or write JSON Lines",
        )


def files_in(folder: Path, *suffixes: str) -> Iterator[Path]:
    """Go through the files of a folder with one of these endings, at any depth, hidden ones aside."""
    for root, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and has_suffix(Path(name), *suffixes):
                yield Path(root, name)


def documents_in(path: Path, *suffixes: str) -> dict[str, Path]:
    """Return the file of each document id: that of a file, or those of a folder in the order of their names."""
    if not path.is_dir():
        return {"stdin" if path == STANDARD else document_id(PurePosixPath(path.name)): path}
    files = {PurePosixPath(f.relative_to(path).as_posix()): f for f in files_in(path, *suffixes)}
    found: dict[str, Path] = {}
    for name in sorted(files, key=str):
        with located(files[name]):
            id = document_id(name)
            if id in found:
                raise FormatError(
                    f"this file and {found[id].name!r} are both the document {id!r}",
                    hint="rename one of them",
                )
        found[id] = files[name]
    return found


def document_id(name: PurePosixPath) -> str:
    """Return the id of the document in a file: its name without the ending, escapes undone.

    Only escapes that `file_name` writes are undone, so that foreign names stay as they are.

    >>> document_id(PurePosixPath("news/a%3Ab.txt")), document_id(PurePosixPath("100%25 off, 20%41.txt"))
    ('news/a:b', '100%25 off, 20%41')
    """
    stem = str((name.with_suffix("") if name.suffix == ".gz" else name).with_suffix(""))
    try:
        stem.encode()
    except UnicodeEncodeError as error:
        raise FormatError("the file's name is not UTF-8", hint="rename it") from error
    id = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), stem)
    return id if file_name(id) == stem else stem


def file_name(id: str) -> str:
    """Return the portable relative file name, without ending, that stands for a document id.

    >>> file_name("news/2013-05-03 raid"), file_name("https://a.org/?x"), file_name("../.hidden"), file_name("CON")
    ('news/2013-05-03 raid', 'https%3A/%2Fa.org/%3Fx', '%2E%2E/%2Ehidden', '%43ON')
    """
    return _UNPORTABLE.sub(lambda character: f"%{ord(character[0]):02X}", id)


def text_of(file: Path, options: ReadOptions) -> str:
    """Return the text of a file, which must be one of text."""
    text = read_text(file, encoding=options.encoding)
    if (at := text.find("\0")) >= 0:
        raise FormatError(
            f"character {at} is a NUL",
            where=place(file, 1 + text.count("\n", 0, at)),
            expected="a file of text",
            hint="if it is UTF-16 without a mark, pass --encoding utf-16-le or utf-16-be",
        )
    return text


def text_chunks(document: Document) -> list[str]:
    """Return what to write so that reading gives the text back, even one that begins with a byte-order mark."""
    return ["\ufeff", document.text] if document.text.startswith("\ufeff") else [document.text]


def date_in(id: str) -> str | None:
    """Return the one ISO date that an id holds.

    >>> date_in("2013-05-03/raid"), date_in("2013-05-03 to 2013-05-04"), date_in("2013-05-32")
    ('2013-05-03', None, None)
    """
    dates = {found for found in _DATE.findall(id) if _is_date(found)}
    return dates.pop() if len(dates) == 1 else None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _refuse(error: OSError) -> None:
    raise FormatError(f"cannot be read ({error.strerror})", where=place(error.filename)) from error


def _recognises(path: Path) -> bool:
    if path.is_dir():
        return any(files_in(path, *_SUFFIXES)) and not any(files_in(path, ".ann"))
    return has_suffix(path, *_SUFFIXES)


FORMAT = Format(
    name="text",
    summary="plain text: a .txt file, or a folder of them; no mentions",
    suffixes=_SUFFIXES,
    recognises=_recognises,
    read=read,
    write=write,
)
