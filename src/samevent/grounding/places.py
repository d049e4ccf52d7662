"""Place names of one document as gazetteer entries.

A name may be that of many places. *City, State* decides; else the place that lies in what the document names otherwise,
a state more than a country, and the one with more inhabitants. Of several places of about one size, none of them in a
state that the document names, nobody can tell. Names that the parser takes for persons are no places, nor are words
that the document also has in lower case; names that the gazetteer lacks stay names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
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
_LARGE = frozenset(("continent", "country", "state"))
_SMALL_TOWN = 10_000
"""A place with fewer inhabitants is meant only if the document names its state, or another place of it."""
_COUNTRY_BONUS, _IMPLIED_BONUS, _STATE_BONUS = 1.2, 0.8, 1.5
"""What it counts if the document names the country of a place, a large city of its state, and the state itself."""
_CLEAR, _MARGIN = 0.9, 0.4
"""A name means the largest of its places by itself if that is so many powers of ten larger than the next one, and
nobody can tell if two of states that the document does not name are closer than the margin."""
_ALIAS = 1.5
"""A place is seldom meant by a name that is not its own, as if it were so many powers of ten smaller."""
_OFFICES = frozenset(
    "sheriff undersheriff prosecutor police department dept dept. office deputy deputies coroner navy army".split()
)
"""Whoever holds or is an office of a place is not the place: *Genesee County Sheriff*."""
_UNITS = frozenset("township county parish borough".split())
"""After a name, these words are a part of it: *Vienna township* is no town called Vienna."""


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
    spans = [span for span in _spans(words, annotation) if not _is_common(words, *span)]
    spans = sorted([*spans, *_located(words, annotation, gazetteer, spans, located)])
    if gazetteer is None:
        return [PlaceName(a, b, Where(_name(words, a, b))) for a, b in spans]
    spans = _whole(words, annotation, spans, gazetteer)
    candidates = [_candidates(words, span, gazetteer) for span in spans]
    outer = [_outer(words, end, gazetteer) for _, end in spans]
    support = _Support(gazetteer)
    for (start, end), numbers, containers in zip(spans, candidates, outer, strict=True):
        support.add(_name(words, start, end), numbers, containers)
    found = []
    for (start, end), numbers, containers in zip(spans, candidates, outer, strict=True):
        name = _name(words, start, end)
        if containers:
            inside = [n for n in numbers if set(gazetteer.containers(n)) & containers]
            if not inside and numbers and not _states(numbers, gazetteer):
                up = gazetteer.where(
                    next(iter(sorted(containers, key=lambda n: -len(gazetteer.containers(n)))))
                )
                found.append(PlaceName(start, end, Where(name, None, up.path)))
                continue
            numbers = inside or numbers
        best = support.meant(name, numbers)
        found.append(PlaceName(start, end, Where(name) if best is None else gazetteer.where(best)))
    return found


class _Support:
    """What the names of a document say about each other."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self._named: dict[int, set[str]] = defaultdict(set)
        self._implied: dict[int, set[str]] = defaultdict(set)

    def add(self, name: str, numbers: Sequence[int], containers: AbstractSet[int]) -> None:
        """Add a name with the places that it may mean, and what it is said to lie in."""
        for number in containers:
            self._named[number].add("")
        for number in numbers:
            if self._gazetteer[number].kind == "state":
                self._named[number].add(name)
        clear = self._clear(name, numbers)
        if clear is not None and not containers and not _obscure(clear, self._gazetteer):
            for number in (clear, *self._gazetteer.containers(clear)):
                self._implied[number].add(name)

    def meant(self, name: str, numbers: Sequence[int]) -> int | None:
        """Return the place that a name means; None if it is unknown, or nobody can tell."""
        if not numbers:
            return None
        bonuses = {number: self._bonus(name, number) for number in numbers}
        scores = {number: self._size(name, number) + bonus for number, bonus in bonuses.items()}
        best = max(numbers, key=lambda number: (scores[number], -number))
        if self._gazetteer[best].kind in _LARGE or bonuses[best] > _COUNTRY_BONUS:
            return best
        rivals = any(
            bonuses[number] > bonuses[best] or scores[best] - scores[number] < _MARGIN
            for number in numbers
            if number != best
        )
        unclear = rivals and self._elsewhere(name) and best != self._clear(name, numbers)
        return None if unclear or _obscure(best, self._gazetteer) else best

    def _bonus(self, name: str, number: int) -> float:
        """Return what it counts that other names lie around a place."""
        bonus = 0.0
        for up in self._gazetteer.containers(number):
            stated, implied = (bool(names.get(up, set()) - {name}) for names in (self._named, self._implied))
            if self._gazetteer[up].kind in ("country", "continent"):
                bonus += _COUNTRY_BONUS if stated or implied else 0.0
            elif stated or implied:
                bonus += _STATE_BONUS if stated else _IMPLIED_BONUS
        return bonus

    def _elsewhere(self, name: str) -> bool:
        """Return whether other names say which state the document is about."""
        return any(
            self._gazetteer[up].kind == "state" and names - {name}
            for known in (self._named, self._implied)
            for up, names in known.items()
        )

    def _size(self, name: str, number: int) -> float:
        known = self._gazetteer[number]
        alias = known.kind not in _SIZE and known.name.casefold() != name.casefold()
        return (_SIZE.get(known.kind) or log10(known.population + 1)) - (_ALIAS if alias else 0.0)

    def _clear(self, name: str, numbers: Sequence[int]) -> int | None:
        """Return the place that a name means by itself: the only one, or one much larger than all others."""
        sizes = sorted(((self._size(name, number), -number) for number in numbers), reverse=True)
        if len(sizes) > 1 and sizes[0][0] - sizes[1][0] < _CLEAR:
            return None
        return -sizes[0][1] if sizes else None


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
        while start < end and _is_no_end(words[end - 1], annotation.pos[end - 1]):
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


def _is_no_end(word: str, pos: str) -> bool:
    """Return whether a word at the end of a name is no part of a place."""
    own = word in ("'s", "’s", "'", "’", ".") and pos != "PROPN"
    return own or word.lower() in _OFFICES or not any(map(str.isalnum, word))


def _is_common(words: Sequence[str], start: int, end: int) -> bool:
    """Return whether a name is a single word that the document also has in lower case."""
    word, after = words[start], words[end : end + 1]
    if end - start > 1 or words[start - 1 : start] == ["in"] or after == [","]:
        return False
    return not word.isupper() and word.lower() in words


def _whole(
    words: Sequence[str], annotation: Annotation, spans: Sequence[tuple[int, int]], gazetteer: Gazetteer
) -> list[tuple[int, int]]:
    """Return names with the word beside them that the parser left out: *Salt Lake City*, not *Lake City*."""
    whole: list[tuple[int, int]] = []
    free = 0

    def belongs(token: int) -> bool:
        return annotation.pos[token] == "PROPN" and words[token][:1].isupper()

    for start, end in spans:
        if start > free and belongs(start - 1) and _candidates(words, (start - 1, end), gazetteer):
            start -= 1
        elif end < len(words) and belongs(end) and _candidates(words, (start, end + 1), gazetteer):
            end += 1
        whole.append((start, end))
        free = end
    return whole


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
    after = " ".join(words[span[1] : span[1] + 1])
    if after.lower() in _UNITS:
        name = f"{name} {after.title()}"
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
