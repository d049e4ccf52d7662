"""Word vectors from word2vec files (binary or text) and GloVe files, of any dimension.

Vectors stay on disk and are memory-mapped: a file of gigabytes opens at once and processes share it. A plain binary
file is mapped as it is. Text and compressed files cannot be mapped, so they are converted to plain binary numbers once,
in a cache that also keeps the list of words.

The cache is a folder `NAME.KEY.cache` beside the file, or in a folder that the caller names. The key depends on the
size and time of the file. The folder may be deleted while nobody reads it.

- word2vec: the first line has the number of words and the dimension; text follows or, in a file named `.bin`, binary
  records. Bytes of a word that are not UTF-8 become U+FFFD.
- GloVe: no such line. The numbers are the last fields of a line, because a word may contain spaces.
- A repeated word keeps its first vector. `limit` reads only the first (most frequent) words.
"""

from __future__ import annotations

import json
import mmap
import secrets
import shutil
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, UsageError, place
from samevent.formats.files import opened, read_lines
from samevent.language.vectors import Matrix, Vector, WordVectors
from samevent.storage import pack_strings, unpack_strings

Format = Literal["word2vec-binary", "word2vec-text", "glove"]

_SCHEMA = 1
_MANIFEST, _WORDS, _STARTS, _NUMBERS = "manifest.json", "words.npy", "starts.npy", "numbers.f32"
_FLOAT = np.dtype("<f4")
_LONGEST_WORD = 2_000
_LONGEST_HEADER = 100


def load_file(
    path: Path, *, format: Format | None = None, cache: Path | None = None, limit: int | None = None
) -> WordVectors:
    """Open a file of word vectors; without `format`, its name and first line decide."""
    if limit is not None and limit < 1:
        raise UsageError(f"the `limit` parameter is {limit}", expected="at least 1, or None")
    known = format or detect(path)
    entry = (cache or path.parent) / f"{path.name}.{_key(path, known, limit)}.cache"
    try:
        return _load(entry, path)
    except (OSError, EOFError, ValueError, KeyError):  # not built yet, or damaged
        _build(entry, path, known, limit)
    return _load(entry, path)


def detect(path: Path) -> Format:
    """Return the format of a file: binary by its name, the others by their first line."""
    if path.name.removesuffix(".gz").endswith(".bin"):
        return "word2vec-binary"
    first = next((line for _, line in read_lines(path)), "")
    return "word2vec-text" if _is_header(first) else "glove"


def _key(path: Path, format: Format, limit: int | None) -> str:
    try:
        status = path.stat()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", where=place(path)) from error
    made_from = json.dumps([_SCHEMA, format, limit, status.st_size, status.st_mtime_ns])
    return blake2b(made_from.encode(), digest_size=4).hexdigest()


def _load(entry: Path, path: Path) -> WordVectors:
    manifest = json.loads((entry / _MANIFEST).read_text())
    words, dimension = unpack_strings(np.load(entry / _WORDS)), manifest["dimension"]
    rows = _MappedRows(
        entry / _NUMBERS if manifest["converted"] else path, np.load(entry / _STARTS), dimension
    )
    if len(rows) != len(words):
        raise ValueError
    return WordVectors(words, dimension, rows)


class _MappedRows:
    """Rows of a file that start at the given byte offsets."""

    def __init__(self, file: Path, starts: NDArray[np.int64], dimension: int) -> None:
        self._made_from = file, starts, dimension
        self._bytes = np.memmap(file, np.uint8, "r")
        if not starts.size or starts[-1] + dimension * _FLOAT.itemsize > self._bytes.size:
            raise ValueError

    def __reduce__(self) -> tuple[type[_MappedRows], tuple[Path, NDArray[np.int64], int]]:
        return _MappedRows, self._made_from  # map the file again instead of copying it

    def __len__(self) -> int:
        return len(self._made_from[1])

    def __call__(self, numbers: NDArray[np.intp]) -> Matrix:
        _, starts, dimension = self._made_from
        rows = [np.frombuffer(self._bytes, _FLOAT, dimension, start) for start in starts[numbers].tolist()]
        return np.array(rows, np.float32).reshape(-1, dimension)


