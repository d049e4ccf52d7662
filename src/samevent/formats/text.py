"""Plain text: a `.txt` or `.text` file is a document; a folder of them, at any depth, is a corpus.

The text is kept as it is, line ends included; only a byte-order mark is dropped. Text that is not UTF-8 is read in the
encoding that it most likely has, which `extra["encoding"]` names. A document's id is the file name
without its suffix; in a folder, the relative path with `/`. An ISO date
such as `2013-05-03` in the id becomes the document's date, unless the id contains two different ones. The first line
is the title if it looks like a headline. Hidden files and folders are skipped, links to folders are not followed. A
file of white space is a document without tokens.

Writing keeps only ids and texts. What a portable file name cannot contain (`:`, a leading dot, a name reserved by
Windows ...) is percent-encoded, and reading decodes exactly that. brat uses the same names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path, PurePosixPath

from samevent.corpus import Corpus, Document
from samevent.corpus.headlines import headline
from samevent.errors import FormatError, UsageError, located, place
from samevent.formats.base import Format, ReadOptions, WriteOptions, has_suffix
from samevent.formats.encodings import decode_any
from samevent.formats.files import STANDARD, decoded, files_in, read_bytes, write_folder, write_text
from samevent.formats.unknown import check_plain

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
    """Read a file, or the files of a folder in order of their names."""
    for id, file in documents_in(path, *_SUFFIXES, refused=options.leave_out).items():
        with options.loose_at(file):
            yield from documents(file, id, options)


def documents(file: Path, id: str, options: ReadOptions) -> Iterator[Document]:
    """Read one file, in whatever encoding it is."""
    data = read_bytes(file)
    check_plain(data, file)
    text, guess = decode_any(data, file, options.encoding)
    _check_no_nul(text, file)
    extra = {"encoding": guess} if guess else {}
    yield Document.from_text(id, text, title=headline(text), date=date_in(id), extra=extra)


def write(corpus: Corpus, path: Path, options: WriteOptions) -> None:
    """Write a folder with one file per document, or a single document to a `.txt` file."""
    if path != STANDARD and not has_suffix(path, *_SUFFIXES):
        files = ((f"{file_name(d.id)}.txt", text_chunks(d)) for d in corpus)
        write_folder(path, files, overwrite=options.overwrite)
    elif len(corpus) == 1:
        write_text(path, text_chunks(corpus.documents[0]), overwrite=options.overwrite)
    else:
        raise UsageError(
            f"{len(corpus)} documents do not go into one text file",
            where=place(path),
            expected="the name of a folder",
            hint="leave out the suffix, or write JSON Lines",
        )


def documents_in(
    path: Path, *suffixes: str, refused: Callable[[FormatError], None] | None = None
) -> dict[str, Path]:
    """Return the file of each document id, for one file or for a folder in order of file names."""
    if not path.is_dir():
        return {"stdin" if path == STANDARD else document_id(PurePosixPath(path.name)): path}
    files = {
        PurePosixPath(f.relative_to(path).as_posix()): f for f in files_in(path, *suffixes, refused=refused)
    }
    by_id: dict[str, Path] = {}
    for name in sorted(files, key=str):
        with located(files[name]):
            id = document_id(name)
            if id in by_id:
                raise FormatError(
                    f"this file and {by_id[id].name!r} are both the document {id!r}",
                    hint="rename one of them",
                )
        by_id[id] = files[name]
    return by_id


def document_id(name: PurePosixPath) -> str:
    """Return the document id for a file: its name without the suffix, decoded.

    Only escapes that `file_name` writes are decoded, so that other names stay unchanged.

    >>> document_id(PurePosixPath("news/a%3Ab.txt")), document_id(PurePosixPath("100%25 off, 20%41.txt"))
    ('news/a:b', '100%25 off, 20%41')
    """
    stem = str((name.with_suffix("") if name.suffix == ".gz" else name).with_suffix(""))
    try:
        stem.encode()
    except UnicodeEncodeError as error:
        raise FormatError(
            "the file name is not UTF-8", expected="a name in UTF-8", hint="rename it"
        ) from error
    id = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), stem)
    return id if file_name(id) == stem else stem


def file_name(id: str) -> str:
    """Return the portable relative file name, without suffix, for a document id.

    >>> file_name("news/2013-05-03 raid"), file_name("https://a.org/?x"), file_name("../.hidden"), file_name("CON")
    ('news/2013-05-03 raid', 'https%3A/%2Fa.org/%3Fx', '%2E%2E/%2Ehidden', '%43ON')
    """
    return _UNPORTABLE.sub(lambda character: f"%{ord(character[0]):02X}", id)


def text_of(file: Path, options: ReadOptions) -> str:
    """Return the text of a file; raise if it is something else, such as a web page or a PDF document."""
    data = read_bytes(file)
    check_plain(data, file)
    text = decoded(data, file, encoding=options.encoding)
    _check_no_nul(text, file)
    return text


def _check_no_nul(text: str, file: Path) -> None:
    if (at := text.find("\0")) >= 0:
        raise FormatError(
            f"character {at} is a NUL",
            where=place(file, 1 + text.count("\n", 0, at)),
            expected="a text file",
            hint="if it is UTF-16 without a mark, pass --encoding utf-16-le or utf-16-be",
        )


def text_chunks(document: Document) -> list[str]:
    """Return what to write so that reading restores the text, even one that starts with a byte-order mark."""
    return ["\ufeff", document.text] if document.text.startswith("\ufeff") else [document.text]


def date_in(id: str) -> str | None:
    """Return the only ISO date in an id.

    >>> date_in("2013-05-03/raid"), date_in("2013-05-03 to 2013-05-04"), date_in("2013-05-32")
    ('2013-05-03', None, None)
    """
    dates = {text for text in _DATE.findall(id) if _is_date(text)}
    return dates.pop() if len(dates) == 1 else None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _recognises(path: Path) -> bool:
    return has_suffix(path, *_SUFFIXES) and not path.is_dir()


FORMAT = Format(
    name="text",
    summary="plain text: a .txt file, or a folder of them; no mentions",
    suffixes=_SUFFIXES,
    recognises=_recognises,
    read=read,
    write=write,
    loose=documents,
)
