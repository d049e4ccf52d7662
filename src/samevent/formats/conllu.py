"""CoNLL-U: sentences as rows of ten columns, and the tokens, words and empty nodes in them.

Knows nothing of coreference beyond where it stands: in the `Entity=` of the last column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from samevent.errors import FormatError, located, place
from samevent.formats.base import ReadOptions
from samevent.formats.files import read_lines

NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY = re.compile(r"([0-9]+)\.[0-9]+")


class Row(NamedTuple):
    """A line of a sentence: what is read of its columns."""

    line: int
    id: str
    form: str
    misc: list[str]

    @property
    def gap(self) -> str:
        """What stands between this and the next in the text."""
        return "" if "SpaceAfter=No" in self.misc else " "

    @property
    def entity(self) -> str:
        """The brackets of mentions that begin or end here."""
        return "".join(item.removeprefix("Entity=") for item in self.misc if item.startswith("Entity="))


Nodes = Sequence[tuple[Row, int | None]]
"""What mentions are made of: words with their tokens, and empty nodes without."""


def blocks(path: Path, options: ReadOptions) -> Iterator[tuple[list[tuple[int, str]], list[Row]]]:
    """Go through the sentences: their comments and their rows."""
    comments: list[tuple[int, str]] = []
    rows: list[Row] = []
    for number, line in read_lines(path, encoding=options.encoding):
        with located(path, number):
            if not line.strip():
                yield comments, rows
                comments, rows = [], []
            elif not line.startswith("#"):
                rows.append(_row(number, line))
            elif rows:
                raise FormatError("there is a comment inside a sentence", expected="a blank line before it")
            else:
                comments.append((number, line))
    yield comments, rows


def _row(number: int, line: str) -> Row:
    columns = line.split("\t")
    if len(columns) != 10 or not all(columns):
        raise FormatError(
            f"the line has {len(columns)} columns, {columns.count('')} of them empty",
            expected="10 columns with tabs between them, _ where there is nothing",
        )
    return Row(number, columns[0], columns[1], columns[9].split("|"))


def tokenised(rows: Sequence[Row], offset: int, path: Path) -> tuple[list[str], list[str], Nodes]:
    """Return the tokens of a sentence, what stands after each of them, and the nodes."""
    forms = [row.form for row in rows if NUMBER.fullmatch(row.id)]
    words: list[str] = []
    gaps: list[str] = []
    nodes: list[tuple[Row, int | None]] = []
    word = until = 0
    gap, whole = "", False  # of the multi-word token that reaches to `until`
    for row in rows:
        span, empty = _RANGE.fullmatch(row.id), _EMPTY.fullmatch(row.id)
        if span and until < int(span[1]) == word + 1 <= int(span[2]) <= len(forms) and not row.entity:
            until, gap = int(span[2]), row.gap
            if whole := row.form != "".join(forms[word:until]):
                words.append(row.form)
                gaps.append(gap)
        elif row.id == str(word + 1):
            word += 1
            if word > until or not whole:
                words.append(row.form)
                gaps.append(row.gap if word > until else gap if word == until else "")
            nodes.append((row, offset + len(words) - 1))
        elif empty and empty[1] == str(word):
            nodes.append((row, None))
        else:
            raise FormatError(
                f"the id {row.id!r} {'with an Entity ' * bool(row.entity)}comes after word {word}",
                where=place(path, row.line),
                expected=f"word {word + 1}, an empty node such as {word}.1, or a range of words that begins "
                f"with {word + 1}, ends in this sentence and has no Entity of its own",
            )
    if not words:
        raise FormatError("the sentence has no words", where=place(path, rows[0].line))
    return words, gaps, nodes
