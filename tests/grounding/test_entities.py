"""Who the participants of a document are."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from entity_documents import SIMPLE, VECTORS, written
from parses import random_annotations
from samevent.corpus import Document, Entity, Reference
from samevent.grounding import ground
from samevent.grounding.entities import EntityReader, fullest_name
from samevent.language.annotation import Annotation

READER = EntityReader(SIMPLE, VECTORS)
TEXT = "[Mr./NNP Grell/NNP] fled/VBD\n[Tobias/NNP Grell/NNP] met/VBD [the/DT woman/NN]\n[He/PRP] fell/VBD"


def grounded(text: str, id: str = "d1") -> Document:
    document, annotation = written(text, id, {"Tobias Grell": "PERSON"})
    return ground(document, annotation, None, READER)


def names(document: Document) -> list[str]:
    return [
        mention.refers.entity.name
        for mention in document.mentions
        if mention.refers and mention.refers.entity
    ]


def test_participants_carry_the_fullest_name() -> None:
    assert names(grounded(TEXT)) == ["Tobias Grell", "Tobias Grell", "the woman", "Tobias Grell"]


def test_named_entities_have_the_same_id_in_all_documents() -> None:
    first, second = (
        grounded(text, id) for text, id in ((TEXT, "d1"), ("[Tobias/NNP Grell/NNP] ran/VBD", "d2"))
    )
    ids = [mention.refers.entity.id for d in (first, second) for mention in d.mentions]  # type: ignore[union-attr]
    assert ids == ["name:tobias grell"] * 2 + ["d1:6-8:participant"] + ["name:tobias grell"] * 2


def test_known_entities_are_kept() -> None:
    document, annotation = written(TEXT)
    known = Reference(entity=Entity("Q1", "T. Grell"))
    first, *others = document.mentions
    document = document.with_mentions([replace(first, refers=known), *others])
    assert ground(document, annotation, None, READER).mentions[0].refers is known


def test_grounding_twice_changes_nothing() -> None:
    document, annotation = written(TEXT)
    once = ground(document, annotation, None, READER)
    assert ground(once, annotation, None, READER) == once


def test_labels_call_people_by_name() -> None:
    assert [fullest_name(mention) for mention in grounded(TEXT).mentions] == [
        "Tobias Grell", "Tobias Grell", "the woman", "Tobias Grell",
    ]  # fmt: skip
    document, _ = written(TEXT)
    assert fullest_name(document.mentions[3]) == "He", "without an entity, it is what the text says"


@given(random_annotations())
def test_odd_parses_are_no_error(annotation: Annotation) -> None:
    words = [f"w{i % 3}" for i in range(len(annotation))]
    document = Document.from_tokens("d1", [words] if words else [])
    mentions = [document.mention("participant", i, i + 1, head=i) for i in range(len(words))]
    result = ground(document.with_mentions(mentions), annotation, None, READER)
    assert all(mention.refers and mention.refers.entity for mention in result.mentions)
