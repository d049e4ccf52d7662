"""Ground one document: its arguments first, then its actions by what their arguments and sentences say."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from samevent.corpus import Document, Mention, Reference, When
from samevent.grounding.tense import Tense, tenses
from samevent.language.annotation import Annotation
from samevent.language.dates import document_date

RECENT_DAYS = 7
"""An event without a stated time has probably happened in so many days before its document."""


def ground(document: Document, annotation: Annotation) -> Document:
    """Return a document whose mentions say what they refer to; what is known already is kept."""
    written = document_date(document)
    tense = tenses(annotation)

    def grounded(mention: Mention) -> Mention:
        known = mention.refers or Reference()
        refers = known
        if mention.kind == "action" and written:
            head = mention.start if mention.head is None else mention.head
            refers = known.completed_by(Reference(when=_around(date.fromisoformat(written), tense[head])))
        return replace(mention, refers=refers) if refers != known else mention

    return document.with_mentions(map(grounded, document.mentions))


def _around(written: date, tense: Tense) -> When:
    """Return when an event without a stated time happened."""
    if tense == "future":
        return When(written.isoformat(), None, source="document")
    start = written - timedelta(days=min(RECENT_DAYS, written.toordinal() - 1))
    return When(start.isoformat(), written.isoformat(), source="document")