def _build(entry: Path, path: Path, format: Format, limit: int | None) -> None:
    """Write a cache entry atomically."""
    temporary = entry.with_name(f".{entry.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.mkdir()
    except OSError as error:
        raise UsageError(
            f"the cache of {path.name} cannot be written ({error.strerror or error})",
            where=place(entry.parent),
            hint="pass an existing, writable folder as `cache`",
        ) from error
    try:
        build = _index_binary if format == "word2vec-binary" else _convert_text
        words, starts, dimension = build(path, temporary / _NUMBERS, format, limit)
        np.save(temporary / _WORDS, pack_strings(words))
        np.save(temporary / _STARTS, np.asarray(starts, np.int64))
        manifest = {"dimension": dimension, "converted": (temporary / _NUMBERS).exists()}
        (temporary / _MANIFEST).write_text(json.dumps(manifest))
        shutil.rmtree(entry, ignore_errors=True)
        temporary.rename(entry)
    except OSError as error:
        if not entry.exists():  # otherwise another process has just written it
            raise UsageError(f"the cache cannot be written ({error})", where=place(entry)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _index_binary(
    path: Path, converted: Path, _format: Format, limit: int | None
) -> tuple[list[str], list[int], int]:
    """Return the words and the byte offset of each vector; a compressed file is unpacked first."""
    plain = path
    if path.suffix == ".gz":
        plain = converted
        with opened(path) as packed, plain.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
    if not plain.stat().st_size:
        raise _no_header("", path)
    with plain.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(b"\n", 0, _LONGEST_HEADER) + 1
        count, dimension = _header(data[: at or 20].decode("utf-8", "replace").strip(), path)
        words: list[str] = []
        starts: list[int] = []
        for number in range(1, min(count, limit or count) + 1):
            at += data[at : at + 1] == b"\n"
            space = data.find(b" ", at, at + _LONGEST_WORD)
            end = space + 1 + dimension * _FLOAT.itemsize
            if space < 0 or end > len(data):
                raise FormatError(
                    f"ends at word {number:,} of {count:,} (byte {at:,})",
                    where=place(path),
                    expected=f"a word, a space and {dimension} numbers of 4 bytes",
                    hint="is it complete, and is it word2vec's binary format?",
                )
            words.append(data[at:space].decode("utf-8", "replace").replace("\n", "\ufffd"))
            starts.append(space + 1)
            at = end
        if len(words) == count and data[at : at + 2].strip():
            raise FormatError(
                f"has more than the {count:,} words that its first line announces",
                where=place(path),
                expected=f"{dimension} numbers of 4 bytes per word",
            )
    return words, starts, dimension


def _convert_text(
    path: Path, converted: Path, format: Format, limit: int | None
) -> tuple[list[str], Sequence[int], int]:
    """Convert lines of text to rows of a binary file."""
    words, size = [], 0
    with converted.open("wb") as target:
        for word, vector in islice(_lines(path, format), limit):
            words.append(word)
            size = vector.nbytes
            target.write(vector.tobytes())
    if not words:
        raise FormatError(
            "contains no vectors", where=place(path), expected="one word and its numbers per line"
        )
    return words, range(0, size * len(words), size), size // _FLOAT.itemsize


def _lines(path: Path, format: Format) -> Iterator[tuple[str, Vector]]:
    lines = read_lines(path)
    count = dimension = 0
    if format == "word2vec-text":
        count, dimension = _header(next(lines, (1, ""))[1], path)
    number = words = 0
    for number, line in lines:
        fields = line.rstrip(" ").rsplit(" ", dimension or -1)
        dimension = dimension or len(fields) - 1
        vector = _numbers(fields[1:])
        if not fields[0] or not vector.size == dimension > 0 or not np.isfinite(vector).all():
            raise FormatError(
                f"cannot parse {line[:40]!r}",
                where=place(path, number),
                expected=f"a word and {dimension or 'its'} numbers, separated by spaces",
            )
        words += 1
        yield fields[0], vector
    if count and words != count:
        raise FormatError(
            f"has {words:,} words, but its first line announces {count:,}",
            where=place(path, number),
            hint="is the file complete?",
        )


def _numbers(fields: list[str]) -> Vector:
    """Parse numbers; invalid or too large ones are not finite."""
    try:
        with np.errstate(over="ignore"):
            return np.array(fields, _FLOAT)
    except ValueError:
        return np.array([np.nan], _FLOAT)


def _is_header(line: str) -> bool:
    fields = line.split()
    return len(fields) == 2 and all(field.isascii() and field.isdigit() and int(field) for field in fields)


def _header(line: str, path: Path) -> tuple[int, int]:
    if not _is_header(line):
        raise _no_header(line, path)
    count, dimension = map(int, line.split())
    return count, dimension


def _no_header(line: str, path: Path) -> FormatError:
    return FormatError(
        f"starts with {line[:40]!r}",
        where=place(path, 1),
        expected="the number of words and the dimension, as word2vec writes them",
        hint="a GloVe file has no such line and is read with format='glove'",
    )
