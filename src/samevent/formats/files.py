"""Read and write files safely; every format uses this.

Reading: UTF-8 unless an encoding is given, a byte-order mark is dropped, gzip and zip are opened, line ends are
kept, no line and no document can exceed a size limit; nothing is unpacked to disk. Writing: to a temporary name,
then renamed, so that a crash leaves the old file or the new one, never half of one; nothing is overwritten by
default. `-` is standard input and output.
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

MAX_BYTES = 20_000_000
"""Limit on the length of a line and the size of a document."""
MAX_CONTAINER_BYTES = 200_000_000
"""Limit on a file that holds pictures or attachments beside its text."""
MAX_ARCHIVE_BYTES = 1_000_000_000
"""Limit on what the entries of an archive unpack to, all together."""

STANDARD = Path("-")
_DEVICES = Path("/dev")
"""Where a shell puts standard input and the output of `<(command)`."""

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SNIFFED_BYTES = 4096
_CONTROLS = bytes({*range(1, 32)} - {*b"\t\n\r\f\x1b"})
"""Control characters that text does not have; NUL is common in UTF-16."""
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
    """Open a file for reading bytes: plain, gzip by its suffix, or standard input."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    check_regular(path)
    try:
        with path.open("rb") as raw:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if path.suffix.lower() == ".gz" else raw
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(
            f"the gzip stream is broken ({error})",
            where=place(path),
            expected="a complete gzip file",
            hint="download or compress the file again",
        ) from error
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", where=place(path)) from error


def check_regular(path: Path) -> None:
    """Raise if a path is a pipe, socket or device, which could block for ever; those in /dev are asked for by name."""
    if path.exists() and not (path.is_file() or path.is_dir() or path.is_relative_to(_DEVICES)):
        raise FormatError(
            "is a pipe, socket or device",
            where=place(path),
            expected="a regular file",
            hint="remove it from the input, or redirect it to standard input: - < FILE",
        )


def has_suffix(path: Path, *suffixes: str) -> bool:
    """Return whether a file name ends in one of these suffixes, ignoring `.gz`."""
    return path.name.lower().removesuffix(".gz").endswith(suffixes)


def files_in(
    folder: Path, *suffixes: str, refused: Callable[[FormatError], None] | None = None
) -> Iterator[Path]:
    """Yield the files of a folder with one of these suffixes, or all, at any depth, except hidden ones.

    A folder inside that may not be listed is passed to `refused`; without it that is an error.
    """

    def report(error: OSError) -> None:
        closed = FormatError(
            f"cannot be read ({error.strerror})",
            where=place(error.filename),
            hint="give yourself the right to read it, or move it elsewhere",
        )
        if refused is None or Path(error.filename) == folder:
            raise closed from error
        refused(closed)

    for root, folders, names in os.walk(folder, onerror=report):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and (not suffixes or has_suffix(Path(name), *suffixes)):
                yield Path(root, name)


def read_bytes(path: Path, *, most: int | None = None) -> bytes:
    """Read one whole document, of at most so many bytes (`MAX_BYTES`)."""
    most = most or MAX_BYTES
    with opened(path) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise FormatError(
            f"is larger than {most:,} bytes",
            where=place(path),
            expected="one document per file",
            hint="split it, or use JSON Lines with one document per line",
        )
    return data


def decoded(data: bytes, path: Path | str, *, encoding: str | None = None, first_line: int = 1) -> str:
    """Decode bytes; an error names the line and the byte that is not valid."""
    marks = _BOMS if first_line == 1 else ()
    codec = encoding or next((codec for bom, codec in marks if data.startswith(bom)), "utf-8")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start} (0x{data[error.start]:02x}) is not valid {codec.upper()}",
            where=place(path, first_line + data.count(b"\n", 0, error.start)),
            hint=_encoding_hint(data, codec),
        ) from error
    return text.removeprefix("\ufeff") if first_line == 1 else text


def read_text(path: Path, *, encoding: str | None = None) -> str:
    """Read one whole document as text, keeping line ends."""
    return decoded(read_bytes(path), path, encoding=encoding)


