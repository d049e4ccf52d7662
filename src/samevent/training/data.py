"""What pair models learn from: mentions of annotated documents with their events, as mention tables.

Mentions are the annotated ones, or those that an extractor finds: users have only these, with their boundaries and
with what is missed or is no event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from samevent.corpus import Corpus, Document, Mention
from samevent.extraction import Extractor, Parsed
from samevent.extraction.gold import head_of
from samevent.extraction.training import HeldOut
from samevent.language.annotation import Annotation
from samevent.language.resources import Resources
from samevent.preparation import (
    EVERYTHING,
    GIVEN_MENTIONS,
    PREDICTED_ARGUMENTS,
    Encode,
    Extraction,
    Prepared,
    Read,
    prepare,
)
from samevent.similarity.pairs import UNKNOWN, LabelledMentions

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


def extracted_mentions(
    held_out: Sequence[HeldOut], resources: Resources, *, encode: Encode | None = None
) -> LabelledMentions:
    """Return the mention table of what extractors find that had not seen the topics, with the events that are known.

    A mention is of the event of the annotated one with its span, or else with its head. Others are events of their own
    in sentences that were annotated throughout; elsewhere, nobody knows.
    """
    prepared, unknown = extract_held_out(held_out, resources, encode=encode)
    data = prepared.labelled
    hidden = np.array([id in unknown for id in data.table.ids], np.bool_)
    table = data.table.with_contextual(prepared.contextual()) if encode else data.table
    return replace(data, table=table, event=np.where(hidden, np.int32(UNKNOWN), data.event))


def extract_held_out(
    held_out: Sequence[HeldOut],
    resources: Resources,
    *,
    extraction: Extraction = EVERYTHING,
    encode: Encode | None = None,
) -> tuple[Prepared, frozenset[str]]:
    """Return documents as extractors see them that had not seen their topics, and the mentions with unknown events."""
    documents: list[Document] = []
    annotations: dict[str, Annotation] = {}
    unknown: set[str] = set()
    for extractor, group in groupby(held_out, key=lambda each: each.extractor):
        texts = {each.text.document.id: each.text for each in group}
        bare = (text._replace(document=text.document.with_mentions(())) for text in texts.values())
        found = prepare(bare, resources, extractor, extraction=extraction)
        annotations |= found.annotations
        for document in found.corpus:
            labelled, beyond = _with_events(document, texts[document.id])
            documents.append(labelled)
            unknown |= beyond
    return Prepared(Corpus(documents), annotations, resources, encode=encode), frozenset(unknown)


def _with_events(document: Document, gold: Parsed) -> tuple[Document, set[str]]:
    """Return a document whose event mentions have the events of annotated ones, and the ids of those nobody judged."""
    actions = [m for m in annotated_events(gold.document).mentions if m.kind == "action"]
    heads = {head_of(m, gold.annotation): m for m in actions}
    spans = {m.span: m for m in actions}
    mentions, unknown = [], set()
    for m in document.mentions:
        if m.kind == "action":
            known = spans.get(m.span) or heads.get(head_of(m, gold.annotation))
            if known:
                m = replace(m, event=known.event, within=known.within)
            elif document.sentences[document.sentence_of(m.start)].annotated is not True:
                unknown.add(m.id)
        mentions.append(m)
    return document.with_mentions(mentions), unknown
