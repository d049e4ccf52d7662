"""What mentions refer to: notation, checks, and what most mentions of an event say."""

from __future__ import annotations

import pytest

from samevent.corpus import Quantity, Reference, When, Where
from samevent.corpus.reference import common_when, common_where
from samevent.errors import CorpusError

CITY = Where("Los Angeles", 5368361, ("California", "United States"))
STATE = Where("California", 5332921, ("United States",))


@pytest.mark.parametrize(
    "text", ["2031-03-04/2031-03-09", "2010-01-01/..", "../2010-01-01", "P2W", "PT5H12M"]
)
def test_when_parse_reads_what_str_writes(text: str) -> None:
    assert str(When.parse(text)) == text


def test_when_parse_takes_one_date_for_a_day() -> None:
    assert When.parse("2031-03-04") == When("2031-03-04", "2031-03-04")


@pytest.mark.parametrize(
    "text", ["2031-3-4", "2031-02-30", "2031-03-04/2031-03-01", "../..", "P", "PT", "P3X", ""]
)
def test_when_rejects_what_is_no_time(text: str) -> None:
    with pytest.raises(CorpusError):
        When.parse(text)


@pytest.mark.parametrize("ends", [(None, None), (3, 2), (float("nan"), 1), (1, float("inf"))])
def test_quantity_rejects_what_is_no_range(ends: tuple[float | None, float | None]) -> None:
    with pytest.raises(CorpusError):
        Quantity(*ends)


def test_reference_is_completed_by_what_it_lacks() -> None:
    own = Reference(when=When.parse("2031-03-04"))
    other = Reference(when=When.parse("2031-03-05"), where=STATE)
    assert own.completed_by(other) == Reference(when=own.when, where=STATE)


def test_common_when_prefers_arguments_then_votes_then_the_shorter() -> None:
    def said(text: str, source: str) -> Reference:
        return Reference(when=When.parse(text, source))  # type: ignore[arg-type]

    documents = [said("2031-03-01/2031-03-08", "document")] * 3
    assert common_when([*documents, None]) == documents[0].when
    week, day = said("2031-03-03/2031-03-09", "argument"), said("2031-03-04", "argument")
    assert common_when([*documents, week, day]) == day.when
    assert common_when([week, week, day]) == week.when
    assert common_when([said("P2W", "argument"), documents[0]]) == documents[0].when


def test_common_where_counts_a_state_for_its_city() -> None:
    elsewhere = Where("Paris", 2988507, ("France",))
    places = [elsewhere, elsewhere, STATE, STATE, CITY]
    assert common_where(Reference(where=place) for place in places) == CITY
    assert common_where([]) is None
