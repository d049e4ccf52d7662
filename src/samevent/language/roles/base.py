"""Predicates and their arguments, and how a labelling of them is scored.

Roles are PropBank's, with short names for modifiers: ARG0, ARG1, ARG2, AM-TMP, AM-LOC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

ROLES = ("ARG0", "ARG1", "ARG2", "AM-TMP", "AM-LOC")
"""The roles that events need and that are scored."""

PredicateKind = Literal["verbal", "nominal", "other"]
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class RoleArgument:
    """A role filler: its head word, and tokens `start` to `end`."""

    role: str
    head: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Predicate:
    """A token with arguments; all offsets are tokens of the document."""

    token: int
    kind: PredicateKind
    arguments: tuple[RoleArgument, ...] = ()


def kind_of_tag(tag: str) -> PredicateKind:
    """Return the kind of a predicate with a Penn tag.

    >>> [kind_of_tag(tag) for tag in ("VBD", "NNS", "JJ")]
    ['verbal', 'nominal', 'other']
    """
    return "verbal" if tag.startswith("V") else "nominal" if tag.startswith("N") else "other"


def role_name(label: str) -> str:
    """Return a role label in our spelling.

    >>> [role_name(label) for label in ("A0", "ARGM-TMP", "AM-LOC", "R-A1", "C-ARG1")]
    ['ARG0', 'AM-TMP', 'AM-LOC', 'R-ARG1', 'C-ARG1']
    """
    prefix, name = (label[:2], label[2:]) if label[:2] in ("R-", "C-") else ("", label)
    if name.startswith("ARGM"):
        name = f"AM{name[4:]}"
    elif len(name) > 1 and name[0] == "A" and name[1].isdigit():
        name = f"ARG{name[1:]}"
    return prefix + name


_Labelled = tuple[Predicate, ...]


def role_scores(pairs: Iterable[tuple[_Labelled, _Labelled]], kind: PredicateKind) -> Scores:
    """Return the F1 of each role and of all together (`micro_f1`) for predicates of one kind.

    A pair has the annotated and the predicted predicates of one document. An argument is correct if predicate, role
    and head word agree.
    """
    correct: Counter[str] = Counter()
    annotated: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    for gold, system in pairs:
        kinds = {p.token: p.kind for p in gold}
        expected, answered = _arguments(gold, kinds, kind), _arguments(system, kinds, kind)
        annotated.update(role for _, role, _ in expected)
        predicted.update(role for _, role, _ in answered)
        correct.update(role for _, role, _ in expected & answered)
    scores = {role: _f1(correct[role], annotated[role], predicted[role]) for role in ROLES}
    return {"micro_f1": _f1(correct.total(), annotated.total(), predicted.total()), **scores}


def predicate_scores(pairs: Iterable[tuple[_Labelled, _Labelled]], kind: PredicateKind) -> Scores:
    """Return precision, recall and F1 of finding predicates of one kind."""
    correct = annotated = predicted = 0
    for gold, system in pairs:
        expected, answered = ({p.token for p in side if p.kind == kind} for side in (gold, system))
        correct += len(expected & answered)
        annotated += len(expected)
        predicted += len(answered)
    return {
        "precision": correct / predicted if predicted else 0.0,
        "recall": correct / annotated if annotated else 0.0,
        "f1": _f1(correct, annotated, predicted),
    }


def _arguments(
    predicates: _Labelled, kinds: Mapping[int, PredicateKind], kind: PredicateKind
) -> set[tuple[int, str, int]]:
    """Return the arguments of predicates of one kind; the annotated kind wins over the predicted one."""
    return {
        (p.token, argument.role, argument.head)
        for p in predicates
        if kinds.get(p.token, p.kind) == kind
        for argument in p.arguments
        if argument.role in ROLES
    }


def _f1(correct: int, annotated: int, predicted: int) -> float:
    return 2 * correct / (annotated + predicted) if annotated + predicted else 0.0
