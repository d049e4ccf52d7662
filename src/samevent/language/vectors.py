"""Word vectors over any matrix of rows, and the shipped table.

The shipped table has int8 rows, each with its own scale: rounded to 255 levels of its largest number, a vector turns
by less than one degree. `vector_files` reads word2vec and GloVe files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, place
from samevent.storage import damaged_table, pack_strings, read_table, unpack_strings, write_table

KIND = "vectors"
SCHEMA = 1

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]
Vectors = NDArray[np.floating[Any]]
"""One vector per row, in any precision."""


class WordVectors:
    """One vector per word, in rows fetched by number from memory or from a mapped file.

    A word is looked up as written, then in lower case. Vectors are not scaled to unit length. An unknown word has the
    zero vector, whose similarity to anything is 0.

    >>> rows = np.array([[3, 4], [4, 3]], np.float32)
    >>> vectors = WordVectors(["raid", "attack"], 2, rows.take)
    """

    def __init__(
        self, words: Sequence[str], dimension: int, rows: Callable[[NDArray[np.intp]], Matrix]
    ) -> None:
        self._dimension = dimension
        self._rows = rows
        # In reverse, so that the first (more frequent) of two equal words wins.
        self._index = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self._index)

    @property
    def dimension(self) -> int:
        """Number of dimensions."""
        return self._dimension

    def __contains__(self, word: object) -> bool:
        """Return whether a word has a vector, as written or in lower case."""
        return isinstance(word, str) and self._number(word) is not None

    def vector(self, word: str) -> Vector:
        """Return the vector of a word, zero if it is unknown."""
        row: Vector = self.matrix((word,))[0]
        return row

    def matrix(self, words: Sequence[str]) -> Matrix:
        """Return the vectors of words, one row per word, zero for unknown words."""
        numbers = [self._number(word) for word in words]
        known = np.array([i for i, number in enumerate(numbers) if number is not None], np.intp)
        rows = np.zeros((len(words), self._dimension), np.float32)
        rows[known] = self._rows(np.array([number for number in numbers if number is not None], np.intp))
        return rows

    def rank(self, word: str) -> int:
        """Return how many words come before a word: in files of vectors, those that are more frequent.

        An unknown word comes after all others.
        """
        number = self._number(word)
        return len(self._index) if number is None else number

    def similarity(self, first: str, second: str) -> float:
        """Return the cosine of the vectors of two words, 0 if one is unknown."""
        return cosine(*self.matrix((first, second)))

    def _number(self, word: str) -> int | None:
        number = self._index.get(word)
        return self._index.get(word.lower()) if number is None else number


def cosine(first: Vector, second: Vector) -> float:
    """Return the cosine of two vectors; 0 if either is zero.

    >>> cosine(np.float32([3, 4]), np.float32([4, 3]))
    0.96
    >>> cosine(np.float32([3, 4]), np.float32([0, 0]))
    0.0
    """
    lengths = float(np.linalg.norm(first)) * float(np.linalg.norm(second))
    return float(np.dot(first, second)) / lengths if lengths else 0.0


def load_table(path: Path) -> WordVectors:
    """Read a compiled table."""
    arrays = read_table(path, KIND, SCHEMA).arrays
    try:
        words, rows = unpack_strings(arrays["words"]), _Rows(arrays["levels"], arrays["scales"])
    except (KeyError, ValueError) as error:
        raise damaged_table(path, error) from error
    if not len(words) == len(rows.levels) == len(rows.scales):
        raise FormatError("does not have one row per word", where=place(path))
    return WordVectors(words, rows.levels.shape[1], rows)


def write_vectors(
    path: Path, words: Sequence[str], vectors: Matrix, manifest: Mapping[str, Any], *, overwrite: bool = False
) -> None:
    """Quantize vectors to int8 and write them as a table."""
    scales = np.abs(vectors).max(axis=1) / np.float32(127)
    scales[scales == 0] = 1
    arrays = {
        "words": pack_strings(words),
        "levels": np.rint(vectors / scales[:, np.newaxis]).astype(np.int8),
        "scales": scales.astype(np.float32),
    }
    full_manifest = {**manifest, "words": len(words), "dimension": vectors.shape[1]}
    write_table(path, KIND, SCHEMA, full_manifest, arrays, overwrite=overwrite)


@dataclass(frozen=True, slots=True)
class _Rows:
    levels: NDArray[np.int8]
    scales: NDArray[np.float32]

    def __call__(self, numbers: NDArray[np.intp]) -> Matrix:
        return self.levels[numbers] * self.scales[numbers, np.newaxis]
