"""Files and folders that are no corpus: what they are, and how to get one from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from samevent.errors import FormatError, place
from samevent.formats.files import is_binary, opened

_SAVE = "save it as plain text"
_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (rb"%PDF-", "a PDF document", "give it a name that ends in .pdf"),
    (
        rb"PK\x03\x04",
        "a zip archive, as Office documents are",
        f"{_SAVE}, or unpack it; Word documents end in .docx",
    ),
    (rb"\xd0\xcf\x11\xe0", "an Office document", _SAVE),
    (rb"\{\\rtf", "a rich-text document", _SAVE),
    (rb"\x1f\x8b", "compressed with gzip", "give it a name that ends in .gz"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture", "only text can be read"),
    (
        rb"(?i:(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{,1000}?-->\s*)?<(?:!doctype\s+html|html)\b)",
        "an HTML page",
        "give it a name that ends in .html",
    ),
)
"""How a file begins, what it is, and what to do with it."""
_SPREADSHEETS = (".xls", ".xlsx", ".ods")
_SNIFFED_BYTES = 4096


def check_plain(data: bytes, path: Path) -> None:
    """Raise if the content of a text file is something else."""
    if match := _signature(data):
        what, hint = match
        raise FormatError(f"is {what}", where=place(path), expected="plain text", hint=hint)


def unknown_format(path: Path, formats: Iterable[str]) -> FormatError:
    """Return the error for a path that no format reads."""
    if path.is_dir():
        return _unreadable_folder(path, formats)
    if path.suffix.lower() in _SPREADSHEETS:
        return FormatError(
            "is a spreadsheet",
            where=place(path),
            expected="a table with a column of texts",
            hint="save it as CSV, in UTF-8 if that is offered",
        )
    with opened(path) as stream:
        data = stream.read(_SNIFFED_BYTES)
    what, hint = _signature(data) or (
        "a binary file" if is_binary(data) else "in an unknown format",
        "name the format (--from), or end the names of text files in .txt",
    )
    return FormatError(f"is {what}", where=place(path), expected=f"one of {', '.join(formats)}", hint=hint)


def single_table(path: Path) -> FormatError:
    """Return the error for a single table where a folder of tables is expected."""
    return FormatError(
        "is a single table",
        where=place(path),
        expected="a folder with documents.csv and mentions.csv",
        hint="if its rows are documents, read it as csv (--from csv)",
    )


def _unreadable_folder(path: Path, formats: Iterable[str]) -> FormatError:
    files = sorted(file for file in path.rglob("*") if file.is_file())
    expected = "a folder of documents (text, web pages, PDF, tables ...), or a corpus (docs/formats.md)"
    if not files:
        return FormatError("the folder has no files", where=place(path), expected=expected)
    first = unknown_format(files[0], formats)
    return FormatError(
        f"none of the {len(files):,} files can be read; {files[0].name!r} {first.what}",
        where=place(path),
        expected=expected,
        hint=first.hint,
    )


def _signature(data: bytes) -> tuple[str, str] | None:
    start = data[:_SNIFFED_BYTES]
    return next(
        ((what, hint) for pattern, what, hint in _SIGNATURES if re.match(pattern, start, re.DOTALL)), None
    )
