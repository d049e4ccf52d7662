"""The atoms of segments: the head, the words, the type of phrase and the context.

Segments are all spans of up to `longest` tokens inside a sentence; the one of `length` tokens from token `t` on has the
row `t * longest + length - 1`. Rows of spans that reach beyond the sentence are empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.language.annotation import Annotation
from samevent.language.hashing import Codes, code, mix
from samevent.language.heads import token_depths
from samevent.language.roles.base import Predicate
from samevent.language.roles.encoding import Encoded, subtrees

SEGMENT_ATOMS = (
    "len head.l head.t head.d head.c head.pr head.at top.t tops left right words tags "
    "first.w first.t last.w last.t before.w before.t before.d after.w after.t after.d chunk entity role commas"
).split()
"""Length; lemma, tag, label, class and kind of predicate of the head, and its distance from the end; the tag of the
highest token, and the number of such tokens; whether its subtree ends where the segment does, left and right; all
words, all tags; word and tag of the first and last token and of the tokens around; how the tokens around depend on the
head; the position relative to chunks, names and role fillers; commas inside."""

_FUNCTION = frozenset("ADP AUX CCONJ DET PART PUNCT SCONJ SPACE SYM".split())
_EDGE = np.uint64(code("^"))
_LONG_SEQUENCE = 6
_PICKED = ("w", "l", "t", "d", "c", "pr")
W, L, T, D, C, PR = range(len(_PICKED))
"""Columns of the token atoms that segment atoms use."""


def segment_atoms(
    annotation: Annotation,
    predicates: Iterable[Predicate],
    token: Codes,
    columns: Sequence[str],
    e: Encoded,
    longest: int,
) -> tuple[Codes, NDArray[np.int8]]:
    """Return the atoms of all segments, and the distance of each head from the start.

    `token` has the atoms of the tokens, `columns` their names.
    """
    n = len(e.word)
    content = np.array(
        [
            pos not in _FUNCTION and lemma != "be"
            for pos, lemma in zip(annotation.pos, annotation.lemmas, strict=True)
        ],
        np.bool_,
    )
    comma = np.array([lemma == "," for lemma in annotation.lemmas], np.int64)
    picked = np.ascontiguousarray(token[:, [columns.index(name) for name in _PICKED]])
    atoms, heads = np.zeros((n * longest, len(SEGMENT_ATOMS)), np.uint64), np.zeros(n * longest, np.int8)
    _fill(
        atoms,
        heads,
        longest,
        picked,
        e.head,
        e.first,
        e.last,
        np.array(token_depths(annotation), np.int64),
        content,
        comma,
        *subtrees(e.head),
        *_extents(n, annotation.chunks),
        *_extents(n, [(start, end) for start, end, _ in annotation.entities]),
        e.entity,
        *_fillers(n, predicates),
    )
    return atoms, heads


def _extents(n: int, spans: Iterable[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start and end of the span around each token, -1 outside."""
    start, end = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for first, last in spans:
        start[first:last], end[first:last] = first, last
    return start, end


def _fillers(n: int, predicates: Iterable[Predicate]) -> tuple[NDArray[np.int64], Codes]:
    """Return the end and the role of the filler that starts at each token (0 if none does)."""
    end, role = np.zeros(n, np.int64), np.zeros(n, np.uint64)
    for predicate in predicates:
        for argument in predicate.arguments:
            if argument.end > end[argument.start]:
                end[argument.start], role[argument.start] = argument.end, code(argument.role)
    return end, role


@njit(cache=True)
def _relation(start, end, first, last):  # type: ignore[no-untyped-def]
    """Return the relation to a span: 0 none, 1 equal, 2 its end, 3 its start, 4 inside, 5 covers, 6 crosses."""
    if first < 0:
        return 0
    if first == start:
        return 1 if last == end else 3 if end < last else 5
    if last == end:
        return 2 if start > first else 5
    if first < start:
        return 4 if end < last else 6
    return 5 if last < end else 6


@njit(cache=True)
def _fill(  # type: ignore[no-untyped-def]
    out, heads, longest, token, head, first, last, depth, content, comma, left, right,
    chunk_start, chunk_end, name_start, name_end, name, filler_end, filler_role,
):  # fmt: skip
    for a in range(len(head)):
        top, core, commas = a, -1, 0
        words, tags = np.uint64(1), np.uint64(2)
        for length in range(1, min(longest, last[a] - a) + 1):
            b = a + length
            i = b - 1
            if depth[i] < depth[top]:
                top = i
            if content[i] and (core < 0 or depth[i] < depth[core]):
                core = i
            h = core if core >= 0 else top
            commas += comma[i]
            words = mix(words, token[i, W])
            tags = mix(tags, token[i, T]) if length <= _LONG_SEQUENCE else np.uint64(7)
            tops = 0
            for j in range(a, b):
                if head[j] < a or head[j] >= b or head[j] == j:
                    tops += 1
            heads[a * longest + length - 1] = h - a
            row = out[a * longest + length - 1]
            row[0] = length if length <= 4 else 5 if length <= 6 else 7 if length <= 9 else 10
            row[1] = token[h, L]
            row[2] = token[h, T]
            row[3] = token[h, D]
            row[4] = token[h, C]
            row[5] = token[h, PR]
            row[6] = min(3, b - 1 - h)
            row[7] = token[top, T]
            row[8] = min(3, tops)
            row[9] = 0 if left[top] == a else 1 if left[top] < a else 2
            row[10] = 0 if right[top] == b - 1 else 1 if right[top] >= b else 2
            row[11] = words
            row[12] = tags
            row[13] = token[a, W]
            row[14] = token[a, T]
            row[15] = token[b - 1, W]
            row[16] = token[b - 1, T]
            if a > first[a]:
                row[17] = token[a - 1, W]
                row[18] = token[a - 1, T]
                row[19] = token[a - 1, D] if a <= head[a - 1] < b else 1
            else:
                row[17] = row[18] = row[19] = _EDGE
            if b < last[a]:
                row[20] = token[b, W]
                row[21] = token[b, T]
                row[22] = token[b, D] if a <= head[b] < b else 1
            else:
                row[20] = row[21] = row[22] = _EDGE
            row[23] = _relation(a, b, chunk_start[h], chunk_end[h])
            relation = _relation(a, b, name_start[h], name_end[h])
            row[24] = mix(name[h], np.uint64(relation))
            row[25] = 0
            for start in (a, a - 1):  # a filler, or all of it but its first token, often a preposition
                if start >= first[a] and filler_end[start] == b:
                    row[25] = mix(filler_role[start], np.uint64(a - start))
                    break
            row[26] = min(2, commas)
