from __future__ import annotations

from dataclasses import replace

import pytest

from report.small import annotated
from samevent.corpus import Corpus, Document, Quantity, Reference, When, Where
from samevent.report.comparison import Point, compare
from samevent.report.index import Index
from samevent.results import Result


def points(first: Document, second: Document) -> list[Point]:
    """Compare the first events of two documents."""
    index = Index(Result(Corpus([first, second])))
    one, other = (next(m for m in each.mentions if m.kind == "action") for each in (first, second))
    return compare(one, other, index)


def referring(id: str, reference: Reference, words: str = "Jets <bombed|e> it .") -> Document:
    document = annotated(id, words)
    return document.with_mentions(
        [replace(m, refers=reference) if m.kind == "action" else m for m in document.mentions]
    )


def test_comparison_marks_the_word_and_the_names_that_both_sentences_have() -> None:
    first = annotated("a", "[Sudan|p] <bombed|e> [the camp of Yida|l] .")
    second = annotated("b", "The <bombing|e> of [Yida|l] by [Khartoum|p] .")
    word, names = points(first, second)
    assert (word.agrees, word.words) == (True, "forms of one word, bombed and bombing")
    assert [first.text[a:b] for a, b in word.first] == ["bombed"]
    assert (names.agrees, names.words) == (True, "both name Yida")
    assert [first.text[a:b] for a, b in names.first] == ["the camp of Yida"]
    assert [second.text[a:b] for a, b in names.second] == ["Yida"]


@pytest.mark.parametrize(
    ("first", "second", "agrees", "words"),
    [
        (
            Reference(when=When("2011-11-10", "2011-11-10", source="argument")),
            Reference(when=When("2011-11-12", "2011-11-12", source="sentence")),
            False,
            "different times: 10 Nov 2011, and 12 Nov 2011",
        ),
        (
            Reference(when=When("2011-11-10", "2011-11-10", source="argument")),
            Reference(when=When("2011-11-10", "2011-11-10", source="argument")),
            True,
            "the same time, 10 Nov 2011",
        ),
        (
            Reference(where=Where("Yida", 1, ("South Sudan",), source="argument")),
            Reference(where=Where("South Sudan", 2, source="argument")),
            True,
            "Yida is in South Sudan",
        ),
        (
            Reference(where=Where("Yida", 1, ("South Sudan",), source="argument")),
            Reference(where=Where("Athens", 3, ("Greece",), source="argument")),
            False,
            "different places: Yida, and Athens",
        ),
        (
            Reference(quantities=(Quantity(12, 12, "person"),)),
            Reference(quantities=(Quantity(30, None, "person"),)),
            False,
            "different numbers (person): 12, and 30 or more",
        ),
    ],
)
def test_comparison_says_in_words_what_fits_and_what_contradicts(
    first: Reference, second: Reference, agrees: bool, words: str
) -> None:
    _, point = points(referring("a", first), referring("b", second))
    assert (point.agrees, point.words) == (agrees, words)


def test_comparison_takes_no_date_of_a_document_for_what_a_sentence_says() -> None:
    days = ("2011-11-10", "2011-11-12")
    documents = [
        referring(day, Reference(when=When(day, day, source="document")), "Jets <bombed|e> it .")
        for day in days
    ]
    assert [point.words for point in points(*documents)] == ["the same word"]
