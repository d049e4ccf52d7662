"""The role labeller alone as an extractor: predicates are events, and the fillers of their roles are arguments.

This is the baseline of a trained extractor (SwiRL in the paper): semantic role labelling without annotated events.
"""

from __future__ import annotations

from collections.abc import Iterable

from samevent.corpus import Document
from samevent.extraction.arguments import Association, associate
from samevent.language.annotation import Annotation
from samevent.language.roles import Predicate

_FILLERS_ONLY = Association(add_fillers=True, whole_sentence=False)


def extract_by_roles(document: Document, annotation: Annotation, predicates: Iterable[Predicate]) -> Document:
    """Return the document with its predicates as events, the fillers of their roles as arguments, and nothing else.

    An event is a predicate with an adjacent particle; `Association` decides which fillers become mentions. URL lines
    have no mentions. Mentions of one kind never overlap.
    """
    by_token = {predicate.token: predicate for predicate in predicates}
    ends = {
        verb: particle + 1
        for particle, verb in enumerate(annotation.heads)
        if annotation.labels[particle] == "prt" and verb == particle - 1 and particle not in by_token
    }
    events = [document.mention("action", token, ends.get(token, token + 1), head=token) for token in by_token]
    prose = [m for m in events if not document.sentences[document.sentence_of(m.start)].is_url]
    return associate(document.with_mentions(prose), annotation, by_token.values(), settings=_FILLERS_ONLY)
