"""The shipped extractor on real sentences, and on what is hardly a sentence."""

from __future__ import annotations

from itertools import pairwise

import pytest

from builders import document
from parses import needs_model
from samevent.corpus import KINDS, Document, Kind
from samevent.extraction import POINTS, Extractor, load_extractor
from samevent.preparation import parse


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return load_extractor()


def extract(extractor: Extractor, text: Document, point: str = "balanced") -> Document:
    (found,) = parse([text], extractor.resources.roles)
    return extractor.extract(found, point=point)


def texts(document: Document, kind: Kind) -> list[str]:
    return [m.text for m in document.mentions if m.kind == kind]


@needs_model
@pytest.mark.parametrize("point", POINTS)
def test_shipped_extractor_reproduces_the_papers_first_table(extractor: Extractor, point: str) -> None:
    text = "Sudan bombs Yida refugee camp in South Sudan on Thursday, Nov 10th, 2011"
    found = extract(extractor, Document.from_text("a", text), point)
    by_id = {m.id: m for m in found.mentions}
    event = next(m for m in found.mentions if m.kind == "action" and m.text == "bombs")
    arguments = [(by_id[a.mention], a.role) for a in event.arguments]
    assert [(m.text, role) for m, role in arguments if m.kind == "participant"] == [
        ("Sudan", "ARG0"),
        ("Yida refugee camp", "ARG1"),
    ]
    # Annotators of ECB+, whom the extractor learned from, count the preposition in.
    assert [m.text for m, _ in arguments if m.kind == "time"] == ["on Thursday, Nov 10th, 2011"]
    assert [m.text for m, _ in arguments if m.kind == "location"] == ["in South Sudan"]
    if point == "balanced":
        assert texts(found, "action") == ["bombs"]


@needs_model
@pytest.mark.parametrize(
    "sentences",
    [
        [],
        [[]],
        [["\t"], [], ["…", "--", "?!"]],
        [["123", "456", "%"]],
        [["fell"] * 400],
        [["The", "president", "of", "Chad", ",", "resigned", "on", "Monday"] * 250],
        [["😀", "🦀" * 50, "x" * 5000]],
    ],
    ids=["none", "empty", "marks", "numbers", "one word 400 times", "2,000 tokens", "no word"],
)
def test_very_short_texts_are_not_an_error(extractor: Extractor, sentences: list[list[str]]) -> None:
    given = Document.from_tokens("a", sentences)
    (text,) = parse([given], extractor.resources.roles)
    for point in POINTS:
        found = extractor.extract(text, point=point)
        assert found.tokens == given.tokens
        for kind in KINDS:
            spans = sorted(m.span for m in found.mentions if m.kind == kind)
            assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.slow
@needs_model
def test_neighbouring_documents_change_nothing(extractor: Extractor) -> None:
    first = document("a", "The army attacked a village near Aleppo on Friday .")
    second = document("b", "Shares fell after the company announced job cuts .")
    roles = extractor.resources.roles
    alone = [extractor.extract(text) for each in (first, second) for text in parse([each], roles)]
    together = [extractor.extract(text) for text in parse([first, second], roles, jobs=2)]
    assert alone == together
