"""Grounding of one document."""

from __future__ import annotations

from dataclasses import replace

import samevent
from parses import needs_model, parsed
from samevent.corpus import Document, Reference, When
from samevent.grounding import ground
from samevent.language.annotate import Annotator

PAST = parsed("""
    They PRP nsubj fled they
    fled VBD ROOT fled flee
""")


def refers(date: str | None, known: Reference | None = None) -> Reference | None:
    document, annotation = PAST
    document = replace(document, date=date)
    document = document.with_mentions([document.mention("action", 1, 2, head=1, refers=known)])
    return ground(document, annotation).mentions[0].refers


def test_event_without_a_stated_time_is_dated_by_its_document() -> None:
    assert refers("2031-03-08") == Reference(when=When("2031-03-01", "2031-03-08", source="document"))


def test_event_of_a_document_without_a_date_is_of_unknown_time() -> None:
    assert refers(None) is None
    assert refers("no date at all") is None


def test_first_days_of_the_calendar_are_no_error() -> None:
    assert str(refers("1500-01-01").when) == "1499-12-25/1500-01-01"  # type: ignore[union-attr]


def test_known_references_are_kept() -> None:
    known = Reference(when=When("1999-01-01", "1999-01-01"))
    assert refers("2031-03-08", known) is known


def test_grounding_twice_changes_nothing() -> None:
    document, annotation = PAST
    document = replace(document, date="2031-03-08")
    document = document.with_mentions([document.mention("action", 1, 2)])
    once: Document = ground(document, annotation)
    assert ground(once, annotation) == once


@needs_model
def test_people_named_like_places_and_impossible_dates_are_unknown() -> None:
    texts = [
        "Paris Hilton married George Washington on February 31, 2012. Georgia Smith met Chad in Chad.",
        "Sydney was arrested in London on 99/99/2031.",
    ]
    result = samevent.resolve(texts, options=samevent.Options(preset="light"))
    found = [(m.text, m.kind, m.refers) for m in result.corpus.mentions()]
    where = {
        text: refers.where for text, kind, refers in found if kind != "action" and refers and refers.where
    }
    assert not {"Paris Hilton", "George Washington", "Georgia Smith"} & set(where)
    assert {"in Chad", "in London"} <= set(where)
    days = {str(refers.when) for _, _, refers in found if refers and refers.when}
    assert days <= {"2012-01-01/2012-12-31"}


@needs_model
def test_year_of_a_car_is_no_date() -> None:
    texts = ("He drove a gray 2013 Toyota Camry on Elm Street.", "He drove in the 2013 Grand Prix.")
    documents = [Document.from_text(f"d{number}", text) for number, text in enumerate(texts)]
    events = [
        ground(document.with_mentions([document.mention("action", 1, 2)]), annotation)
        for document, annotation in Annotator().annotate(documents)
    ]
    whens = [mention.refers and mention.refers.when for event in events for mention in event.mentions]
    assert [when and str(when) for when in whens] == [None, "2013-01-01/2013-12-31"]
