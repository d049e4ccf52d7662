"""The shipped vectors: a compiled table of int8 rows, each with its own scale.

Rounded to 255 levels of its largest number, a vector turns by less than one degree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, place
from samevent.language.vectors.base import Matrix, WordVectors
from samevent.storage import damaged_table, pack_strings, read_table, unpack_strings, write_table

KIND = "vectors"
SCHEMA = 1


def load_table(path: Path) -> WordVectors:
    """Read a compiled table."""
    arrays = read_table(path, KIND, SCHEMA).arrays
    try:
        words, rows = unpack_strings(arrays["words"]), _Rows(arrays["levels"], arrays["scales"])
    except (KeyError, ValueError) as error:
        raise damaged_table(path, error) from error
    if not len(words) == len(rows.levels) == len(rows.scales):
        raise FormatError("does not have one row a word", where=place(path))
    return WordVectors(words, rows.levels.shape[1], rows)


def write_vectors(
    path: Path, words: Sequence[str], vectors: Matrix, manifest: Mapping[str, Any], *, overwrite: bool = False
) -> None:
    """Round vectors to int8 and write them as a table."""
    scales = np.abs(vectors).max(axis=1) / np.float32(127)
    scales[scales == 0] = 1
    arrays = {
        "words": pack_strings(words),
        "levels": np.rint(vectors / scales[:, np.newaxis]).astype(np.int8),
        "scales": scales.astype(np.float32),
    }
    described = {**manifest, "words": len(words), "dimension": vectors.shape[1]}
    write_table(path, KIND, SCHEMA, described, arrays, overwrite=overwrite)


@dataclass(frozen=True, slots=True)
class _Rows:
    levels: NDArray[np.int8]
    scales: NDArray[np.float32]

    def __call__(self, numbers: NDArray[np.intp]) -> Matrix:
        return self.levels[numbers] * self.scales[numbers, np.newaxis]
