"""A plain tokeniser for text that arrives without tokens.

It only gives every format tokens to count in. Where the language layer parses a text, its tokens replace these
(see `Document.tokens_given`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from samevent.corpus.headlines import line_sentences

_TOKEN = re.compile(
    r"""(?:[^\W\d_]\.){2,}            # U.S.
      | \d+(?:[.,:/]\d+)*\w*          # 3.5  10:30  1,000  10th
      | ['’](?:s|re|ve|ll|d|m|t)\b    # clitics
      | \w+(?:-\w+)*                  # words, also hyphenated
      | \.{2,} | \S""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = frozenset("\"'”’)]}»")
_MOST_CLOSING = 8
"""How many quotes and brackets may follow a full stop: the limit keeps reading linear in the worst case."""
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof gen sen rep gov lt col sgt st jr sr no vs inc corp co ltd".split()
)


def token_spans(text: str, borders: Iterable[int] = ()) -> list[tuple[int, int]]:
    """Return the character spans of the tokens of `text`, split at every offset in `borders`.

    Borders are the edges of annotated mentions: a mention of half a word gets its own token.

    >>> [("U.S. jets bombed Yida."[a:b]) for a, b in token_spans("U.S. jets bombed Yida.")]
    ['U.S.', 'jets', 'bombed', 'Yida', '.']
    """
    return list(cut((match.span() for match in _TOKEN.finditer(text)), borders))


def cut(spans: Iterable[tuple[int, int]], borders: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield token spans, splitting those that cross a border.

    >>> list(cut([(0, 8), (9, 12)], [3, 9]))
    [(0, 3), (3, 8), (9, 12)]
    """
    cuts = sorted(set(borders))
    at = 0
    for start, end in spans:
        while at < len(cuts) and cuts[at] <= start:
            at += 1
        while at < len(cuts) and cuts[at] < end:
            yield start, cuts[at]
            start = cuts[at]
            at += 1
        yield start, end


def sentence_sizes(text: str, spans: list[tuple[int, int]]) -> list[int]:
    """Return the token count of each sentence: split at blank lines, below headlines and after closing punctuation."""
    begins = line_sentences(text)
    sizes: list[int] = []
    size = 0
    for i in range(len(spans)):
        size += 1
        if i + 1 == len(spans) or spans[i + 1][0] in begins or _ends_sentence(text, spans, i):
            sizes.append(size)
            size = 0
    return sizes


def _ends_sentence(text: str, spans: list[tuple[int, int]], i: int) -> bool:
    next_start = spans[i + 1][0]
    gap = text[spans[i][1] : next_start]
    if gap.count("\n") > 1 or gap.count("\r") > 1:
        return True
    if not gap:
        return False
    stop, least = i, max(0, i - _MOST_CLOSING)
    while stop > least and text[slice(*spans[stop])] in _CLOSING:
        stop -= 1
    mark = text[slice(*spans[stop])]
    if mark[-1] not in ".!?…":
        return False
    if len(mark) > 2 and mark[-1] == "." and mark[0] != ".":
        return False  # U.S.
    before = text[slice(*spans[stop - 1])].lower() if stop else ""
    if mark == "." and (before in _ABBREVIATIONS or (len(before) == 1 and before.isalpha())):
        return False
    return not text[next_start].islower()
