from __future__ import annotations

import pytest

from samevent.corpus.mention import EventClass
from samevent.events import Event, Events
from samevent.results.labels import LEAD, Candidate
from samevent.results.ranking import importance, is_background
from samevent.similarity.stemming import stem


def _candidate(word: str = "bomb", *, place: int = 9, named: str = "sudan") -> Candidate:
    return Candidate(word, word, frozenset(named.split()), place)


def test_documents_headlines_certainty_and_names_make_an_event_important() -> None:
    plain = importance([_candidate()] * 2, ["a", "b"], [0.5, 0.5])
    assert importance([_candidate()] * 3, ["a", "b", "c"], [0.5, 0.5, 0.5]) > plain
    assert importance([_candidate(place=0), _candidate()], ["a", "b"], [0.5, 0.5]) > plain
    assert importance([_candidate()] * 2, ["a", "b"], [0.9, 0.9]) > plain
    assert importance([_candidate(named="")] * 2, ["a", "b"], [0.5, 0.5]) < plain


def test_a_document_is_worth_more_than_many_mentions_in_one() -> None:
    often = importance([_candidate(place=LEAD)] * 6, ["a"] * 6, [0.5])
    widely = importance([_candidate(place=LEAD)] * 4, ["a", "b", "c", "d"], [0.5])
    assert widely > often


@pytest.mark.parametrize(
    ("word", "event_class", "background"),
    [
        ("bomb", "occurrence", False),
        ("bomb", None, False),
        ("announc", "reporting", True),
        ("watch", "perception", True),
        ("said", "occurrence", True),
        ("made", "occurrence", True),
        ("thing", "state", True),
    ],
)
def test_what_is_said_seen_or_merely_done_is_background(
    word: str, event_class: EventClass | None, background: bool
) -> None:
    assert is_background([_candidate(stem(word))] * 2, event_class) is background


def test_events_are_ranked_by_weight_with_background_last() -> None:
    events = Events(
        [
            Event("e1", "said", (), (), weight=9.0, background=True),
            Event("e2", "fire", (), (), weight=1.0),
            Event("e3", "raid", (), (), weight=2.0),
            Event("e4", "quake", (), (), weight=2.0),
        ]
    )
    assert [event.id for event in events.ranked()] == ["e3", "e4", "e2"]
    assert [event.id for event in events.ranked(background=True)] == ["e3", "e4", "e2", "e1"]
    assert [event.id for event in events.ranked(1)] == ["e3"]
