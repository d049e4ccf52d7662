"""From decisions to the mentions of a run, by document and characters: ids may change when mentions are found anew.

A mention of a decision is that of the run with the same characters, or else the only one that overlaps them. Others
are `missing`, with the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Corpus, Document, Mention
from samevent.corrections.agreement import agreed
from samevent.corrections.decisions import DecisionKind, MarkedMention
from samevent.corrections.file import Corrections
from samevent.errors import DataError
from samevent.partitions.constraints import FREE, PairConstraints, shortest_contradiction

NOT_EVENTS = "not_events"
"""The field of a document that lists the mentions which a person removed."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A decision that holds for a mention: its id and its kind."""

    id: str
    decision: DecisionKind

    def to_json(self) -> dict[str, str]:
        """Return plain values for JSON."""
        return {"id": self.id, "decision": self.decision}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Mark:
        """Read what `to_json` returned."""
        return cls(str(data["id"]), data["decision"])


@dataclass(frozen=True, slots=True)
class Renaming:
    """What an event is called, and the number of that decision: of several the last counts."""

    label: str
    number: int

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"label": self.label, "number": self.number}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Renaming:
        """Read what `to_json` returned."""
        return cls(str(data["label"]), int(data["number"]))


@dataclass(frozen=True, slots=True)
class Missing:
    """A mention of a decision that a run did not find, and why."""

    decision: str
    mention: MarkedMention
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"decision": self.decision, "mention": self.mention.to_json(), "reason": self.reason}


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Decisions as a run can hold them: constraints on the rows of its mentions, marks and names by mention id."""

    constraints: PairConstraints = FREE
    marks: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)
    renamings: Mapping[str, Renaming] = field(default_factory=dict)
    missing: tuple[Missing, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)


UNCORRECTED = Matched()


class NotEvents:
    """Takes mentions out of documents of which a person said that they are no events."""

    def __init__(self, corrections: Corrections) -> None:
        agreement = agreed(corrections)
        self._marked: defaultdict[str, list[tuple[MarkedMention, str]]] = defaultdict(list)
        for number, by in agreement.removed.items():
            mention = agreement.mentions[number]
            self._marked[mention.document].append((mention, _name(corrections, by)))

    def without(self, document: Document) -> Document:
        """Return a document without these mentions; it lists those that it had."""
        removed: dict[str, dict[str, Any]] = {}
        for marked, decision in self._marked.get(document.id, ()):
            mention = find_mention(document, marked)
            if isinstance(mention, Mention):
                removed[mention.id] = {
                    "char_start": mention.char_start,
                    "char_end": mention.char_end,
                    "text": mention.text,
                    "correction": decision,
                }
        if not removed:
            return document
        kept = (
            replace(m, arguments=tuple(a for a in m.arguments if a.mention not in removed))
            for m in document.mentions
            if m.id not in removed
        )
        listed = [*document.extra.get(NOT_EVENTS, ()), *removed.values()]
        return replace(document.with_mentions(kept), extra={**document.extra, NOT_EVENTS: listed})


def match(corrections: Corrections, corpus: Corpus, ids: Sequence[str]) -> Matched:
    """Return what decisions say about the event mentions `ids` of a corpus, which has no removed ones any more."""
    agreement = agreed(corrections)
    rows = {id: row for row, id in enumerate(ids)}
    row_of = np.full(len(agreement.mentions), -1, np.int64)
    reasons: dict[int, str] = {}
    documents: dict[str, Document] = {}
    for number, marked in enumerate(agreement.mentions):
        if marked.document not in corpus:
            reasons[number] = "the document is not in the run"
            continue
        document = documents.get(marked.document) or corpus[marked.document]
        documents[marked.document] = document
        if number in agreement.removed:
            if not _listed(document, marked):
                reasons[number] = _reason(find_mention(document, marked))
            continue
        mention = find_mention(document, marked)
        if isinstance(mention, Mention) and mention.id in rows:
            row_of[number] = rows[mention.id]
        else:
            reasons[number] = _reason(mention)
    must, must_by = _found(row_of, agreement.must_link, agreement.must_by)
    cannot, cannot_by = _found(row_of, agreement.cannot_link, agreement.cannot_by)
    must, must_by = must[must[:, 0] != must[:, 1]], must_by[must[:, 0] != must[:, 1]]
    for at in np.flatnonzero(cannot[:, 0] == cannot[:, 1]).tolist():
        both = agreement.cannot_link[agreement.cannot_by == cannot_by[at]]
        number = next(int(b) for a, b in both.tolist() if row_of[a] == row_of[b] >= 0)
        reasons[number] = "it is one mention of the run with another that it is kept apart from"
    different = cannot[:, 0] != cannot[:, 1]
    cannot, cannot_by = cannot[different], cannot_by[different]
    _check(must, cannot, ids)
    renamings = {
        ids[int(row_of[number])]: Renaming(label, by)
        for number, (by, label) in sorted(agreement.labels.items(), key=lambda item: item[1][0])
        if row_of[number] >= 0
    }
    named = [(int(row_of[number]), by) for number, (by, _) in agreement.labels.items() if row_of[number] >= 0]
    missing = tuple(_missing(corrections, agreement.mentions, reasons))
    return Matched(
        PairConstraints.reduced(must, cannot, len(ids)),
        _marks(corrections, ids, [(must, must_by), (cannot, cannot_by)], named),
        renamings,
        missing,
        {
            "sha256": corrections.digest,
            "decisions": len(corrections),
            "missing": [each.to_json() for each in missing],
        },
    )


def find_mention(document: Document, marked: MarkedMention) -> Mention | str:
    """Return the event mention that a person saw, or why there is none."""
    if document.text[marked.char_start : marked.char_end] != marked.text:
        return "the document has another text there"
    events = [m for m in document.mentions if m.kind == "action"]
    for m in events:
        if (m.char_start, m.char_end) == (marked.char_start, marked.char_end):
            return m
    near = [m for m in events if m.char_start < marked.char_end and marked.char_start < m.char_end]
    if len(near) == 1:
        return near[0]
    return f"{len(near)} event mentions overlap it" if near else "there is no event mention"


def _reason(found: Mention | str) -> str:
    return found if isinstance(found, str) else "it is not among the mentions of the run"


def _listed(document: Document, marked: MarkedMention) -> bool:
    """Return whether a mention was taken out of a document."""
    return any(
        each["char_start"] < marked.char_end and marked.char_start < each["char_end"]
        for each in document.extra.get(NOT_EVENTS, ())
    )


def _found(
    row_of: NDArray[np.int64], pairs: NDArray[np.int32], by: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs as rows, without those of which a mention was not found."""
    rows = row_of[pairs].reshape(-1, 2)
    found = (rows >= 0).all(axis=1)
    return rows[found], by[found]


