"""What a person decides about mentions and events: plain values that a file can hold, one per line.

    {"id": "9f3a1c2b5d7e", "time": "2026-03-01T09:30:00Z", "decision": "same", "groups": [[MENTION, MENTION]]}

A decision names mentions by document, characters and text, so it is still about the same words when mentions are found
anew. `docs/review.md` describes the fields.

- `same`: the mentions of the one group are one event.
- `different`: mentions of different groups are not the same event; nothing is said about those of one group.
- `split`: each group is one event, and no two groups are the same.
- `not-an-event`: the mentions refer to no event.
- `rename`: the event with the first of the mentions is called `label`.
- `undo`: the decision whose id is `undoes` is void.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from samevent.corpus import Mention
from samevent.corpus.document import shortened
from samevent.errors import DataError

DecisionKind = Literal["same", "different", "split", "not-an-event", "rename", "undo"]
KINDS: tuple[DecisionKind, ...] = get_args(DecisionKind)
LONGEST_LABEL, LONGEST_NOTE = 300, 2_000
_FIELDS = frozenset("id time decision groups label undoes note".split())
_LEAST_GROUPS = {"same": 1, "different": 2, "split": 2, "not-an-event": 1, "rename": 1, "undo": 0}
_MOST_GROUPS = {"same": 1, "not-an-event": 1, "rename": 1, "undo": 0}


@dataclass(frozen=True, slots=True, order=True)
class MarkedMention:
    """A mention as a person saw it: characters of a document, their text, and the id that it had."""

    document: str
    char_start: int
    char_end: int
    text: str
    id: str = field(default="", compare=False)

    @classmethod
    def of(cls, mention: Mention) -> MarkedMention:
        """Return a mention of a corpus as a decision names it."""
        return cls(mention.document, mention.char_start, mention.char_end, mention.text, mention.id)

    def __str__(self) -> str:
        return f"{shortened(self.text)!r} ({self.document}, {self.char_start}-{self.char_end})"

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "id": self.id,
            "document": self.document,
            "char_start": self.char_start,
            "char_end": self.char_end,
            "text": self.text,
        }

    @classmethod
    def from_json(cls, data: object) -> MarkedMention:
        """Read what `to_json` returned."""
        if not isinstance(data, Mapping):
            raise DataError(f"a mention is {shortened(repr(data))}", expected="an object with its fields")
        document, text, id = (_text(data, name) for name in ("document", "text", "id"))
        start, end = (_number(data, name) for name in ("char_start", "char_end"))
        if not (document and text and 0 <= start < end):
            raise DataError(
                f"a mention of the document {document!r} spans characters {start}-{end}",
                expected="a document, a text, and characters with start < end",
            )
        return cls(document, start, end, text, id)


Group = tuple[MarkedMention, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision; the fields that it needs depend on its kind (see above)."""

    decision: DecisionKind
    groups: tuple[Group, ...] = ()
    label: str | None = None
    undoes: str | None = None
    note: str = ""
    time: str = ""
    id: str = ""

    def __post_init__(self) -> None:
        kind = self.decision
        if kind not in KINDS:
            raise DataError(f"the decision is {kind!r}", expected=f"one of {', '.join(KINDS)}")
        least, most = _LEAST_GROUPS[kind], _MOST_GROUPS.get(kind, len(self.groups))
        if not least <= len(self.groups) <= most or not all(self.groups):
            wanted = str(least) if kind in _MOST_GROUPS else f"{least} or more"
            raise DataError(
                f"the decision {kind!r} has {len(self.groups)} groups of {[len(g) for g in self.groups]} mentions",
                expected=f"{wanted}, each with at least one mention",
            )
        mentions = [mention for group in self.groups for mention in group]
        if len(set(mentions)) < len(mentions):
            twice = next(mention for mention in mentions if mentions.count(mention) > 1)
            raise DataError(f"the decision names {twice} twice", expected="each mention once")
        if kind == "same" and len(mentions) < 2:
            raise DataError("the decision 'same' names one mention", expected="two or more")
        if (self.label is not None) != (kind == "rename") or (self.undoes is not None) != (kind == "undo"):
            raise DataError(
                f"the decision {kind!r} has the label {self.label!r} and undoes {self.undoes!r}",
                expected="a label for rename, the id of a decision for undo, and neither otherwise",
            )
        for name, text, longest in (("label", self.label, LONGEST_LABEL), ("note", self.note, LONGEST_NOTE)):
            if text is not None and len(text) > longest:
                raise DataError(f"the {name} has {len(text):,} characters", expected=f"at most {longest:,}")
        if self.label is not None and not self.label.strip():
            raise DataError("the label is empty", expected="what the event is called")

    @property
    def mentions(self) -> tuple[MarkedMention, ...]:
        """All mentions that it names."""
        return tuple(mention for group in self.groups for mention in group)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        data: dict[str, Any] = {"id": self.id, "time": self.time, "decision": self.decision}
        if self.groups:
            data["groups"] = [[mention.to_json() for mention in group] for group in self.groups]
        known = {"label": self.label, "undoes": self.undoes, "note": self.note or None}
        return data | {name: value for name, value in known.items() if value is not None}

    @classmethod
    def from_json(cls, data: object) -> Decision:
        """Read what `to_json` returned."""
        if not isinstance(data, Mapping):
            raise DataError(f"a decision is {shortened(repr(data))}", expected="an object with its fields")
        if unknown := sorted(set(map(str, data)) - _FIELDS):
            raise DataError(
                f"a decision has the field {unknown[0]!r}", expected=f"some of {', '.join(sorted(_FIELDS))}"
            )
        groups = data.get("groups", [])
        if not (isinstance(groups, list) and all(isinstance(group, list) for group in groups)):
            raise DataError(f"'groups' is {shortened(repr(groups))}", expected="a list of lists of mentions")
        return cls(
            decision=_text(data, "decision"),  # type: ignore[arg-type]  # checked on construction
            groups=tuple(tuple(map(MarkedMention.from_json, group)) for group in groups),
            label=_text(data, "label") if "label" in data else None,
            undoes=_text(data, "undoes") if "undoes" in data else None,
            note=_text(data, "note"),
            time=_text(data, "time"),
            id=_text(data, "id"),
        )


def new_decision(
    decision: DecisionKind,
    groups: Sequence[Sequence[MarkedMention]] = (),
    *,
    label: str | None = None,
    undoes: str | None = None,
    note: str = "",
) -> Decision:
    """Return a decision that is made now, with an id of its own."""
    return Decision(
        decision,
        tuple(map(tuple, groups)),
        label,
        undoes,
        note,
        datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        secrets.token_hex(6),
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise DataError(f"{name!r} is {shortened(repr(value))}", expected="a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{name!r} has half a surrogate pair", expected="whole characters") from error
    return value


def _number(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise DataError(f"{name!r} is {shortened(repr(value))}", expected="a whole number")
    return value
