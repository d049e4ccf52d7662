"""Parquet holds the fields of JSON Lines, and is read one row group at a time."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from builders import annotated
from samevent import read
from samevent.errors import FormatError, UsageError
from samevent.formats import parquet
from samevent.formats.jsonl import document_to_json
from samevent.formats.unread import Unread
from samevent.inputs import read_inputs

DOCUMENTS = [document_to_json(annotated(name)) for name in ("a", "b", "c")]


def written(rows: list[dict[str, Any]], path: Path, group: int = 2) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow (python -m pip install 'samevent[parquet]')")
    from pyarrow.parquet import write_table

    write_table(arrow.Table.from_pylist(rows), path, row_group_size=group)
    return path


def test_rows_are_the_documents_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in DOCUMENTS))
    expected = read(tmp_path / "news.jsonl")
    assert list(read(written(DOCUMENTS, tmp_path / "news.parquet"))) == list(expected)
    folder = tmp_path / "parts"
    folder.mkdir()
    written(DOCUMENTS[2:], folder / "part-1.parquet")
    written(DOCUMENTS[:2], folder / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    assert list(read(folder)) == list(expected)
    assert list(read_inputs([folder], scratch=tmp_path, held=0)) == list(expected)


def test_empty_cells_are_absent_and_dates_are_text(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "text": "It fell.", "date": date(2031, 5, 6), "source": None},
        {"id": "b", "text": "It rose.", "date": None, "source": "wire"},
    ]
    first, second = read(written(rows, tmp_path / "news.parquet"))
    assert (first.date, first.extra, second.date, second.extra) == (
        "2031-05-06",
        {},
        None,
        {"source": "wire"},
    )


def test_one_row_group_is_read_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written([{"id": f"d{n}", "text": "It fell."} for n in range(10)], tmp_path / "a.parquet", group=4)
    from pyarrow.parquet import ParquetFile

    groups: list[list[int]] = []
    usual = ParquetFile.iter_batches

    def counted(file: Any, size: int, row_groups: list[int]) -> Any:
        groups.append(row_groups)
        return usual(file, size, row_groups=row_groups)

    monkeypatch.setattr(ParquetFile, "iter_batches", counted)
    rows = parquet.rows(path)
    assert [next(rows)[1]["id"] for _ in range(4)] == ["d0", "d1", "d2", "d3"]
    assert groups == [[0]]
    assert [number for number, _ in rows] == [5, 6, 7, 8, 9, 10]
    assert groups == [[0], [1], [2]]


def test_errors_name_file_and_row(tmp_path: Path) -> None:
    path = written([*DOCUMENTS[1:], {"id": "a"}], tmp_path / "news.parquet")
    with pytest.raises(FormatError, match=r"news\.parquet:3: document 'a' has neither text nor tokens"):
        read(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match=r"news\.parquet: cannot be read as Parquet"):
        read(path)


def test_a_corpus_is_read_whole_and_a_table_row_by_row(tmp_path: Path) -> None:
    corpus = written([*DOCUMENTS[1:], {"id": "a"}], tmp_path / "corpus.parquet")
    with pytest.raises(FormatError, match=r"corpus\.parquet:3"):
        read_inputs([corpus], unread=Unread())
    texts = ["It fell.", "It \0 fell.", None, "It rose."]
    table = written([{"text": text} for text in texts], tmp_path / "table.parquet")
    documents = read_inputs([table], unread=(unread := Unread()))
    assert [document.text for document in documents] == ["It fell.", "", "It rose."]
    assert [error.where for error in unread.errors] == [f"{table}:2"]


def test_a_broken_file_among_others_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("It fell.")
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    written([{"amount": 3}], tmp_path / "c.parquet")
    written([{"text": "It rose."}], tmp_path / "d.parquet")
    documents = read_inputs([tmp_path], unread=(unread := Unread()))
    assert [document.text for document in documents] == ["It fell.", "It rose."]
    reasons = ["cannot be read as Parquet", "no column holds the text"]
    assert [error.where for error in unread.errors] == [str(tmp_path / f"{n}.parquet") for n in "bc"]
    assert all(error.reason.startswith(why) for error, why in zip(unread.errors, reasons, strict=True))


def test_without_pyarrow_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "news.parquet").write_bytes(b"PAR1")
    with pytest.raises(UsageError, match=r"news\.parquet: Parquet needs pyarrow.*samevent\[tables\]"):
        read(tmp_path / "news.parquet")


def test_a_folder_without_parquet_files_is_not_one(tmp_path: Path) -> None:
    (tmp_path / ".hidden.parquet").touch()
    assert parquet.parquet_files(tmp_path) == []
