"""When do two mentions of one document tell of the same words?

A predicted mention *matches* a gold mention of the same document and kind when it has

- `exact`: the same covering span,
- `head`: the same head token,
- `overlap`: at least one token in common (of their own tokens: a gap of a discontinuous mention is not its own).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Literal, get_args

from samevent.corpus.mention import Mention
from samevent.errors import CorpusError

Match = Literal["exact", "head", "overlap"]
MATCHES: tuple[Match, ...] = get_args(Match)


def matching(system: Iterable[Mention], gold: Iterable[Mention], match: Match) -> list[Mention]:
    """Return the system mentions that match some gold mention: many may match one, each keeps its own span."""
    marks = _MARKS[match]
    found = {(m.document, m.kind, mark) for m in gold for mark in marks(m)}
    return [m for m in system if any((m.document, m.kind, mark) in found for mark in marks(m))]


def _span(mention: Mention) -> Collection[Hashable]:
    return (mention.span,)


def _head(mention: Mention) -> Collection[Hashable]:
    if mention.head is None:
        raise CorpusError(
            f"mention {mention.id!r} ({mention.text!r}) has no head, so nothing can be matched by heads",
            expected="a head token on every mention, gold and system",
            hint="add heads with `samevent convert FILE OUT --heads`, or match by exact or overlap",
        )
    return (mention.head,)


def _tokens(mention: Mention) -> Collection[Hashable]:
    return mention.tokens


_MARKS: dict[Match, Callable[[Mention], Collection[Hashable]]] = {
    "exact": _span,
    "head": _head,
    "overlap": _tokens,
}
