"""Features as numbers: strings to codes, combinations of codes to keys, keys to rows of a table.

An observation is a row of atoms, one 64-bit code each. A template names atoms that form one feature; template and
atoms are hashed to a 32-bit key. Keys seen often enough in training have a row number; all others are unknown (-1).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Codes = NDArray[np.uint64]
Indices = NDArray[np.int32]
Keys = NDArray[np.uint32]


@lru_cache(maxsize=200_000)
def code(text: str) -> int:
    """Return the code of a string (CRC-32), equal on every machine."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def codes(strings: Sequence[str]) -> Codes:
    """Return the codes of strings."""
    return np.fromiter(map(code, strings), np.uint64, len(strings))


@njit(cache=True)
def mix(h, value):  # type: ignore[no-untyped-def]
    """Add a value to a hash; order matters."""
    h = (h ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(32))


class Templates(NamedTuple):
    """Templates as columns of atoms, padded with -1, and one seed per template."""

    columns: Indices
    seeds: Codes


def parse_templates(atoms: Sequence[str], text: str) -> Templates:
    """Parse templates, separated by semicolons, over named atoms.

    >>> parse_templates(["word", "tag", "path"], "path; tag word").columns.tolist()
    [[2, -1], [1, 0]]
    """
    parts = [part.split() for part in text.split(";")]
    columns = np.full((len(parts), max(map(len, parts))), -1, np.int32)
    for row, names in zip(columns, parts, strict=True):
        row[: len(names)] = [atoms.index(name) for name in names]
    return Templates(columns, codes([" ".join(names) for names in parts]))


def hash_templates(atoms: Codes, templates: Templates, used: NDArray[np.bool_] | None = None) -> Keys:
    """Return the key of each template (columns) for each row of atoms; keys of unused rows are 0."""
    keys: Keys = _hash_templates(atoms, *templates, np.ones(len(atoms), np.bool_) if used is None else used)
    return keys


@njit(cache=True)
def _hash_templates(atoms, columns, seeds, used):  # type: ignore[no-untyped-def]
    keys = np.zeros((len(atoms), len(seeds)), np.uint32)
    for i in range(len(atoms)):
        if not used[i]:
            continue
        for t in range(len(seeds)):
            h = mix(np.uint64(1), seeds[t])
            for c in columns[t]:
                if c < 0:
                    break
                h = mix(h, atoms[i, c])
            keys[i, t] = h >> np.uint64(32)
    return keys


class KeyTable(NamedTuple):
    """Sorted keys, indexed by their leading bits: keys are hashes, so few share these."""

    keys: Keys
    starts: Indices
    shift: np.uint32

    @classmethod
    def of(cls, keys: Keys) -> KeyTable:
        """Index sorted keys."""
        bits = max(1, min(20, len(keys).bit_length()))
        shift = 32 - bits
        edges = np.arange((1 << bits) + 1, dtype=np.uint64) << np.uint64(shift)
        return cls(keys, np.searchsorted(keys, edges).astype(np.int32), np.uint32(shift))


def look_up(keys: Keys, table: KeyTable) -> Indices:
    """Return the row of each key in the table, or -1; a row of keys that starts with 0 is empty."""
    rows = np.full(keys.shape, -1, np.int32)
    _look_up(keys, table, rows)
    return rows


@njit(cache=True)
def _look_up(keys, table, out):  # type: ignore[no-untyped-def]
    for i in range(keys.shape[0]):
        if keys[i, 0] == 0:
            continue
        for j in range(keys.shape[1]):
            key = keys[i, j]
            bucket = key >> table.shift
            for at in range(table.starts[bucket], table.starts[bucket + 1]):
                if table.keys[at] == key:
                    out[i, j] = at
                    break


def frequent_keys(keys: Keys, least: int) -> Keys:
    """Return the keys that occur at least `least` times, sorted."""
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct[counts >= least]


def key_gaps(keys: Keys) -> Keys:
    """Return the differences of sorted keys, which compress to half the size of the keys."""
    return np.diff(keys, prepend=np.uint32(0)).astype(np.uint32)


def keys_from_gaps(gaps: Keys) -> Keys:
    """Return the keys with these differences."""
    return np.cumsum(gaps, dtype=np.uint32)
