"""Place names of one document as gazetteer entries.

A name may be that of many places. *City, State* decides; else the place that lies in what the document names otherwise,
else the one with most inhabitants. Names that the parser takes for persons are no places, and names that the gazetteer
lacks stay names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log10
from typing import NamedTuple

from samevent.corpus import Where
from samevent.language.annotation import Annotation
from samevent.language.gazetteer import Gazetteer

PLACE_LABELS = frozenset(("GPE", "LOC", "FAC"))
_PEOPLE = frozenset(("PERSON", "NORP", "WORK_OF_ART", "PRODUCT", "LAW"))
_SPEECH = frozenset("say tell add ask explain believe think know testify admit joke laugh smile".split())
"""Whoever does this is a person, or a place that stands for its government."""
_SIZE = {"continent": 9.0, "country": 8.0, "state": 7.0, "county": 4.0}
"""How prominent places of a kind are, as powers of ten; cities have inhabitants."""
_SHARED_BONUS = 2.5
"""What it counts if the document names what contains a place."""


class PlaceName(NamedTuple):
    """A name of a place: its tokens, and the place."""

    start: int
    end: int
    where: Where


def places(words: Sequence[str], annotation: Annotation, gazetteer: Gazetteer | None) -> list[PlaceName]:
    """Return the places that a document names, in order."""
    spans = _spans(words, annotation)
    if gazetteer is None:
        return [PlaceName(a, b, Where(_name(words, a, b))) for a, b in spans]
    candidates = [_candidates(words, span, gazetteer) for span in spans]
    outer = [_outer(words, end, gazetteer) for _, end in spans]
    context: Counter[int] = Counter()
    for numbers, containers in zip(candidates, outer, strict=True):
        if len(numbers) == 1 or containers:
            context.update(containers or {numbers[0], *gazetteer.containers(numbers[0])})
    found = []
    for (start, end), numbers, containers in zip(spans, candidates, outer, strict=True):
        if containers:
            inside = [n for n in numbers if set(gazetteer.containers(n)) & containers]
            if not inside and numbers and not _states(numbers, gazetteer):
                up = gazetteer.where(
                    next(iter(sorted(containers, key=lambda n: -len(gazetteer.containers(n)))))
                )
                found.append(PlaceName(start, end, Where(_name(words, start, end), None, up.path)))
                continue
            numbers = inside or numbers
        if numbers:
            best = max(numbers, key=lambda n: (_score(n, gazetteer, context), -n))
            found.append(PlaceName(start, end, gazetteer.where(best)))
        else:
            found.append(PlaceName(start, end, Where(_name(words, start, end))))
    return found


def _score(number: int, gazetteer: Gazetteer, context: Counter[int]) -> float:
    known = gazetteer[number]
    size = _SIZE.get(known.kind) or log10(known.population + 1)
    shared = any(up in context for up in gazetteer.containers(number)) or number in context
    return size + (_SHARED_BONUS if shared else 0.0)


def _states(numbers: Sequence[int], gazetteer: Gazetteer) -> bool:
    return any(gazetteer[n].kind in ("state", "country", "continent") for n in numbers)


def _spans(words: Sequence[str], annotation: Annotation) -> list[tuple[int, int]]:
    """Return the tokens of names of places: as the parser says, without what it also takes for a person."""
    persons = {
        words[token]
        for start, end, label in annotation.entities
        if label in _PEOPLE
        for token in range(start, end)
    }
    spans = []
    for start, end, label in annotation.entities:
        while start < end and (annotation.pos[start] in ("DET", "ADP", "ADJ") and words[start][:1].islower()):
            start += 1
        while start < end and (
            words[end - 1] in ("'s", "’s", "'", "’", ".") and annotation.pos[end - 1] != "PROPN"
        ):
            end -= 1
        proper = any(annotation.pos[token] == "PROPN" for token in range(start, end))
        if label not in PLACE_LABELS or start == end or not proper or not words[start][:1].isupper():
            continue
        if end - start == 1 and (words[start] in persons or _speaks(annotation, start)):
            continue
        spans.append((start, end))
    return spans


def _speaks(annotation: Annotation, token: int) -> bool:
    """Return whether a word is somebody who says something, such as Jordan."""
    while annotation.labels[token] == "conj":
        token = annotation.heads[token]
    head = annotation.heads[token]
    return annotation.labels[token] == "nsubj" and annotation.lemmas[head].lower() in _SPEECH


def _candidates(words: Sequence[str], span: tuple[int, int], gazetteer: Gazetteer) -> list[int]:
    """Return the places that a name may mean."""
    name = _name(words, *span)
    if len(name) == 2 and name not in ("US", "UK"):
        return []  # ME and IN are states only after a city
    return gazetteer.named(name) or gazetteer.named(
        name.title() if name.isupper() else name.replace("Mt.", "Mount")
    )


def _outer(words: Sequence[str], end: int, gazetteer: Gazetteer) -> set[int]:
    """Return what *City, State* names as the container of the name that ends here."""
    if words[end : end + 1] not in ([","], ["in"]):
        return set()
    for length in (3, 2, 1):
        name = " ".join(words[end + 1 : end + 1 + length])
        for form in (name, f"{name}.", name.replace(" .", ".")):
            numbers = [n for n in gazetteer.named(form) if gazetteer[n].kind in ("state", "country")]
            if numbers:
                return set(numbers)
    return set()


def _name(words: Sequence[str], start: int, end: int) -> str:
    """Return a name as a writer spells it."""
    name = " ".join(words[start:end]).replace(" .", ".").replace(" - ", "-").replace(" 's", "'s")
    return name.removesuffix("'s")
