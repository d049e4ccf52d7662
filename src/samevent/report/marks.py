"""Text with stretches of it marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

from samevent.corpus import Document, Mention
from samevent.report.markup import Safe, escape, together


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """Characters of a text that belong together, and how one piece of them is dressed."""

    stretches: tuple[tuple[int, int], ...]
    dress: Callable[[str], Safe]

    @property
    def length(self) -> int:
        """How many characters it covers."""
        return sum(end - start for start, end in self.stretches)


def stretches(document: Document, mention: Mention) -> tuple[tuple[int, int], ...]:
    """Return the characters of a mention, without the gaps of a discontinuous one."""
    tokens = document.tokens
    return tuple((tokens[a].start, tokens[b - 1].end) for a, b in mention.runs)


def marked(text: str, start: int, end: int, marks: Iterable[Mark]) -> Safe:
    """Return text from `start` to `end` with its marks; where several meet, the shortest is seen.

    >>> from samevent.report.markup import html
    >>> bold = Mark(((2, 6),), lambda piece: html("b", piece))
    >>> marked("a fire & smoke", 0, 8, [bold])
    'a <b>fire</b> &amp;'
    """
    inside = [
        (mark, max(a, start), min(b, end))
        for mark in marks
        for a, b in mark.stretches
        if a < end and b > start
    ]
    if not inside:
        return escape(text[start:end])
    edges = sorted({start, end, *(edge for _, a, b in inside for edge in (a, b))})
    place = {edge: number for number, edge in enumerate(edges)}
    owners: list[Mark | None] = [None] * (len(edges) - 1)
    for mark, a, b in sorted(inside, key=lambda found: -found[0].length):
        owners[place[a] : place[b]] = [mark] * (place[b] - place[a])
    pieces = []
    for owner, run in groupby(range(len(owners)), key=owners.__getitem__):
        places = list(run)
        piece = text[edges[places[0]] : edges[places[-1] + 1]]
        pieces.append(owner.dress(piece) if owner else escape(piece))
    return together(pieces)
