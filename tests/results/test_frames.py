"""Results as pandas frames."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from builders import annotated
from samevent.corpus import Corpus
from samevent.errors import UsageError
from samevent.results import Result
from samevent.results.frames import events_frame, mentions_frame
from samevent.results.rows import EVENT_COLUMNS, MENTION_COLUMNS, event_rows, mention_rows

pytest.importorskip("pandas")


def _result() -> Result:
    first = annotated("d1", date="2011-11-10", title="=1+1")
    sure = [
        replace(m, extra={"event_belief": {"probability": 0.75}}) if m.head == 1 else m
        for m in first.mentions
    ]
    return Result.from_corpus(Corpus([first.with_mentions(sure), annotated("d2")]))


def test_frames_hold_the_rows_of_the_tables() -> None:
    result = _result()
    for frame, rows, columns in (
        (events_frame(result), event_rows(result), EVENT_COLUMNS),
        (mentions_frame(result), mention_rows(result), MENTION_COLUMNS),
    ):
        assert list(frame.columns) == columns
        kept = [[None if cell != cell else cell for cell in row] for row in frame.to_numpy().tolist()]
        assert kept == [list(row.values()) for row in rows]


def test_frames_can_be_counted_and_joined() -> None:
    events, mentions = events_frame(_result()), mentions_frame(_result())
    counts = mentions.groupby("event").size()
    assert all(
        counts[event] == count for event, count in zip(events["event"], events["mentions"], strict=True)
    )
    assert events["probability"].mean() == 0.75
    assert mentions["title"].iloc[0] == "=1+1"


def test_frames_of_nothing_have_columns_and_numbers() -> None:
    events, mentions = events_frame(Result(Corpus([]))), mentions_frame(Result(Corpus([])))
    assert (len(events), list(events.columns)) == (0, EVENT_COLUMNS)
    assert (len(mentions), list(mentions.columns)) == (0, MENTION_COLUMNS)
    assert mentions["similarity"].dtype == float


def test_frames_without_pandas_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"samevent\[tables\]"):
        events_frame(_result())
