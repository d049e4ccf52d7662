"""What leads: the importance of an event, and whether it belongs to the background.

An event matters if many documents mention it, if headlines and first paragraphs do, if its mentions are surely one
event, and if it says who or what it is about. What is said, seen, thought, begun or merely done (*said*, *made*,
*thing*) is background: it is kept, and shown on request.

Both depend on the event alone, so they stay as they are when other documents are added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log2

from samevent.corpus.mention import EventClass
from samevent.results.labels import LEAD, Candidate
from samevent.similarity.stemming import stem

BACKGROUND_CLASSES: frozenset[EventClass] = frozenset(("reporting", "perception", "generic", "aspectual"))
_LIGHT = frozenset(
    map(
        stem,
        "be is are was were been have has had do does did done make made take took taken get got go went gone come "
        "came give gave given put keep kept let set use need want like seem appear become became happen occur involve "
        "include mean thing situation event case way issue fact part place time work life role help try tried continue "
        "remain stay begin began begun start stop end know knew known think thought believe feel felt see saw seen "
        "look hear heard show shown expect hope plan say said tell told add according ask call report claim state "
        "note explain describe comment speak spoke talk respond answer".split(),
    )
)
"""Stems of words that say little about what happened."""


def is_background(candidates: Sequence[Candidate], event_class: EventClass | None) -> bool:
    """Return whether an event is reporting, perception, light or generic rather than what is reported."""
    if event_class in BACKGROUND_CLASSES:
        return True
    light = sum(each.word in _LIGHT for each in candidates)
    return 2 * light > len(candidates)


def importance(candidates: Sequence[Candidate], documents: Sequence[str], sure: Sequence[float]) -> float:
    """Return how much an event matters; `documents` are those of the candidates, `sure` what is known of mentions.

    Each document counts once, and once more if its headline or first paragraph has a mention. Further mentions hardly
    count: a long article repeats itself.
    """
    leading = {document for each, document in zip(candidates, documents, strict=True) if each.place < LEAD}
    counts = Counter(documents)
    size = len(counts) + len(leading) + log2(len(candidates))
    confidence = 0.5 + 0.5 * (sum(sure) / len(sure) if sure else 0.5)
    named = sum(bool(each.named) for each in candidates) / len(candidates)
    return round(size * confidence * (0.5 + 0.5 * named), 3)
