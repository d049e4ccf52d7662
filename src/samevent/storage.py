"""Tables on disk: named arrays and a manifest in one file. The same content always gives the same bytes.

A table is an `.npz` file without pickle that `numpy.load` opens. `manifest.json` inside records the kind of table, the
schema and the sources. Members carry no timestamps. They are compressed by deflate: LZMA would save a tenth of their
size, and every command that loads a model would wait for it. Strings are stored as one array of bytes with one string
per line, lists of lists as `Rows`.
"""

from __future__ import annotations

import json
import lzma
import secrets
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import DataError, FormatError, check_absent, place

_MANIFEST = "manifest.json"
_DAMAGE = (
    AttributeError, EOFError, KeyError, NotImplementedError, OSError, TypeError, ValueError, lzma.LZMAError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
_REBUILD = "build it again with: make model"


@dataclass(frozen=True, slots=True)
class Table:
    """The content of one file."""

    manifest: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


class Rows:
    """A list of lists of whole numbers in two arrays: the length of each row, and all rows end to end."""

    __slots__ = ("_starts", "_values")

    def __init__(self, lengths: NDArray[Any], values: NDArray[Any]) -> None:
        starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        # Indexing a memoryview yields plain integers, ten times faster than array scalars.
        self._starts = starts.data
        self._values = np.ascontiguousarray(values).data

    def __reduce__(self) -> tuple[type[Rows], tuple[NDArray[Any], NDArray[Any]]]:
        return Rows, (np.diff(self._starts), np.asarray(self._values))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, row: int) -> list[int]:
        return self._values[self._starts[row] : self._starts[row + 1]].tolist()

    @staticmethod
    def pack(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
        """Return the two arrays that hold these rows.

        >>> Rows(*Rows.pack([[3, 1], [], [4]]))[0]
        [3, 1]
        """
        values = [value for row in rows for value in row]
        return np.array([len(row) for row in rows], np.uint16), np.array(values, np.int32)


def pack_strings(strings: Sequence[str]) -> NDArray[np.uint8]:
    """Pack strings without line breaks into one array.

    >>> unpack_strings(pack_strings(["bomb", "raid"]))
    ['bomb', 'raid']
    """
    joined = "".join(f"{string}\n" for string in strings)
    if joined.count("\n") != len(strings):
        raise DataError("a string in a table contains a line break", expected="strings of one line")
    return np.frombuffer(joined.encode(), np.uint8)


def unpack_strings(packed: NDArray[np.uint8]) -> list[str]:
    """Return the strings packed in an array."""
    return packed.tobytes().decode().split("\n")[:-1]


def quantized(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantize weights to 8-bit levels and one scale per row."""
    scales = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-12) / np.float32(127)
    return np.rint(rows / scales).astype(np.int8), scales.astype(np.float32)


def write_table(
    path: Path, kind: str, schema: int, manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]],
    *, compression: int = zipfile.ZIP_DEFLATED, overwrite: bool = False,
) -> None:  # fmt: skip
    """Write a table atomically."""
    check_absent(path, overwrite=overwrite)
    full_manifest = {"kind": kind, "schema": schema, **manifest}
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(
            member(_MANIFEST, compression), json.dumps(full_manifest, ensure_ascii=False, sort_keys=True)
        )
        for name, array in sorted(arrays.items()):
            with archive.open(member(f"{name}.npy", compression), "w") as stream:
                np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)


def read_table(path: Path, kind: str, schema: int) -> Table:
    """Read a table of this kind and schema."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            manifest = json.loads(archive[_MANIFEST])
            check_manifest(manifest, kind, schema, path)
            return Table(manifest, {name: archive[name] for name in archive.files if name != _MANIFEST})
    except FileNotFoundError as error:
        raise missing_table(path) from error
    except _DAMAGE as error:
        raise damaged_table(path, error) from error


def check_manifest(manifest: Any, kind: str, schema: int, path: Path) -> None:
    """Raise if a file has another kind or schema."""
    actual = (manifest.get("kind"), manifest.get("schema")) if isinstance(manifest, dict) else None
    if actual != (kind, schema):
        raise FormatError(
            f"contains {actual[0]!r} in schema {actual[1]!r}" if actual else "has no manifest",
            where=place(path),
            expected=f"{kind!r} in schema {schema}",
            hint=_REBUILD,
        )


def missing_table(path: Path) -> FormatError:
    """Return the error for a table that does not exist."""
    return FormatError("the table does not exist", where=place(path), hint=_REBUILD)


def damaged_table(path: Path, error: Exception) -> FormatError:
    """Return the error for a table that cannot be read."""
    return FormatError(
        f"cannot be read as a table ({type(error).__name__}: {error})", where=place(path), hint=_REBUILD
    )


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` if the block succeeds."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def member(name: str, compression: int) -> zipfile.ZipInfo:
    """Return a member of an archive whose bytes depend on its content alone."""
    info = zipfile.ZipInfo(name)
    info.compress_type = compression
    info.create_system = 3  # Unix, so that the bytes are the same on every platform
    return info
