"""Roles from other labellers: PropBank-style CoNLL columns.

Two families of formats are recognized by their look:

- CoNLL-2005, -2011 and -2012: one column per predicate, with brackets such as `(ARG0*` and `*)`. A column belongs to
  the predicate whose row contains `(V*`; columns without `(V*` (parse, names, coreference) are skipped.
- CoNLL-2009: `Y` in the thirteenth column marks a predicate, and from the fifteenth on one column per predicate has the
  role of each argument's head word; the argument is that word alone.

A blank line ends a sentence; lines that start with `#` are skipped. Token offsets count from the start of the sentence;
`attach_roles` maps them onto a document with the same sentences.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from samevent.corpus import Document
from samevent.errors import CorpusError, FormatError, located
from samevent.formats.files import read_lines
from samevent.language.annotation import Annotation
from samevent.language.heads import highest_token, token_depths
from samevent.language.roles.base import Predicate, RoleArgument, kind_of_tag, role_name

_CELL = re.compile(r"((?:\([^()*\s]+)*)\*(\)*)")
_DEPENDENCY_COLUMNS = 14
_FILLPRED, _FIRST_ROLE = 12, 14

Row = list[str]


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """The number of tokens of a sentence and its predicates: token and (role, start, end) of the arguments."""

    size: int
    predicates: tuple[tuple[int, tuple[tuple[str, int, int], ...]], ...]


def read_columns(path: Path) -> list[LabelledSentence]:
    """Read the sentences of a file."""
    return [_sentence(path, first, rows) for first, rows in _blocks(path)]


def attach_roles(
    document: Document, annotation: Annotation, sentences: list[LabelledSentence]
) -> tuple[Predicate, ...]:
    """Return the predicates of labelled sentences in a document with the same sentences; heads come from the parse."""
    sizes, expected = [s.size for s in sentences], [s.end - s.start for s in document.sentences]
    if sizes != expected:
        same = sum(1 for _ in takewhile(bool, map(operator.eq, sizes, expected)))
        raise CorpusError(
            f"{len(sizes)} labelled sentences do not match the {len(expected)} of document {document.id!r}: "
            f"they differ from sentence {same} on",
            expected="the same sentences with the same number of tokens",
        )
    depths = token_depths(annotation)
    predicates = []
    for sentence, place in zip(sentences, document.sentences, strict=True):
        for token, arguments in sentence.predicates:
            spans = [(role, place.start + start, place.start + end) for role, start, end in arguments]
            predicates.append(
                Predicate(
                    place.start + token,
                    kind_of_tag(annotation.tags[place.start + token]),
                    tuple(
                        RoleArgument(r, highest_token(annotation, a, b, depths), a, b) for r, a, b in spans
                    ),
                )
            )
    return tuple(sorted(predicates, key=lambda p: p.token))


def _blocks(path: Path) -> Iterator[tuple[int, list[Row]]]:
    rows: list[Row] = []
    first = 1
    for number, line in read_lines(path):
        if line.startswith("#") and not rows:
            continue
        if not line.strip():
            if rows:
                yield first, rows
            rows = []
        else:
            first = number if not rows else first
            rows.append(line.split("\t") if "\t" in line else line.split())
            if len(rows[-1]) != len(rows[0]):
                with located(path, number):
                    raise FormatError(
                        f"has {len(rows[-1])} columns, but the first line of the sentence has {len(rows[0])}",
                        expected="the same number of columns on every line of a sentence",
                    )
    if rows:
        yield first, rows


def _sentence(path: Path, first: int, rows: list[Row]) -> LabelledSentence:
    columns = list(zip(*rows, strict=True))
    dependencies = len(columns) >= _DEPENDENCY_COLUMNS and set(columns[_FILLPRED]) <= {"_", "Y"}
    predicates = (
        list(_dependency_roles(path, first, columns))
        if dependencies
        else list(_span_roles(path, first, columns))
    )
    return LabelledSentence(len(rows), tuple(sorted(predicates)))


def _dependency_roles(
    path: Path, first: int, columns: list[tuple[str, ...]]
) -> Iterator[tuple[int, tuple[tuple[str, int, int], ...]]]:
    tokens = [i for i, mark in enumerate(columns[_FILLPRED]) if mark == "Y"]
    if len(columns) - _FIRST_ROLE != len(tokens):
        with located(path, first):
            raise FormatError(
                f"has {len(tokens)} predicates and {len(columns) - _FIRST_ROLE} columns of roles",
                expected="one column of roles for each predicate",
            )
    for token, column in zip(tokens, columns[_FIRST_ROLE:], strict=True):
        yield token, tuple((role_name(role), i, i + 1) for i, role in enumerate(column) if role != "_")


def _span_roles(
    path: Path, first: int, columns: list[tuple[str, ...]]
) -> Iterator[tuple[int, tuple[tuple[str, int, int], ...]]]:
    for column in columns:
        if not any("(V*" in cell for cell in column):
            continue
        open_spans: list[tuple[str, int]] = []
        spans: list[tuple[str, int, int]] = []
        for i, cell in enumerate(column):
            with located(path, first + i):
                match = _CELL.fullmatch(cell)
                if match is None:
                    raise FormatError(
                        f"the role column has {cell!r}", expected="a cell such as *, (ARG0*, *) or (V*)"
                    )
                open_spans += [(label, i) for label in match[1].split("(")[1:]]
                for _ in match[2]:
                    if not open_spans:
                        raise FormatError("an argument ends before it starts", expected="a ( before the )")
                    label, start = open_spans.pop()
                    spans.append((label, start, i + 1))
        if open_spans:
            with located(path, first + open_spans[-1][1]):
                raise FormatError(
                    f"{open_spans[-1][0]} starts but never ends", expected="a ) in the same sentence"
                )
        token = next(start for label, start, _ in spans if label == "V")
        arguments = [(role_name(label), a, b) for label, a, b in spans if label not in ("V", "C-V")]
        yield token, tuple(sorted(arguments, key=lambda argument: argument[1:]))
