"""Which names can be of one entity."""

from __future__ import annotations

import pytest

from samevent.grounding.entity_names import compatible, parse_name

PERSON, ORG, GPE = "PERSON", "ORG", "GPE"


@pytest.mark.parametrize(
    ("first", "second", "labels", "expected"),
    [
        ("Obama", "Barack Obama", (PERSON, PERSON), True),
        ("Barack", "Barack Obama", (PERSON, PERSON), True),
        ("Barack Obama's", "'Barack Obama'", (PERSON, PERSON), True),
        ("Michelle Obama", "Barack Obama", (PERSON, PERSON), False),
        ("Jim O'Brien", "James O'Brien", (PERSON, PERSON), True),
        ("Barack Obama", "Barack Hussein Obama", (PERSON, PERSON), True),
        ("Klitschko", "Wladimir Klitschko", ("NORP", PERSON), True),
        ("Trail Blazers", "Portland Trail Blazers", (ORG, ORG), True),
        ("Portland", "Portland Trail Blazers", (GPE, ORG), False),
        ("Korea", "North Korea", (GPE, GPE), False),
        ("North Korea", "South Korea", (GPE, GPE), False),
        ("Wells Fargo", "Wells Fargo Bank", (ORG, ORG), True),
        ("United States", "United States of America", (GPE, GPE), True),
        ("America", "Bank of America", (GPE, ORG), False),
        ("Bank", "Bank of America", (ORG, ORG), True),
        ("IMF", "International Monetary Fund", (ORG, ORG), True),
        ("U.S.", "United States", (GPE, GPE), True),
        ("IMF", "IBF", (ORG, ORG), False),
    ],
)
def test_names_are_compatible_either_way_or_not_at_all(
    first: str, second: str, labels: tuple[str, str], expected: bool
) -> None:
    assert compatible(first, second, *labels) is expected
    assert compatible(second, first, *reversed(labels)) is expected


def test_compatible_names_share_a_key() -> None:
    for first, second in (("Obama", "Barack Obama"), ("IMF", "International Monetary Fund"), ("of", "Of")):
        assert parse_name(first).keys & parse_name(second).keys
    assert not parse_name("House of Lords").keys & parse_name("Gulf of Aden").keys


@pytest.mark.parametrize("text", ["'", "’ s", "The", "&", "of"])
def test_names_without_words_are_no_error(text: str) -> None:
    assert parse_name(text).words
    assert parse_name(text).keys
    assert parse_name(text).head
