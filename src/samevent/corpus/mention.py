"""A mention: a span of a document that refers to an action or one of its arguments; and matching of mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, get_args

from samevent.corpus.reference import Entity, Reference
from samevent.errors import CorpusError

Kind = Literal["action", "participant", "time", "location"]
KINDS: tuple[Kind, ...] = get_args(Kind)

EventClass = Literal["occurrence", "state", "reporting", "perception", "aspectual", "causative", "generic"]
EVENT_CLASSES: tuple[EventClass, ...] = get_args(EventClass)
"""The classes of actions that ECB+ annotates, the most frequent first."""

Match = Literal["exact", "head", "overlap"]
MATCHES: tuple[Match, ...] = get_args(Match)

LONGEST = 1000
"""Limit on the tokens of a mention: a small file with many long ones could fill the memory."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A participant, time or place of an event: the id of its mention, and its role if known."""

    mention: str
    role: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A span of one document.

    `start` and `end` count tokens, `char_start` and `char_end` characters; both are 0-based and half-open
    and cover the whole mention. A discontinuous mention also lists its own tokens in `anchors`.
    `event_class` and `negated` (*did not attack*) describe actions, and `clause` says who did what in the words of the
    sentence; `tag` is the label of the original corpus. `refers` is what it refers to in the world, as far as that is
    known.
    Build one with `Document.mention`, which fills in what follows from the document.
    """

    id: str
    document: str
    kind: Kind
    start: int
    end: int
    char_start: int
    char_end: int
    text: str
    anchors: tuple[int, ...] = ()
    head: int | None = None
    event: str | None = None
    within: str | None = None
    arguments: tuple[Argument, ...] = ()
    tag: str | None = None
    event_class: EventClass | None = None
    negated: bool = False
    clause: str | None = None
    probability: float | None = None
    refers: Reference | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The mention's own tokens, without gaps."""
        return self.anchors or tuple(range(self.start, self.end))

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The half-open runs of consecutive tokens: one unless the mention is discontinuous."""
        if not self.anchors:
            return (self.span,)
        edges = [i for i, (a, b) in enumerate(pairwise(self.anchors), 1) if a + 1 < b]
        pieces = [self.anchors[a:b] for a, b in pairwise([0, *edges, len(self.anchors)])]
        return tuple((piece[0], piece[-1] + 1) for piece in pieces)

    @property
    def span(self) -> tuple[int, int]:
        """The covering span in tokens."""
        return self.start, self.end


def named_participants(mention: Mention, known: Mapping[str, Mention]) -> tuple[Entity, ...]:
    """Return the entities with names that take part in an event; `known` are the mentions of its document by id."""
    references = (known[argument.mention].refers for argument in mention.arguments)
    entities = (reference.entity for reference in references if reference)
    return tuple(dict.fromkeys(entity for entity in entities if entity and entity.is_named))


def common_class(mentions: Iterable[Mention]) -> EventClass | None:
    """Return the class that most of the mentions have, the more frequent one in ECB+ among equals; None if unknown."""
    counts = Counter(m.event_class for m in mentions)
    return max((name for name in EVENT_CLASSES if counts[name]), key=counts.__getitem__, default=None)


def mention_id(document: str, start: int, end: int, kind: str) -> str:
    """Return the default id of a mention.

    >>> mention_id("1_10ecbplus", 42, 44, "action")
    '1_10ecbplus:42-44:action'
    """
    return f"{document}:{start}-{end}:{kind}"


def check_kind(kind: object) -> None:
    """Raise unless this is a kind of mentions."""
    if kind not in KINDS:
        raise CorpusError(f"a mention has the kind {kind!r}", expected=f"one of {', '.join(KINDS)}")


def check_mention(mention: Mention) -> None:
    """Raise if a mention is invalid, as far as that shows without its document."""
    m = mention
    if m.kind not in KINDS:
        raise CorpusError(f"mention {m.id!r} has the kind {m.kind!r}", expected=f"one of {', '.join(KINDS)}")
    if m.anchors:
        if list(m.anchors) != sorted(set(m.anchors)):
            raise CorpusError(
                f"mention {m.id!r} lists tokens {list(m.anchors)}", expected="each token once, in order"
            )
        if (m.anchors[0], m.anchors[-1] + 1) != m.span:
            raise CorpusError(
                f"mention {m.id!r} lists tokens {m.anchors[0]}..{m.anchors[-1]} but spans {m.start}-{m.end}",
                expected="the smallest span that covers its tokens",
            )
    if m.end - m.start > LONGEST:
        raise CorpusError(
            f"mention {m.id!r} has {m.end - m.start:,} tokens",
            expected=f"at most {LONGEST:,}",
        )
    if m.head is not None and (m.head not in m.anchors if m.anchors else not m.start <= m.head < m.end):
        raise CorpusError(
            f"mention {m.id!r} has its head at token {m.head}",
            expected=f"one of its own tokens, {m.start}-{m.end}",
        )
    if m.event_class is not None and m.event_class not in EVENT_CLASSES:
        raise CorpusError(
            f"mention {m.id!r} has the event class {m.event_class!r}",
            expected=f"one of {', '.join(EVENT_CLASSES)}",
        )
    if m.kind != "action" and (m.event_class is not None or m.negated or m.clause is not None):
        raise CorpusError(
            f"mention {m.id!r} is a {m.kind} with an event class, a negation or a clause",
            expected="an action",
        )
    if m.probability is not None and not 0 <= m.probability <= 1:
        raise CorpusError(
            f"mention {m.id!r} has the probability {m.probability}", expected="a number from 0 to 1"
        )
    if m.refers and m.kind != "action" and any(part.source for part in m.refers.parts):
        raise CorpusError(
            f"mention {m.id!r} is a {m.kind} that refers to something stated elsewhere",
            expected="a source on the references of actions alone",
        )


def matching(system: Iterable[Mention], gold: Iterable[Mention], match: Match) -> list[Mention]:
    """Return the system mentions that match a gold mention; several may match the same one.

    A mention matches a gold mention of the same document and kind when it has

    - `exact`: the same covering span,
    - `head`: the same head token,
    - `overlap`: at least one own token in common (the gaps of a discontinuous mention are not its own).
    """
    keys_of = _MATCH_KEYS[match]
    gold_keys = {(m.document, m.kind, key) for m in gold for key in keys_of(m)}
    return [m for m in system if any((m.document, m.kind, key) in gold_keys for key in keys_of(m))]


def _span_key(mention: Mention) -> Collection[Hashable]:
    return (mention.span,)


def _head_key(mention: Mention) -> Collection[Hashable]:
    if mention.head is None:
        raise CorpusError(
            f"mention {mention.id!r} ({mention.text!r}) has no head, so it cannot be matched by head",
            expected="a head token on every mention, gold and system",
            hint="add heads with `samevent convert FILE OUT --heads`, or match by exact or overlap",
        )
    return (mention.head,)


def _token_keys(mention: Mention) -> Collection[Hashable]:
    return mention.tokens


_MATCH_KEYS: dict[Match, Callable[[Mention], Collection[Hashable]]] = {
    "exact": _span_key,
    "head": _head_key,
    "overlap": _token_keys,
}
