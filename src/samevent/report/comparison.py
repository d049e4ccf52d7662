"""What two mentions of an event agree on and where they contradict each other, in plain words and in their sentences.

These points are read off what the page shows anyway: words, names, and the times, places and numbers that sentences
state. They say what a person would look for, not what the pair model weighed; that is told by its figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from samevent.corpus import Document, Mention, Quantity, When, Where
from samevent.report.index import Index
from samevent.report.parts import period, stretches
from samevent.similarity.stemming import stem

MAX_NAMED = 3
"""How many shared names are listed."""

_REMEMBERED = 4096
"""How many comparisons are kept: those of an event, hardly ever more."""

Spans = tuple[tuple[int, int], ...]
"""Stretches of characters of a document."""


@dataclass(frozen=True, slots=True)
class Point:
    """Something that two mentions agree on or not, with the words of both that say it."""

    agrees: bool
    words: str
    first: Spans
    second: Spans


def compare(first: Mention, second: Mention, index: Index) -> list[Point]:
    """Return what two mentions agree on, and then what contradicts; the article and the script of a page both ask."""
    key, known = (first.id, second.id), index.compared
    if key not in known:
        if len(known) >= _REMEMBERED:
            known.clear()
        known[key] = _points(first, second, index)
    return known[key]


def _points(first: Mention, second: Mention, index: Index) -> list[Point]:
    one, other = _Side(first, index), _Side(second, index)
    points = [*_word(one, other), *_names(one, other), *_when(one, other), *_where(one, other)]
    points += [*_numbers(one, other), *_who(one, other), *_denied(one, other)]
    return sorted(points, key=lambda point: not point.agrees)


class _Side:
    """One of the two mentions, its arguments, and where they stand."""

    def __init__(self, mention: Mention, index: Index) -> None:
        self.mention = mention
        self.document: Document = index.result.corpus[mention.document]
        fillers = index.fillers(mention.document)
        self.arguments = [
            (argument.role, fillers[argument.mention])
            for argument in mention.arguments
            if argument.mention in fillers
        ]

    @property
    def head(self) -> int:
        """The token that says what happened."""
        return self.mention.end - 1 if self.mention.head is None else self.mention.head

    def spans(self, fillers: Iterable[Mention]) -> Spans:
        """Return where arguments stand."""
        return tuple(stretch for filler in fillers for stretch in stretches(self.document, filler))

    def times(self) -> Spans:
        """Return where the arguments that say when stand."""
        return self.spans(f for _, f in self.arguments if f.kind == "time" and f.refers and f.refers.when)

    def places(self) -> Spans:
        """Return where the arguments that say where stand."""
        return self.spans(f for _, f in self.arguments if f.refers and f.refers.where)

    def counts(self) -> Spans:
        """Return where the arguments with numbers stand."""
        return self.spans(f for _, f in self.arguments if f.refers and f.refers.quantities)


def _word(one: _Side, other: _Side) -> Iterator[Point]:
    tokens = [side.document.tokens[side.head] for side in (one, other)]
    if stem(tokens[0].text.casefold()) == stem(tokens[1].text.casefold()):
        equal = tokens[0].text.casefold() == tokens[1].text.casefold()
        words = "the same word" if equal else f"forms of one word, {tokens[0].text} and {tokens[1].text}"
        yield Point(True, words, *(((token.start, token.end),) for token in tokens))


def _names(one: _Side, other: _Side) -> Iterator[Point]:
    """Yield the names and numbers that arguments of both have in common."""
    named = _by_name(one), _by_name(other)
    shared = sorted(named[0].keys() & named[1].keys())
    # A word of a name that is shared as a whole says nothing more.
    longest = [key for key in shared if not any(key != more and key in more.split() for more in shared)]
    if listed := longest[:MAX_NAMED]:
        spelled = [min(word for side in named for word, _ in side[key]) for key in listed]
        spans = (
            side.spans({filler.id: filler for key in listed for _, filler in by[key]}.values())
            for side, by in zip((one, other), named, strict=True)
        )
        yield Point(True, "both name " + _listed(spelled), *spans)


def _by_name(side: _Side) -> dict[str, list[tuple[str, Mention]]]:
    """Return the participants and places among the arguments, by name and by capitalised words or numbers in them."""
    named: dict[str, list[tuple[str, Mention]]] = {}
    for _, filler in side.arguments:
        if filler.kind == "time":
            continue
        words = {word.strip(".,;:'’\"“”()") for word in filler.text.split() if not word[0].islower()}
        words = {word for word in words if len(word) > 2 or word.isdigit()}
        for word in (words | {_entity(filler)}) - {""}:
            if word.casefold() not in _EMPTY:
                named.setdefault(word.casefold(), []).append((word, filler))
    return named


_EMPTY = frozenset("the and for from his her its their this that one two".split())
"""Words that name nobody, even with a capital."""


def _when(one: _Side, other: _Side) -> Iterator[Point]:
    whens = [_stated(side.mention.refers.when if side.mention.refers else None) for side in (one, other)]
    if whens[0] is None or whens[1] is None:
        return
    first, second = whens[0], whens[1]
    agree = (first.start or "") <= (second.end or "9") and (second.start or "") <= (first.end or "9")
    said = _days(first), _days(second)
    if agree:
        words = (
            f"the same time, {said[0]}" if said[0] == said[1] else f"times that fit: {said[0]}, and {said[1]}"
        )
    else:
        words = f"different times: {said[0]}, and {said[1]}"
    yield Point(agree, words, one.times(), other.times())


def _stated(when: When | None) -> When | None:
    """Return a time that the sentence itself states."""
    stated = when is not None and when.source in ("argument", "sentence") and not when.duration
    return when if stated else None


def _days(when: When) -> str:
    if when.start and when.end:
        return period([when.start, when.end])
    return f"since {period([when.start])}" if when.start else f"until {period([when.end or ''])}"


def _where(one: _Side, other: _Side) -> Iterator[Point]:
    wheres = [side.mention.refers.where if side.mention.refers else None for side in (one, other)]
    first, second = wheres
    if not first or not second or not {first.source, second.source} <= {"argument", "sentence"}:
        return
    paths = [tuple(name.casefold() for name in where.path) for where in (first, second)]
    if paths[0][0] == paths[1][0]:
        yield Point(True, f"the same place, {first.name}", one.places(), other.places())
    elif paths[0][0] in paths[1] or paths[1][0] in paths[0]:
        inner, outer = (first, second) if paths[1][0] in paths[0] else (second, first)
        yield Point(True, f"{inner.name} is in {outer.name}", one.places(), other.places())
    elif _known(first) and _known(second):
        yield Point(False, f"different places: {first.name}, and {second.name}", one.places(), other.places())


def _known(where: Where) -> bool:
    return where.id is not None or bool(where.within)


def _numbers(one: _Side, other: _Side) -> Iterator[Point]:
    """Yield one point about numbers of the same things."""
    counted = [side.mention.refers.quantities if side.mention.refers else () for side in (one, other)]
    pairs = [(a, b) for a in counted[0] for b in counted[1] if a.unit and a.unit == b.unit]
    if not pairs:
        return
    fitting = [pair for pair in pairs if _fit(*pair)]
    first, second = (fitting or pairs)[0]
    said = _amount(first), _amount(second)
    if fitting and said[0] == said[1]:
        words = f"the same number ({first.unit}): {said[0]}"
    else:
        words = f"{'numbers that fit' if fitting else 'different numbers'} ({first.unit}): {said[0]}, and {said[1]}"
    yield Point(bool(fitting), words, one.counts(), other.counts())


def _amount(quantity: Quantity) -> str:
    """Return a number in words.

    >>> [_amount(Quantity(low, high)) for low, high in ((4, 4), (30, None), (None, 9), (2, 1200))]
    ['4', '30 or more', '9 or fewer', '2 to 1,200']
    """
    low, high = (None if end is None else f"{end:,g}" for end in (quantity.low, quantity.high))
    if low is None or high is None:
        return f"{low} or more" if low else f"{high} or fewer"
    return low if low == high else f"{low} to {high}"


def _fit(one: Quantity, other: Quantity) -> bool:
    low = max((q.low for q in (one, other) if q.low is not None), default=float("-inf"))
    high = min((q.high for q in (one, other) if q.high is not None), default=float("inf"))
    return low <= high


def _who(one: _Side, other: _Side) -> Iterator[Point]:
    """Yield a contradiction if different names did it, or if it was done to different names."""
    for role, words in (("ARG0", "done by different names"), ("ARG1", "done to different names")):
        fillers = [[f for r, f in side.arguments if r == role and _entity(f)] for side in (one, other)]
        names = [sorted({_entity(filler) for filler in side}) for side in fillers]
        parts = [{word for name in side for word in name.casefold().split()} for side in names]
        if all(names) and not parts[0] & parts[1] - _EMPTY:
            said = [_listed(side[:MAX_NAMED]) for side in names]
            spans = one.spans(fillers[0]), other.spans(fillers[1])
            yield Point(False, f"{words}: {said[0]}, and {said[1]}", *spans)


def _entity(filler: Mention) -> str:
    """Return the name of the entity of an argument; empty if it is only described."""
    entity = filler.refers.entity if filler.refers else None
    return entity.name if entity and entity.is_named else ""


def _denied(one: _Side, other: _Side) -> Iterator[Point]:
    if one.mention.negated != other.mention.negated:
        yield Point(
            False,
            "one sentence denies it",
            *(tuple(stretches(side.document, side.mention)) for side in (one, other)),
        )


def _listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    >>> _listed(["Yida"]), _listed(["Sudan", "Yida", "the UN"])
    ('Yida', 'Sudan, Yida and the UN')
    """
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
