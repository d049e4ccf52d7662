from __future__ import annotations

import csv
import io
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samevent.errors import FormatError
from samevent.formats import files
from samevent.formats.sheets import guarded, rows, unguarded, written

TEXTS = st.text(st.sampled_from("=+-@＝＋－＠'\";, \t\r\n\0|a1\ufeff\u2028\xa0"), max_size=12) | st.text(
    max_size=8
)
FORMULA = re.compile(r"""[\s"\0]*[=+\-@＝＋－＠]""")


def table(folder: Path, content: str | bytes) -> Path:
    path = folder / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cells(path: Path, *, encoding: str | None = None) -> list[list[str]]:
    return [list(row.cells.values()) for row in rows(path, ["a"], encoding=encoding)]


# Formulas


@given(TEXTS)
@example("\t=1")
@example("'\t'=1")
@example(";\" '=1")
def test_guard_is_taken_away_again(text: str) -> None:
    assert unguarded(guarded(text)) == text


@given(TEXTS)
def test_guard_adds_apostrophes_and_nothing_else(text: str) -> None:
    assert guarded(text).replace("'", "") == text.replace("'", "")


@pytest.mark.parametrize(
    "text", ["", "Sudan", "'tis", "''", "a-b", "x = y + z", "a, -b", " 'a'", "me@example.org", "“-”"]
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert guarded(text) == unguarded(text) == text


@pytest.mark.parametrize("first", [*"=+-@＝＋－＠\t\r\n\0"])
def test_dangerous_cell_gets_one_apostrophe(first: str) -> None:
    assert guarded(f"{first}a") == f"'{first}a"


@settings(max_examples=80)
@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3), max_size=3), st.sampled_from(",;\t"))
def test_no_cell_is_a_formula_wherever_a_spreadsheet_cuts(texts: list[list[str]], delimiter: str) -> None:
    content = "".join(written(["a", "b", "c"], texts)).removeprefix("\ufeff")
    found = [
        cell for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter) for cell in row
    ]
    assert not [cell for cell in found if FORMULA.match(cell)]
    if delimiter == ",":
        assert not [cell for cell in found if cell.startswith(("\t", "\r", "\n", "\0"))]


@settings(max_examples=80)
@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3).filter(any), max_size=3))
def test_every_text_is_read_as_it_was(texts: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = table(Path(folder), "".join(written(["a", "=b", "c"], texts)))
        found = list(rows(path, ["a", "=b"]))
    assert [list(row.cells.values()) for row in found] == texts


def test_guard_takes_time_that_grows_with_the_text_only() -> None:
    blank = "\n" * 200_000
    assert guarded(f"a{blank}=") == f"a{blank}'="


def test_table_opens_in_excel_as_it_is() -> None:
    content = "".join(written(["a", "b"], [["é,\n", 0.75], ['"', None], ["-1", 3]])).encode()
    assert content == '\ufeffa,b\r\n"é,\n",0.75\r\n"""",\r\n\'-1,3\r\n'.encode()


# Rows


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,2\n",
        "a,b\r\n1,2",
        "\ufeffa,b\r\n\r\n,\r\n1,2\r\n",
        "a;b\r\n1;2\r\n",
        "a\tb\r\n1\t2\r\n",
        '"a","b"\r\n"1","2"\r\n',
    ],
)
def test_tables_of_other_spreadsheets_are_read(content: str, tmp_path: Path) -> None:
    assert cells(table(tmp_path, content)) == [["1", "2"]]


def test_unicode_text_of_excel_is_read_when_named(tmp_path: Path) -> None:
    path = table(tmp_path, "a\tb\r\né\t漢\r\n".encode("utf-16"))
    assert cells(path, encoding="utf-16") == [["é", "漢"]]


def test_row_knows_the_line_where_it_begins(tmp_path: Path) -> None:
    path = table(tmp_path, 'a,b\r\n"1\n1\r\n1",2\r\n\r\n3,4\r\n')
    assert [row.line for row in rows(path, ["a"])] == [2, 6]


def test_long_cells_are_read(tmp_path: Path) -> None:
    text = "x" * 200_000
    assert cells(table(tmp_path, f'a,b\n"{text}\n{text}",1\n')) == [[f"{text}\n{text}", "1"]]


def test_row_gives_cells_and_numbers(tmp_path: Path) -> None:
    (row,) = rows(table(tmp_path, "a;b;c;;e\n12;0,5;;x;y\n"), ["a"])
    assert (row["a"], row["c"], row["d"]) == ("12", None, None)
    assert (row.whole("a"), row.number("b"), row.number("c")) == (12, 0.5, None)
    assert row.others(["a", "b"]) == {"e": "y"}
    for column, says in [("c", "'c' is empty"), ("b", "'b' is '0,5'; expected a whole number")]:
        with pytest.raises(FormatError, match=says):
            row.whole(column)
    with pytest.raises(FormatError, match="'e' is 'y'; expected a number"):
        row.number("e")


@pytest.mark.parametrize("cell", ["-1", "1.0", "1_000", "１", " 1", "1" * 99])
def test_only_plain_digits_are_a_whole_number(cell: str, tmp_path: Path) -> None:
    (row,) = rows(table(tmp_path, f"a,b\n{cell},x\n"), ["a"])
    with pytest.raises(FormatError, match="expected a whole number"):
        row.whole("a")


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("", 1, "the column 'a' is missing"),
        ("b,c\n1,2\n", 1, "the column 'a' is missing; expected a first row that names a"),
        ("a,b,b\n", 1, "there are two columns 'b'"),
        ("a,b\n1,2\n3\n", 3, "the row has 1 cells; expected 2, as the first row has"),
        ("a,b\n1,2,3\n", 2, "the row has 3 cells"),
        ('a,b\n1,2\n"3,4\n5,6\n', 3, "is not CSV"),
        ('a,b\n"1"x,2\n', 2, "is not CSV"),
        ("a,b\r1,2\r", 1, "is not CSV"),
        (b"a,b\n1,2\n3,\xe9\n", 3, "byte 0xe9 is not valid UTF-8"),
        (b"a,b\n" + b"1,2\n" * 9_000 + b"3,\xe9\n", 9_002, "byte 0xe9 is not valid UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), 1, "byte 0xff is not valid UTF-8. Save the table as CSV UTF-8"),
    ],
)  # fmt: skip
def test_bad_table_is_one_error_with_its_line(
    content: str | bytes, line: int, says: str, tmp_path: Path
) -> None:
    path = table(tmp_path, content)
    with pytest.raises(FormatError) as caught:
        cells(path)
    assert says in str(caught.value)
    assert caught.value.where == f"{path}:{line}"


def test_line_and_cell_that_are_too_long_are_rejected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    path = table(tmp_path, f"a,b\n{'x' * 200},1\n")
    with pytest.raises(FormatError, match="longer than 100 characters") as caught:
        cells(path)
    assert caught.value.where == f"{path}:2"
    before = csv.field_size_limit(150)
    try:
        path = table(tmp_path, 'a,b\n1,2\n"' + "xxxxxxxxx\n" * 20 + '",1\n')
        with pytest.raises(FormatError, match=r"is not CSV .*field larger") as caught:
            cells(path)
    finally:
        csv.field_size_limit(before)
    assert caught.value.where == f"{path}:3"
