"""Arrays in files, and the same arrays in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samevent.scratch import IN_MEMORY, Scratch


@pytest.mark.parametrize("held", [False, True])
def test_columns_are_joined_row_by_row(tmp_path: Path, held: bool) -> None:
    scratch = IN_MEMORY if held else Scratch(tmp_path)
    rows = [(np.arange(n, dtype=np.int32), np.full(n, n / 3)) for n in (2, 0, 3)]
    numbers, values = scratch.joined(iter(rows), (np.int32, np.float64))
    scratch.release()
    assert numbers.tolist() == [0, 1, 0, 1, 2]
    assert values.tolist() == [2 / 3, 2 / 3, 1, 1, 1]
    assert (numbers.dtype.name, values.dtype.name) == ("int32", "float64")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("held", [False, True])
def test_no_rows_are_empty_columns(tmp_path: Path, held: bool) -> None:
    scratch = IN_MEMORY if held else Scratch(tmp_path)
    (numbers,) = scratch.joined((), (np.int32,))
    assert numbers.dtype == np.int32
    assert not len(numbers)


def test_what_was_written_to_a_released_array_stays(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path, least=1)
    array = scratch.empty((2, 3), np.int64)
    assert not array.any()
    array[1] = 7
    scratch.release()
    assert array.tolist() == [[0, 0, 0], [7, 7, 7]]
