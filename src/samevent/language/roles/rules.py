"""Roles by rules over the parse: a baseline from grammar alone.

Subjects are agents unless the verb is passive, objects are patients; the possessor of a noun is its agent, its *of*
its patient. A verb without a subject inherits that of the verb above it; in a relative clause the noun above stands for
the relative pronoun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from samevent.language.annotation import Annotation
from samevent.language.roles.base import Predicate, RoleArgument, kind_of_tag

_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass"))
_RELATIVE = frozenset(("WDT", "WP", "WRB", "WP$"))
_SHARING = frozenset(("conj", "xcomp"))
_TIMES = frozenset(
    "now then today tomorrow yesterday tonight soon later ago already still when never always again".split()
)
_PLACES = frozenset("here there where everywhere nearby abroad".split())
_IN_TIME = frozenset(("DATE", "TIME"))
_IN_SPACE = frozenset(("GPE", "LOC", "FAC"))


def label(annotation: Annotation, predicates: Iterable[int]) -> tuple[Predicate, ...]:
    """Return these predicates with their arguments."""
    children: list[list[int]] = [[] for _ in range(len(annotation))]
    for token, head in enumerate(annotation.heads):
        if head != token:
            children[head].append(token)
    entity = {i: name for start, end, name in annotation.entities for i in range(start, end)}
    labelled = []
    for token in predicates:
        kind = kind_of_tag(annotation.tags[token])
        rules = _verb if kind == "verbal" else _noun
        pairs = {head: role for role, head in rules(annotation, children, entity, token) if head != token}
        labelled.append(
            Predicate(token, kind, tuple(RoleArgument(r, h, h, h + 1) for h, r in sorted(pairs.items())))
        )
    return tuple(labelled)


def _verb(
    a: Annotation, children: list[list[int]], entity: dict[int, str], verb: int
) -> Iterator[tuple[str, int]]:
    below = {label: child for child in reversed(children[verb]) for label in (a.labels[child],)}
    copula = a.lemmas[verb] == "be"
    passive = (
        "nsubjpass" in below
        or "auxpass" in below
        or (a.tags[verb] == "VBN" and a.labels[verb] in ("acl", "amod"))
    )
    subject_role = "ARG1" if passive or copula else "ARG0"
    subject = _subject(a, children, verb)
    if subject is not None:
        yield subject_role, subject
    for child in children[verb]:
        match a.labels[child]:
            case "dobj":
                yield "ARG1", _antecedent(a, verb, child)
            case "dative" | "oprd":
                yield "ARG2", child
            case "agent":
                yield "ARG0", child
            case "ccomp" | "xcomp":
                yield ("ARG1" if "dobj" not in below else "ARG2"), child
            case "attr" | "acomp":
                yield "ARG2", child
            case "advmod" | "npadvmod" | "prep" | "advcl":
                yield from _circumstance(a, children, entity, child)


def _noun(
    a: Annotation, children: list[list[int]], entity: dict[int, str], noun: int
) -> Iterator[tuple[str, int]]:
    for child in children[noun]:
        word = a.lemmas[child].lower()
        match a.labels[child]:
            case "poss":
                yield "ARG0", child
            case "compound" | "ccomp" | "acl":
                yield "ARG1", child
            case "prep" if word == "of":
                yield "ARG1", child
            case "prep" if word == "by":
                yield "ARG0", child
            case "prep":
                yield from _circumstance(a, children, entity, child)


def _subject(a: Annotation, children: list[list[int]], verb: int) -> int | None:
    current = verb
    while True:
        for child in children[current]:
            if a.labels[child] in _SUBJECTS:
                return _antecedent(a, current, child)
        if a.labels[current] in ("acl", "amod"):
            return a.heads[current]
        if a.labels[current] not in _SHARING or a.heads[current] == current:
            return None
        current = a.heads[current]


def _antecedent(a: Annotation, verb: int, filler: int) -> int:
    """Return the noun above a relative clause if the filler is its relative pronoun, else the filler."""
    relative = a.tags[filler] in _RELATIVE or a.lemmas[filler].lower() == "that"
    return a.heads[verb] if relative and a.labels[verb] == "relcl" else filler


def _circumstance(
    a: Annotation, children: list[list[int]], entity: dict[int, str], child: int
) -> Iterator[tuple[str, int]]:
    objects = [c for c in children[child] if a.labels[c] == "pobj"] or [child]
    name = next((entity[o] for o in objects if o in entity), "")
    marks = {a.lemmas[c].lower() for c in children[child] if a.labels[c] in ("mark", "advmod")}
    word = a.lemmas[child].lower()
    if (
        name in _IN_TIME
        or word in _TIMES
        or (a.labels[child] == "advcl" and marks & {"when", "after", "before", "while"})
    ):
        yield "AM-TMP", child
    elif name in _IN_SPACE or word in _PLACES:
        yield "AM-LOC", child
