"""What column formats share: brackets around mentions, and the rows of CoNLL-U.

CoNLL-2012 and CorefUD both write mentions as brackets in a column. Of CoNLL-U, sentences are read as rows of ten
columns with their tokens, words and empty nodes; coreference stands in the `Entity=` of the last column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from samevent.corpus import Mention
from samevent.errors import FormatError, located, place
from samevent.formats.base import ReadOptions
from samevent.formats.files import read_lines

NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY = re.compile(r"([0-9]+)\.[0-9]+")


class Piece(NamedTuple):
    """A stretch of tokens to put into brackets; a single token is written as `opening` and `)`."""

    cluster: str
    start: int
    end: int
    opening: str
    closing: str
    mention: Mention


def bracketed(pieces: Iterable[Piece]) -> dict[int, list[str]]:
    """Return the brackets of each token, arranged so that they nest wherever the pieces do.

    Closing brackets come before opening ones, and longer pieces open before and close after shorter ones. Crossing
    pieces of one cluster are an error: a closing bracket closes what was opened last, so they would read as nested.
    """
    pieces = sorted(pieces, key=lambda p: (p.start, -p.end))
    for _, cluster in groupby(sorted(pieces, key=attrgetter("cluster")), key=attrgetter("cluster")):
        _check_nesting(cluster)
    openings: dict[int, list[str]] = {}
    closings: dict[int, list[str]] = {}
    singles: dict[int, list[str]] = {}
    for piece in pieces:
        if piece.end - piece.start == 1:
            singles.setdefault(piece.start, []).append(f"{piece.opening})")
        else:
            openings.setdefault(piece.start, []).append(piece.opening)
            closings.setdefault(piece.end - 1, []).insert(0, piece.closing)
    arranged = {}
    for token in {**openings, **closings, **singles}:
        begin, end, single = openings.get(token, []), closings.get(token, []), singles.get(token, [])
        arranged[token] = end + begin + single if begin else single + end
    return arranged


def _check_nesting(pieces: Iterable[Piece]) -> None:
    """Raise if pieces, sorted by start, cross."""
    still_open: list[Piece] = []
    for piece in pieces:
        while still_open and still_open[-1].end <= piece.start:
            still_open.pop()
        if still_open and still_open[-1].end < piece.end:
            one, other = still_open[-1].mention, piece.mention
            raise FormatError(
                f"mentions {one.id!r} ({one.text!r}) and {other.id!r} ({other.text!r}) of one event cross each other",
                expected="mentions of one event to be disjoint or nested",
                hint="remove one of them, or write JSON Lines",
            )
        still_open.append(piece)


class Row(NamedTuple):
    """A line of a sentence: the columns that are read."""

    line: int
    id: str
    form: str
    misc: list[str]

    @property
    def gap(self) -> str:
        """The white space between this token and the next."""
        return "" if "SpaceAfter=No" in self.misc else " "

    @property
    def entity(self) -> str:
        """The brackets of mentions that start or end here."""
        return "".join(item.removeprefix("Entity=") for item in self.misc if item.startswith("Entity="))


Nodes = Sequence[tuple[Row, int | None]]
"""The nodes that mentions span: words with their token index, empty nodes with None."""


def blocks(path: Path, options: ReadOptions) -> Iterator[tuple[list[tuple[int, str]], list[Row]]]:
    """Yield the comments and the rows of each sentence."""
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
                raise FormatError("comment inside a sentence", expected="a blank line before it")
            else:
                comments.append((number, line))
    yield comments, rows


def _row(number: int, line: str) -> Row:
    columns = line.split("\t")
    if len(columns) != 10 or not all(columns):
        raise FormatError(
            f"the line has {len(columns)} columns, {columns.count('')} of them empty",
            expected="10 columns separated by tabs, _ for an empty one",
        )
    return Row(number, columns[0], columns[1], columns[9].split("|"))


def tokenised(rows: Sequence[Row], offset: int, path: Path) -> tuple[list[str], list[str], Nodes]:
    """Return the tokens of a sentence, the white space after each, and the nodes."""
    forms = [row.form for row in rows if NUMBER.fullmatch(row.id)]
    words: list[str] = []
    gaps: list[str] = []
    nodes: list[tuple[Row, int | None]] = []
    word = until = 0
    gap, whole = "", False  # of the multi-word token that ends at `until`
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
                expected=f"word {word + 1}, an empty node such as {word}.1, or a range of words that starts "
                f"with {word + 1}, ends in this sentence and has no Entity of its own",
            )
    if not words:
        raise FormatError("the sentence has no words", where=place(path, rows[0].line))
    return words, gaps, nodes
