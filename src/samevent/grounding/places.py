"""Place names of one document as gazetteer entries.

A name may be that of many places. *City, State* decides; else the place that lies in what the document names otherwise,
else the one with most inhabitants. Names that the parser takes for persons are no places, and names that the gazetteer
lacks stay names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log10
from typing import NamedTuple

from samevent.corpus import Where
from samevent.language.annotation import Annotation
from samevent.language.gazetteer import Gazetteer

PLACE_LABELS = frozenset(("GPE", "LOC", "FAC"))
_PEOPLE = frozenset(("PERSON", "NORP", "WORK_OF_ART", "PRODUCT", "LAW"))
_GROUPS = frozenset(("ORG", "NORP", "WORK_OF_ART", "PRODUCT", "LAW", "EVENT", "LANGUAGE"))
_INSIDE = frozenset("in at near off outside inside from around".split())
"""After these words even what the parser takes for a person is a place."""
_SPEECH = frozenset("say tell add ask explain believe think know testify admit joke laugh smile".split())
"""Whoever does this is a person, or a place that stands for its government."""
_SIZE = {"continent": 9.0, "country": 8.0, "state": 7.0, "county": 4.0}
"""How prominent places of a kind are, as powers of ten; cities have inhabitants."""
_SMALL_TOWN = 10_000
"""A place with fewer inhabitants is meant only if the document names its state, or another place of it."""
_SHARED_BONUS = 2.5
"""What it counts if the document names what contains a place."""


class PlaceName(NamedTuple):
    """A name of a place: its tokens, and the place."""

    start: int
    end: int
    where: Where


def places(
    words: Sequence[str],
    annotation: Annotation,
    gazetteer: Gazetteer | None,
    located: Iterable[tuple[int, int]] = (),
) -> list[PlaceName]:
    """Return the places that a document names, in order; `located` are the spans of known locations."""
    spans = _spans(words, annotation)
    spans = sorted([*spans, *_located(words, annotation, gazetteer, spans, located)])
    if gazetteer is None:
        return [PlaceName(a, b, Where(_name(words, a, b))) for a, b in spans]
    candidates = [_candidates(words, span, gazetteer) for span in spans]
    outer = [_outer(words, end, gazetteer) for _, end in spans]
    context: Counter[int] = Counter()
    named_in: dict[int, set[str]] = defaultdict(set)
    for (start, end), numbers, containers in zip(spans, candidates, outer, strict=True):
        if len(numbers) == 1 or containers:
            around = containers or {numbers[0], *gazetteer.containers(numbers[0])}
            context.update(around)
            for number in around:
                named_in[number].add("" if containers else _name(words, start, end))
        for number in numbers:
            if gazetteer[number].kind == "state":
                named_in[number].add(_name(words, start, end))
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
            name = _name(words, start, end)
            known = not _obscure(best, gazetteer) or any(
                named_in[up] - {name} for up in gazetteer.containers(best) if gazetteer[up].kind != "country"
            )
            found.append(PlaceName(start, end, gazetteer.where(best) if known else Where(name)))
        else:
            found.append(PlaceName(start, end, Where(_name(words, start, end))))
    return found


def _score(number: int, gazetteer: Gazetteer, context: Counter[int]) -> float:
    known = gazetteer[number]
    size = _SIZE.get(known.kind) or log10(known.population + 1)
    shared = any(up in context for up in gazetteer.containers(number)) or number in context
    return size + (_SHARED_BONUS if shared else 0.0)


def _obscure(number: int, gazetteer: Gazetteer) -> bool:
    """Return whether a place is so small that its name alone, such as Earth (Texas), does not mean it."""
    known = gazetteer[number]
    return known.kind not in _SIZE and known.population < _SMALL_TOWN


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
        inside = start > 0 and words[start - 1].lower() in ("in", "near")
        if words[end : end + 1] == ["and"] and persons.intersection(words[end + 1 : end + 2]):
            inside = False  # in Woodward and Bernstein's book
        if end - start == 1 and not inside and (words[start] in persons or _speaks(annotation, start)):
            continue
        spans.append((start, end))
    return spans


def _located(
    words: Sequence[str],
    annotation: Annotation,
    gazetteer: Gazetteer | None,
    spans: Sequence[tuple[int, int]],
    located: Iterable[tuple[int, int]],
) -> Iterator[tuple[int, int]]:
    """Yield the names that locations consist of where the parser saw no place, such as *in Kestry*."""
    seen = {token for span in spans for token in range(*span)}
    labels = {token: label for start, end, label in annotation.entities for token in range(start, end)}
    for start, end in located:
        while start < end and annotation.pos[start] in ("ADP", "DET") and annotation.pos[start] != "PROPN":
            start += 1
        tokens = range(start, end)
        if (
            start == 0
            or start == end
            or words[start - 1].lower() not in _INSIDE
            or not seen.isdisjoint(tokens)
            or any(annotation.pos[t] != "PROPN" or not words[t][:1].isupper() for t in tokens)
        ):
            continue
        found = {labels.get(token, "") for token in tokens}
        if found <= {"", "PERSON"} or (
            gazetteer and found <= _GROUPS and _candidates(words, (start, end), gazetteer)
        ):
            yield start, end


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
