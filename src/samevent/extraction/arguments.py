"""Who did what to whom, when and where: adds arguments to the events of a document.

All participants, times and locations of a sentence belong to each of its events; roles then tell them apart. For an
event and a kind, the arguments that fill a role of the event are kept, with the role; if none does, all of the sentence
are kept, without a role. In detail:

- The predicate of an event is the one at its head. A mention is in the sentence of its head.
- An argument fills a role if its head is inside the filler and, within the filler, not below a verb or another event.
  In *police arrested the man who shot Bob*, Bob has no part in the arrest; in *they said that Sudan bombed Yida*, Sudan
  has no part in the saying. The shortest of several fillers counts.
- The possessor of an event is its ARG0, unless the labeller found another ARG0 or gave the possessor another role.
  Whether a compound is agent or patient (*police raid*, *drug raid*) is left to the labeller.
- An argument never contains the head of its event.
- No argument is more than `REACH` tokens away.
- Existing arguments of an event are kept. Events in a line with the address of a page get none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import KINDS, Argument, Document, Kind, Mention
from samevent.errors import CorpusError
from samevent.language.annotation import Annotation
from samevent.language.heads import head, phrase_type, with_heads
from samevent.language.roles import Predicate, RoleArgument, Roles
from samevent.language.roles.base import kind_of_tag
from samevent.language.roles.encoding import subtrees

KIND_OF_ROLE: Mapping[str, Kind] = {
    "ARG0": "participant",
    "ARG1": "participant",
    "ARG2": "participant",
    "AM-TMP": "time",
    "AM-LOC": "location",
}
"""The kind of mention that fills each role; other roles are ignored."""

REACH = 100
"""The maximal distance of an argument in tokens: anything longer is a list or a table, not a sentence."""

_Headed = tuple[Mention, int]
_Phrase = tuple[int, int, Kind, int]
"""Start, end, kind and head of a new mention."""


class Parsed(NamedTuple):
    """A document with its parse, its predicates in the order of the text, and what an encoder makes of its tokens.

    `tags` has the scores of `language.encoder.tagging.TAGS`, one row per token; None without an encoder. `states` are
    what these are computed from, for documents to learn from.
    """

    document: Document
    annotation: Annotation
    predicates: tuple[Predicate, ...]
    tags: NDArray[np.float32] | None = None
    states: NDArray[np.float16] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """How events get their arguments.

    With `whole_sentence`, an event without role fillers of a kind gets all arguments of its sentence; otherwise none.
    With `add_fillers`, a filler that contains no mention of its kind becomes one: a time or place up to its first
    clause, a participant as a noun with its compounds, each conjunct separately. Clauses, relative pronouns, other
    events and spans that would overlap a mention of the same kind are left out. An extracted time or place around such
    a filler whose head is a participant of the event is cut down to the filler.
    """

    whole_sentence: bool = True
    add_fillers: bool = False


DEFAULT = Association()


def label_events(
    roles: Roles, document: Document, annotation: Annotation, predicates: Iterable[Predicate] | None = None
) -> tuple[Predicate, ...]:
    """Return the predicates of a document (default: those that the labeller finds) and the head of every event."""
    labelled = tuple(roles.label(document, annotation) if predicates is None else predicates)
    events = {
        head(annotation, m.start, m.end, m.tokens) if m.head is None else m.head
        for m in document.mentions
        if m.kind == "action"
    }
    missing = events - {predicate.token for predicate in labelled}
    more = roles.label(document, annotation, missing) if missing else ()
    return tuple(sorted((*labelled, *more), key=lambda predicate: predicate.token))


def associate(
    document: Document,
    annotation: Annotation,
    predicates: Iterable[Predicate],
    *,
    settings: Association = DEFAULT,
) -> Document:
    """Return the document with heads on its mentions and arguments on its events."""
    document = with_heads(document, annotation)
    parse = _parse(document, annotation)
    events = _events_to_complete(document, annotation, predicates)
    if settings.add_fillers:
        document = _narrowed(document, annotation, events)
        document = document.with_mentions([*document.mentions, *_new_mentions(document, parse, events)])
    around = _arguments_by_sentence(document)
    chosen = {event.id: _chosen(parse, event, around[event.sentence], settings) for event in events}
    return document.with_mentions(
        replace(m, arguments=chosen[m.id]) if m.id in chosen else m for m in document.mentions
    )


@dataclass(frozen=True, slots=True)
class _Event:
    """An event without arguments; its shortest fillers come first."""

    id: str
    head: int
    sentence: int
    fillers: tuple[RoleArgument, ...]

    def of_kind(self, kind: Kind) -> list[RoleArgument]:
        return [filler for filler in self.fillers if KIND_OF_ROLE[filler.role] == kind]


@dataclass(frozen=True, slots=True)
class _Parse:
    """A parse with its closed tokens, verbs and heads of events: their dependents belong to them alone."""

    annotation: Annotation
    closed: frozenset[int]

    def fills(self, token: int, filler: RoleArgument) -> bool:
        """Return whether a token is inside a filler and neither it nor a token above it in the filler is closed."""
        if not filler.start <= token < filler.end:
            return False
        while token not in self.closed:
            above = self.annotation.heads[token]
            if above == token or not filler.start <= above < filler.end:
                return True
            token = above
        return False


def _parse(document: Document, annotation: Annotation) -> _Parse:
    """Close verbs and events, except words that are also heads of arguments."""
    verbs = {i for i, tag in enumerate(annotation.tags) if kind_of_tag(tag) == "verbal"}
    events = {m.head for m in document.mentions if m.kind == "action" and m.head is not None}
    arguments = {m.head for m in document.mentions if m.kind != "action"}
    return _Parse(annotation, frozenset(verbs | (events - arguments)))


def _events_to_complete(
    document: Document, annotation: Annotation, predicates: Iterable[Predicate]
) -> list[_Event]:
    """Return the events without arguments, outside addresses."""
    by_token = {predicate.token: predicate for predicate in predicates}
    _check_predicates(document, by_token.values())
    owners = _possessors(annotation)
    events = []
    for m in document.mentions:
        if m.kind != "action" or m.arguments or m.head is None:
            continue
        sentence = document.sentence_of(m.head)
        if not document.sentences[sentence].is_url:
            fillers = _fillers(by_token.get(m.head), owners.get(m.head))
            events.append(_Event(m.id, m.head, sentence, fillers))
    return events


def _check_predicates(document: Document, predicates: Iterable[Predicate]) -> None:
    for predicate in predicates:
        if max(predicate.token + 1, *(a.end for a in predicate.arguments), 0) > len(document.tokens):
            raise CorpusError(
                f"the predicate at token {predicate.token} does not fit document {document.id!r}, "
                f"which has {len(document.tokens)} tokens",
                expected="predicates that were labelled in this document",
            )


def _possessors(annotation: Annotation) -> dict[int, RoleArgument]:
    """Return the possessor of each word as its ARG0."""
    left, right = subtrees(np.array(annotation.heads, np.int32))
    return {
        owned: RoleArgument("ARG0", owner, int(left[owner]), int(right[owner]) + 1)
        for owner, owned in enumerate(annotation.heads)
        if annotation.labels[owner] == "poss"
    }


def _fillers(predicate: Predicate | None, owner: RoleArgument | None) -> tuple[RoleArgument, ...]:
    fillers = [a for a in predicate.arguments if a.role in KIND_OF_ROLE] if predicate else []
    if owner and not any(a.role == "ARG0" or a.start <= owner.head < a.end for a in fillers):
        fillers.append(owner)
    return tuple(sorted(fillers, key=lambda a: (a.end - a.start, a.start)))


def _arguments_by_sentence(document: Document) -> Mapping[int, Sequence[_Headed]]:
    arguments: dict[int, list[_Headed]] = defaultdict(list)
    for m in document.mentions:
        if m.kind != "action" and m.head is not None:
            arguments[document.sentence_of(m.head)].append((m, m.head))
    return arguments


def _chosen(
    parse: _Parse, event: _Event, around: Sequence[_Headed], settings: Association
) -> tuple[Argument, ...]:
    chosen: list[Argument] = []
    near = [(m, top) for m, top in around if abs(top - event.head) <= REACH and not _has(m, event.head)]
    for kind in KINDS:
        fillers = event.of_kind(kind)
        possible = [(m, top) for m, top in near if m.kind == kind]
        roles = [next((a.role for a in fillers if parse.fills(top, a)), None) for _, top in possible]
        if any(roles) or not settings.whole_sentence:
            chosen += [Argument(m.id, role) for (m, _), role in zip(possible, roles, strict=True) if role]
        else:
            chosen += [Argument(m.id) for m, _ in possible]
    return tuple(chosen)


def _has(mention: Mention, token: int) -> bool:
    return token in mention.anchors if mention.anchors else mention.start <= token < mention.end


def _narrowed(document: Document, annotation: Annotation, events: Iterable[_Event]) -> Document:
    """Cut extracted times and places down to the filler they contain if their head takes part in the event.

    *Sudan bombs a camp in Chad*: the camp takes part, Chad is the place.
    """
    around = _arguments_by_sentence(document)
    cut: dict[str, Mention] = {}
    for event in events:
        taking_part = {filler.head for filler in event.of_kind("participant")}
        for filler in event.fillers:
            kind = KIND_OF_ROLE[filler.role]
            for m, top in around[event.sentence]:
                inside = m.start <= filler.start and filler.end <= m.end
                if (
                    kind == m.kind != "participant"
                    and m.probability is not None
                    and inside
                    and top in taking_part
                ):
                    start, end = filler.start, filler.end
                    own = head(annotation, start, end)
                    cut[m.id] = document.mention(kind, start, end, head=own, probability=m.probability)
    return document.with_mentions(cut.get(m.id, m) for m in document.mentions) if cut else document


def _new_mentions(document: Document, parse: _Parse, events: Iterable[_Event]) -> Iterator[Mention]:
    """Yield new mentions for fillers that contain none of their kind; of two that overlap, the longer one."""
    around = _arguments_by_sentence(document)
    taken = {(m.kind, token) for m in document.mentions for token in m.tokens}
    phrases: set[_Phrase] = set()
    for event in events:
        for filler in event.fillers:
            kind = KIND_OF_ROLE[filler.role]
            if not any(m.kind == kind and parse.fills(top, filler) for m, top in around[event.sentence]):
                phrases.update(_phrases(parse, filler))
    for start, end, kind, top in sorted(phrases, key=lambda phrase: (phrase[0] - phrase[1], phrase)):
        own = {(kind, token) for token in range(start, end)}
        if not own & taken:
            taken |= own
            yield document.mention(kind, start, end, head=top)


def _phrases(parse: _Parse, filler: RoleArgument) -> Iterator[_Phrase]:
    """Yield the phrases of a filler: participants one by one, a time or place as a whole."""
    annotation, kind = parse.annotation, KIND_OF_ROLE[filler.role]
    top = head(annotation, filler.start, filler.end)
    for word in _conjuncts(annotation, top, filler) if kind == "participant" else {top}:
        if not parse.fills(word, filler) or annotation.tags[word].startswith("W"):
            continue
        if kind != "participant":
            yield *_extent(parse, word, filler), kind, word
        elif phrase_type(annotation, word, word + 1) == "NP":
            yield _first_compound(annotation, word, filler), word + 1, kind, word


def _conjuncts(annotation: Annotation, first: int, filler: RoleArgument) -> set[int]:
    """Return a word and its conjuncts."""
    conjuncts = {first}
    for token in range(first + 1, filler.end):
        if annotation.labels[token] == "conj" and annotation.heads[token] in conjuncts:
            conjuncts.add(token)
    return conjuncts


def _first_compound(annotation: Annotation, noun: int, filler: RoleArgument) -> int:
    start = noun
    while start > filler.start and annotation.labels[start - 1] == "compound":
        start -= 1
    return start


def _extent(parse: _Parse, word: int, filler: RoleArgument) -> tuple[int, int]:
    """Return the span around a word that fills the role with it, without punctuation at the edges."""
    start, end = word, word + 1
    while parse.fills(start - 1, filler):
        start -= 1
    while parse.fills(end, filler):
        end += 1
    labels = parse.annotation.labels
    while start < word and labels[start] == "punct":
        start += 1
    while end > word + 1 and labels[end - 1] == "punct":
        end -= 1
    return start, end
