"""Limits that keep the time for absurd text linear: text without spaces, and sentences without an end.

spaCy's tokeniser takes quadratic time for what has no spaces, as each quote mark of a long row is split off a copy of
the rest; extraction and association compare the tokens of a sentence with each other. No ordinary text comes near these
limits, so they change no parse of one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from samevent.corpus import Document
from samevent.language.annotation import Annotation
from samevent.language.retokenize import Layout

LONGEST_RUN = 2000
"""Characters without a space that are tokenised at once; the longest addresses of pages are about as long."""
PIECE = 250
"""Characters of a longer run that are tokenised at once."""
LONGEST_SENTENCE = 1000
"""Tokens; the longest sentences of novels have a few hundred."""

_LONG_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")


@dataclass(frozen=True, slots=True)
class PiecewiseTokenizer:
    """A spaCy tokeniser that gets runs of characters without a space in pieces if they are too long."""

    tokenizer: Callable[[str], Any]

    def __call__(self, text: str) -> Any:
        """Return the tokens of a text as a spaCy document."""
        edges = [0, *_cuts(text), len(text)]
        if len(edges) == 2:
            return self.tokenizer(text)
        pieces = [self.tokenizer(text[start:end]) for start, end in pairwise(edges)]
        return type(pieces[0]).from_docs(pieces, ensure_whitespace=False)


def _cuts(text: str) -> Iterator[int]:
    for run in _LONG_RUN.finditer(text):
        yield from range(run.start() + PIECE, run.end(), PIECE)


def with_short_sentences(
    document: Document, layout: Layout, annotation: Annotation
) -> tuple[Layout, Annotation]:
    """Cut sentences that are too long, but not inside a mention of the document; each piece becomes a tree."""
    if max(layout.sentences, default=0) <= LONGEST_SENTENCE:
        return layout, annotation
    starts = [start for start, _ in layout.tokens]
    joined = {
        token
        for m in document.mentions
        for token in range(bisect_right(starts, m.char_start), bisect_left(starts, m.char_end))
    }
    sizes: list[int] = []
    for start, end in pairwise([0, *accumulate(layout.sentences)]):
        while end - start > LONGEST_SENTENCE:
            cut = next((i for i in range(start + LONGEST_SENTENCE, end) if i not in joined), end)
            sizes.append(cut - start)
            start = cut
        if start < end:
            sizes.append(end - start)
    return replace(layout, sentences=tuple(sizes)), _with_trees(annotation, sizes)


def _with_trees(annotation: Annotation, sizes: list[int]) -> Annotation:
    """Give each sentence one tree, and drop chunks and entities that end outside theirs."""
    heads, labels = list(annotation.heads), list(annotation.labels)
    edges = [0, *accumulate(sizes)]
    for start, end in pairwise(edges):
        roots = [i for i in range(start, end) if heads[i] == i or not start <= heads[i] < end]
        for root in roots:
            heads[root], labels[root] = roots[0], "ROOT" if root == roots[0] else "dep"

    def inside(start: int, end: int) -> bool:
        return end <= edges[bisect_right(edges, start)]

    return replace(
        annotation,
        heads=tuple(heads),
        labels=tuple(labels),
        chunks=tuple(chunk for chunk in annotation.chunks if inside(*chunk)),
        entities=tuple(entity for entity in annotation.entities if inside(*entity[:2])),
    )
