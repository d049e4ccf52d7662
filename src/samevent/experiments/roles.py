"""Evaluation of the role labeller on PropBank EWT, beside the rules, with gold and predicted predicates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from samevent.language.annotate import Annotator
from samevent.language.cache import Cache
from samevent.language.roles import Roles, rules
from samevent.language.roles.base import PredicateKind, predicate_scores, role_scores
from samevent.language.roles.propbank import gold_predicates, read_propbank

KINDS: tuple[PredicateKind, ...] = ("verbal", "nominal")


def measure_roles(
    data: Path, labeller: Roles, *, part: str = "test", progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Return F1 by role: of the labeller on gold predicates by kind, of the rules, and end to end."""
    gold = [g for g in read_propbank(data) if g.split == part]
    annotated = list(Annotator().annotate((g.document for g in gold), cache=Cache(), progress=progress))
    expected = [gold_predicates(g, annotation) for g, (_, annotation) in zip(gold, annotated, strict=True)]
    tokens = [[p.token for p in sentence] for sentence in expected]
    answers = {
        "model": [
            labeller.label(*pair, gold_tokens) for pair, gold_tokens in zip(annotated, tokens, strict=True)
        ],
        "rules": [
            rules.label(annotation, gold_tokens)
            for (_, annotation), gold_tokens in zip(annotated, tokens, strict=True)
        ],
        "end_to_end": [labeller.label(*pair) for pair in annotated],
    }

    def scores(name: str) -> dict[str, dict[str, float]]:
        return {kind: role_scores(zip(expected, answers[name], strict=True), kind) for kind in KINDS}

    by_rules = scores("rules")
    predicates = {
        kind: predicate_scores(zip(expected, answers["end_to_end"], strict=True), kind) for kind in KINDS
    }
    return {
        **scores("model"),
        "rules": by_rules["verbal"] | {"nominal": by_rules["nominal"]},
        "end_to_end": scores("end_to_end") | {"predicates": predicates},
    }
