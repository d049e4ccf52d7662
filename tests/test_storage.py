from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.errors import DataError, FormatError, OutputExistsError
from samevent.storage import Rows, pack_strings, read_table, unpack_strings, write_table

ARRAYS = {"b": np.arange(5, dtype=np.int32), "a": np.array([[1.5, 2.5]], np.float32)}


def written(path: Path, **options: bool) -> Path:
    write_table(path, "test", 3, {"source": "Königsberg"}, ARRAYS, **options)
    return path


def test_table_round_trips(tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "t.npz"), "test", 3)
    assert table.manifest == {"kind": "test", "schema": 3, "source": "Königsberg"}
    assert set(table.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert table.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(table.arrays[name], array)


def test_table_bytes_do_not_depend_on_order_or_time(tmp_path: Path) -> None:
    one = written(tmp_path / "one.npz").read_bytes()
    write_table(
        tmp_path / "two.npz", "test", 3, {"source": "Königsberg"}, dict(reversed(list(ARRAYS.items())))
    )
    assert (tmp_path / "two.npz").read_bytes() == one
    with zipfile.ZipFile(tmp_path / "one.npz") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_table_is_opened_by_numpy_without_pickle(tmp_path: Path) -> None:
    with np.load(written(tmp_path / "t.npz"), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["b"], ARRAYS["b"])


def test_table_is_not_overwritten_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    path.write_text("mine")
    with pytest.raises(OutputExistsError):
        written(path)
    assert path.read_text() == "mine"
    assert read_table(written(path, overwrite=True), "test", 3).arrays["b"][4] == 4


def test_table_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="allow_pickle"):
        write_table(tmp_path / "t.npz", "test", 3, {}, {"x": np.array([object()])})
    assert list(tmp_path.iterdir()) == []


def test_missing_table_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="make model") as caught:
        read_table(tmp_path / "t.npz", "test", 3)
    assert caught.value.where == str(tmp_path / "t.npz")


@pytest.mark.parametrize(("kind", "schema"), [("other", 3), ("test", 2)])
def test_table_of_another_kind_or_schema_is_refused(tmp_path: Path, kind: str, schema: int) -> None:
    with pytest.raises(
        FormatError, match=f"contains 'test' in schema 3; expected '{kind}' in schema {schema}"
    ):
        read_table(written(tmp_path / "t.npz"), kind, schema)


def test_damaged_table_is_one_clear_error(tmp_path: Path) -> None:
    whole = written(tmp_path / "t.npz").read_bytes()
    bad = tmp_path / "bad.npz"
    flipped = whole.replace(b"test", b"tset") if b"test" in whole else whole
    middle = len(whole) // 2
    np.save(tmp_path / "array.npy", ARRAYS["b"])
    for damaged in (
        b"",
        b"PK",
        b"no table",
        whole[:middle],
        whole[:60] + bytes([whole[60] ^ 255]) + whole[61:],
        flipped[:middle] + b"\xff\xff\xff" + flipped[middle + 3 :],
        (tmp_path / "array.npy").read_bytes(),
    ):
        bad.write_bytes(damaged)
        with pytest.raises(FormatError, match=r"bad\.npz"):
            read_table(bad, "test", 3)


@given(st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=5)))
def test_rows_round_trip(rows: list[list[int]]) -> None:
    packed = Rows(*Rows.pack(rows))
    assert [packed[i] for i in range(len(packed))] == rows
    copied = pickle.loads(pickle.dumps(packed))
    assert [copied[i] for i in range(len(copied))] == rows


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"))))
def test_strings_round_trip(strings: list[str]) -> None:
    assert unpack_strings(pack_strings(strings)) == strings


def test_strings_with_a_line_break_are_refused() -> None:
    with pytest.raises(DataError, match="line break"):
        pack_strings(["a", "b\nc"])
