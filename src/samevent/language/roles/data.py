"""PropBank on UD English EWT: sentences with predicates, their senses and arguments.

One JSON object a sentence, compressed or not: `doc`, `split`, `words`, `tags` (Penn), and `preds` with `i` (token),
`sense`, `pos` and `args` as [role, first, last], inclusive.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samevent.corpus import Document
from samevent.errors import FormatError, place
from samevent.language.annotation import Annotation
from samevent.language.roles.base import Predicate, RoleArgument, depths, kind_of_tag, role_name, span_head

FILE = "ewt-propbank.jsonl.xz"
AUXILIARIES = frozenset(("be.03", "have.01", "do.01", "get.03"))
"""Senses of verbs that only help another: no predicates of their own."""


@dataclass(frozen=True, slots=True)
class GoldPredicate:
    """A predicate as annotated: arguments are (role, start, end), half-open tokens of the document."""

    token: int
    sense: str
    tag: str
    arguments: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """The sentences of one document that belong to one part of the data."""

    document: Document
    split: str
    predicates: tuple[GoldPredicate, ...]


def read_propbank(path: Path) -> list[GoldDocument]:
    """Read the documents of a file, or of the data folder that holds it."""
    path = path / FILE if path.is_dir() else path
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number, line in _lines(path):
        try:
            sentence = json.loads(line)
            groups.setdefault((sentence["split"], sentence["doc"]), []).append(sentence)
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(
                f"is not a sentence with roles ({type(error).__name__}: {error})", where=place(path, number)
            ) from error
    try:
        return [_document(f"{split}/{name}", split, sentences) for (split, name), sentences in groups.items()]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FormatError(f"a sentence cannot be understood ({error})", where=place(path)) from error


def gold_predicates(gold: GoldDocument, annotation: Annotation) -> tuple[Predicate, ...]:
    """Return the annotated predicates in the form that a labeller gives, auxiliaries left out.

    Heads of arguments are taken from the parse; relative pronouns and continuations (R-, C-) do not count.
    """
    depth = depths(annotation)
    return tuple(
        Predicate(
            p.token,
            kind_of_tag(p.tag),
            tuple(
                RoleArgument(role, span_head(annotation, start, end, depth), start, end)
                for role, start, end in p.arguments
                if not role.startswith(("R-", "C-"))
            ),
        )
        for p in gold.predicates
        if p.sense not in AUXILIARIES
    )


def _document(id: str, split: str, sentences: list[dict[str, Any]]) -> GoldDocument:
    predicates = []
    offset = 0
    for sentence in sentences:
        for p in sentence["preds"]:
            arguments = tuple((role_name(r), offset + a, offset + b + 1) for r, a, b in p["args"])
            predicates.append(GoldPredicate(offset + p["i"], p["sense"], p["pos"], arguments))
        offset += len(sentence["words"])
    document = Document.from_tokens(id, [s["words"] for s in sentences])
    return GoldDocument(document, split, tuple(predicates))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as stream:
            yield from enumerate(stream, 1)
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read ({error})", where=place(path)) from error
