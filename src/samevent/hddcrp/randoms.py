"""Random numbers that compiled and plain code draw alike: xoshiro256++ with its state in four 64-bit words.

The state is part of a chain: a saved chain continues with the same numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samevent.seeds import stream

RandomState = NDArray[np.uint64]

_MASK = (1 << 64) - 1


def seeded(seed: int, *key: str | int) -> RandomState:
    """Return the state at the start of the stream that belongs to `key` under `seed`."""
    return stream(seed, *key).integers(0, _MASK, size=4, dtype=np.uint64, endpoint=True)


def uniform(state: RandomState) -> float:
    """Draw from [0, 1) and move the state on (Blackman & Vigna, 2019).

    >>> uniform(np.array([1, 2, 3, 4], np.uint64)) == (41943041 >> 11) / 2**53
    True
    """
    a, b, c, d = (int(word) for word in state)
    drawn = (_rotated((a + d) & _MASK, 23) + a) & _MASK
    c ^= a
    d ^= b
    state[:] = a ^ d, b ^ c, c ^ ((b << 17) & _MASK), _rotated(d, 45)
    return (drawn >> 11) * 2.0**-53


def _rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (64 - by))) & _MASK
