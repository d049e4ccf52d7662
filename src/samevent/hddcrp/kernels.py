"""Compiled pieces that samplers share: random numbers, and counts of (cluster, word) in a hash table.

The table is one array of whole numbers, key and count by turns, with linear probing. A count that falls to zero is
taken out and what was pushed behind it moves up, so nothing wears out: no tombstones, no growth, no rebuilding.
There are never more keys than there are (customer, word) pairs, and the table has twice that room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
_EMPTY = -1
_SPREAD = -7046029254386353131  # 2**64 / golden ratio, as a signed number
_TO_UNIT = 2.0**-53


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that changes its array arguments in place.

    Kernels never allocate, and their caller holds the arrays; so numba need not count references, which takes
    half of the time where a function is this small.
    """
    return njit(**_OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a kernel into its callers: passing a group of arrays on takes longer than what a small kernel does."""
    return njit(**_OPTIONS, forceinline=True)(function)


def new_cells(pairs: int, keys: int = 2**62) -> NDArray[Any]:
    """Return an empty table with room for so many (customer, word) pairs, whose keys are all below `keys`.

    Narrow numbers make a table that fits in the processor's cache twice as often.
    """
    room = 8
    while room < 2 * pairs:
        room *= 2
    cells = np.zeros(2 * room, np.int32 if keys < 2**31 else np.int64)
    cells[::2] = _EMPTY
    return cells


@inlined
def uniform(state):  # type: ignore[no-untyped-def]
    """Draw from [0, 1) as `randoms.uniform` does."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    mixed = a + d
    drawn = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
    c ^= a
    d ^= b
    state[0] = a ^ d
    state[1] = b ^ c
    state[2] = c ^ (b << np.uint64(17))
    state[3] = (d << np.uint64(45)) | (d >> np.uint64(19))
    return (drawn >> np.uint64(11)) * _TO_UNIT


@inlined
def count_of(cells, key):  # type: ignore[no-untyped-def]
    """Return the count of a key."""
    mask = len(cells) // 2 - 1
    at = _home(key, mask)
    while cells[2 * at] != key:
        if cells[2 * at] == _EMPTY:
            return 0
        at = (at + 1) & mask
    return cells[2 * at + 1]


@kernel
def add(cells, key, amount):  # type: ignore[no-untyped-def]
    """Raise the count of a key."""
    mask = len(cells) // 2 - 1
    at = _home(key, mask)
    while cells[2 * at] != key:
        if cells[2 * at] == _EMPTY:
            cells[2 * at] = key
            cells[2 * at + 1] = amount
            return
        at = (at + 1) & mask
    cells[2 * at + 1] += amount


@kernel
def remove(cells, key, amount):  # type: ignore[no-untyped-def]
    """Lower the count of a key that is there."""
    mask = len(cells) // 2 - 1
    at = _home(key, mask)
    while cells[2 * at] != key:
        at = (at + 1) & mask
    cells[2 * at + 1] -= amount
    if cells[2 * at + 1] > 0:
        return
    gap = at
    while True:
        at = (at + 1) & mask
        if cells[2 * at] == _EMPTY:
            break
        # An entry may fill the gap unless its home lies behind the gap.
        if ((at - _home(cells[2 * at], mask)) & mask) >= ((at - gap) & mask):
            cells[2 * gap] = cells[2 * at]
            cells[2 * gap + 1] = cells[2 * at + 1]
            gap = at
    cells[2 * gap] = _EMPTY


@inlined
def _home(key, mask):  # type: ignore[no-untyped-def]
    return ((np.int64(key) * _SPREAD) >> 24) & mask
