"""Why mentions are where they are, as the script of a page gets it: numbers, and words by number.

Reasons are found while the documents of an event are at hand (`reasons_of`), and put together page by page (`packed`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from samevent.corpus import Mention
from samevent.events import Member
from samevent.report.comparison import Spans, compare
from samevent.report.index import Index

MAX_REASONS = 5
"""How many reasons per member the script can show, strongest first."""


class SharedPoint(NamedTuple):
    """Something that two mentions agree on or not, and where their sentences say it."""

    agrees: bool
    words: str
    first: list[int]
    second: list[int]


class Reasons(NamedTuple):
    """Why a mention is where it is; `closest` is the number of the other mention, with two percentages."""

    mention: str
    closest: tuple[int, int, int]
    added: list[tuple[str, int]]
    points: list[SharedPoint]


def reasons_of(members: Iterable[Member], index: Index) -> tuple[Reasons, ...]:
    """Return the reasons of members that have any."""
    return tuple(reasons for member in members if (reasons := _reasons(member, index)))


def _reasons(member: Member, index: Index) -> Reasons | None:
    mention, why = member.mention, member.why
    if why is None or why.mention not in index.mentions:
        return None
    other = index.mentions[why.mention]
    points = [
        SharedPoint(
            point.agrees,
            point.words,
            _in_sentence(index, mention, point.first),
            _in_sentence(index, other, point.second),
        )
        for point in compare(mention, other, index)
    ]
    closest = int(index.mention(other.id)[1:]), round(100 * why.similarity), round(100 * why.probability)
    added = [(reason.about, round(10 * reason.added)) for reason in why.reasons[:MAX_REASONS]]
    return Reasons(index.mention(mention.id)[1:], closest, added, points)


def packed(reasons: Iterable[Reasons]) -> dict[str, Any]:
    """Return reasons as plain values for JSON, in which every word stands once."""
    words: dict[str, int] = {}
    whys: dict[str, list[int]] = {}
    points: dict[str, list[Any]] = {}
    for each in reasons:
        numbers = whys[each.mention] = list(each.closest)
        for about, added in each.added:
            numbers += [words.setdefault(about, len(words)), added]
        if each.points:
            points[each.mention] = [
                [int(point.agrees), words.setdefault(point.words, len(words)), point.first, point.second]
                for point in each.points
            ]
    return {"words": list(words), "whys": whys, "points": points}


def _in_sentence(index: Index, mention: Mention, spans: Spans) -> list[int]:
    """Return where spans begin and end in the sentence of a mention, as scripts count; those elsewhere are left out."""
    document = index.result.corpus[mention.document]
    sentence = document.sentences[document.sentence_of(mention.start)]
    start, end = document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
    edges = [edge for a, b in spans if start <= a and b <= end for edge in (a, b)]
    return [len(document.text[start:edge].encode("utf-16-le")) // 2 for edge in edges]
