"""pandas: a result as two frames, with the columns of `events.csv` and `mentions.csv`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from samevent.formats.extras import missing
from samevent.results.result import Result
from samevent.results.rows import EVENT_COLUMNS, MENTION_COLUMNS, Row, event_rows, mention_rows

if TYPE_CHECKING:
    from pandas import DataFrame

_NUMBERS = ("probability", "similarity")


class Frames(NamedTuple):
    """A result as frames: one row per event, one row per mention of an event."""

    events: DataFrame
    mentions: DataFrame


def frames_of(result: Result) -> Frames:
    """Return both frames of a result."""
    return Frames(events_frame(result), mentions_frame(result))


def events_frame(result: Result) -> DataFrame:
    """Return a row for each event, by its first mention; what is not known is missing."""
    return _frame(list(event_rows(result)), EVENT_COLUMNS)


def mentions_frame(result: Result) -> DataFrame:
    """Return a row for each mention of an event: event by event, then in reading order."""
    return _frame(list(mention_rows(result)), MENTION_COLUMNS)


def _frame(rows: list[Row], columns: list[str]) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise missing("a frame", "pandas", "tables") from error
    frame = DataFrame(rows, columns=columns)
    # A column without a single number would otherwise be one of objects.
    return frame.astype({column: float for column in _NUMBERS if column in columns})
