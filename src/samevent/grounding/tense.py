"""Whether words are about the past or the future, by the verb that governs them."""

from __future__ import annotations

from typing import Literal

from samevent.language.annotation import Annotation

Tense = Literal["past", "future", "unknown"]

_FUTURE = frozenset(("will", "'ll", "’ll", "shall", "wo"))
_PLANNED = frozenset("plan schedule expect intend hope want set due".split())
"""What is planned *to* happen has not happened."""
_ARRANGED = _PLANNED - {"want"}
_NOW = frozenset(("VBZ", "VBP"))
_SUBORDINATE = frozenset(("ccomp", "advcl", "relcl", "acl", "parataxis", "conj"))


class Tenses:
    """The tense of the clause of every token, found when it is asked for."""

    def __init__(self, annotation: Annotation) -> None:
        self._annotation = annotation
        self._helpers: dict[int, list[int]] = {}
        for token, label in enumerate(annotation.labels):
            if label in ("aux", "auxpass", "aux:pass"):
                self._helpers.setdefault(annotation.heads[token], []).append(token)
        self._known: dict[int, Tense] = {}

    def __getitem__(self, token: int) -> Tense:
        path = []
        found: Tense | None = None
        while found is None:
            path.append(token)
            head = self._annotation.heads[token]
            found = self._known.get(token) or _own(self._annotation, token, self._helpers.get(token, ()))
            if found is None and head == token:
                found = "unknown"
            token = head
        self._known.update(dict.fromkeys(path, found))
        return found


def _own(annotation: Annotation, token: int, helpers: list[int] | tuple[int, ...]) -> Tense | None:
    """Return the tense that a verb and its helpers show; None if they leave it to the verb above."""
    if annotation.pos[token] not in ("VERB", "AUX"):
        return None
    lemmas = {annotation.lemmas[helper].lower() for helper in helpers}
    tags = {annotation.tags[helper] for helper in helpers}
    if lemmas & _FUTURE:
        return "future"
    head = annotation.heads[token]
    if annotation.tags[token] == "VB" and (annotation.labels[token] == "xcomp" or "TO" in tags):
        planned = annotation.lemmas[head].lower() in _PLANNED or annotation.tags[head] in ("VBZ", "VBP")
        return "future" if planned and head != token else None
    if annotation.tags[token] == "VBN" and annotation.lemmas[token].lower() in _ARRANGED and tags & _NOW:
        return "future"  # is scheduled for Saturday
    if annotation.tags[token] == "VBD" or "VBD" in tags or (lemmas & {"have"}):
        return "past"
    if annotation.tags[token] == "VBN" and not helpers:
        return None if annotation.labels[token] in _SUBORDINATE else "past"
    return None
