"""What annotated documents teach: the sentences to learn from, their right paths, and how long segments get.

Annotators marked some sentences of a document and passed over others, so a sentence without marks is no example of
a sentence without events. Only sentences with at least one mention are learned from. A line that holds the page's
address never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from samevent.corpus import KINDS, Document, Kind, Mention
from samevent.extraction.objective import Segment
from samevent.language.annotation import Annotation
from samevent.language.heads import head

_PRECEDENCE: tuple[Kind, ...] = ("action", "time", "location", "participant")
"""Which kind stays where two mentions overlap, as one path cannot hold both: events are what we are after."""
_COVERED = 0.995
"""The share of mentions that is short enough to be a segment, and one token more for longer ones to come."""


def marked_sentences(document: Document) -> list[int]:
    """Return the sentences that mentions start in, addresses aside."""
    found = {document.sentence_of(m.start) for m in document.mentions}
    return sorted(s for s in found if not document.sentences[s].is_url)


def limits_of(documents: Iterable[Document]) -> tuple[int, ...]:
    """Return how long a segment of each kind may be."""
    sizes: dict[Kind, list[int]] = {kind: [1] for kind in KINDS}
    for document in documents:
        for m in document.mentions:
            sizes[m.kind].append(m.end - m.start)
    return tuple(int(np.ceil(np.quantile(sizes[kind], _COVERED))) + 1 for kind in KINDS)


def right_path(document: Document, annotation: Annotation, limits: Sequence[int]) -> list[Segment]:
    """Return a document's mentions as segments of one path, those left out that do not fit into it.

    Of a discontinuous mention the stretch with its head is taken.
    """
    taken = np.zeros(len(document.tokens), np.bool_)
    path = []
    for m in sorted(document.mentions, key=lambda m: (_PRECEDENCE.index(m.kind), m.start, m.end)):
        start, end = _stretch(m, annotation)
        kind = KINDS.index(m.kind)
        within = document.sentence_of(start) == document.sentence_of(end - 1)
        if within and end - start <= limits[kind] and not taken[start:end].any():
            taken[start:end] = True
            path.append((start, end, kind + 1))
    return sorted(path)


def _stretch(mention: Mention, annotation: Annotation) -> tuple[int, int]:
    if not mention.anchors:
        return mention.span
    top = head(annotation, mention.start, mention.end, mention.tokens)
    return next((start, end) for start, end in mention.runs if start <= top < end)
