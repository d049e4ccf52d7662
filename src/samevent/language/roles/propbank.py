"""The annotated data of role labelling: PropBank on UD English EWT, and the examples in the PropBank frame files.

EWT has one JSON object per sentence, compressed or not: `doc`, `split`, `words`, `tags` (Penn), and `preds` with `i`
(token), `sense`, `pos` and `args` as [role, first, last], inclusive. In the examples only some predicates of a sentence
are annotated; examples whose predicate or arguments cannot be located are left out.
"""

from __future__ import annotations

import json
import lzma
import re
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from samevent.corpus import Document
from samevent.errors import FormatError, place
from samevent.language.annotation import Annotation
from samevent.language.heads import highest_token, token_depths
from samevent.language.roles.base import Predicate, RoleArgument, kind_of_tag, role_name

FILE = "ewt-propbank.jsonl.xz"
AUXILIARIES = frozenset(("be.03", "have.01", "do.01", "get.03"))
"""Senses of auxiliary verbs, which are not predicates."""

MALFORMED = frozenset(("check.xml", "rend.xml"))
"""The files of release 3.4 that are not well-formed XML. The fault is in an example, so examples are skipped."""

EXAMPLES = "examples"
_SENTENCES_PER_DOCUMENT = 50
_EXAMPLE = re.compile(rb"<example\b.*?</example>", re.DOTALL)
_NUMBERS = re.compile(r"\d+( \d+)*")


@dataclass(frozen=True, slots=True)
class GoldPredicate:
    """A predicate as annotated: arguments are (role, start, end), half-open tokens of the document."""

    token: int
    sense: str
    tag: str
    arguments: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """The sentences of one document in one split."""

    document: Document
    split: str
    predicates: tuple[GoldPredicate, ...]


def read_propbank(path: Path) -> list[GoldDocument]:
    """Read the documents of a file, or of the data folder that contains it."""
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
        raise FormatError(f"a sentence is malformed ({error})", where=place(path)) from error


def gold_predicates(gold: GoldDocument, annotation: Annotation) -> tuple[Predicate, ...]:
    """Return the annotated predicates in the form that a labeller returns, without auxiliaries.

    Heads of arguments come from the parse; relative pronouns and continuations (R-, C-) are left out.
    """
    depths = token_depths(annotation)
    return tuple(
        Predicate(
            p.token,
            kind_of_tag(p.tag),
            tuple(
                RoleArgument(role, highest_token(annotation, start, end, depths), start, end)
                for role, start, end in p.arguments
                if not role.startswith(("R-", "C-"))
            ),
        )
        for p in gold.predicates
        if p.sense not in AUXILIARIES
    )


def read_examples(archive: Path, held_out: Collection[str]) -> list[GoldDocument]:
    """Read the examples of the frame files, except sentences whose `fingerprint` is held out."""
    sentences: dict[tuple[str, ...], dict[int, GoldPredicate]] = {}
    for _, root in frame_files(archive):
        for roleset in root.iter("roleset"):
            for example in roleset.iter("example"):
                words = tuple((example.findtext("text") or "").split())
                predicate = _predicate(example, roleset.get("id", ""), len(words))
                if words and predicate and fingerprint(words) not in held_out:
                    sentences.setdefault(words, {}).setdefault(predicate.token, predicate)
    items = list(sentences.items())
    return [
        _example_document(start, items[start : start + _SENTENCES_PER_DOCUMENT])
        for start in range(0, len(items), _SENTENCES_PER_DOCUMENT)
    ]


def frame_files(archive: Path) -> Iterator[tuple[str, Element]]:
    """Yield the location and content of each frame file, the malformed ones without their examples."""
    for name, data in _members(archive):
        yield name, _parse(name, _without_examples(data) if Path(name).name in MALFORMED else data)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(archive) as content:
            names = sorted(name for name in content.namelist() if name.endswith(".xml"))
            for name in names:
                yield place(archive / name), content.read(name)
    except (OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"cannot be read as a zip archive ({error})", where=place(archive)) from error
    if not names:
        raise FormatError(
            "contains no XML file", where=place(archive), expected="the PropBank frame files, `frames/*.xml`"
        )


def _parse(name: str, data: bytes) -> Element:
    if b"<!ENTITY" in data:
        raise FormatError("defines entities", where=name, expected="a frame file, which needs none")
    try:
        return ElementTree.fromstring(data)  # noqa: S314
    except ElementTree.ParseError as error:
        raise FormatError(
            f"is not well-formed XML ({error})",
            where=place(name, error.position[0]),
            hint=f"only {' and '.join(sorted(MALFORMED))} are known to be malformed",
        ) from error


def _without_examples(data: bytes) -> bytes:
    """Return a file without its examples, the line numbers unchanged."""
    return _EXAMPLE.sub(lambda match: b"\n" * match[0].count(b"\n"), data)


def fingerprint(words: Collection[str]) -> str:
    """Return a sentence without punctuation, spaces and case.

    >>> fingerprint(["Don", "'t", "go", "!"]) == fingerprint(["don't", "go"])
    True
    """
    return re.sub(r"\W+", "", "".join(words)).lower()


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


def _predicate(example: Element, sense: str, size: int) -> GoldPredicate | None:
    relation = example.find("propbank/rel")
    place = (relation.get("relloc") or "").strip() if relation is not None else ""
    if not _NUMBERS.fullmatch(place):
        return None
    arguments = list(_arguments(example))
    token = int(place.split()[0])
    if token >= size or any(not 0 <= start < end <= size for _, start, end in arguments):
        return None
    return GoldPredicate(token, sense, "", tuple(arguments))


def _arguments(example: Element) -> Iterator[tuple[str, int, int]]:
    for argument in example.iterfind("propbank/arg"):
        start, end = argument.get("start") or "", argument.get("end") or ""
        if start.isdigit() and end.isdigit():
            yield role_name(argument.get("type") or ""), int(start), int(end) + 1


def _example_document(
    number: int, items: list[tuple[tuple[str, ...], dict[int, GoldPredicate]]]
) -> GoldDocument:
    predicates = []
    offset = 0
    for words, annotated in items:
        for p in annotated.values():
            arguments = tuple((role, offset + start, offset + end) for role, start, end in p.arguments)
            predicates.append(GoldPredicate(offset + p.token, p.sense, p.tag, arguments))
        offset += len(words)
    document = Document.from_tokens(f"{EXAMPLES}/{number}", [words for words, _ in items])
    return GoldDocument(document, EXAMPLES, tuple(predicates))
