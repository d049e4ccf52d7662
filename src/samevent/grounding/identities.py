"""What named entities turn out to be across documents, and documents that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from samevent.corpus import Document, Entity
from samevent.grounding.named_entities import NamedEntities, Numbers, known_by_name


@dataclass(frozen=True, slots=True, eq=False)
class Identities:
    """The entity of each row of `NamedEntities`: `ids[number]`, whose fullest name is `names[number]`."""

    number: Numbers
    ids: tuple[str, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.number)

    def entity(self, row: int) -> Entity:
        """Return the entity of a row."""
        number = int(self.number[row])
        return Entity(self.ids[number], self.names[number])


@dataclass(frozen=True)
class JoinedEntities:
    """What documents are to call their entities: `renamed` applies what `join_entities` found."""

    documents: Sequence[str]
    entities: NamedEntities
    identities: Identities

    @cached_property
    def changed(self) -> dict[str, dict[str, Entity]]:
        """The entities of each document that are called otherwise in it, by their ids there."""
        changed: dict[str, dict[str, Entity]] = {}
        named = [Entity.named(name) for name in self.entities.names]
        joined = [Entity(*each) for each in zip(self.identities.ids, self.identities.names, strict=True)]
        columns = self.entities.document, self.entities.name, self.identities.number
        for document, name, number in zip(*(column.tolist() for column in columns), strict=True):
            own, entity = named[name], joined[number]
            if own != entity:
                changed.setdefault(self.documents[document], {})[own.id] = entity
        return changed

    def renamed(self, document: Document) -> Document:
        """Return a document whose mentions refer to the joined entities."""
        return with_entities(document, self.changed.get(document.id, {}))


def with_entities(document: Document, changed: Mapping[str, Entity]) -> Document:
    """Return a document with other entities, by their ids."""
    if not changed:
        return document

    references = {}
    for mention in document.mentions:
        entity = mention.refers.entity if mention.refers else None
        if mention.refers and entity and entity.id in changed and known_by_name(entity):
            references[mention.id] = replace(mention.refers, entity=changed[entity.id])
    return document.with_references(references)
