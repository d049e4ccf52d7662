"""The named entities of documents as arrays: what joining them across documents looks at.

Only names are kept, with what the parser calls them and the gender that titles and pronouns tell; no text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Entity, Mention
from samevent.grounding.entity_mentions import GENDERS, NAME_LABELS, PRONOUNS, TITLES, Gender, name_of
from samevent.language.annotation import Annotation

Numbers = NDArray[np.int32]
Codes = NDArray[np.int8]

LABELS = ("", *sorted(NAME_LABELS))
GENDER_CODES: tuple[Gender, ...] = tuple(sorted(get_args(Gender)))
_CLEAR = 2
"""So many times more mentions must be of one gender than of the other: some are linked wrongly."""


class NamedEntity(NamedTuple):
    """An entity of one document: its fullest name, the parser's label of a name of it, and its gender."""

    name: str
    label: str
    gender: Gender


def named_entities(document: Document, annotation: Annotation) -> list[NamedEntity]:
    """Return the entities of a document that have names, in the order of their names."""
    names: dict[str, str] = {}
    mentions: dict[str, list[Mention]] = {}
    for mention in document.mentions:
        entity = mention.refers.entity if mention.refers else None
        if entity and known_by_name(entity):
            names.setdefault(entity.id, entity.name)
            mentions.setdefault(names[entity.id], []).append(mention)
    if not mentions:
        return []
    labels: dict[str, str] = {}
    for start, end, label in annotation.entities:
        if label in NAME_LABELS:
            words = tuple(token.text for token in document.tokens[start:end])
            labels.setdefault(name_of(words, label), label)
    return [NamedEntity(name, labels.get(name, ""), _gender(mentions[name])) for name in sorted(mentions)]


def known_by_name(entity: Entity) -> bool:
    """Return whether the id of an entity is its name alone, so that joining may give it another one."""
    return entity.id == Entity.named(entity.name).id


def _gender(mentions: Iterable[Mention]) -> Gender:
    """Return the gender that most mentions show: by a title, a pronoun, or a word such as *actress*."""
    counts: Counter[Gender] = Counter()
    for mention in mentions:
        words = mention.text.lower().split()
        pronoun = PRONOUNS.get(words[0]) if len(words) == 1 else None
        genders = [pronoun[1]] if pronoun else [TITLES.get(word) or GENDERS.get(word, "") for word in words]
        counts.update(gender for gender in genders[:1] + genders[-1:] if gender in ("female", "male"))
    female, male = counts["female"], counts["male"]
    return "female" if female > _CLEAR * male else "male" if male > _CLEAR * female else ""


@dataclass(frozen=True, slots=True, eq=False)
class NamedEntities:
    """The named entities of documents, one row each, documents in their order, in each by name.

    `document` is the number of a row's document, and `names[name]` its name; distinct names ascend. `label` and
    `gender` are numbers of `LABELS` and `GENDER_CODES`.
    """

    document: Numbers
    name: Numbers
    label: Codes
    gender: Codes
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.document)

    @classmethod
    def of(cls, documents: Sequence[Sequence[NamedEntity]]) -> NamedEntities:
        """Return the rows of documents."""
        rows = [entity for entities in documents for entity in entities]
        names = sorted({row.name for row in rows})
        number = {name: at for at, name in enumerate(names)}
        return cls(
            np.repeat(np.arange(len(documents), dtype=np.int32), [len(each) for each in documents]),
            np.array([number[row.name] for row in rows], np.int32),
            np.array([LABELS.index(row.label) for row in rows], np.int8),
            np.array([GENDER_CODES.index(row.gender) for row in rows], np.int8),
            tuple(names),
        )

    @classmethod
    def merged(cls, parts: Sequence[NamedEntities], places: Sequence[NDArray[np.int64]]) -> NamedEntities:
        """Return the rows of all parts; document `d` of a part has the number `place[d]` among all."""
        if not parts:
            return cls.of([])
        names = sorted(set().union(*(part.names for part in parts)))
        number = {name: at for at, name in enumerate(names)}
        renumbered = [np.array([number[name] for name in part.names], np.int32) for part in parts]
        document = np.concatenate([place[p.document] for p, place in zip(parts, places, strict=True)])
        order = np.argsort(document, kind="stable")
        return cls(
            document[order].astype(np.int32),
            np.concatenate([new[p.name] for p, new in zip(parts, renumbered, strict=True)])[order],
            np.concatenate([part.label for part in parts])[order],
            np.concatenate([part.gender for part in parts])[order],
            tuple(names),
        )
