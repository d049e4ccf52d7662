"""The annotated example sentences of the PropBank frame files, as more to learn from.

Only some predicates of a sentence are annotated. Examples whose predicate or arguments cannot be placed are left out.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from samevent.corpus import Document
from samevent.errors import FormatError, place
from samevent.language.roles.base import role_name
from samevent.language.roles.data import GoldDocument, GoldPredicate

MALFORMED = frozenset(("check.xml", "rend.xml"))
"""The files of release 3.4 that are not well-formed XML. The fault is in an example, so they are read without."""

SPLIT = "examples"
_SENTENCES_A_DOCUMENT = 50
_EXAMPLE = re.compile(rb"<example\b.*?</example>", re.DOTALL)
_NUMBERS = re.compile(r"\d+( \d+)*")


def read_examples(archive: Path, held_out: Collection[str]) -> list[GoldDocument]:
    """Read the examples of the frame files, except sentences whose `fingerprint` is held out for testing."""
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
        _document(start, items[start : start + _SENTENCES_A_DOCUMENT])
        for start in range(0, len(items), _SENTENCES_A_DOCUMENT)
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
    """Return what is left of a sentence when punctuation, spaces and case are ignored.

    >>> fingerprint(["Don", "'t", "go", "!"]) == fingerprint(["don't", "go"])
    True
    """
    return re.sub(r"\W+", "", "".join(words)).lower()


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


def _document(number: int, items: list[tuple[tuple[str, ...], dict[int, GoldPredicate]]]) -> GoldDocument:
    predicates = []
    offset = 0
    for words, found in items:
        for p in found.values():
            arguments = tuple((role, offset + start, offset + end) for role, start, end in p.arguments)
            predicates.append(GoldPredicate(offset + p.token, p.sense, p.tag, arguments))
        offset += len(words)
    document = Document.from_tokens(f"{SPLIT}/{number}", [words for words, _ in items])
    return GoldDocument(document, SPLIT, tuple(predicates))
