"""The annotation of one document by a parser, as plain values."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samevent.errors import CorpusError, FormatError

Span = tuple[int, int]
LabelledSpan = tuple[int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """Parallel to `document.tokens`, with token offsets that are 0-based, half-open and of the document.

    `tags` are Penn Treebank tags, `pos` universal ones. `heads[i]` is the token that `i` depends on, by the
    relation `labels[i]`; the root of a sentence is its own head. `chunks` are base noun phrases, `entities`
    named entities with their type. Sentences are those of the document.
    """

    tags: tuple[str, ...]
    pos: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    chunks: tuple[Span, ...] = ()
    entities: tuple[LabelledSpan, ...] = ()

    def __post_init__(self) -> None:
        sizes = {name: len(getattr(self, name)) for name in ("tags", "pos", "lemmas", "heads", "labels")}
        if len(set(sizes.values())) > 1:
            raise CorpusError(
                f"an annotation has {', '.join(f'{n} {name}' for name, n in sizes.items())}",
                expected="one of each for every token",
            )
        _check_heads(self.heads)
        for start, end in (*self.chunks, *((start, end) for start, end, _ in self.entities)):
            if not 0 <= start < end <= len(self):
                raise CorpusError(
                    f"a chunk or entity of an annotation spans tokens {start}-{end}",
                    expected=f"0 <= start < end <= {len(self)}",
                )

    def __len__(self) -> int:
        return len(self.tags)

    def to_bytes(self) -> bytes:
        """Return the annotation as one line of JSON; the same annotation gives the same bytes.

        Strings are numbered in a table and heads stored as distances, because repetition compresses well.
        """
        packed: dict[str, Any] = {name: _packed(getattr(self, name)) for name in _STRINGS}
        packed["heads"] = [head - i for i, head in enumerate(self.heads)]
        packed["chunks"] = self.chunks
        packed["entities"] = self.entities
        return json.dumps(packed, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Annotation:
        """Return the annotation that `to_bytes` wrote."""
        try:
            packed = json.loads(data)
            return cls(
                **{name: _unpacked(*packed[name]) for name in _STRINGS},
                heads=tuple(i + distance for i, distance in enumerate(packed["heads"])),
                chunks=tuple((start, end) for start, end in packed["chunks"]),
                entities=tuple((start, end, sys.intern(label)) for start, end, label in packed["entities"]),
            )
        except (CorpusError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise FormatError(f"the bytes are not those of an annotation ({error})") from error


_STRINGS = ("tags", "pos", "lemmas", "labels")


def _packed(strings: Iterable[str]) -> tuple[list[str], list[int]]:
    table: dict[str, int] = {}
    numbers = [table.setdefault(s, len(table)) for s in strings]
    return list(table), numbers


def _unpacked(table: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    strings = [sys.intern(s) for s in table]
    return tuple(map(strings.__getitem__, numbers))


def _check_heads(heads: tuple[int, ...]) -> None:
    n = len(heads)
    if not n:
        return
    parents = np.array(heads)
    if parents.min() < 0 or parents.max() >= n:
        wrong = next(i for i, head in enumerate(heads) if not 0 <= head < n)
        raise CorpusError(f"token {wrong} has its head at {heads[wrong]}", expected=f"a token, 0 to {n - 1}")
    tops = parents
    for _ in range(n.bit_length()):
        tops = tops[tops]  # each round doubles the steps taken towards the root
    lost = np.flatnonzero(parents[tops] != tops)
    if lost.size:
        raise CorpusError(f"the heads from token {lost[0]} on run in a circle", expected="trees")