def read_lines(path: Path, *, encoding: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, from 1, without line ends."""
    wide = codecs.lookup(encoding or "utf-8").name.startswith(("utf-16", "utf-32"))
    with opened(path) as stream:
        number = 0
        while line := stream.readline(MAX_BYTES + 1):
            number += 1
            if len(line) > MAX_BYTES:
                raise FormatError(
                    f"the line is longer than {MAX_BYTES:,} bytes",
                    where=place(path, number),
                    expected="a text file with lines",
                    hint="check that the file has the format it is read as",
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
    """Yield the location and content of the entries of a zip file that `choose` selects, in its order."""
    with opened(path) as file, _zip_errors_located(path), ZipFile(file) as archive:
        entries: dict[str, ZipInfo] = {}
        for entry in archive.infolist():
            inside(path, entry.filename.replace("\\", "/"))
            if entry.filename in entries:
                raise FormatError(
                    f"the entry {entry.filename!r} occurs twice", where=place(path), expected="unique names"
                )
            entries[entry.filename] = entry
        total = 0
        for name in choose(entries):
            data = _unzipped(archive, entries[name], place(path / name))
            if (total := total + len(data)) > MAX_ARCHIVE_BYTES:
                raise FormatError(
                    f"unpacks to more than {MAX_ARCHIVE_BYTES:,} bytes",
                    where=place(path),
                    expected="a smaller archive",
                    hint="if you trust it, unpack it yourself and name the folder",
                )
            yield place(path / name), data


def _unzipped(archive: ZipFile, entry: ZipInfo, where: str) -> bytes:
    if entry.flag_bits & 1:
        raise FormatError(
            "is encrypted", where=where, expected="a plain entry", hint="unzip it with its password first"
        )
    with archive.open(entry) as stream:
        data = stream.read(MAX_BYTES + 1)  # the size in the header may be wrong
    if len(data) > MAX_BYTES:
        raise FormatError(
            f"is larger than {MAX_BYTES:,} bytes", where=where, expected="one document per entry"
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
            expected="a complete zip file",
            hint="download it again, or unzip it yourself",
        ) from error


def checked_encoding(encoding: str | None) -> str | None:
    """Return the name of an encoding; raise if Python does not know it as a text encoding."""
    try:
        "a".encode(encoding or "utf-8")
    except (LookupError, ValueError) as error:
        raise UsageError(
            f"unknown encoding {encoding!r}", hint="try utf-8, utf-16, cp1252 or latin-1"
        ) from error
    return encoding


def write_text(path: Path, chunks: Iterable[str], *, overwrite: bool = False) -> None:
    """Write one file whole or not at all; `.gz` compresses, `-` is standard output."""
    if path == STANDARD:
        for chunk in chunks:  # as bytes, independent of the console's encoding and line ends
            sys.stdout.buffer.write(chunk.encode())
        sys.stdout.flush()
        return
    with replacing(path, overwrite=overwrite) as temporary:
        _fill(temporary, chunks)


@contextmanager
def replacing(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary name for a file or folder, which takes its place in the end, or vanishes after an error.

    Files of a folder go into an existing one.
    """
    with writing(path):
        check_absent(path, overwrite=overwrite)
        temporary = _temporary(path)
        try:
            yield temporary
            if temporary.is_dir() and path.is_dir():
                for file in temporary.iterdir():
                    file.replace(path / file.name)
            else:
                temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True) if not temporary.is_dir() else shutil.rmtree(temporary)


def write_folder(path: Path, files: Iterable[tuple[str, Iterable[str]]], *, overwrite: bool = False) -> None:
    """Write a folder of files (relative names with `/`): all of them, or none.

    With `overwrite`, files go into the existing folder and replace those of the same name; an empty folder may
    always be filled.
    """
    if path == STANDARD:
        raise UsageError("this format is a folder of files", expected="the name of a folder instead of -")
    with writing(path):
        empty = path.is_dir() and not any(path.iterdir())
        check_absent(path, overwrite=overwrite or empty)
        temporary = _temporary(path)
        try:
            temporary.mkdir()
            names = []
            for name, chunks in files:
                relative = inside(path, name)
                target = temporary / relative
                with writing(path / relative):
                    if target.exists():
                        raise FormatError(
                            "two documents have this file name",
                            where=place(path / relative),
                            expected="one file per document",
                            hint="rename one of the documents",
                        )
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
    """Return a relative name as a path; raise if it leads out of the folder."""
    relative = Path(os.path.normpath(name))
    if relative.anchor or relative.parts[:1] in ((), ("..",)) or "\0" in name:
        raise FormatError(
            f"the name {name!r} leads out of its folder", where=place(folder), expected="a relative name"
        )
    return relative


def _fill(path: Path, chunks: Iterable[str]) -> None:
    with path.open("wb") as raw:
        # A fixed time and no name in the gzip header: same content, same bytes.
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix.lower() == ".gz" else raw
        with io.TextIOWrapper(cast(BinaryIO, packed), "utf-8", newline="") as stream:
            for chunk in chunks:
                stream.write(chunk)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the errors of writing a file into errors that name it."""
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
    path = path.absolute()  # `.` has no name of its own
    return path.with_name(
        f".{path.name}.{secrets.token_hex(4)}.tmp" + (".gz" if path.suffix.lower() == ".gz" else "")
    )


def is_binary(data: bytes) -> bool:
    """Return whether bytes are hardly text in any encoding: there are control characters among the first of them."""
    start = data[:_SNIFFED_BYTES]
    return len(start.translate(None, _CONTROLS)) < 0.98 * len(start)


def is_utf16(data: bytes) -> bool:
    """Return whether every other byte is mostly NUL, and hardly any between them, as in UTF-16 of Latin letters."""
    one, other = (data[side:_SNIFFED_BYTES:2].count(b"\0") for side in (0, 1))
    return max(one, other) > min(len(data), _SNIFFED_BYTES) // 4 and 10 * min(one, other) < max(one, other)


def _encoding_hint(data: bytes, codec: str) -> str:
    if codec != "utf-8":
        return "check that this is the file's encoding and that the file is complete"
    if is_utf16(data):
        return "it looks like UTF-16 without a mark: pass --encoding utf-16-le or utf-16-be"
    if is_binary(data):
        return "it looks like a binary file: is it the right one?"
    return "if it is an older Windows or Latin-1 text, pass --encoding cp1252 or latin-1, or convert it with iconv"
