"""Features as numbers: strings to codes, combinations of codes to keys, keys to the rows of a table.

What is known of a thing are its atoms, a 64-bit code each. A template names atoms that go together; it and they are
hashed to a 32-bit key. Keys seen often enough in training have a number; all others are unknown (-1).
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
    """Return the code of a string (CRC-32), the same on every machine."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def codes(strings: Sequence[str]) -> Codes:
    """Return the codes of strings."""
    return np.fromiter(map(code, strings), np.uint64, len(strings))


@njit(cache=True, inline="always")
def mix(h, value):  # type: ignore[no-untyped-def]
    """Add a value to a hash; the order counts."""
    h = (h ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(32))


class Templates(NamedTuple):
    """Which atoms go together: columns filled up with -1, and a seed, for each template."""

    columns: Indices
    seeds: Codes


def templates(atoms: Sequence[str], text: str) -> Templates:
    """Read templates, separated by semicolons, over the named atoms.

    >>> templates(["word", "tag", "path"], "path; tag word").columns.tolist()
    [[2, -1], [1, 0]]
    """
    parts = [part.split() for part in text.split(";")]
    columns = np.full((len(parts), max(map(len, parts))), -1, np.int32)
    for row, names in zip(columns, parts, strict=True):
        row[: len(names)] = [atoms.index(name) for name in names]
    return Templates(columns, codes([" ".join(names) for names in parts]))


def hashed(atoms: Codes, chosen: Templates, used: NDArray[np.bool_] | None = None) -> Keys:
    """Return the key of every template (columns) for every row of atoms; rows that are not used have keys 0."""
    keys: Keys = _hashed(atoms, *chosen, np.ones(len(atoms), np.bool_) if used is None else used)
    return keys


@njit(cache=True)
def _hashed(atoms, columns, seeds, used):  # type: ignore[no-untyped-def]
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


class Known(NamedTuple):
    """Sorted keys, and where those with each leading bits start: keys are hashes, so few share them."""

    keys: Keys
    starts: Indices
    shift: np.uint32


def known(keys: Keys) -> Known:
    """Prepare sorted keys to be looked up."""
    bits = max(1, min(20, len(keys).bit_length()))
    shift = 32 - bits
    edges = np.arange((1 << bits) + 1, dtype=np.uint64) << np.uint64(shift)
    return Known(keys, np.searchsorted(keys, edges).astype(np.int32), np.uint32(shift))


def numbered(keys: Keys, among: Known) -> Indices:
    """Return the place of each key among the known ones, or -1; a row that begins with 0 holds none."""
    found: Indices = _numbered(keys, among)
    return found


@njit(cache=True)
def _numbered(keys, among):  # type: ignore[no-untyped-def]
    out = np.full(keys.shape, -1, np.int32)
    for i in range(keys.shape[0]):
        if keys[i, 0] == 0:
            continue
        for j in range(keys.shape[1]):
            key = keys[i, j]
            bucket = key >> among.shift
            for at in range(among.starts[bucket], among.starts[bucket + 1]):
                if among.keys[at] == key:
                    out[i, j] = at
                    break
    return out


def frequent(keys: Keys, least: int) -> Keys:
    """Return the keys that occur so often, sorted."""
    found, counts = np.unique(keys, return_counts=True)
    return found[counts >= least]


def steps(keys: Keys) -> Keys:
    """Return the distances between sorted keys, which compress to half of what the keys do."""
    return np.diff(keys, prepend=np.uint32(0)).astype(np.uint32)


def summed(steps: Keys) -> Keys:
    """Return the keys that are these distances apart."""
    return np.cumsum(steps, dtype=np.uint32)
