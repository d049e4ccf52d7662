"""Word vectors from files of others: word2vec binary, word2vec text and GloVe text, of any dimension.

Vectors stay on disk and are mapped into memory: a file of gigabytes opens at once and processes share it. A plain
binary file is mapped as it is. Neither text nor anything compressed can be mapped, so such a file is turned into
plain binary numbers once, in a cache, which also keeps the list of words.

The cache is a folder `NAME.KEY.cache` beside the file, or in a folder of the caller's choice. The key changes with
the size and time of the file; the folder may be deleted while nobody reads it.

- word2vec: the first line says how many words there are and how many numbers each has; text or, in a file named
  `.bin`, binary records follow. Bytes of a binary file's word that are not UTF-8 become U+FFFD.
- GloVe: no such line. The numbers are the last fields of a line, so that a word may hold spaces.
- A word that comes twice keeps its first vector. `limit` reads only the first words: frequent ones come first.
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
from samevent.language.vectors.base import Matrix, Vector, WordVectors
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
    """Open a file of word vectors. Its format is found out by name and first line, unless given."""
    if limit is not None and limit < 1:
        raise UsageError(f"cannot read {limit} words", expected="a limit of at least 1, or none")
    known = format or detect(path)
    entry = (cache or path.parent) / f"{path.name}.{_key(path, known, limit)}.cache"
    try:
        return _load(entry, path)
    except (OSError, EOFError, ValueError, KeyError):  # not there yet, or damaged
        _build(entry, path, known, limit)
    return _load(entry, path)


def detect(path: Path) -> Format:
    """Say of which format a file is: binary by its name, the others by their first line."""
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
    """Rows of a file that begin at given bytes."""

    def __init__(self, file: Path, starts: NDArray[np.int64], dimension: int) -> None:
        self._made_from = file, starts, dimension
        self._bytes = np.memmap(file, np.uint8, "r")
        if not starts.size or starts[-1] + dimension * _FLOAT.itemsize > self._bytes.size:
            raise ValueError

    def __reduce__(self) -> tuple[type[_MappedRows], tuple[Path, NDArray[np.int64], int]]:
        return _MappedRows, self._made_from  # map the file again, do not copy it

    def __len__(self) -> int:
        return len(self._made_from[1])

    def __call__(self, numbers: NDArray[np.intp]) -> Matrix:
        _, starts, dimension = self._made_from
        rows = [np.frombuffer(self._bytes, _FLOAT, dimension, start) for start in starts[numbers].tolist()]
        return np.array(rows, np.float32).reshape(-1, dimension)


def _build(entry: Path, path: Path, format: Format, limit: int | None) -> None:
    """Write a cache entry whole or not at all."""
    temporary = entry.with_name(f".{entry.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.mkdir()
    except OSError as error:
        raise UsageError(
            f"the cache of {path.name} cannot be written ({error.strerror or error})",
            where=place(entry.parent),
            hint="name a folder that exists and can be written as the cache",
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
        if not entry.exists():  # else someone else has just written it
            raise UsageError(f"the cache cannot be written ({error})", where=place(entry)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _index_binary(
    path: Path, converted: Path, _format: Format, limit: int | None
) -> tuple[list[str], list[int], int]:
    """Find where the words' numbers begin; a compressed file is unpacked first."""
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
                    f"breaks off at word {number:,} of {count:,} (byte {at:,})",
                    where=place(path),
                    expected=f"a word, a space and {dimension} numbers of 4 bytes",
                    hint="is it complete, and is it word2vec's binary format?",
                )
            words.append(data[at:space].decode("utf-8", "replace").replace("\n", "\ufffd"))
            starts.append(space + 1)
            at = end
        if len(words) == count and data[at : at + 2].strip():
            raise FormatError(
                f"goes on after the {count:,} words that its first line promises",
                where=place(path),
                expected=f"{dimension} numbers of 4 bytes a word",
            )
    return words, starts, dimension


def _convert_text(
    path: Path, converted: Path, format: Format, limit: int | None
) -> tuple[list[str], Sequence[int], int]:
    """Turn lines of text into rows of a binary file."""
    words, size = [], 0
    with converted.open("wb") as target:
        for word, vector in islice(_lines(path, format), limit):
            words.append(word)
            size = vector.nbytes
            target.write(vector.tobytes())
    if not words:
        raise FormatError("holds no vectors", where=place(path), expected="a word and its numbers a line")
    return words, range(0, size * len(words), size), size // _FLOAT.itemsize


def _lines(path: Path, format: Format) -> Iterator[tuple[str, Vector]]:
    lines = read_lines(path)
    count = dimension = 0
    if format == "word2vec-text":
        count, dimension = _header(next(lines, (1, ""))[1], path)
    number = found = 0
    for number, line in lines:
        fields = line.rstrip(" ").rsplit(" ", dimension or -1)
        dimension = dimension or len(fields) - 1
        vector = _numbers(fields[1:])
        if not fields[0] or not vector.size == dimension > 0 or not np.isfinite(vector).all():
            raise FormatError(
                f"cannot understand {line[:40]!r}",
                where=place(path, number),
                expected=f"a word and {dimension or 'its'} numbers, a space between them",
            )
        found += 1
        yield fields[0], vector
    if count and found != count:
        raise FormatError(
            f"has {found:,} words, its first line promises {count:,}",
            where=place(path, number),
            hint="is the file complete?",
        )


def _numbers(fields: list[str]) -> Vector:
    """Return fields as numbers; what is none, or too large, is not finite."""
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
        f"begins with {line[:40]!r}",
        where=place(path, 1),
        expected="the number of words and the dimension, as word2vec writes them",
        hint="a GloVe file has no such line and is read with format='glove'",
    )
