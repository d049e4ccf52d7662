from __future__ import annotations

from dataclasses import replace

import pytest

from builders import annotated, document
from samevent.corpus import Corpus, Document, Mention, Sentence
from samevent.errors import FormatError, SameventError
from samevent.formats.cat import document_from_xml, document_to_xml

GOOD = """\
<Document doc_name="7_1ecbplus.xml" doc_id="DOC99">
<token t_id="1" sentence="0" number="0">http</token>
<token t_id="2" sentence="0" number="1">://example.org/</token>
<token t_id="3" sentence="1" number="0">Rebels</token>
<token t_id="4" sentence="1" number="1">blew\t</token>
<token t_id="5" sentence="1" number="2">&#x2009;</token>
<token t_id="6" sentence="1" number="3">R&amp;D</token>
<token t_id="7" sentence="2" number="0">up</token>
<token t_id="8" sentence="2" number="1">raids</token>
<Markables>
<NEG_ACTION_OCCURRENCE m_id="21" note="byCROMER">
  <token_anchor t_id="7"/>
  <token_anchor t_id="4"/>
  <token_anchor t_id="4"/>
</NEG_ACTION_OCCURRENCE>
<ACTION_STATE m_id="22">
  <token_anchor t_id="8"/>
</ACTION_STATE>
<HUMAN_PART_PER m_id="23"><token_anchor t_id="3"/></HUMAN_PART_PER>
<NON_HUMAN_PART m_id="24"><token_anchor t_id="6"/></NON_HUMAN_PART>
<LOC_GEO m_id="25"><token_anchor t_id="6"/></LOC_GEO>
<TIME_DATE m_id="26"><token_anchor t_id="6"/></TIME_DATE>
<NEG_ACTION_OCCURRENCE m_id="31" RELATED_TO="" TAG_DESCRIPTOR="t7_blast" instance_id="NEG1" />
<UNKNOWN_INSTANCE_TAG m_id="32" RELATED_TO="24" TAG_DESCRIPTOR="" />
<ACTION_STATE m_id="33" RELATED_TO="" TAG_DESCRIPTOR="t7_nothing" instance_id="ACT2" />
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="901" note="NEG1"><source m_id="21"/><target m_id="31"/></CROSS_DOC_COREF>
<INTRA_DOC_COREF r_id="902">
  <source m_id="24"/>
  <source m_id="23"/>
  <target m_id="32"/>
</INTRA_DOC_COREF>
<CROSS_DOC_COREF r_id="903" note="ACT2"><target m_id="33"/></CROSS_DOC_COREF>
</Relations>
</Document>
"""


def parsed(xml: str, file: str = "f.xml") -> Document:
    return document_from_xml(xml.encode(), file)


def by_m_id(d: Document) -> dict[str, Mention]:
    return {m.extra["m_id"]: m for m in d.mentions}


def test_document_is_named_and_placed_by_its_doc_name() -> None:
    d = parsed(GOOD, "elsewhere/5_5ecb.xml")
    assert (d.id, d.topic, d.subtopic, d.extra["doc_id"]) == ("7_1ecbplus", "7", "ecbplus", "DOC99")


def test_document_without_doc_name_is_named_by_its_file() -> None:
    d = parsed(GOOD.replace('doc_name="7_1ecbplus.xml" ', ""), "elsewhere/5_5ecb.xml")
    assert (d.id, d.topic, d.subtopic) == ("5_5ecb", "5", "ecb")


def test_tokens_are_kept_exactly_with_their_white_space() -> None:
    d = parsed(GOOD)
    assert [t.text for t in d.tokens[2:6]] == ["Rebels", "blew\t", "\u2009", "R&D"]
    assert [(s.start, s.end) for s in d.sentences] == [(0, 2), (2, 6), (6, 8)]


def test_first_sentence_is_marked_if_it_spells_an_address() -> None:
    d = parsed(GOOD)
    assert d.extra["url"] == "http://example.org/"
    assert [s.is_url for s in d.sentences] == [True, False, False]
    prose = parsed(GOOD.replace(">http<", ">ftp<"))
    assert "url" not in prose.extra
    assert not any(s.is_url for s in prose.sentences)


