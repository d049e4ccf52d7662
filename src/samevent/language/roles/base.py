"""What role labelling is about: predicates and their arguments, whoever found them.

Roles are PropBank's, modifiers written short: ARG0, ARG1, ARG2, AM-TMP, AM-LOC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samevent.language.annotation import Annotation

ROLES = ("ARG0", "ARG1", "ARG2", "AM-TMP", "AM-LOC")
"""The roles that events need, and that are scored."""

PredicateKind = Literal["verbal", "nominal", "other"]


@dataclass(frozen=True, slots=True)
class RoleArgument:
    """What fills a role: its head word, and tokens `start` to `end`."""

    role: str
    head: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Predicate:
    """A token that has arguments; all offsets are tokens of the document."""

    token: int
    kind: PredicateKind
    arguments: tuple[RoleArgument, ...] = ()

    def fillers(self, role: str) -> tuple[RoleArgument, ...]:
        """Return the arguments that have a role."""
        return tuple(argument for argument in self.arguments if argument.role == role)


def kind_of_tag(tag: str) -> PredicateKind:
    """Return the kind of a predicate with this Penn tag.

    >>> [kind_of_tag(tag) for tag in ("VBD", "NNS", "JJ")]
    ['verbal', 'nominal', 'other']
    """
    return "verbal" if tag.startswith("V") else "nominal" if tag.startswith("N") else "other"


def role_name(label: str) -> str:
    """Return a label in our writing.

    >>> [role_name(label) for label in ("A0", "ARGM-TMP", "AM-LOC", "R-A1", "C-ARG1")]
    ['ARG0', 'AM-TMP', 'AM-LOC', 'R-ARG1', 'C-ARG1']
    """
    prefix, name = (label[:2], label[2:]) if label[:2] in ("R-", "C-") else ("", label)
    if name.startswith("ARGM"):
        name = f"AM{name[4:]}"
    elif len(name) > 1 and name[0] == "A" and name[1].isdigit():
        name = f"ARG{name[1:]}"
    return prefix + name


def depths(annotation: Annotation) -> list[int]:
    """Return how far each token is from the root of its sentence."""
    found = [-1] * len(annotation)
    for token in range(len(annotation)):
        path = []
        while found[token] < 0 and annotation.heads[token] != token:
            path.append(token)
            token = annotation.heads[token]
        depth = max(found[token], 0)
        found[token] = depth
        for below in reversed(path):
            depth += 1
            found[below] = depth
    return found


def span_head(annotation: Annotation, start: int, end: int, depth: list[int]) -> int:
    """Return the highest token of a span, the leftmost of several, punctuation last.

    This is the grammatical head (*on Thursday*: on), unlike `heads.head`.
    """
    return min(range(start, end), key=lambda i: (annotation.labels[i] == "punct", depth[i], i))