def _check(must: NDArray[np.int64], cannot: NDArray[np.int64], ids: Sequence[str]) -> None:
    chain = shortest_contradiction(must.astype(np.int32), cannot.astype(np.int32), len(ids))
    if chain:
        raise DataError(
            f"decisions keep {ids[chain[0]]!r} and {ids[chain[-1]]!r} apart and join them: "
            + " - ".join(ids[row] for row in chain),
            hint="two mentions of the decisions are one in this run: undo one of them",
        )


def _marks(
    corrections: Corrections,
    ids: Sequence[str],
    said: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]],
    named: Iterable[tuple[int, int]],
) -> dict[str, tuple[Mark, ...]]:
    """Return the decisions that hold for each mention, by its id, in the order of the decisions."""
    both = [np.array(list(named), np.int64).reshape(-1, 2)]
    for pairs, by in said:
        both += [np.stack([pairs[:, side], by], axis=1) for side in (0, 1)]
    marks: defaultdict[str, list[Mark]] = defaultdict(list)
    for row, by in np.unique(np.concatenate(both), axis=0).tolist():
        marks[ids[row]].append(Mark(_name(corrections, by), corrections.decisions[by].decision))
    return {id: tuple(each) for id, each in marks.items()}


def _missing(
    corrections: Corrections, mentions: Sequence[MarkedMention], reasons: Mapping[int, str]
) -> Iterable[Missing]:
    known = {mention: number for number, mention in enumerate(mentions)}
    for number, decision in corrections.standing:
        for mention in decision.mentions:
            if known[mention] in reasons:
                yield Missing(_name(corrections, number), mention, reasons[known[mention]])


def _name(corrections: Corrections, number: int) -> str:
    return corrections.decisions[number].id or f"line {corrections.lines[number]}"
