"""Reading and writing files safely; every format goes through here.

Reading: UTF-8 unless told otherwise, a byte-order mark is dropped, gzip is opened, line ends stay as they
are, no line and no document can exceed a size limit. Writing: to a temporary name, then renamed, so that a
crash leaves the old file or the new one, never half of one; nothing is overwritten unless asked for.
`-` is standard input and output.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import secrets
import shutil
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from typing import BinaryIO, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from samevent.errors import FormatError, UsageError, place
from samevent.errors import check_absent as check_absent

MAX_BYTES = 50_000_000
"""The longest line, and the largest single document, that is read."""

STANDARD = Path("-")

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ZIP_ERRORS = (
    BadZipFile,
    LZMAError,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
    struct.error,
    zlib.error,
)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes: plain, gzip by its ending, or standard input."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        with path.open("rb") as raw:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if path.suffix.lower() == ".gz" else raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(
            f"the gzip stream is broken ({error})", where=place(path), hint="fetch or compress the file again"
        ) from error
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", where=place(path)) from error


def read_bytes(path: Path) -> bytes:
    """Read one whole document."""
    with opened(path) as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FormatError(
            f"is larger than {MAX_BYTES:,} bytes",
            where=place(path),
            expected="one document a file",
            hint="split it, or use JSON Lines with one document a line",
        )
    return data


def decoded(data: bytes, path: Path | str, *, encoding: str | None = None, first_line: int = 1) -> str:
    """Decode bytes, or say which byte of which line is not what it should be."""
    marks = _BOMS if first_line == 1 else ()
    codec = encoding or next((codec for bom, codec in marks if data.startswith(bom)), "utf-8")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start} (0x{data[error.start]:02x}) is not {codec.upper()}",
            where=place(path, first_line + data.count(b"\n", 0, error.start)),
            hint=_encoding_hint(data, codec),
        ) from error
    return text.removeprefix("\ufeff") if first_line == 1 else text


def read_text(path: Path, *, encoding: str | None = None) -> str:
    """Read one whole document as text, line ends untouched."""
    return decoded(read_bytes(path), path, encoding=encoding)


def read_lines(path: Path, *, encoding: str | None = None) -> Iterator[tuple[int, str]]:
    """Go through the lines of a file with their numbers, counted from 1; line ends are cut off."""
    wide = codecs.lookup(encoding or "utf-8").name.startswith(("utf-16", "utf-32"))
    with opened(path) as stream:
        number = 0
        while line := stream.readline(MAX_BYTES + 1):
            number += 1
            if len(line) > MAX_BYTES:
                raise FormatError(
                    f"the line is longer than {MAX_BYTES:,} bytes",
                    where=place(path, number),
                    hint="is this file of the format it is read as?",
                )
            if number == 1 and (wide or line.startswith(tuple(bom for bom, _ in _BOMS))):
                raise FormatError(
                    "the file is UTF-16 or UTF-32",
                    where=place(path),
                    expected="UTF-8",
                    hint="convert it with iconv",
                )
            yield number, decoded(line, path, encoding=encoding, first_line=number).rstrip("\r\n")


def read_zip(
    path: Path, choose: Callable[[Iterable[str]], Iterable[str]] = sorted
) -> Iterator[tuple[str, bytes]]:
    """Read the entries that `choose` picks from their names, in its order, each with its place."""
    with opened(path) as file, _zip_errors_located(path), ZipFile(file) as archive:
        entries: dict[str, ZipInfo] = {}
        for entry in archive.infolist():
            inside(path, entry.filename.replace("\\", "/"))
            if entry.filename in entries:
                raise FormatError(f"the entry {entry.filename!r} is there twice", where=place(path))
            entries[entry.filename] = entry
        for name in choose(entries):
            yield place(path / name), _unzipped(archive, entries[name], place(path / name))


def _unzipped(archive: ZipFile, entry: ZipInfo, where: str) -> bytes:
    if entry.flag_bits & 1:
        raise FormatError("is encrypted", where=where, hint="unzip it with its password first")
    with archive.open(entry) as stream:
        data = stream.read(MAX_BYTES + 1)  # the size that the header tells may be a lie
    if len(data) > MAX_BYTES:
        raise FormatError(
            f"is larger than {MAX_BYTES:,} bytes", where=where, expected="one document an entry"
        )
    return data


@contextmanager
def _zip_errors_located(path: Path) -> Iterator[None]:
    try:
        yield
    except _ZIP_ERRORS as error:
        raise FormatError(
            f"the zip file is broken ({error})",
            where=place(path),
            hint="fetch it again, or unzip it yourself",
        ) from error


def checked_encoding(encoding: str | None) -> str | None:
    """Return the name of an encoding; refuse one that Python does not know, or that is none of text."""
    try:
        "a".encode(encoding or "utf-8")
    except (LookupError, ValueError) as error:
        raise UsageError(
            f"unknown encoding {encoding!r}", hint="try utf-8, utf-16, cp1252 or latin-1"
        ) from error
    return encoding


def write_text(path: Path, chunks: Iterable[str], *, overwrite: bool = False) -> None:
    """Write one file whole or not at all; `.gz` compresses, `-` goes to standard output."""
    if path == STANDARD:
        for chunk in chunks:  # bytes, because a console's own encoding and line ends must not decide
            sys.stdout.buffer.write(chunk.encode())
        sys.stdout.flush()
        return
    with _writing(path):
        check_absent(path, overwrite=overwrite)
        temporary = _temporary(path)
        try:
            _fill(temporary, chunks)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def write_folder(path: Path, files: Iterable[tuple[str, Iterable[str]]], *, overwrite: bool = False) -> None:
    """Write a folder of files (relative names with `/`): all of them, or none.

    With `overwrite` the files are put into the existing folder, over those of the same name; an empty
    folder is filled without asking.
    """
    if path == STANDARD:
        raise UsageError("this format is a folder of files", expected="the name of a folder instead of -")
    with _writing(path):
        empty = path.is_dir() and not any(path.iterdir())
        check_absent(path, overwrite=overwrite or empty)
        temporary = _temporary(path)
        try:
            temporary.mkdir()
            names = []
            for name, chunks in files:
                relative = inside(path, name)
                target = temporary / relative
                with _writing(path / relative):
                    if target.exists():
                        raise FormatError("two documents would be written here", where=place(path / relative))
                    target.parent.mkdir(parents=True, exist_ok=True)
                    _fill(target, chunks)
                names.append(relative)
            if path.is_dir():
                for relative in names:
                    (path / relative).parent.mkdir(parents=True, exist_ok=True)
                    (temporary / relative).replace(path / relative)
            else:
                path.unlink(missing_ok=True)
                temporary.rename(path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def inside(folder: Path, name: str) -> Path:
    """Return a relative name as a path, refusing any that leads out of the folder."""
    relative = Path(os.path.normpath(name))
    if relative.anchor or relative.parts[:1] in ((), ("..",)) or "\0" in name:
        raise FormatError(f"the name {name!r} leads out of its folder", where=place(folder))
    return relative


def _fill(path: Path, chunks: Iterable[str]) -> None:
    with path.open("wb") as raw:
        # A fixed time and no name in the gzip header: same content, same bytes.
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix.lower() == ".gz" else raw
        with io.TextIOWrapper(cast(BinaryIO, packed), "utf-8", newline="") as stream:
            for chunk in chunks:
                stream.write(chunk)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror or error})", where=place(path)) from error
    except UnicodeEncodeError as error:
        raise FormatError(
            f"cannot be written: {error.object[error.start : error.end]!r} is half a surrogate pair",
            where=place(path),
            expected="whole characters",
        ) from error


def _temporary(path: Path) -> Path:
    path = path.absolute()  # `.` has no name to derive another from
    return path.with_name(
        f".{path.name}.{secrets.token_hex(4)}.tmp" + (".gz" if path.suffix.lower() == ".gz" else "")
    )


def _encoding_hint(data: bytes, codec: str) -> str:
    if codec != "utf-8":
        return "is this the file's encoding, and is the file whole?"
    if data.count(b"\0") > len(data) // 4:
        return "it looks like UTF-16 without a mark: pass --encoding utf-16-le or utf-16-be"
    return "if it is an older Windows or Latin-1 text, pass --encoding cp1252 or latin-1, or convert it with iconv"
