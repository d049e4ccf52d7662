from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from datetime import date
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.pages import Page
from report.small import annotated, small_result, with_reasons
from samevent.corpus import Corpus
from samevent.report import plots
from samevent.report.index import Index
from samevent.report.page import about_list
from samevent.report.parts import brief, day, period
from samevent.report.plots import chains, matrix, timeline
from samevent.results import Diagnostics, Result


def points(path: str) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in re.findall(r"[ML](-?\d+) (-?\d+)", path)]


def test_chain_plot_draws_one_line_per_run_from_low_to_high() -> None:
    drawn = Page("".join(chains(Diagnostics("fine", {"events": [[1.0, 3.0, 2.0], [2.0, 2.0, 2.0]]}))))
    rising, flat = drawn.values("d")
    assert points(rising) == [(0, 1000), (500, 0), (1000, 500)]
    assert points(flat) == [(0, 500), (500, 500), (1000, 500)]
    assert "events of 2 runs over 3 sweeps, from 1 to 3" in drawn.values("aria-label")


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=3000))
def test_long_chain_keeps_its_ends_and_extremes(run: list[float]) -> None:
    kept = plots._kept(run)
    assert len(kept) <= plots.MAX_POINTS + 2
    assert kept == sorted(set(kept))
    assert {0, len(run) - 1} <= set(kept)
    assert {min(run), max(run)} <= {run[sweep] for sweep in kept}


def test_chain_plot_breaks_where_a_value_is_missing() -> None:
    [path] = Page("".join(chains(Diagnostics("", {"x": [[0.0, math.nan, 2.0, 1.0]]})))).values("d")
    assert path.count("M") == 2


def test_timeline_has_one_dot_per_date_and_skips_other_dates() -> None:
    result = small_result()
    drawn = Page(timeline(Index(result)))
    dots = [attributes for tag, attributes in drawn.elements if tag == "circle"]
    assert len(dots) == 6
    assert "1 document without a date is left out." in drawn.text
    corpus = result.corpus.mapped(lambda d: replace(d, date="last Monday" if d.id == "bbc" else d.date))
    drawn = Page(timeline(Index(Result(corpus))))
    assert "2 documents without a date are left out." in drawn.text


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("0001-01-01", "9999-12-31"),
        ("2012-11-05", "2012-11-05"),
        ("2012-11-05", "2013-03-01"),
        ("2012", "2019-05"),
    ],
)
def test_timeline_scale_keeps_days_and_ticks_inside(first: str, last: str) -> None:
    days = [found for text in (first, last) if (found := day(text))]
    scale = plots._Scale(days)
    assert all(0 <= float(scale.place(found).rstrip("%")) <= 100 for found in days)
    ticks = scale.ticks()
    assert 1 <= len(ticks) <= 2 * plots.TICKS
    assert [when for when, _ in ticks] == sorted({when for when, _ in ticks})
    assert all(scale.parts[0].first <= when <= scale.parts[-1].last for when, _ in ticks)


def test_one_late_date_does_not_squeeze_the_rest() -> None:
    days = [date(2011, 3, 1), date(2011, 3, 20), date(2011, 4, 2), date(2024, 7, 1)]
    scale = plots._Scale(days)
    first, _, third, late = (float(scale.place(when).rstrip("%")) for when in days)
    assert third - first > 40
    assert third < late <= 100
    assert len(scale.breaks) == 1
    assert third < float(scale.breaks[0].rstrip("%")) < late
    assert any(words.endswith("2024") for _, words in scale.ticks())
    assert not plots._Scale([days[0], days[-1]]).breaks


@given(st.lists(st.dates(), min_size=1, max_size=30))
def test_timeline_places_are_in_the_order_of_the_days(days: list[date]) -> None:
    scale = plots._Scale(days)
    places = [float(scale.place(when).rstrip("%")) for when in sorted(set(days))]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 100
    assert all(0 <= float(scale.place(when).rstrip("%")) <= 100.1 for when, _ in scale.ticks())


