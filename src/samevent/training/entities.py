"""The pair model of entity mentions, from documents whose participants, places and times are in chains."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from samevent.corpus import Document, Mention
from samevent.corpus.corpus import event_key
from samevent.extraction import Parsed
from samevent.grounding.entity_mentions import describe
from samevent.grounding.entity_model import EntityModel, Example, train_entities
from samevent.grounding.entity_tables import EntityDocument, compile_entities
from samevent.language.annotation import Annotation
from samevent.language.vectors import WordVectors

TOPICS_TOGETHER = 7
"""Pairs across documents are learned from so many topics at a time, like those of a corpus on several stories."""


def chained_mentions(document: Document) -> list[Mention]:
    """Return the participants, places and times of sentences that are annotated, as far as that is known."""
    return [
        mention
        for mention in document.mentions
        if mention.kind != "action"
        and document.sentences[document.sentence_of(mention.start)].annotated is not False
    ]


def entity_example(
    documents: Sequence[tuple[Document, Annotation]], vectors: WordVectors
) -> tuple[Example, list[Mention]]:
    """Return the mentions of some documents with their known entities, as a table and as they are."""
    parts, mentions = [], []
    for document, annotation in documents:
        chained = chained_mentions(document)
        parts.append(EntityDocument.of(document, annotation, describe(document, annotation, chained)))
        mentions += chained
    seen: dict[Hashable, int] = {}
    entity = [seen.setdefault(event_key(mention), len(seen)) for mention in mentions]
    return (compile_entities(parts, vectors), np.array(entity, np.int64)), mentions


def train_entity_model(
    texts: Sequence[Parsed], vectors: WordVectors, about: Mapping[str, Any] | None = None
) -> EntityModel | None:
    """Learn which mentions are the same entity; None if no two participants of a document are in one chain."""
    chains = [
        (document.id, mention.event or mention.within)
        for document, *_ in texts
        for mention in chained_mentions(document)
        if mention.kind == "participant" and (mention.event or mention.within)
    ]
    if len(set(chains)) == len(chains):
        return None
    by_topic = sorted(texts, key=lambda text: (text.document.topic or text.document.id, text.document.id))
    topics = {topic: at for at, topic in enumerate(dict.fromkeys(map(_topic, by_topic)))}
    batches = groupby(by_topic, key=lambda text: topics[_topic(text)] // TOPICS_TOGETHER)
    examples = (
        entity_example([(text.document, text.annotation) for text in batch], vectors)[0]
        for _, batch in batches
    )
    return train_entities(examples, about)


def _topic(text: Parsed) -> str:
    return text.document.topic or text.document.id