def test_mentions_have_the_kind_of_their_tag() -> None:
    kinds = {m_id: m.kind for m_id, m in by_m_id(parsed(GOOD)).items()}
    assert kinds == {
        "21": "action",
        "22": "action",
        "23": "participant",
        "24": "participant",
        "25": "location",
        "26": "time",
    }


def test_discontinuous_mention_across_sentences_counts_a_repeated_anchor_once() -> None:
    m = by_m_id(parsed(GOOD))["21"]
    assert (m.tokens, m.span, m.tag) == ((3, 6), (3, 7), "NEG_ACTION_OCCURRENCE")
    assert m.text == "blew\t \u2009 R&D\nup"
    assert m.id == "7_1ecbplus:3-7:action"


def test_relations_become_events_and_chains() -> None:
    mentions = by_m_id(parsed(GOOD))
    assert {m_id: (m.event, m.within) for m_id, m in mentions.items() if m.event or m.within} == {
        "21": ("NEG1", None),
        "23": (None, "902"),
        "24": (None, "902"),
    }
    assert mentions["21"].extra == {"m_id": "21", "note": "byCROMER", "descriptor": "t7_blast"}
    assert mentions["24"].extra == {"m_id": "24"}


def test_written_document_is_read_back_equal() -> None:
    d = parsed(GOOD)
    assert parsed(document_to_xml(d)) == d


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("<Markables>", "<Marks/><Markables>", 10, "contains <Marks>"),
        ('<token t_id="3" ', "<token ", 4, "<token> has no t_id"),
        ('t_id="3" sentence="1"', 't_id="3"', 4, "<token> has no sentence"),
        ('t_id="3" sentence="1"', 't_id="3" sentence="one"', 4, "has the sentence 'one'"),
        ('t_id="3" sentence="1"', 't_id="3" sentence="-1"', 4, "has the sentence '-1'"),
        ('t_id="3" sentence="1"', 't_id="3" sentence="2"', 4, "sentence 2 comes after 1 sentences"),
        ('t_id="8" sentence="2"', 't_id="8" sentence="1"', 9, "sentence 1 comes after 3 sentences"),
        ('<token t_id="4"', '<token t_id="3"', 5, "t_id '3' is already used on line 4"),
        (">Rebels<", "><", 4, "a token is empty"),
        ('<token_anchor t_id="8"/>', '<token_anchor t_id="9"/>', 17, "t_id '9', which does not exist"),
        ('<token_anchor t_id="8"/>', "<token_anchor/>", 17, "<token_anchor> has no t_id"),
        ('m_id="22"', 'm_id="21"', 16, "m_id '21' is already used on line 11"),
        (' m_id="22"', "", 16, "<ACTION_STATE> has no m_id"),
        (
            '<token_anchor t_id="3"/>',
            '<token_anchor t_id="6"/>',
            20,
            "'R&D' is already marked as participant on line 19",
        ),
        ('<source m_id="24"/>', '<source m_id="99"/>', 30, "m_id '99', which does not exist"),
        ('<source m_id="24"/>', '<source m_id="33"/>', 30, "'33' is a source but has no tokens"),
        ('<source m_id="24"/>', '<source m_id="21"/>', 30, "'21' is in two relations"),
        ('<target m_id="32"/>', '<target m_id="99"/>', 32, "m_id '99', which does not exist"),
        (' note="NEG1"', "", 28, "<CROSS_DOC_COREF> has no note"),
        (' r_id="902"', "", 29, "<INTRA_DOC_COREF> has no r_id"),
        ('r_id="903"', 'r_id="902"', 34, "r_id '902' is already used on line 29"),
        ("CROSS_DOC_COREF", "TLINK", 28, "relation <TLINK>"),
        ("</Relations>\n</Document>\n", "", 35, "not well-formed XML"),
    ],
)
def test_bad_document_is_rejected_with_file_and_line(old: str, new: str, line: int, says: str) -> None:
    assert old in GOOD
    with pytest.raises(FormatError) as caught:
        parsed(GOOD.replace(old, new))
    assert says in str(caught.value)
    assert caught.value.where == f"f.xml:{line}"


