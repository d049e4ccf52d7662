"""Events as people meet them: a label, mentions with the reasons why they are here, documents, dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samevent import notebook
from samevent.corpus import Entity, EventClass, Mention, When, Where
from samevent.corpus.mention import common_class
from samevent.corpus.reference import common_when, common_where
from samevent.corrections import Mark
from samevent.errors import CorpusError, UsageError, check_type, counted

CERTAIN, LIKELY = 0.9, 0.5
"""From which probability on something is almost certain, and likely."""


def in_words(probability: float) -> str:
    """Return a probability in words.

    >>> in_words(0.97), in_words(0.6), in_words(0.2)
    ('almost certain', 'likely', 'unsure')
    """
    return "almost certain" if probability >= CERTAIN else "likely" if probability >= LIKELY else "unsure"


@dataclass(frozen=True, slots=True)
class Reason:
    """What one feature adds to the score of a pair, in words and as a number (log-odds)."""

    about: str
    added: float


@dataclass(frozen=True, slots=True)
class Why:
    """The member of its event that a mention is closest to, and what speaks for and against the two being one.

    `similarity` is what the pair model says of the two alone, `probability` is P(same event) given all mentions.
    Reasons that matter most come first.
    """

    mention: str
    similarity: float
    probability: float
    reasons: tuple[Reason, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "mention": self.mention,
            "similarity": self.similarity,
            "probability": self.probability,
            "reasons": [[reason.about, reason.added] for reason in self.reasons],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Why:
        """Read what `to_json` returned."""
        reasons = tuple(Reason(str(about), float(added)) for about, added in data["reasons"])
        return cls(str(data["mention"]), float(data["similarity"]), float(data["probability"]), reasons)


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """Two mentions of which it is worth asking a person whether they are the same event.

    `probability` is P(same event), and `change` how many pairs the answer is expected to change.
    """

    first: Mention
    second: Mention
    probability: float
    change: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """Mentions of an event that may be another one, by their ids, and how probable that is."""

    mentions: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Belief:
    """How probable it is that all mentions of an event are one event, and the most probable way to split it.

    `likely` is how many mentions are likely to be one event, any two of them: those around the most central one. It is
    0 if no two are, None if unknown.
    """

    probability: float
    alternative: Alternative | None = None
    likely: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        data: dict[str, Any] = {"probability": self.probability}
        if other := self.alternative:
            data["alternative"] = {"mentions": list(other.mentions), "probability": other.probability}
        if self.likely is not None:
            data["likely"] = self.likely
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Belief:
        """Read what `to_json` returned."""
        other = data.get("alternative")
        return cls(
            float(data["probability"]),
            Alternative(tuple(map(str, other["mentions"])), float(other["probability"])) if other else None,
            int(data["likely"]) if "likely" in data else None,
        )


@dataclass(frozen=True, slots=True)
class Member:
    """A mention in its event; `probability` is P(same event) with the others on average, None if it is alone.

    `marks` are the decisions of a person that hold for it.
    """

    mention: Mention
    probability: float | None = None
    why: Why | None = None
    marks: tuple[Mark, ...] = ()


class StoredMember(Member):
    """A member whose reasons lie elsewhere, and are looked up whenever somebody asks for them."""

    __slots__ = ("_whys",)
    _whys: Mapping[str, Why]

    def __init__(
        self,
        mention: Mention,
        probability: float | None,
        whys: Mapping[str, Why],
        marks: tuple[Mark, ...] = (),
    ) -> None:
        known = {"mention": mention, "probability": probability, "_whys": whys, "marks": marks}
        for name, value in known.items():
            object.__setattr__(self, name, value)

    @property
    def why(self) -> Why | None:
        """The reasons why it is here."""
        return self._whys.get(self.mention.id)

    def __eq__(self, other: object) -> bool:
        """Compare values, wherever they lie."""
        return isinstance(other, Member) and (self.mention, self.probability, self.why) == (
            other.mention,
            other.probability,
            other.why,
        )

    __hash__ = Member.__hash__


@dataclass(frozen=True, slots=True)
class Event:
    """An event: the mentions that refer to it.

    Members are in document and reading order; `documents` are ids in the order of the corpus; `dates` are those
    of the documents that have one (ISO, sorted, each once). An event with one member has no `belief`. `copies` is how
    many of its documents are nearly the same text as another of them. `weight` is how much the event matters; what is
    only said, seen or done belongs to the `background`. `who` are the named entities that take part in it.
    """

    id: str
    label: str
    members: tuple[Member, ...]
    documents: tuple[str, ...]
    dates: tuple[str, ...] = ()
    belief: Belief | None = None
    copies: int = 0
    weight: float = 0.0
    background: bool = False
    who: tuple[Entity, ...] = ()

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        count = f"{counted(len(self), 'mention')} in {counted(len(self.documents), 'document')}"
        return f"<Event {self.id}: {self.label} ({count})>"

    def _repr_html_(self) -> str:
        """Show its mentions in a notebook."""
        rows = ((m.mention.document, m.mention.text, m.probability) for m in self.members)
        return notebook.table(repr(self)[1:-1], ("document", "mention", "P(same event)"), rows, len(self))

    @property
    def distinct_documents(self) -> int:
        """The number of its documents, where copies of one text count once."""
        return len(self.documents) - self.copies

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """Its mentions."""
        return tuple(member.mention for member in self.members)

    @property
    def event_class(self) -> EventClass | None:
        """The class of most of its mentions."""
        return common_class(self.mentions)

    @property
    def when(self) -> When | None:
        """When it happened, as most of its mentions say that state it best; None if unknown."""
        return common_when(mention.refers for mention in self.mentions)

    @property
    def where(self) -> Where | None:
        """Where it happened, as most of its mentions say that state it best; None if unknown."""
        return common_where(mention.refers for mention in self.mentions)

    @property
    def probability(self) -> float | None:
        """P(all its members are one event), None if there is only one or nothing is known."""
        return self.belief.probability if self.belief else None

    @property
    def likely(self) -> int | None:
        """How many of its members are likely to be one event, any two of them; None if nothing is known."""
        return self.belief.likely if self.belief else None

    @property
    def in_words(self) -> str:
        """How sure the event is: of a large one, of which one wrong mention is enough, how many mentions are likely."""
        if self.probability is None:
            return ""
        if self.probability < LIKELY and self.likely:
            return f"{self.likely:,} of {len(self):,} likely"
        return in_words(self.probability)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The decisions of a person that hold for its members, each once."""
        return tuple(dict.fromkeys(mark for member in self.members for mark in member.marks))

    @property
    def doubtful(self) -> tuple[Member, ...]:
        """Its members, the least sure first."""
        return tuple(sorted(self.members, key=lambda m: 1.0 if m.probability is None else m.probability))


