"""Align gold and system: which mentions are the same, and which clusters they are in.

Documents are paired by id. A gold and a system mention are the same if their spans are: in characters if both
sides have the same text, otherwise in tokens if both have the same number. A system document that the gold lacks
is not scored (as in the official scorer); all mentions of a gold document that the system lacks are missed.
`Pairing.notes` reports both.

A span in two clusters is an error in the gold. In the system's answer the first one counts, in file order, and
later ones are dropped with a note, as the official scorer does with a repeated span that is in the key (its cases
TC-A-8 and TC-A-9), except that it rejects more than ten.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from samevent.corpus import Clustering, Corpus, Document, Kind, Match, Mention, Unit, matching, unit_of
from samevent.corpus.corpus import event_key
from samevent.errors import CorpusError, DataError, check_type
from samevent.scoring.table import ABSENT, Booleans, Integers, Table

Filter = Literal["none", "exact", "head", "overlap"]
FILTERS: tuple[Filter, ...] = get_args(Filter)
Singletons = Literal["keep", "drop", "drop-gold"]
SINGLETONS: tuple[Singletons, ...] = get_args(Singletons)

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """Mentions of both sides as arrays: `unit` and `group` of each, its `gold` and `system` label or ABSENT.

    A group is what a bootstrap draws: a topic if every gold document has one, otherwise a unit.
    """

    unit: Integers
    group: Integers
    gold: Integers
    system: Integers
    units: tuple[str, ...]
    groups: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return the contingency table."""
        return Table.from_labels(self.unit, self.gold, self.system, units=len(self.units))


def pair(
    gold: Corpus,
    system: Corpus | Clustering,
    *,
    unit: Unit = "document",
    filter: Filter = "none",
    singletons: Singletons = "keep",
    kind: Kind = "action",
) -> Pairing:
    """Pair the mentions of one kind; a `Clustering` as system groups the gold mentions."""
    check_type(gold, Corpus, "a corpus with the gold events", hint="samevent.read reads one")
    check_type(system, Corpus | Clustering, "a corpus or a clustering", hint="of a result: result.clustering")
    if isinstance(system, Clustering):
        system = _clustered(gold, system, kind)
    notes = _document_notes(gold, system)
    place = _placing(gold, system)
    gold_mentions = list(gold.mentions(kind))
    system_mentions = [m for m in system.mentions(kind) if m.document in gold]
    if filter != "none":
        system_mentions = _filtered(gold, system, system_mentions, gold_mentions, filter, place)
    in_gold = _clusters(gold_mentions, place, "gold", unique=True)
    in_system = _clusters(system_mentions, place, "system", unique=False)
    if repeats := len(system_mentions) - len(in_system):
        notes.append(f"{repeats} system mentions repeat a span that is already in a cluster and were dropped")

    places = list(in_gold | in_system)
    unit_names = {d.id: unit_of(d, unit) for d in gold}
    by_topic = all(d.topic is not None for d in gold)
    group_names = {d.id: str(d.topic) if by_topic else unit_names[d.id] for d in gold}
    units, groups = (tuple(dict.fromkeys(names.values())) for names in (unit_names, group_names))
    pairing = Pairing(
        unit=_numbered((unit_names[document] for document, _, _ in places), units),
        group=_numbered((group_names[document] for document, _, _ in places), groups),
        gold=_labels(in_gold, places),
        system=_labels(in_system, places),
        units=units,
        groups=groups,
        notes=tuple(notes),
    )
    return _without_singletons(pairing, singletons)


def _document_notes(gold: Corpus, system: Corpus) -> list[str]:
    """Return notes on documents that differ between the sides; raise if no document is shared."""
    missed = [d.id for d in gold if d.id not in system]
    extra = [d.id for d in system if d.id not in gold]
    if len(missed) == len(gold):
        raise DataError(
            f"gold and system have no document in common (gold has {missed[0]!r}, system has {extra[0]!r})",
            expected="the same document ids on both sides",
        )
    notes = []
    if missed:
        notes.append(
            f"{len(missed)} gold documents are missing from the system, first {missed[0]!r}: all mentions missed"
        )
    if extra:
        notes.append(f"{len(extra)} system documents are not in the gold, first {extra[0]!r}: not scored")
    words = [d.id for d in gold if d.id in system and not _same_words(d, system[d.id])]
    if words:
        notes.append(f"the words of {len(words)} documents differ, first {words[0]!r}: compared by position")
    return notes


def _same_words(a: Document, b: Document) -> bool:
    return a.text == b.text or [t.text for t in a.tokens] == [t.text for t in b.tokens]


