"""Places of sentences as the real parser reads them, in the gazetteer of the shipped model."""

from __future__ import annotations

from functools import cache

import pytest

from parses import needs_model
from samevent.corpus import Document
from samevent.grounding.places import places
from samevent.language.annotate import Annotator
from samevent.language.gazetteer import Gazetteer
from samevent.model import Model

CASES = {
    "He lives in Los Angeles.": ["Los Angeles, California, United States (5368361)"],
    "The trial in Springfield, Illinois, begins today.": [
        "Springfield, Illinois, United States (4250542)",
        "Illinois, United States (4896861)",
    ],
    "The trial in Springfield, Missouri, begins today.": [
        "Springfield, Missouri, United States (4409896)",
        "Missouri, United States (4398678)",
    ],
    "Paris Hilton was arrested.": [],
    "The actors returned to Broadway.": ["Broadway"],
    "They were found dead in Hawaiian Gardens, California.": [
        "Hawaiian Gardens, California, United States (5355782)",
        "California, United States (5332921)",
    ],
    "They left at 5:12 a.m. for their houses.": [],
}


@cache
def gazetteer() -> Gazetteer:
    found = Model.load().resources.gazetteer
    assert found
    return found


def found(text: str, location: str | None = None) -> list[str]:
    ((document, annotation),) = Annotator().annotate([Document.from_text("d1", text)])
    start = text.index(location) if location else 0
    located = [document.token_span(start, start + len(location))] if location else []
    words = [token.text for token in document.tokens]
    return [str(each.where) for each in places(words, annotation, gazetteer(), located)]


@needs_model
@pytest.mark.parametrize("text", CASES)
def test_sentence_names_places(text: str) -> None:
    assert found(text) == CASES[text]


@needs_model
def test_location_is_a_place_even_if_the_parser_sees_a_person() -> None:
    text = "Mayor Odile Harrowin said that rescue teams searched houses in Kestry and off Gannet Head."
    assert found(text, "in Kestry") == ["Kestry"]


@needs_model
def test_small_town_needs_its_state() -> None:
    assert found("The lander flew back to Earth.") in ([], ["Earth"])
