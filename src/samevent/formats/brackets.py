"""Mentions as brackets in a column of tokens, for the formats that write them so."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from samevent.corpus import Mention
from samevent.errors import FormatError


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

    Ends stand before beginnings, longer pieces begin before and end after shorter ones. Pieces of one
    cluster that cross are refused: an end closes what was opened last, so they would be read as nested.
    """
    pieces = sorted(pieces, key=lambda p: (p.start, -p.end))
    for _, cluster in groupby(sorted(pieces, key=attrgetter("cluster")), key=attrgetter("cluster")):
        _refuse_crossing(cluster)
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


def _refuse_crossing(pieces: Iterable[Piece]) -> None:
    """Go through pieces in order of beginning; those still open must contain the next."""
    still_open: list[Piece] = []
    for piece in pieces:
        while still_open and still_open[-1].end <= piece.start:
            still_open.pop()
        if still_open and still_open[-1].end < piece.end:
            one, other = still_open[-1].mention, piece.mention
            raise FormatError(
                f"mentions {one.id!r} ({one.text!r}) and {other.id!r} ({other.text!r}) of one event cross",
                expected="mentions of one event to lie apart or one inside the other",
                hint="remove one of them, or write JSON Lines",
            )
        still_open.append(piece)