def _placing(gold: Corpus, system: Corpus) -> Callable[[Mention], Place]:
    """Return the function that gives a mention's place in coordinates that both sides share."""
    by_tokens = set()
    for document in gold:
        if document.id in system and document.text != (other := system[document.id]).text:
            if len(document.tokens) != len(other.tokens):
                raise CorpusError(
                    f"document {document.id!r} has {len(document.tokens)} tokens in gold "
                    f"and {len(other.tokens)} in system, and their texts differ",
                    expected="the same text or the same tokens on both sides",
                )
            by_tokens.add(document.id)

    def place(m: Mention) -> Place:
        return (m.document, *(m.span if m.document in by_tokens else (m.char_start, m.char_end)))

    return place


def _filtered(
    gold: Corpus,
    system: Corpus,
    mentions: list[Mention],
    gold_mentions: list[Mention],
    filter: Match,
    place: Callable[[Mention], Place],
) -> list[Mention]:
    if filter == "exact":
        places = {place(m) for m in gold_mentions}
        return [m for m in mentions if place(m) in places]
    on_gold_tokens = (_moved(m, system[m.document], gold[m.document]) for m in mentions)
    kept = {m.id for m in matching((m for m in on_gold_tokens if m), gold_mentions, filter)}
    return [m for m in mentions if m.id in kept]


def _moved(m: Mention, system: Document, gold: Document) -> Mention | None:
    """Return a system mention on the tokens of the gold document that share its characters, None if there are none."""
    if system.text != gold.text:  # then both have as many tokens
        return m

    def shared(token: int) -> range:
        start, end = system.tokens[token].start, system.tokens[token].end
        return range(
            bisect_right(gold.tokens, start, key=lambda t: t.end),
            bisect_left(gold.tokens, end, key=lambda t: t.start),
        )

    tokens = sorted({number for token in m.tokens for number in shared(token)})
    head = None if m.head is None else next(iter(shared(m.head)), None)
    return (
        replace(m, start=tokens[0], end=tokens[-1] + 1, anchors=tuple(tokens), head=head) if tokens else None
    )


def _clusters(
    mentions: Iterable[Mention], place: Callable[[Mention], Place], side: str, *, unique: bool
) -> dict[Place, tuple[str, ...]]:
    clusters: dict[Place, tuple[str, ...]] = {}
    for m in mentions:
        if clusters.setdefault(place(m), event_key(m)) != event_key(m) and unique:
            raise CorpusError(
                f"the span of mention {m.id!r} ({m.text!r}) is in two {side} clusters",
                expected="every gold span in one cluster",
            )
    return clusters


def _clustered(gold: Corpus, clustering: Clustering, kind: Kind) -> Corpus:
    known = {m.id for m in gold.mentions(kind)}
    unknown = [m for m in clustering.mentions if m not in known]
    if unknown:
        raise CorpusError(
            f"{len(unknown)} mentions of the clustering are not in the gold corpus, first {unknown[0]!r}",
            expected=f"ids of gold {kind} mentions",
            hint="pass the system's corpus instead if it has its own mentions",
        )
    return gold.with_clustering(clustering).filtered(lambda m: m.id in clustering)


def _numbered(names: Iterable[str], known: tuple[str, ...]) -> Integers:
    numbers = {name: i for i, name in enumerate(known)}
    return np.fromiter((numbers[name] for name in names), dtype=np.int64)


def _labels(clusters: dict[Place, tuple[str, ...]], places: list[Place]) -> Integers:
    numbers: dict[tuple[str, ...], int] = {}
    labels = (numbers.setdefault(clusters[p], len(numbers)) if p in clusters else ABSENT for p in places)
    return np.fromiter(labels, dtype=np.int64, count=len(places))


def _without_singletons(pairing: Pairing, singletons: Singletons) -> Pairing:
    """Drop clusters of one mention inside their unit: each side its own, or gold's from both sides."""
    if singletons == "keep":
        return pairing
    gold_alone = _alone(pairing.unit, pairing.gold)
    system_alone = gold_alone if singletons == "drop-gold" else _alone(pairing.unit, pairing.system)
    return replace(
        pairing,
        gold=np.where(gold_alone, ABSENT, pairing.gold),
        system=np.where(system_alone, ABSENT, pairing.system),
    )


def _alone(unit: Integers, label: Integers) -> Booleans:
    width = int(label.max(initial=0)) + 1
    _, index, sizes = np.unique(unit * width + label, return_inverse=True, return_counts=True)
    alone: Booleans = (label != ABSENT) & (sizes[index] == 1)
    return alone
