"""Columns that compare what events refer to, against plain definitions of the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samevent.corpus import SOURCES, Quantity, Reference, When, Where
from samevent.grounding.compatibility import (
    AGENT,
    OTHER,
    PATIENT,
    Referents,
    compile_referents,
    days_apart,
    same_place,
    same_quantities,
    same_who,
    time_overlap,
)

CITY = Where("Los Angeles", 1, ("California", "United States"))
OTHER_CITY = Where("Eureka", 2, ("California", "United States"))
STATE = Where("California", 3, ("United States",))
FRANCE = Where("Paris", 4, ("France",))
DAYS = st.dates(date(2031, 3, 1), date(2031, 3, 20)).map(lambda day: day.isoformat())


@st.composite
def events(draw: st.DrawFn) -> tuple[Reference, list[tuple[str, str]]]:
    first, last = sorted(draw(st.lists(DAYS, min_size=2, max_size=2)))
    whens = [None, When(first, last), When(first, None), When(None, last), When(duration="P2W")]
    when = draw(st.sampled_from(whens))
    places = [None, CITY, OTHER_CITY, STATE, FRANCE, Where("Yida")]
    place = draw(st.sampled_from(places))
    source = draw(st.sampled_from(SOURCES))
    ends = st.sampled_from([(4, 4), (30, None), (None, 30), (24, 96)])
    quantities = [
        Quantity(*draw(ends), draw(st.sampled_from(["person", "km"]))) for _ in range(draw(st.integers(0, 3)))
    ]
    whos = draw(st.lists(st.tuples(st.sampled_from(["ARG0", "ARG1", ""]), st.sampled_from("ab")), max_size=3))
    return (
        Reference(
            When(when.start, when.end, when.duration, source) if when else None,
            replace(place, source=source) if place else None,
            tuple(quantities),
        ),
        whos,
    )


def plain_days(a: Reference, b: Reference) -> float:
    whens = (a.when, b.when)
    if any(w is None or w.duration or w.source == "document" for w in whens):
        return nan
    first = [date.fromisoformat(w.start).toordinal() if w and w.start else -np.inf for w in whens]
    last = [date.fromisoformat(w.end).toordinal() if w and w.end else np.inf for w in whens]
    return min(max(max(first) - min(last), 0.0), 1e6)


def plain_place(a: Reference, b: Reference) -> float:
    places = (a.where, b.where)
    if any(w is None or w.source == "document" for w in places):
        return nan
    x, y = (w.path[::-1] for w in places if w)
    if x == y:
        return 1.0
    if any(w and w.id is None for w in places):
        return nan
    shared = next((n for n, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y)))
    return 0.75 if shared == min(len(x), len(y)) else 0.5 * shared / min(len(x), len(y))


def plain_quantity(p: Quantity, q: Quantity) -> float:
    if (p.low, p.high) == (q.low, q.high):
        return 1.0
    low = max(-np.inf if x.low is None else x.low for x in (p, q))
    high = min(np.inf if x.high is None else x.high for x in (p, q))
    return 0.5 if low <= high else 0.0


def plain_quantities(a: Reference, b: Reference, worst: bool) -> float:
    units = {q.unit for q in a.quantities} & {q.unit for q in b.quantities}
    best = [
        max(plain_quantity(p, q) for p, q in product(a.quantities, b.quantities) if p.unit == q.unit == unit)
        for unit in units
    ]
    return (min(best) if worst else max(best)) if best else nan


def plain_who(a: list[tuple[str, str]], b: list[tuple[str, str]], roles: set[str]) -> float:
    x, y = ({name for role, name in whos if role in roles} for whos in (a, b))
    return float(bool(x & y)) if x and y else nan


@settings(max_examples=60)
@given(st.lists(events(), min_size=1, max_size=6))
def test_columns_are_what_their_definitions_say(rows: list[tuple[Reference, list[tuple[str, str]]]]) -> None:
    referents = compile_referents(rows)
    pairs = list(product(range(len(rows)), repeat=2))
    i, j = (np.array(side, np.int32) for side in zip(*pairs, strict=True))
    every = {"ARG0", "ARG1", ""}
    expected = [plain_days(rows[a][0], rows[b][0]) for a, b in pairs]
    np.testing.assert_array_equal(days_apart(referents, i, j), expected)
    expected = [plain_place(rows[a][0], rows[b][0]) for a, b in pairs]
    np.testing.assert_array_equal(same_place(referents, i, j), expected)
    for worst in (False, True):
        expected = [plain_quantities(rows[a][0], rows[b][0], worst) for a, b in pairs]
        np.testing.assert_array_equal(same_quantities(worst, referents, i, j), expected)
    for role, names in ((AGENT, {"ARG0"}), (PATIENT, {"ARG1"}), (OTHER, every)):
        expected = [plain_who(rows[a][1], rows[b][1], names) for a, b in pairs]
        np.testing.assert_array_equal(same_who(role, referents, i, j), expected)


def test_time_overlap_is_the_share_of_days_that_both_have() -> None:
    texts = ["2031-03-01/2031-03-04", "2031-03-03/2031-03-06", "2031-03-09", "2031-03-03/.."]
    referents = compile_referents([(Reference(When.parse(text, "argument")), []) for text in texts])
    i, j = np.array([0, 0, 0, 3], np.int32), np.array([0, 1, 2, 0], np.int32)
    assert time_overlap(referents, i, j).tolist() == [1.0, pytest.approx(1 / 3), 0.0, 0.0]


@settings(max_examples=30)
@given(st.lists(events(), max_size=6), st.data())
def test_rows_taken_and_stacked_are_those_compiled(
    rows: list[tuple[Reference, list[tuple[str, str]]]], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(rows)))
    order = data.draw(st.permutations(range(len(rows))))
    parts = [compile_referents(rows[:cut]), compile_referents(rows[cut:])]
    joined = Referents.stack(parts).take(np.array(order, np.int64))
    whole = compile_referents([rows[at] for at in order])
    for name in Referents.__dataclass_fields__:
        left, right = getattr(joined, name), getattr(whole, name)
        assert left.dtype == right.dtype, name
        np.testing.assert_array_equal(left, right)


def test_unknown_is_unknown() -> None:
    referents = compile_referents([(None, []), (None, [])])
    i, j = np.zeros(1, np.int32), np.ones(1, np.int32)
    for worst in (False, True):
        assert isnan(same_quantities(worst, referents, i, j)[0])
    assert isnan(days_apart(referents, i, j)[0])
    assert isnan(same_place(referents, i, j)[0])
    assert isnan(time_overlap(referents, i, j)[0])
    assert isnan(same_who(OTHER, referents, i, j)[0])
