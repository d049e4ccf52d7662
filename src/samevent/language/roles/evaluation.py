"""How good a labeller is: an argument counts as found when predicate, role and head word agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from samevent.language.roles.base import ROLES, Predicate, PredicateKind

Labelled = tuple[Predicate, ...]
Scores = dict[str, float]


def role_scores(pairs: Iterable[tuple[Labelled, Labelled]], kind: PredicateKind) -> Scores:
    """Return F1 of each role and of all together (`micro_f1`) for predicates of one kind.

    A pair is what is annotated and what was predicted in one document. Predicates are compared by token: where
    those of the annotation were given, all arguments of wrong predicates are missing by themselves.
    """
    found: Counter[str] = Counter()
    annotated: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    for gold, system in pairs:
        kinds = {p.token: p.kind for p in gold}
        expected, answered = _arguments(gold, kinds, kind), _arguments(system, kinds, kind)
        annotated.update(role for _, role, _ in expected)
        predicted.update(role for _, role, _ in answered)
        found.update(role for _, role, _ in expected & answered)
    scores = {role: _f1(found[role], annotated[role], predicted[role]) for role in ROLES}
    return {"micro_f1": _f1(found.total(), annotated.total(), predicted.total()), **scores}


def predicate_scores(pairs: Iterable[tuple[Labelled, Labelled]], kind: PredicateKind) -> Scores:
    """Return precision, recall and F1 of finding predicates of one kind."""
    found = annotated = predicted = 0
    for gold, system in pairs:
        expected, answered = ({p.token for p in side if p.kind == kind} for side in (gold, system))
        found += len(expected & answered)
        annotated += len(expected)
        predicted += len(answered)
    return {
        "precision": found / predicted if predicted else 0.0,
        "recall": found / annotated if annotated else 0.0,
        "f1": _f1(found, annotated, predicted),
    }


def _arguments(
    predicates: Labelled, kinds: Mapping[int, PredicateKind], kind: PredicateKind
) -> set[tuple[int, str, int]]:
    """Return what is compared; where the annotation knows a predicate, its kind is the annotation's."""
    return {
        (p.token, argument.role, argument.head)
        for p in predicates
        if kinds.get(p.token, p.kind) == kind
        for argument in p.arguments
        if argument.role in ROLES
    }


def _f1(found: int, annotated: int, predicted: int) -> float:
    return 2 * found / (annotated + predicted) if annotated + predicted else 0.0
