from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.corpus import Document
from samevent.corpus.headlines import addresses, headline, line_sentences

PROSE = "Jets bombed the Yida camp on Thursday, the United Nations said. Nobody was hurt."


@pytest.mark.parametrize(
    "address",
    [
        "https://news.org/2011/11/camp-bombed.html",
        "www.news.org/camp",
        "http : / / www . news . org / camp - bombed . html",
        "www . news . org / camp",
    ],
)
def test_address_of_a_page_is_neither_headline_nor_part_of_one(address: str) -> None:
    text = f"{address}\nSudan bombs refugee camp\nNovember 10, 2011\n{PROSE}"
    assert headline(text) == "Sudan bombs refugee camp"
    assert addresses(text) == [(0, len(address))]
    assert len(address) + 1 in line_sentences(text)


@pytest.mark.parametrize(
    "above", ["2011-11-10", "November 10, 2011", "By Ann Walker", "www.news.org/camp\n2011-11-10"]
)
def test_headline_may_stand_below_a_date_or_byline(above: str) -> None:
    assert headline(f"{above}\nSudan bombs refugee camp\n\n{PROSE}") == "Sudan bombs refugee camp"
    assert headline(f"{above}\n{PROSE}") is None


def test_prose_that_names_a_page_is_no_address() -> None:
    assert addresses(f"www.news.org says that a camp was bombed.\n{PROSE}") == []
    assert addresses(f"{PROSE}\n" * 8 + "www.news.org/camp") == []


@pytest.mark.parametrize(
    "below",
    [
        f"\n\n{PROSE}",
        f"\r\n\r\n{PROSE}",
        f"\n \n{PROSE}",
        f"\nCAIRO (AP) -- {PROSE}",
        f"\nNEW YORK, Nov. 10 (Reuters) - {PROSE}",
        f"\nJUBA, South Sudan — {PROSE}",
        f"\nNovember 10, 2011\n{PROSE}",
        f"\nBy Ann Walker\n{PROSE}",
        f"\nThe United Nations condemns the raid\n\n{PROSE}",
        f"\n{PROSE} {PROSE} {PROSE}",
    ],
)
def test_first_line_is_a_headline_above_what_is_no_continuation(below: str) -> None:
    text = f"Sudan bombs refugee camp{below}"
    assert headline(text) == "Sudan bombs refugee camp"
    sentences = [
        text[d.tokens[s.start].start : d.tokens[s.end - 1].end]
        for d in [Document.from_text("a", text)]
        for s in d.sentences
    ]
    assert sentences[0] == "Sudan bombs refugee camp"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sudan bombs refugee camp",
        "Sudan bombs refugee camp.\n\nJets bombed Yida.",
        "Jets of the Sudanese army bombed\na refugee camp in Yida on Thursday.",
        "http://news.example/sudan camp\n\nJets bombed Yida.",
        "CAIRO (AP) - Jets bombed Yida\n\nMore follows",
        f"{'word ' * 60}\n\nJets bombed Yida.",
        "10\n\n11",
    ],
)
def test_other_first_lines_are_no_headlines(text: str) -> None:
    assert headline(text) is None


def test_wrapped_prose_stays_one_sentence() -> None:
    text = "Jets of the Sudanese army bombed\na refugee camp in Yida\non Thursday."
    assert line_sentences(text) == frozenset()


@given(st.text(alphabet="Aa. \n\r-—(\u2028", max_size=80))
def test_line_sentences_begin_words_of_the_text(text: str) -> None:
    for start in line_sentences(text):
        assert not text[start].isspace()
        assert any(mark in text[:start] for mark in "\r\n")
    if (title := headline(text)) is not None:
        assert text.lstrip().startswith(title)
