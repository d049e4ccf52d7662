"""Correction of verbs that were tagged as nouns.

In headlines (*Sudan bombs refugee camp*) the tagger often errs where the parser does not, and a noun has a direct
object. Nouns have none: the word is a verb, and a noun before it that was parsed as part of a compound is its subject.
`annotate` applies this to every parse.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from samevent.language.annotation import Annotation


def with_verbs(annotation: Annotation) -> Annotation:
    """Return the annotation with every noun that governs a direct object turned into a verb."""
    verbs = {
        head
        for head, label in zip(annotation.heads, annotation.labels, strict=True)
        if label == "dobj" and annotation.tags[head].startswith("N")
    }
    if not verbs:
        return annotation
    below = defaultdict(list)
    for token, head in enumerate(annotation.heads):
        below[head].append(token)
    tags, pos, lemmas = list(annotation.tags), list(annotation.pos), list(annotation.lemmas)
    labels = list(annotation.labels)
    for verb in verbs:
        tags[verb] = "VBZ" if tags[verb].endswith("S") else "VBP"
        pos[verb], lemmas[verb] = "VERB", lemmas[verb].lower()
        parts = [token for token in below[verb] if token < verb and labels[token] == "compound"]
        if parts and not any(labels[token].startswith("nsubj") for token in below[verb]):
            labels[parts[-1]] = "nsubj"
    return replace(
        annotation,
        tags=tuple(tags),
        pos=tuple(pos),
        lemmas=tuple(lemmas),
        labels=tuple(labels),
        chunks=tuple(_without(start, end, verbs) for start, end in annotation.chunks if start not in verbs),
    )


def _without(start: int, end: int, verbs: set[int]) -> tuple[int, int]:
    """Return a noun chunk up to the first verb in it."""
    return start, min((verb for verb in verbs if start < verb < end), default=end)
