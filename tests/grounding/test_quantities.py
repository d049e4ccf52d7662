"""Quantities of sentences as the real parser reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parses import needs_model, random_annotations
from samevent.corpus import Document
from samevent.grounding.quantities import may_begin, number_end, quantities
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation

CASES = {
    "At least thirty people were injured.": [">=30 person"],
    "Nearly 200 workers left the plant.": ["180-220 person"],
    "The fire destroyed dozens of homes.": ["24-96 home"],
    "A 5.8-magnitude earthquake struck the town.": ["5.8 magnitude"],
    "An earthquake of magnitude 5.8 struck the town.": ["5.8 magnitude"],
    "The company paid $2.5 million for it.": ["2500000 USD"],
    "More than 50 , 000 people marched through the streets.": [">=50000 person"],
    "Tens of thousands of people joined the strike.": ["20000-99000 person"],
    "Hundreds of thousands of webpages were lost.": ["200000-999000 webpage"],
    "A 6-year-old boy found the gun.": ["6 year old"],
    "It happened in the 1400 block of Terry Street.": [],
    "Officers went to 1915 Birch Street.": [],
    "They lost 31 - 24 to the Colts.": [],
    "See news.org / 2009 / 02 / arrested at 7 : 15.": [],
    "No one expected this.": [],
    "The evacuation ended at eleven.": [],
    "Two fishermen were killed.": ["2 fisherman"],
    "He weighs 180 pounds and paid 25,000 pounds.": ["180 pound", "25000 GBP"],
    "Prices rose by 4 per cent.": ["4 percent"],
    "The navy arrested 12 Somalis.": ["12 somali"],
    "Between 200 and 300 people were injured.": ["200-300 person"],
    "The fleet grew from 20 ships to 30 ships.": ["20 ship", "30 ship"],
    "The navy took 23 into custody.": ["23"],
    "Fire at Oakmoor Plant Leaves Worker Dead and 2 Hurt": ["2 person"],
    "He spoke to ONE News about seeing his 2 kids.": ["2 person"],
    "Reporters of Channel 4 News counted 30 cakes.": ["30 cake"],
    "The bill takes 65 to 90 votes.": ["65-90 vote"],
}


@needs_model
@pytest.mark.parametrize("text", CASES)
def test_sentence_says_how_many(text: str) -> None:
    ((document, annotation),) = Annotator().annotate([Document.from_text("d1", text)])
    found = quantities([token.text for token in document.tokens], annotation)
    assert [str(each.quantity) for each in found] == CASES[text]


@needs_model
def test_bounds_are_round_numbers() -> None:
    ((document, annotation),) = Annotator().annotate(
        [Document.from_text("d1", "About 600 drivers went on strike.")]
    )
    [found] = quantities([token.text for token in document.tokens], annotation)
    assert (found.quantity.low, found.quantity.high) == (540, 660)


@given(
    random_annotations(),
    st.lists(st.sampled_from("a an one tens dozens two-thirds 7 ² 5.8 20 , 000 of thousands people".split())),
)
def test_no_number_begins_with_a_word_that_is_passed_over(annotation: Annotation, words: list[str]) -> None:
    """The fast look at a word never loses a number that reading its surroundings finds."""
    words = words[: len(annotation)] + ["x"] * (len(annotation) - len(words))
    for token, (word, pos) in enumerate(zip(words, annotation.pos, strict=True)):
        assert may_begin(word, pos) or number_end(words, annotation, token) == token


@given(random_annotations())
def test_odd_parses_are_no_error(annotation: Annotation) -> None:
    words = [
        ("1", ",", "000", "-", "2", "one", "tens", "of", "thousands")[i % 9] for i in range(len(annotation))
    ]
    assert all(each.start < each.end <= len(words) for each in quantities(words, annotation))
