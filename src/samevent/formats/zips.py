"""Zip files, read safely: nothing is unpacked to disk, and no entry can grow past the limit of a document."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from samevent.errors import FormatError, place
from samevent.formats.files import MAX_BYTES, inside, opened

_BROKEN = (
    BadZipFile,
    LZMAError,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
    struct.error,
    zlib.error,
)


def read_zip(
    path: Path, choose: Callable[[Iterable[str]], Iterable[str]] = sorted
) -> Iterator[tuple[str, bytes]]:
    """Read the entries that `choose` picks from their names, in its order, each with its place."""
    with opened(path) as file, _readable(path), ZipFile(file) as archive:
        entries: dict[str, ZipInfo] = {}
        for entry in archive.infolist():
            inside(path, entry.filename.replace("\\", "/"))
            if entry.filename in entries:
                raise FormatError(f"the entry {entry.filename!r} is there twice", where=place(path))
            entries[entry.filename] = entry
        for name in choose(entries):
            yield place(path / name), _unpacked(archive, entries[name], place(path / name))


def _unpacked(archive: ZipFile, entry: ZipInfo, where: str) -> bytes:
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
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise FormatError(
            f"the zip file is broken ({error})",
            where=place(path),
            hint="fetch it again, or unzip it yourself",
        ) from error
