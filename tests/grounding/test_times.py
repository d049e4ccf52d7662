"""Time expressions on a test set of our own; `benchmarks/grounding.py` compares a library on it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import NamedTuple, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samevent.corpus import When
from samevent.grounding.tense import Tense
from samevent.grounding.times import is_time_of_day, resolve_time

LEAST_ACCURACY = 0.9
SETS = ("times", "times-later")


class Case(NamedTuple):
    """An expression, when it was written, the tense around it, and what it means."""

    text: str
    written: date | None
    tense: Tense
    meaning: str | None


def cases(name: str) -> list[Case]:
    """Read a test set."""
    lines = Path(__file__).with_name(f"{name}.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    return [
        Case(
            text,
            None if written == "-" else date.fromisoformat(written),
            tense,  # type: ignore[arg-type]
            None if meaning == "-" else meaning,
        )
        for text, written, tense, meaning in rows
    ]


def by_rules(case: Case) -> str | None:
    found = resolve_time(case.text, case.written, case.tense)
    return str(found) if found else None


CASES = {name: cases(name) for name in SETS}


def test_sets_have_over_three_hundred_expressions_with_valid_meanings() -> None:
    every = [case for some in CASES.values() for case in some]
    assert len(every) >= 300
    for case in every:
        assert case.tense in get_args(Tense)
        if case.meaning:
            assert str(When.parse(case.meaning)) == case.meaning


@pytest.mark.parametrize("name", SETS)
def test_rules_resolve_most_expressions(name: str) -> None:
    right = sum(by_rules(case) == case.meaning for case in CASES[name])
    assert right >= LEAST_ACCURACY * len(CASES[name])


@pytest.mark.parametrize("text", ["5:12 a.m.", "around 7 p.m.", "in the morning", "noon"])
def test_time_of_day_is_no_date(text: str) -> None:
    assert is_time_of_day(text)


@pytest.mark.parametrize("text", ["Friday night", "5:12 a.m. on May 3", "yesterday morning", "two weeks"])
def test_what_names_a_day_is_more_than_a_time_of_day(text: str) -> None:
    assert not is_time_of_day(text)


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            "since until before after last next this early late the of in two a few 30 31 99999 9999 2010 feb may "
            "monday weekend week month year decades century ago later quarter easter summer 1990s 0:99 13/32/2013 2 "
            "/ , - and to Q4 hours 1e9 century 20th now".split()
        ),
        max_size=6,
    ),
    st.none() | st.dates(),
    st.sampled_from(get_args(Tense)),
)
def test_whatever_it_reads_it_never_raises(words: list[str], written: date | None, tense: Tense) -> None:
    found = resolve_time(" ".join(words), written, tense)
    assert found is None or found.duration or (found.start or "") <= (found.end or "9999-12-31")


def test_end_of_a_fraction_is_no_number() -> None:
    assert resolve_time("in the past 11/2 years", date(2016, 5, 25), "past") is None
