"""What pair models learn from: mentions of annotated documents with their events, as mention tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from samevent.corpus import Document, Mention
from samevent.extraction import Extractor, Parsed
from samevent.language.resources import Resources
from samevent.preparation import GIVEN_MENTIONS, PREDICTED_ARGUMENTS, Encode, Read, prepare
from samevent.similarity.pairs import LabelledMentions

EventFilter = Callable[[Document], Document]
"""Returns a document with the event mentions that a pair model learns from."""


def linked_events(document: Document) -> Document:
    """Return the document without event mentions that belong to no event."""
    return document.with_mentions(m for m in document.mentions if m.kind != "action" or m.event is not None)


def annotated_events(document: Document) -> Document:
    """Return the document without event mentions of sentences that are known not to be annotated throughout.

    What is left has singletons as well: users' text is mostly singletons.
    """

    def counts(m: Mention) -> bool:
        return m.kind != "action" or document.sentences[document.sentence_of(m.start)].annotated is not False

    return document.with_mentions(filter(counts, document.mentions))


def labelled_mentions(
    texts: Iterable[Parsed],
    resources: Resources,
    extractor: Extractor | None,
    *,
    events: EventFilter = linked_events,
    encode: Encode | None = None,
    read: Read | None = None,
) -> LabelledMentions:
    """Return the mention table of parsed documents with their known events.

    Participants, times and locations are found by the extractor, which needs `read` if it is contextual; without one,
    they are the given mentions.
    """
    chosen = (text._replace(document=events(text.document)) for text in texts)
    extraction = PREDICTED_ARGUMENTS if extractor else GIVEN_MENTIONS
    prepared = prepare(chosen, resources, extractor, extraction=extraction, encode=encode, read=read)
    data = prepared.labelled
    return replace(data, table=data.table.with_contextual(prepared.contextual())) if encode else data
