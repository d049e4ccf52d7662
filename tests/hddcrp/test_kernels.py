from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from samevent.hddcrp import kernels, randoms
from samevent.seeds import stream


@pytest.mark.parametrize("keys", [2**26, 2**40], ids=["narrow", "wide"])
@pytest.mark.parametrize("seed", range(4))
def test_table_counts_like_a_dictionary(seed: int, keys: int) -> None:
    random = stream(seed, "table")
    cells, truth = kernels.new_cells(30, keys), Counter[int]()
    assert cells.dtype == (np.int32 if keys < 2**31 else np.int64)
    for _ in range(4000):
        key = int(random.integers(60)) * 1_000_003
        if truth[key] and random.random() < 0.6:
            amount = int(random.integers(1, truth[key] + 1))
            kernels.remove(cells, key, amount)
            truth[key] -= amount
        elif truth[key] or len(+truth) < 30:
            amount = int(random.integers(1, 4))
            kernels.add(cells, key, amount)
            truth[key] += amount
        for other in range(60):
            assert kernels.count_of(cells, other * 1_000_003) == truth[other * 1_000_003]
    assert (cells[::2] >= 0).sum() == len(+truth)


def test_table_takes_keys_beyond_32_bits() -> None:
    cells = kernels.new_cells(2)
    kernels.add(cells, 2**61, 3)
    kernels.add(cells, 2**61 + 1, 4)
    assert [kernels.count_of(cells, key) for key in (2**61, 2**61 + 1, 0)] == [3, 4, 0]


def test_compiled_and_plain_random_numbers_are_equal() -> None:
    fast, slow = randoms.seeded(7, "test"), randoms.seeded(7, "test")
    assert [kernels.uniform(fast) for _ in range(200)] == [randoms.uniform(slow) for _ in range(200)]
    assert np.array_equal(fast, slow)
