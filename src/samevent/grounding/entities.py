"""Who participants are: the entities of one document, each with an id and its fullest name.

An entity that is named has an id made of its fullest name, so that documents agree on it without being read together;
any other is called by its first mention. Grouping across documents beyond equal names is `cluster_entities`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from samevent.corpus import Document, Entity, Mention
from samevent.grounding.entity_clusters import best_links
from samevent.grounding.entity_mentions import EntityMention, entity_mentions, spelt
from samevent.grounding.entity_model import ENTITIES_FILE, EntityModel
from samevent.grounding.entity_tables import EntityDocument, compile_entities
from samevent.language.annotation import Annotation
from samevent.language.resources import Resources
from samevent.language.vectors import WordVectors

MOST_MENTIONS = 1000
"""Pairs of more mentions would take too long: long documents are read in parts of so many."""


class EntityReader(NamedTuple):
    """What it takes to find the entities of a document: the pair model and the word vectors that it compares."""

    model: EntityModel
    vectors: WordVectors

    def entities(self, document: Document, annotation: Annotation) -> dict[str, Entity]:
        """Return the entity of each participant and place of a document, by mention id."""
        mentions = entity_mentions(document, annotation)
        found: dict[str, Entity] = {}
        for start in range(0, len(mentions), MOST_MENTIONS):
            part = mentions[start : start + MOST_MENTIONS]
            table = compile_entities([EntityDocument(document.id, part)], self.vectors)
            labels = best_links(table, self.model).tolist()
            for group in groups(part, labels):
                found |= dict.fromkeys((mention.id for mention in group), named(group))
        return found


def groups(mentions: Sequence[EntityMention], labels: Sequence[int]) -> list[list[EntityMention]]:
    """Return mentions by label, in the order of first mentions."""
    order = sorted(range(len(mentions)), key=labels.__getitem__)
    parts = [[mentions[at] for at in part] for _, part in groupby(order, key=labels.__getitem__)]
    return sorted(parts, key=lambda part: (part[0].start, part[0].end, part[0].id))


def named(group: Sequence[EntityMention]) -> Entity:
    """Return the entity that mentions of one document refer to, under its fullest name or description.

    Of several names the one with the most words is the fullest; of equals the first. A description is preferred to a
    pronoun.
    """
    names = [mention for mention in group if mention.called]
    if names:
        name = max(names, key=lambda mention: len(mention.called.split())).called
        return Entity.named(name)
    described = [mention for mention in group if mention.form != "pronoun"] or list(group)
    fullest = max(described, key=lambda mention: len(mention.words))
    return Entity(group[0].id, spelt(fullest.text.split()))


@lru_cache(maxsize=8)
def entity_reader(resources: Resources) -> EntityReader | None:
    """Return what finds the entities of documents; None if the model has learned nothing about entities."""
    path = resources.file(ENTITIES_FILE)
    return EntityReader(EntityModel.load(path), resources.vectors) if path.exists() else None


def fullest_name(mention: Mention) -> str:
    """Return what to call a participant: the name of its entity if it has one, else its own text."""
    entity = mention.refers.entity if mention.refers else None
    return entity.name if entity and entity.is_named else mention.text
