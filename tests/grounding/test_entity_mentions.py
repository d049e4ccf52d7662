"""What a mention of an entity says."""

from __future__ import annotations

from entity_documents import written
from samevent.grounding.entity_mentions import EntityMention, entity_mentions

TEXT = """
    [President/NNP Tobias/NNP Grell/NNP] met/VBD [the/DT old/JJ woman/NN] in/IN Oslo/NNP
    [She/PRP] praised/VBD [NATO/NNP]
"""
LABELS = {"Tobias Grell": "PERSON", "Oslo": "GPE", "NATO": "ORG"}


def described() -> dict[str, EntityMention]:
    return {mention.text: mention for mention in entity_mentions(*written(TEXT, labels=LABELS))}


def test_titles_are_no_part_of_a_name() -> None:
    grell = described()["President Tobias Grell"]
    assert (grell.form, grell.name, grell.called) == ("name", ("tobias", "grell"), "Tobias Grell")
    assert (grell.label, grell.animacy, grell.role) == ("PERSON", "person", "subject")


def test_descriptions_tell_number_and_gender() -> None:
    woman = described()["the old woman"]
    assert (woman.form, woman.number, woman.gender, woman.definite) == ("nominal", "one", "female", True)
    assert woman.called == ""
    assert woman.words == ("old", "woman"), "determiners are no content"


def test_pronouns_are_known_by_their_words() -> None:
    she = described()["She"]
    assert (she.form, she.number, she.gender, she.person) == ("pronoun", "one", "female", "third")


def test_names_beside_participants_are_entity_mentions() -> None:
    oslo = described()["Oslo"]
    assert (oslo.id, oslo.called, oslo.animacy) == ("d1:8-9:name", "Oslo", "thing")


def test_acronyms_have_capitals() -> None:
    assert described()["NATO"].capitals == "NATO"
    assert described()["the old woman"].capitals == ""


def test_mentions_are_in_reading_order() -> None:
    starts = [mention.start for mention in entity_mentions(*written(TEXT, labels=LABELS))]
    assert starts == sorted(starts)


def test_capitals_of_a_headline_make_nobody_a_person() -> None:
    text = "[Suspect/NNP] shot/VBD [Ann/NNP Lee/NNP]\nthe/DT suspect/NN fled/VBD [Lake/NNP]\n[USA/NNP] met/VBD usa/NN"
    labels = {"Suspect": "PERSON", "Ann Lee": "PERSON", "Lake": "ORG", "USA": "ORG"}
    called = [mention.called for mention in entity_mentions(*written(text, labels=labels))]
    assert called == ["", "Ann Lee", "Lake", "USA"]


def test_names_are_spelled_as_by_a_writer_and_titles_are_none() -> None:
    text = "[Sgt/NNP] told/VBD [WDIV/NNP -/HYPH TV/NNP] of/IN [Sam/NNP 's/POS Club/NNP]"
    labels = {"Sgt": "PERSON", "WDIV - TV": "ORG", "Sam 's Club": "ORG"}
    called = [mention.called for mention in entity_mentions(*written(text, labels=labels))]
    assert called == ["", "WDIV-TV", "Sam's Club"]
