"""What a mention refers to: an interval of dates, a place, quantities, an entity.

Each value has one line of text that people read in tables and that `parse` reads back where a file keeps only text:

    2031-03-04/2031-03-04        a day; 2010-01-01/.. has no known end; P2W is a duration of two weeks
    Los Angeles, California, United States (5368361)
    >=30 person
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import isfinite
from typing import Literal, get_args

from samevent.errors import CorpusError

Source = Literal["argument", "sentence", "document"]
SOURCES: tuple[Source, ...] = get_args(Source)
"""Where the time, place or quantity of an action is stated: by its own argument, in its sentence, by the document."""

_DURATION = re.compile(r"P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?")
_OPEN = ".."
_NAMED = "name:"


@dataclass(frozen=True, slots=True)
class When:
    """Days from `start` to `end`, both inclusive (ISO dates, None if open), or a `duration` (ISO 8601).

    >>> str(When("2031-03-04", "2031-03-04")), str(When(duration="P2W"))
    ('2031-03-04/2031-03-04', 'P2W')
    """

    start: str | None = None
    end: str | None = None
    duration: str | None = None
    source: Source | None = None

    def __post_init__(self) -> None:
        for day in (self.start, self.end):
            if day is not None and not _is_day(day):
                raise CorpusError(
                    f"a mention refers to the day {day!r}", expected="a date such as 2031-03-04"
                )
        if self.duration is not None and not _DURATION.fullmatch(self.duration):
            raise CorpusError(
                f"a mention refers to the duration {self.duration!r}",
                expected="ISO 8601, such as P2W or PT5H",
            )
        bounded = self.start is not None or self.end is not None
        if bounded == (self.duration is not None):
            raise CorpusError(
                f"a mention refers to {self.start}/{self.end} and the duration {self.duration}",
                expected="an interval of dates with at least one end, or else a duration",
            )
        if self.start and self.end and self.start > self.end:
            raise CorpusError(
                f"a mention refers to {self.start}/{self.end}", expected="a start before its end"
            )
        _check_source(self.source)

    def __str__(self) -> str:
        return self.duration or f"{self.start or _OPEN}/{self.end or _OPEN}"

    @classmethod
    def parse(cls, text: str, source: Source | None = None) -> When:
        """Return the time that `str` wrote; a single date is that day."""
        if text.startswith("P"):
            return cls(duration=text, source=source)
        start, _, end = text.partition("/")
        end = end or start
        return cls(None if start == _OPEN else start, None if end == _OPEN else end, source=source)


@dataclass(frozen=True, slots=True)
class Where:
    """A place: its name, its GeoNames id if it is known, and the names of what contains it, the nearest first.

    >>> str(Where("Los Angeles", 5368361, ("California", "United States")))
    'Los Angeles, California, United States (5368361)'
    """

    name: str
    id: int | None = None
    within: tuple[str, ...] = ()
    source: Source | None = None

    def __post_init__(self) -> None:
        if not self.name or not all(self.within):
            raise CorpusError("a mention refers to a place without a name", expected="non-empty names")
        _check_source(self.source)

    def __str__(self) -> str:
        known = "" if self.id is None else f" ({self.id})"
        return ", ".join(self.path) + known

    @property
    def path(self) -> tuple[str, ...]:
        """Its name and those of what contains it."""
        return self.name, *self.within


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number from `low` to `high` (None if unbounded) of a unit; the unit of a bare number is empty.

    >>> [str(Quantity(4, 4, "person")), str(Quantity(30, None, "person")), str(Quantity(24, 96, "person"))]
    ['4 person', '>=30 person', '24-96 person']
    """

    low: float | None
    high: float | None
    unit: str = ""
    source: Source | None = None

    def __post_init__(self) -> None:
        ends = [end for end in (self.low, self.high) if end is not None]
        if not ends or not all(map(isfinite, ends)) or ends != sorted(ends):
            raise CorpusError(
                f"a mention refers to a quantity from {self.low} to {self.high}",
                expected="finite numbers in order, at least one",
            )
        _check_source(self.source)

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            number = f"<={self.high:.15g}" if self.low is None else f">={self.low:.15g}"
        else:
            number = "-".join(f"{end:.15g}" for end in dict.fromkeys((self.low, self.high)))
        return f"{number} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, organisation or thing: an id that mentions across documents share, and its fullest name.

    The id of one that is known by its name alone is that name (`Entity.named`); of one that is only described it is the
    id of a mention, and the name is a description.
    """

    id: str
    name: str

    def __post_init__(self) -> None:
        if not self.id:
            raise CorpusError(
                f"a mention refers to the entity {self.name!r}", expected="an entity with an id"
            )

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"

    @classmethod
    def named(cls, name: str) -> Entity:
        """Return the entity of this name.

        >>> str(Entity.named("Tobias Grell"))
        'Tobias Grell (name:tobias grell)'
        """
        return cls(_NAMED + " ".join(name.lower().split()), name)

    @property
    def is_named(self) -> bool:
        """Whether the name is a proper name."""
        return self.id.startswith(_NAMED)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a mention refers to, as far as it is known.

    An argument has what its own words say. An action has the time, place and quantities of its event; their `source`
    says where they are stated.
    """

    when: When | None = None
    where: Where | None = None
    quantities: tuple[Quantity, ...] = ()
    entity: Entity | None = None

    def __bool__(self) -> bool:
        return bool(self.when or self.where or self.quantities or self.entity)

    @property
    def parts(self) -> tuple[When | Where | Quantity, ...]:
        """All that has a source: time, place and quantities."""
        return tuple(part for part in (self.when, self.where, *self.quantities) if part)

    def completed_by(self, other: Reference) -> Reference:
        """Return this reference, with what it lacks from another one."""
        return replace(
            self,
            when=self.when or other.when,
            where=self.where or other.where,
            quantities=self.quantities or other.quantities,
            entity=self.entity or other.entity,
        )


