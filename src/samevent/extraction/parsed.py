"""A document with all that is read off it before anything is extracted: its parse and its predicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from samevent.corpus import Document
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.roles import Predicate, Roles
from samevent.language.verbs import with_verbs


class Parsed(NamedTuple):
    """One document; predicates come in the order of the text."""

    document: Document
    annotation: Annotation
    predicates: tuple[Predicate, ...]


def parsed(
    documents: Iterable[Document],
    roles: Roles,
    *,
    annotator: Annotator | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Parsed]:
    """Parse documents and label their predicates, in order; verbs in headlines are put right."""
    annotated = (annotator or Annotator()).annotate(documents, jobs=jobs, cache=cache, progress=progress)
    for document, parse in annotated:
        annotation = with_verbs(parse)
        yield Parsed(document, annotation, roles.label(document, annotation))
