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
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from samevent.errors import FormatError, OutputExistsError, UsageError, place

MAX_BYTES = 50_000_000
"""The longest line, and the largest single document, that is read."""

STANDARD = Path("-")

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes: plain, gzip by its ending, or standard input."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        with path.open("rb") as raw:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if path.suffix == ".gz" else raw
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
    codec = encoding or next((codec for bom, codec in _BOMS if data.startswith(bom)), "utf-8")
    if encoding and codecs.lookup(encoding).name == "utf-8":
        codec = "utf-8-sig"
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise FormatError(
            f"byte {error.start} (0x{data[error.start]:02x}) is not {encoding or 'UTF-8'}",
            where=place(path, line),
            hint=_encoding_hint(data) if encoding is None else "name the file's encoding",
        ) from error


def read_text(path: Path, *, encoding: str | None = None) -> str:
    """Read one whole document as text, line ends untouched."""
    return decoded(read_bytes(path), path, encoding=encoding)


def read_lines(path: Path, *, encoding: str | None = None) -> Iterator[tuple[int, str]]:
    """Go through the lines of a file with their numbers, counted from 1; line ends are cut off."""
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
            if number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise FormatError(
                    "the file is UTF-16 or UTF-32",
                    where=place(path),
                    expected="UTF-8",
                    hint="convert it with iconv",
                )
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            yield number, decoded(line, path, encoding=encoding, first_line=number).rstrip("\r\n")


def check_encoding(encoding: str | None) -> None:
    """Refuse the name of an encoding that Python does not know."""
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError as error:
        raise UsageError(
            f"unknown encoding {encoding!r}", hint="try utf-8, utf-16, cp1252 or latin-1"
        ) from error


def write_text(path: Path, chunks: Iterable[str], *, overwrite: bool = False) -> None:
    """Write one file whole or not at all; `.gz` compresses, `-` goes to standard output."""
    if path == STANDARD:
        for chunk in chunks:
            sys.stdout.write(chunk)
        sys.stdout.flush()
        return
    refuse_existing(path, overwrite=overwrite)
    temporary = _temporary(path)
    try:
        with temporary.open("wb") as raw:
            # A fixed time and no name in the gzip header: same content, same bytes.
            packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else raw
            with io.TextIOWrapper(cast(BinaryIO, packed), "utf-8", newline="") as stream:
                for chunk in chunks:
                    stream.write(chunk)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_folder(path: Path, files: Iterable[tuple[str, Iterable[str]]], *, overwrite: bool = False) -> None:
    """Write a folder of files (relative names with `/`): all of them, or none.

    With `overwrite` the files are put into the existing folder, over those of the same name.
    """
    if path == STANDARD:
        raise UsageError("this format is a folder of files", expected="the name of a folder instead of -")
    if path.is_dir() and not any(path.iterdir()):
        path.rmdir()
    refuse_existing(path, overwrite=overwrite)
    temporary = _temporary(path)
    temporary.mkdir()
    try:
        names = []
        for name, chunks in files:
            target = temporary / inside(temporary, name)
            if target.exists():
                raise FormatError(f"two documents would be written to the file {name!r}", where=place(path))
            target.parent.mkdir(parents=True, exist_ok=True)
            write_text(target, chunks)
            names.append(target.relative_to(temporary))
        if path.is_dir():
            for relative in names:
                (path / relative).parent.mkdir(parents=True, exist_ok=True)
                (temporary / relative).replace(path / relative)
        else:
            path.unlink(missing_ok=True)
            temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Raise if something is in the way."""
    if path.exists() and not overwrite:
        raise OutputExistsError("already exists", where=place(path), hint="use --force to overwrite it")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} to write into", where=place(path))


def inside(folder: Path, name: str) -> Path:
    """Return a relative name as a path, refusing any that leads out of the folder."""
    target = Path(os.path.normpath(folder / name))
    if Path(name).is_absolute() or not target.is_relative_to(os.path.normpath(folder)) or target == folder:
        raise FormatError(f"the name {name!r} leads out of its folder", where=place(folder))
    return target.relative_to(folder)


def _temporary(path: Path) -> Path:
    return path.with_name(
        f".{path.name}.{secrets.token_hex(4)}.tmp" + (".gz" if path.suffix == ".gz" else "")
    )


def _encoding_hint(data: bytes) -> str:
    if data.count(b"\0") > len(data) // 4:
        return "it looks like UTF-16 without a mark: pass --encoding utf-16-le or utf-16-be"
    return "if it is an older Windows or Latin-1 text, pass --encoding cp1252 or latin-1, or convert it with iconv"