def common_when(references: Iterable[Reference | None]) -> When | None:
    """Return the interval that most references have, of those that state it best: arguments before sentences.

    Among equals the shorter one, then the earlier one. Durations say nothing about when.
    """
    known = [r.when for r in references if r and r.when and not r.when.duration]
    best = _best_source(when.source for when in known)
    counts = Counter(when for when in known if when.source == best)
    return min(counts, key=lambda when: (-counts[when], _length(when), str(when)), default=None)


def common_where(references: Iterable[Reference | None]) -> Where | None:
    """Return the place that most references have, of those that state it best.

    A place also counts for what lies in it. Among equals the smaller one, then the first by name.
    """
    known = [r.where for r in references if r and r.where]
    best = _best_source(where.source for where in known)
    counts = Counter(where for where in known if where.source == best)

    def votes(place: Where) -> int:
        return sum(n for other, n in counts.items() if place.path[-len(other.path) :] == other.path)

    return min(counts, key=lambda place: (-votes(place), -len(place.path), str(place)), default=None)


def common_who(entities: Iterable[Sequence[Entity]]) -> tuple[Entity, ...]:
    """Return the entities that take part in an event, those of most mentions first, under their first names.

    Entities in less than a quarter of the mentions that name somebody are left out.
    """
    named = [each for each in entities if each]
    names: dict[str, Entity] = {}
    counts: Counter[str] = Counter()
    for each in named:
        for entity in each:
            names.setdefault(entity.id, entity)
            counts[entity.id] += 1
    return tuple(names[id] for id, count in counts.most_common() if 4 * count >= len(named))


def _best_source(sources: Iterable[Source | None]) -> Source | None:
    present = set(sources)
    return next((source for source in (None, *SOURCES) if source in present), None)


def _length(when: When) -> int:
    ends = [date.fromisoformat(day).toordinal() for day in (when.start, when.end) if day]
    return ends[1] - ends[0] if len(ends) == 2 else date.max.toordinal()


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _check_source(source: str | None) -> None:
    if source is not None and source not in SOURCES:
        raise CorpusError(
            f"a mention refers to something with the source {source!r}",
            expected=f"one of {', '.join(SOURCES)}",
        )
