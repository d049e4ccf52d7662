"""The date of a document."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samevent.corpus import Document
from samevent.language.dates import document_date

STORY = "Jets bombed the Yida refugee camp, officials said. " * 10
DATES = st.dates(date(1500, 1, 1), date(2199, 12, 31))
FORMS = (
    "{0:%Y-%m-%d}",
    "{0:%Y-%m-%d}T08:30:00+02:00",
    "{0:%Y-%m-%d} 08:30",
    "{0:%Y}/{0:%m}/{0:%d}",
    "{0:%B} {0.day}, {0:%Y}",
    "{0:%b}. {0.day}, {0:%Y}",
    "{0:%b} . {0.day} , {0:%Y}",
    "{0:%A}, {0.day} {0:%B} {0:%Y}",
    "{0.day}th of {0:%B}, {0:%Y}",
    "{0:%d}-{0:%b}-{0:%Y}",
    "{0:%a}, {0.day} {0:%b} {0:%Y} 08:30:00 GMT",
)


def _document(
    text: str = STORY, *, id: str = "d", title: str | None = None, given: str | None = None
) -> Document:
    return Document.from_text(id, text, title=title, date=given)


@given(DATES, st.sampled_from(FORMS))
def test_date_is_read_in_every_common_form_wherever_it_stands(day: date, form: str) -> None:
    written = form.format(day)
    assert document_date(_document(given=written)) == day.isoformat()
    assert document_date(_document(f"CAIRO, {written} (Reuters) - {STORY}")) == day.isoformat()
    assert document_date(_document(f"Published: {written}\n\n{STORY}")) == day.isoformat()
    assert document_date(_document(title=f"Yida bombed ({written})")) == day.isoformat()


@given(
    DATES,
    st.sampled_from(
        ("news-{:%Y-%m-%d}.txt", "x/{:%Y/%m/%d}/1.txt", "NYT_ENG_{:%Y%m%d}.0012", "{:%Y_%m_%d}-1")
    ),
)
def test_date_is_found_in_the_id(day: date, form: str) -> None:
    assert document_date(_document(id=form.format(day))) == day.isoformat()


@given(DATES, st.sampled_from("/-."))
def test_numeric_date_is_read_only_when_it_can_be_one_day_alone(day: date, mark: str) -> None:
    for one, other in ((day.day, day.month), (day.month, day.day)):
        found = document_date(_document(given=f"{one}{mark}{other}{mark}{day.year}"))
        assert found == (day.isoformat() if day.day > 12 or day.day == day.month else None)


@pytest.mark.parametrize(
    "written",
    [
        "Nov 10",
        "November 2011",
        "10 Nov 11",
        "2011",
        "2011-02-30",
        "February 29, 2011",
        "31 April 2011",
        "2011-13-01",
        "2011-11-101",
        "10-12 November 2011",
        "Nov 10-12, 2011",
        "Thursday",
        "soon",
        "",
    ],
)
def test_no_date_is_made_up(written: str) -> None:
    assert document_date(_document(given=written)) is None
    assert document_date(_document(f"CAIRO, {written} (Reuters) - {STORY}")) is None


def test_given_date_is_preferred_to_the_text_and_the_text_to_the_name() -> None:
    text = f"CAIRO, Nov 10, 2011 - {STORY}"
    assert document_date(_document(text, id="2001-01-01", given="2012-05-06")) == "2012-05-06"
    assert document_date(_document(text, id="2001-01-01", given="yesterday")) == "2011-11-10"
    assert document_date(_document(id="2001-01-01", title="2002-02-02")) == "2001-01-01"


@pytest.mark.parametrize(
    "head",
    [
        "Since July 9, 2011 there was peace.\nCAIRO, Nov 10, 2011 (AP) - Then",
        "Since July 9, 2011 there was peace. Published on Thursday, November 10, 2011. Then",
        "Sudan free since July 9, 2011\nNovember 10, 2011\nThen",
        "Updated July 9, 2012. Posted: 2011-11-10. Then",
        "Nov 10, 2011 saw bombs, July 9, 2011 did not. Then",
    ],
)
def test_dateline_is_preferred_to_other_dates_and_else_the_first(head: str) -> None:
    assert document_date(_document(f"{head} {STORY}")) == "2011-11-10"


def test_dates_deep_in_the_text_tell_nothing() -> None:
    assert document_date(_document(f"{STORY} On July 9, 2011 it began.")) is None


def test_date_at_the_edge_of_the_head_is_not_cut_in_half() -> None:
    for spaces in range(280, 310):
        text = f"{'x' * spaces} 2011-11-10 {STORY}"
        assert document_date(_document(text)) in (None, "2011-11-10")


def test_long_lines_of_capitals_take_no_time() -> None:
    assert document_date(_document(f"{'A' * 280} 2011-11-10 {STORY}")) == "2011-11-10"


def test_day_on_which_a_file_was_made_counts_last() -> None:
    made = {"created": "2031-03-05"}
    assert document_date(Document.from_text("a", "Jets bombed Yida.", extra=made)) == "2031-03-05"
    assert document_date(Document.from_text("2011-11-10", "Jets bombed Yida.", extra=made)) == "2011-11-10"