def test_dots_and_cells_lead_to_the_first_mention_and_say_what_is_there() -> None:
    index = Index(small_result())
    dots = re.findall(r"<a href=#(m\d+)><circle[^>]*><title>([^<]*)</title>", timeline(index))
    cells = re.findall(r"<td class=k\d+><a href=#(m\d+) title=\"([^\"]*)\">", matrix(index))
    known = {index.mention(id) for id in index.mentions}
    assert len(dots) == 6
    assert cells
    for anchor, tip in dots + cells:
        assert anchor in known
        mention = index.mentions[next(id for id in index.mentions if index.mention(id) == anchor)]
        document = index.result.corpus[mention.document]
        assert (document.title or document.id) in tip
        assert mention.text in tip
    assert plots.linked_mentions(index) == {anchor for anchor, _ in dots + cells}


@given(st.lists(st.dates(), min_size=1, max_size=4))
def test_dates_are_said_once_and_in_order(days: list[date]) -> None:
    texts = sorted(found.isoformat() for found in days)
    for said in (period(texts), brief(texts)):
        assert str(days[0].year) in said or len(days) > 1
        assert ("–" in said) == (texts[0] != texts[-1])


def test_matrix_counts_mentions_of_events_in_documents() -> None:
    result = small_result()
    drawn = matrix(Index(result))
    names = re.findall(r"<th scope=col><a href=#d\d+>([^<]*)", drawn)
    titles = {document.title or document.id: document.id for document in result.corpus}
    rows = re.findall(r"<th scope=row><a href=#(e\d+)>[^<]*</a>(.*?)(?=<tr|</tbody>)", drawn)
    found = {
        (event, titles[title]): int(cell)
        for event, row in rows
        for title, cell in zip(names, re.findall(r"<td[^>]*>(?:<a[^>]*>)?(\d*)", row), strict=True)
        if cell
    }
    across = [event for event in result.events if len(event.documents) > 1]
    assert found == Counter((event.id, mention.document) for event in across for mention in event.mentions)


@given(st.lists(st.sampled_from("ABC"), min_size=6, max_size=12))
def test_matrix_puts_what_belongs_together_side_by_side(groups: list[str]) -> None:
    links = {f"e{i}": [f"{group}1", f"{group}2"] for i, group in enumerate(groups)}
    rows, columns = plots.side_by_side(links)
    assert sorted(rows) == sorted(links)
    for side in ([groups[int(row[1:])] for row in rows], [column[0] for column in columns]):
        assert len(list(groupby(side))) == len(set(groups))


def test_matrix_draws_the_largest_and_says_so() -> None:
    words = " ".join(f"<raid{i}|{i}>" for i in range(plots.MAX_EVENTS + 1))
    documents = [annotated(f"d{i}", words) for i in range(plots.MAX_DOCUMENTS + 1)]
    drawn = Page(matrix(Index(Result.from_corpus(with_reasons(documents)))))
    assert "40 of 41 events in several documents, and 60 of 61 documents." in drawn.text
    assert len([tag for tag, _ in drawn.elements if tag == "tr"]) == 1 + plots.MAX_EVENTS


def test_matrix_of_one_document_says_that_nothing_is_shared() -> None:
    result = Result.from_corpus(with_reasons([annotated("a", "The <raid|e> was a <raid|e> .")]))
    assert "No event appears in more than one document." in matrix(Index(result))


def test_about_shows_any_values() -> None:
    known = {
        "a_b": 1.5,
        "on": True,
        "none": None,
        "many": [1, "two"],
        "in": {"deep": {"<er>": 0}, "flat": []},
    }
    text = Page(about_list(known)).text
    for words in ("a b1.5", "onyes", "none–", "many1, two", "in", "deep", "<er>0", "flat–"):
        assert words in text
    assert "<details>" in about_list({"long": ["file.txt"] * 100})


def test_colours_of_events_that_share_a_document_differ() -> None:
    result = Result.from_corpus(
        with_reasons([annotated("a", " ".join(f"<x{i}|{i}> <y{i}|{i}>" for i in range(12)))])
    )
    index = Index(result)
    assert len({index.colour(event) for event in result.events}) == 12


def test_index_of_nothing_is_empty() -> None:
    index = Index(Result(Corpus([])))
    assert not index.ranked
    assert not index.mentions