def test_mention_with_an_unknown_tag_is_rejected_by_name() -> None:
    with pytest.raises(FormatError, match="tag <PLACE>; expected a tag that begins with ACTION") as caught:
        parsed(GOOD.replace("LOC_GEO", "PLACE"))
    assert caught.value.where == "f.xml:21"


def test_other_xml_is_rejected() -> None:
    with pytest.raises(FormatError, match="root element is <html>; expected <Document>"):
        parsed("<html/>")


def test_fields_that_the_name_does_not_imply_are_written_as_attributes() -> None:
    d = replace(parsed(GOOD), title='A "b" <c>', date="2012-01-01", topic="8", subtopic=None)
    assert parsed(document_to_xml(d)) == d
    assert "topic" not in document_to_xml(parsed(GOOD))


def test_mentions_without_tag_or_ids_get_them_and_stay_untagged() -> None:
    d = document()
    d = d.with_mentions(
        [
            d.mention("action", 1, 2, event="e"),
            d.mention("participant", 0, 1, tag="Person", extra={"m_id": "1"}),
            d.mention("location", 2, 3, tag="ACTION_STATE", extra={"m_id": "1"}),
            d.mention("time", 2, 3, within="1"),
        ]
    )
    again = parsed(document_to_xml(d))
    assert [(m.kind, m.span, m.tag, m.event, m.within) for m in again.mentions] == [
        ("participant", (0, 1), None, None, None),
        ("action", (1, 2), None, "e", None),
        ("location", (2, 3), None, None, None),
        ("time", (2, 3), None, None, "1"),
    ]
    assert again.mentions[0].extra == {"m_id": "1"}


def test_event_overrides_a_chain_and_unsupported_fields_are_left_out() -> None:
    d = annotated()
    d = d.with_mentions(replace(m, within="c") for m in d.mentions)
    expected = [
        replace(
            m,
            head=None,
            probability=None,
            arguments=(),
            within=None if m.event else "c",
            extra={"m_id": str(number)},
        )
        for number, m in enumerate(d.mentions, start=1)
    ]
    assert parsed(document_to_xml(d)) == d.with_mentions(expected)


def test_sentences_without_tokens_are_left_out() -> None:
    d = replace(document(), sentences=(Sentence(0, 4), Sentence(4, 4), Sentence(4, 9)))
    assert parsed(document_to_xml(d)) == document()


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1f", "\ufffe"])
def test_character_that_xml_does_not_allow_is_rejected(character: str) -> None:
    with pytest.raises(FormatError, match=f"U\\+{ord(character):04X}, which XML cannot contain"):
        document_to_xml(Document.from_tokens("d", [["a", f"b{character}"]]))


def test_document_with_a_span_twice_is_rejected() -> None:
    d = document()
    d = d.with_mentions([d.mention("action", 0, 3), d.mention("action", 0, 3, tokens=(0, 2), id="other")])
    with pytest.raises(SameventError, match="two mentions of one kind and span"):
        document_to_xml(d)


def test_text_that_looks_like_markup_is_escaped() -> None:
    words = ["<token>", "&amp;", "]]>", "\"'", "\r", "\n", "</Document>", "<!DOCTYPE x>"]
    d = Document.from_tokens("<&\"'\r\n\t", [words], title="\r\n\t<&>\"'")
    d = d.with_mentions([d.mention("action", 0, 1, event="<&\"'>\t", extra={"descriptor": "<\n>"})])
    again = parsed(document_to_xml(d))
    assert Corpus([again]).clustering() == Corpus([d]).clustering()
    assert (again.id, again.title, again.tokens) == (d.id, d.title, d.tokens)
    assert again.mentions[0].extra["descriptor"] == "<\n>"
