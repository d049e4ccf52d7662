"""CSV files that spreadsheets open safely, and rows that know their location.

Written as UTF-8 with a byte-order mark and the quoting of RFC 4180, which Excel opens directly. Semicolons or TABs
between cells and decimal commas, as spreadsheets save them in some countries, can be read too.

No text becomes a formula. Where a spreadsheet could see one start (at the start of a cell, but also after a
semicolon, TAB or line end inside it, where a spreadsheet that expects other separators would split) an apostrophe is
inserted; the reader removes it again.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from samevent.corpus.document import shortened
from samevent.errors import FormatError, located, place
from samevent.formats import files

Cell = str | int | float | None

YES, NO = "yes", "no"
_TRUE, _FALSE = (YES, "true", "1"), (NO, "false", "0")

# Whatever may come between the start of a cell and a formula: separators, blanks, quotes, then apostrophes. The
# lookbehind lets a match begin only where such a run begins, so that long runs do not take quadratic time.
_OPENING = re.compile(r"""(?<![;\s"\0])([;\s"\0]*+)('*+)(?=[=+\-@＝＋－＠])""")
_SEPARATOR = re.compile(r"[;\t\r\n]")
_CONTROL_FIRST = re.compile(r"'*[\t\r\n\0]")
_WHOLE = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row by the names of their columns, and the line where it begins."""

    path: Path
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str | None:
        """Return a cell; an empty or missing one is None."""
        return self.cells.get(column) or None

    def needed(self, column: str) -> str:
        """Return a cell that must not be empty."""
        if (cell := self[column]) is None:
            raise FormatError(f"the cell {column!r} is empty", expected="a value")
        return cell

    def whole(self, column: str) -> int:
        """Return a cell that must be a whole number."""
        if not _WHOLE.fullmatch(cell := self.needed(column)):
            raise FormatError(f"the cell {column!r} is {shortened(cell)!r}", expected="a whole number")
        return int(cell)

    def number(self, column: str) -> float | None:
        """Return a number, possibly with a decimal comma, or None if the cell is empty."""
        if (cell := self[column]) is None:
            return None
        try:
            return float(cell.replace(",", "."))
        except ValueError as error:
            raise FormatError(f"the cell {column!r} is {shortened(cell)!r}", expected="a number") from error

    def flag(self, column: str) -> bool:
        """Return whether a cell says yes; an empty one says no."""
        cell = (self[column] or NO).lower()
        if cell not in _TRUE + _FALSE:
            raise FormatError(f"the cell {column!r} is {shortened(cell)!r}", expected=f"{YES} or {NO}")
        return cell in _TRUE

    def others(self, columns: Collection[str]) -> dict[str, str]:
        """Return the cells of all other named columns."""
        return {name: cell for name, cell in self.cells.items() if name and cell and name not in columns}


def rows(
    path: Path,
    required: Collection[str],
    *,
    encoding: str | None = None,
    checked: Callable[[Path, int], AbstractContextManager[None]] = located,
) -> Iterator[Row]:
    """Yield the rows of a table whose first row names its columns; empty rows are skipped.

    Each row is read inside `checked`, which adds the location to an error, or leaves the row out.
    """
    # The limit on a cell is global to the process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), files.MAX_BYTES))
    lines = _lines(path, encoding or "utf-8")
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=max(",;\t", key=first.count), strict=True)
    header: list[str] = []
    line = 1
    try:
        for row in reader:
            if not header:
                with located(path, line):
                    header = _header(row, required)
            elif any(row):
                with checked(path, line):
                    yield _row(path, line, header, row)
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(
            f"is not CSV ({error}); the rows from here on are not read",
            where=place(path, line),
            expected="cells with quotes in pairs, and lines that end in a line feed",
            hint="correct the row, or open the file in a spreadsheet and save it as CSV UTF-8",
        ) from error


def written(columns: Sequence[str], table: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Yield the content of a table, row by row."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield "\ufeff"
    for row in chain([columns], table):
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def guarded(text: str) -> str:
    """Insert an apostrophe wherever a spreadsheet could read what follows as a formula.

    >>> guarded("=1+1"), guarded("a;-b"), guarded("'=1"), guarded("'tis a-b = c")
    ("'=1+1", "a;'-b", "''=1", "'tis a-b = c")
    """
    text = _OPENING.sub(lambda match: match[0] + "'" if _opens_a_cell(match) else match[0], text)
    return "'" + text if _CONTROL_FIRST.match(text) else text


def unguarded(text: str) -> str:
    """Remove the apostrophes that `guarded` inserted.

    >>> unguarded("'=1+1"), unguarded("a;'-b"), unguarded("''=1"), unguarded("'tis a-b = c")
    ('=1+1', 'a;-b', "'=1", "'tis a-b = c")
    """
    if "'" not in text:
        return text
    if text.startswith("'") and _CONTROL_FIRST.match(text):
        text = text[1:]
    return _OPENING.sub(lambda match: match[0][:-1] if match[2] and _opens_a_cell(match) else match[0], text)


def _opens_a_cell(match: re.Match[str]) -> bool:
    return match.start() == 0 or _SEPARATOR.search(match[1]) is not None


def _lines(path: Path, encoding: str) -> Iterator[str]:
    """Yield the lines with their line ends, which also occur inside cells."""
    number = 0
    with files.opened(path) as stream, io.TextIOWrapper(stream, encoding, newline="\n") as text:
        try:
            while line := text.readline(files.MAX_BYTES + 1):
                number += 1
                if len(line) > files.MAX_BYTES:
                    raise FormatError(
                        f"the line is longer than {files.MAX_BYTES:,} characters", where=place(path, number)
                    )
                yield line.removeprefix("\ufeff") if number == 1 else line
        except UnicodeDecodeError as error:
            # The undecoded bytes begin on the line after the last complete one.
            raise FormatError(
                f"byte 0x{error.object[error.start]:02x} is not valid {encoding.upper()}",
                where=place(path, number + 1 + error.object.count(b"\n", 0, error.start)),
                hint="save the table as CSV UTF-8, or name its encoding (--encoding)",
            ) from error


def _header(row: Sequence[str], required: Collection[str]) -> list[str]:
    header = [unguarded(name) for name in row]
    if missing := [name for name in required if name not in header]:
        raise FormatError(
            f"the column {missing[0]!r} is missing", expected=f"a first row that names {', '.join(required)}"
        )
    if twice := [name for name, count in Counter(header).items() if name and count > 1]:
        raise FormatError(f"there are two columns {twice[0]!r}", expected="every column once")
    return header


def _row(path: Path, line: int, header: Sequence[str], row: Sequence[str]) -> Row:
    if len(row) != len(header):
        raise FormatError(f"the row has {len(row)} cells", expected=f"{len(header)}, as the first row has")
    return Row(path, line, dict(zip(header, map(unguarded, row), strict=True)))
