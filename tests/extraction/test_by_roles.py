"""Mentions from roles written by hand, and from the real labeller."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from parses import needs_model, parsed
from samevent.corpus import Document, Sentence
from samevent.errors import CorpusError
from samevent.extraction.by_roles import extract_by_roles
from samevent.language.annotate import Annotator
from samevent.language.resources import resources
from samevent.language.roles import Predicate, RoleArgument

RAID = """
    Sudan PROPN nsubj called
    and CCONJ cc Sudan
    Chad PROPN conj Sudan
    called VERB ROOT called call
    off ADP prt called
    the DET det raid
    border NOUN compound raid
    raid NOUN dobj called
    on ADP prep called
    Thursday PROPN pobj on
    in ADP prep called
    Juba PROPN pobj in
"""
CALLED = Predicate(
    3,
    "verbal",
    (
        RoleArgument("ARG0", 0, 0, 3),
        RoleArgument("ARG1", 7, 5, 8),
        RoleArgument("AM-TMP", 8, 8, 10),
        RoleArgument("AM-LOC", 10, 10, 12),
        RoleArgument("AM-MNR", 11, 11, 12),
    ),
)
RAIDED = Predicate(7, "nominal", (RoleArgument("ARG0", 0, 0, 3), RoleArgument("ARG2", 6, 6, 7)))


def found(document: Document) -> list[tuple[str, str]]:
    return [(m.kind, m.text) for m in document.mentions]


def test_predicates_are_events_and_fillers_their_arguments() -> None:
    document, annotation = parsed(RAID)
    extracted = extract_by_roles(document, annotation, [CALLED])
    assert found(extracted) == [
        ("participant", "Sudan"),
        ("participant", "Chad"),
        ("action", "called off"),
        ("participant", "border raid"),
        ("time", "on Thursday"),
        ("location", "in Juba"),
    ]
    called = extracted.mentions[2]
    texts = {m.id: m.text for m in extracted.mentions}
    assert [(texts[a.mention], a.role) for a in called.arguments] == [
        ("Sudan", "ARG0"),
        ("Chad", "ARG0"),
        ("border raid", "ARG1"),
        ("on Thursday", "AM-TMP"),
        ("in Juba", "AM-LOC"),
    ]
    assert [m.head for m in extracted.mentions] == [0, 2, 3, 7, 9, 11]


def test_what_is_an_event_is_no_participant_and_shared_fillers_are_one_mention() -> None:
    document, annotation = parsed(RAID)
    extracted = extract_by_roles(document, annotation, [RAIDED, CALLED])
    assert [text for kind, text in found(extracted) if kind == "action"] == ["called off", "raid"]
    assert [text for kind, text in found(extracted) if kind == "participant"] == ["Sudan", "Chad", "border"]
    arguments = {m.text: {a.mention for a in m.arguments} for m in extracted.mentions}
    assert arguments["called off"] & arguments["raid"] == {"d1:0-1:participant", "d1:2-3:participant"}


def test_predicate_without_fillers_takes_nothing_from_its_sentence() -> None:
    document, annotation = parsed(RAID)
    extracted = extract_by_roles(document, annotation, [CALLED, Predicate(7, "nominal")])
    assert {m.text: m.arguments for m in extracted.mentions}["raid"] == ()


def test_particle_further_on_is_no_part_of_its_event() -> None:
    document, annotation = parsed("""
        called VERB ROOT called call
        it PRON dobj called
        off ADP prt called
    """)
    assert found(extract_by_roles(document, annotation, [Predicate(0, "verbal")])) == [("action", "called")]


def test_particle_that_is_a_predicate_is_an_event_of_its_own() -> None:
    document, annotation = parsed(RAID)
    extracted = extract_by_roles(document, annotation, [Predicate(3, "verbal"), Predicate(4, "other")])
    assert found(extracted) == [("action", "called"), ("action", "off")]


def test_earlier_mentions_and_addresses_are_left_out() -> None:
    document, annotation = parsed(RAID)
    document = document.with_mentions([document.mention("action", 9, 10)])
    assert found(extract_by_roles(document, annotation, [])) == []
    address = replace(document, sentences=(Sentence(0, 12, is_url=True),))
    assert found(extract_by_roles(address, annotation, [CALLED])) == []


def test_predicates_of_another_document_are_refused() -> None:
    document, annotation = parsed(RAID)
    with pytest.raises(CorpusError, match="'d1'"):
        extract_by_roles(document, annotation, [Predicate(12, "verbal")])


@needs_model
def test_labelled_text_gives_events_whose_mentions_never_overlap() -> None:
    text = (
        "Police in Oslo arrested the two men who robbed a bank on Friday, officials said. "
        "The company's acquisition of its rival was announced in London last week. "
        "Lindsay Lohan checked out of the clinic and was driven home by her lawyer at noon."
    )
    document, annotation = Annotator()(Document.from_text("a", text))
    extracted = extract_by_roles(document, annotation, resources().roles.label(document, annotation))
    mentions = found(extracted)
    assert {("action", x) for x in ("arrested", "robbed", "said", "announced", "acquisition")} <= set(
        mentions
    )
    assert {("participant", x) for x in ("Police", "men", "bank", "Lindsay Lohan", "lawyer")} <= set(mentions)
    assert {("time", "on Friday"), ("time", "last week"), ("location", "in London")} <= set(mentions)
    for a, b in combinations(extracted.mentions, 2):
        assert a.kind != b.kind or not set(a.tokens) & set(b.tokens)
    assert all(a.role for m in extracted.mentions for a in m.arguments)
