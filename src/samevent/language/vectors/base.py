"""What word vectors are asked, and one answer to it over any matrix of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]


class Vectors(Protocol):
    """A vector for each of many words.

    A word is looked up as it is written, then in lower case. Vectors are as their source has them, not scaled
    to unit length. A word that is not there has the vector zero, and zero is similar to nothing.
    """

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def __contains__(self, word: object) -> bool:
        """Say whether a word has a vector, as written or in lower case."""
        ...

    def vector(self, word: str) -> Vector:
        """Return the vector of a word."""
        ...

    def matrix(self, words: Sequence[str]) -> Matrix:
        """Return the vectors of words, a row each."""
        ...

    def phrase(self, words: Iterable[str]) -> Vector:
        """Return the mean of the vectors of those words that have one."""
        ...

    def similarity(self, first: str, second: str) -> float:
        """Return the cosine of two words' vectors."""
        ...


class WordVectors:
    """`Vectors` over rows that are fetched by number, from memory or from a mapped file.

    >>> rows = np.array([[3, 4], [4, 3]], np.float32)
    >>> vectors = WordVectors(["raid", "attack"], 2, rows.take)
    """

    def __init__(
        self, words: Sequence[str], dimension: int, rows: Callable[[NDArray[np.intp]], Matrix]
    ) -> None:
        self._dimension = dimension
        self._rows = rows
        # Backwards, so that of a word that comes twice the first, more frequent one counts.
        self._index = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))

    def __len__(self) -> int:
        """How many different words there are."""
        return len(self._index)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._dimension

    def __contains__(self, word: object) -> bool:
        """Say whether a word has a vector, as written or in lower case."""
        return isinstance(word, str) and self._number(word) is not None

    def vector(self, word: str) -> Vector:
        """Return the vector of a word, zero if it is unknown."""
        row: Vector = self.matrix((word,))[0]
        return row

    def matrix(self, words: Sequence[str]) -> Matrix:
        """Return the vectors of words, a row each, zero for unknown ones."""
        numbers = [self._number(word) for word in words]
        known = np.array([i for i, number in enumerate(numbers) if number is not None], np.intp)
        found = np.zeros((len(words), self._dimension), np.float32)
        found[known] = self._rows(np.array([number for number in numbers if number is not None], np.intp))
        return found

    def phrase(self, words: Iterable[str]) -> Vector:
        """Return the mean of the vectors of the known words, zero if there is none."""
        known = [word for word in words if word in self]
        return self.matrix(known).mean(axis=0) if known else np.zeros(self._dimension, np.float32)

    def similarity(self, first: str, second: str) -> float:
        """Return the cosine of two words' vectors, 0 if one is unknown."""
        return cosine(*self.matrix((first, second)))

    def _number(self, word: str) -> int | None:
        number = self._index.get(word)
        return self._index.get(word.lower()) if number is None else number


def cosine(first: Vector, second: Vector) -> float:
    """Return the cosine of two vectors; 0 if one of them is zero.

    >>> cosine(np.float32([3, 4]), np.float32([4, 3]))
    0.96
    >>> cosine(np.float32([3, 4]), np.float32([0, 0]))
    0.0
    """
    lengths = float(np.linalg.norm(first)) * float(np.linalg.norm(second))
    return float(np.dot(first, second)) / lengths if lengths else 0.0
