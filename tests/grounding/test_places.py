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
    "Police in Hamilton, Ohio, asked for help from Butler County.": [
        "Hamilton, Ohio, United States (4513575)",
        "Ohio, United States (5165418)",
        "Butler County, Ohio, United States",
    ],
    "Detectives in Chicago, Illinois, asked the court of Cook County.": [
        "Chicago, Illinois, United States (4887398)",
        "Illinois, United States (4896861)",
        "Cook County, Illinois, United States",
    ],
    "Police in Bristol and in Hartford, Connecticut, closed a road.": [
        "Bristol, Connecticut, United States (5282835)",
        "Hartford, Connecticut, United States (4835797)",
        "Connecticut, United States (4831725)",
    ],
    "The fire in Portland spread to Houston, Texas.": [
        "Portland, Oregon, United States (5746545)",
        "Houston, Texas, United States (4699066)",
        "Texas, United States (4736286)",
    ],
    "The shop in Troy was sold to a man in Miami, Florida.": [
        "Troy",
        "Miami, Florida, United States (4164138)",
        "Florida, United States (4155751)",
    ],
    "SALT LAKE CITY, Utah - Two men were arrested.": [
        "Salt Lake City, Utah, United States (5780993)",
        "Utah, United States (5549030)",
    ],
    "He entered Vienna township near Flint, Michigan.": [
        "Vienna",
        "Flint, Michigan, United States (4992982)",
        "Michigan, United States (5001836)",
    ],
    "Turkey hunters met. They shoot a turkey every year.": [],
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
