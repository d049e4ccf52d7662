"""The role labeller measured on the test part of PropBank on EWT, beside the rules, with given and found predicates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from samevent.language.annotate import Annotator
from samevent.language.cache import Cache
from samevent.language.roles import Roles, rules
from samevent.language.roles.base import PredicateKind
from samevent.language.roles.data import gold_predicates, read_propbank
from samevent.language.roles.evaluation import predicate_scores, role_scores

KINDS: tuple[PredicateKind, ...] = ("verbal", "nominal")


def measure_roles(
    data: Path, labeller: Roles, *, part: str = "test", progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Return F1 by role: the labeller on given predicates by kind, the rules, and both steps end to end."""
    gold = [g for g in read_propbank(data) if g.split == part]
    annotated = list(Annotator().annotate((g.document for g in gold), cache=Cache(), progress=progress))
    expected = [gold_predicates(g, annotation) for g, (_, annotation) in zip(gold, annotated, strict=True)]
    given = [[p.token for p in predicates] for predicates in expected]
    answers = {
        "model": [labeller.label(*pair, tokens) for pair, tokens in zip(annotated, given, strict=True)],
        "rules": [
            rules.label(annotation, tokens) for (_, annotation), tokens in zip(annotated, given, strict=True)
        ],
        "end_to_end": [labeller.label(*pair) for pair in annotated],
    }

    def scores(name: str) -> dict[str, dict[str, float]]:
        return {kind: role_scores(zip(expected, answers[name], strict=True), kind) for kind in KINDS}

    by_rules = scores("rules")
    found = {
        kind: predicate_scores(zip(expected, answers["end_to_end"], strict=True), kind) for kind in KINDS
    }
    return {
        **scores("model"),
        "rules": by_rules["verbal"] | {"nominal": by_rules["nominal"]},
        "end_to_end": scores("end_to_end") | {"predicates": found},
    }
