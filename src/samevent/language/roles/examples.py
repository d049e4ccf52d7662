"""The annotated example sentences of the PropBank frame files, as more to learn from.

Only some predicates of a sentence are annotated. Examples whose predicate or arguments cannot be placed are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from samevent.corpus import Document
from samevent.language.lexicon.compile_frames import frame_files
from samevent.language.roles.base import role_name
from samevent.language.roles.data import GoldDocument, GoldPredicate

SPLIT = "examples"
_SENTENCES_A_DOCUMENT = 50
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