class Events(Sequence[Event]):
    """The events of a result, numbered by their first mention; looked up by place or by id."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        self._by_id = {event.id: event for event in self._events}

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __getitem__(self, key: int | str) -> Event:  # type: ignore[override]
        if isinstance(key, str):
            if key not in self._by_id:
                raise CorpusError(f"there is no event {key!r} in the result")
            return self._by_id[key]
        return self._events[key]

    def __repr__(self) -> str:
        return f"<Events: {len(self):,}>"

    def _repr_html_(self) -> str:
        """Show the first events in a notebook."""
        return self.to_html(counted(len(self), "event"))

    def to_html(self, heading: str) -> str:
        """Return a table of the first events, as notebooks show it."""
        rows = ((e.id, e.label, len(e), e.distinct_documents, e.probability) for e in self)
        columns = ("event", "label", "mentions", "documents", "P(same event)")
        return notebook.table(heading, columns, rows, len(self))

    def ranked(self, count: int | None = None, *, background: bool = False) -> tuple[Event, ...]:
        """Return the events that matter most, the earlier first among equals; with `background`, those after them."""
        events = (event for event in self._events if background or not event.background)
        return tuple(sorted(events, key=lambda event: (event.background, -event.weight))[:count])

    def largest(self, count: int) -> tuple[Event, ...]:
        """Return the events with most mentions, the earlier first among equals."""
        check_type(count, int, "the number of events")
        if count < 0:
            raise UsageError(f"{count} events cannot be returned", expected="0 or more")
        return tuple(sorted(self._events, key=lambda event: -len(event))[:count])
