"""A weekday and its date: joined where they are one time, left alone where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from samevent.extraction.decoding import Candidates, merge_dates


def joined(text: str, *, borders: tuple[int, ...] = ()) -> list[tuple[str, float]]:
    """Return the times in a text, where each is marked with brackets; the n-th has the probability n / 10."""
    words: list[str] = []
    spans: list[list[int]] = []
    for word in text.split():
        if word == "[":
            spans.append([len(words), 0])
        elif word == "]":
            spans[-1][1] = len(words)
        else:
            words.append(word)
    start, end = np.array(spans, np.int64).reshape(-1, 2).T
    times = Candidates(start, end, start, np.arange(1, len(spans) + 1) / 10)
    found = merge_dates(times, words, np.array([0, *borders, len(words)], np.int64))
    return [
        (" ".join(words[a:b]), p) for a, b, p in zip(found.start, found.end, found.probability, strict=True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "bombs [ on Thursday ] , [ Nov 10th , 2011 ] .",
        "[ Wednesday ] , [ 04 April 2012 10 : 30 ]",
        "[ FRI ] , [ MAY 3 ]",
        "[ late Tuesday ] , [ Sept . 6 ]",
    ],
)
def test_a_weekday_is_merged_with_its_date(text: str) -> None:
    (found,) = joined(text)
    inside = text[text.index("[") + 1 : text.rindex("]")].replace("]", "").replace("[", "")
    assert found == (" ".join(inside.split()), 0.2)


@pytest.mark.parametrize(
    "text",
    [
        "[ on Thursday ] , [ 30 ] people died",
        "[ on Thursday ] , [ May ] resigned",
        "[ on Thursday ] and [ Nov 10th ]",
        "[ in 1994 ] , [ May 5 ]",
        "[ Thursday ] [ May 5 ]",
        "[ Monday ] , [ Tuesday ] , [ a month later ]",
        "[ Sunday ] , [ 300 May 5 ]",
    ],
)
def test_other_times_stay_separate(text: str) -> None:
    assert [t for t, _ in joined(text)] == [
        " ".join(part.split("]")[0].split()) for part in text.split("[")[1:]
    ]


def test_dates_are_not_merged_across_sentences() -> None:
    text = "[ on Thursday ] , [ Nov 10th , 2011 ]"
    assert len(joined(text)) == 1
    assert len(joined(text, borders=(3,))) == 2


def test_times_around_a_merged_one_are_kept() -> None:
    found = joined("[ yesterday ] and [ Thursday ] , [ Nov 10 ] or [ soon ]")
    assert found == [("yesterday", 0.1), ("Thursday , Nov 10", 0.3), ("soon", 0.4)]


def test_no_times_are_merged_in_an_empty_list() -> None:
    assert joined("nothing at all") == []
