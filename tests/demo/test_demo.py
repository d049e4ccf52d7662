from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from samevent.corpus import Document
from samevent.demo import articles, gold
from samevent.formats import read, write
from samevent.language.annotate import annotate

ARTICLES, GOLD = articles(), gold()


def articles_about(event: str) -> list[Document]:
    """Return the articles that mention an event, in order of their dates."""
    found = [d for d in GOLD if any(m.event == event for m in d.mentions)]
    return sorted(found, key=lambda d: date.fromisoformat(d.date or ""))


def words_for(event: str, document: Document) -> set[str]:
    return {m.text for m in document.mentions if m.event == event}


def test_articles_are_the_gold_without_its_mentions() -> None:
    assert [d.with_mentions(()) for d in GOLD] == list(ARTICLES)
    assert not any(ARTICLES.mentions())
    assert all(d.mentions for d in GOLD)


def test_markup_leaves_no_trace_in_the_text() -> None:
    for d in ARTICLES:
        assert d.text.isascii()
        assert re.search(r"[\[\]|{}\n\t]|  |---", d.text) is None


def test_every_mention_has_an_event_and_lies_inside_a_sentence() -> None:
    for d in GOLD:
        for m in d.mentions:
            assert re.fullmatch(r"[a-z]+(-[a-z]+)+", m.event or "")
            assert d.text[m.char_start : m.char_end] == m.text
            assert d.sentence_of(m.start) == d.sentence_of(m.end - 1)


def test_no_two_mentions_overlap() -> None:
    assert all(a.end <= b.start for d in GOLD for a, b in pairwise(d.mentions))


@pytest.mark.parametrize("document", ARTICLES, ids=lambda d: d.id)
def test_article_is_short_dated_and_signed(document: Document) -> None:
    assert 60 <= len(document.text.split()) <= 140
    assert 4 <= len(document.sentences) <= 7
    assert document.title
    assert date.fromisoformat(document.date or "")
    assert document.id.endswith((document.date or "").removeprefix("2031"))
    assert document.extra["outlet"]


def test_corpus_has_its_known_size() -> None:
    events = [m.event or "" for m in GOLD.mentions()]
    across = [event for event in set(events) if len(articles_about(event)) > 1]
    assert (len(GOLD), len(events), len(set(events)), len(across)) == (23, 282, 168, 36)
    assert len({d.extra["outlet"] for d in GOLD}) == 4


@pytest.mark.parametrize(
    ("prefixes", "count"),
    [
        (("kestry-",), 6),
        (("tarnvale-",), 2),
        (("crown-",), 5),
        (("heron-",), 4),
        (("oakmoor-", "norvane-"), 4),
        (("grell-",), 4),
        (("bus-",), 3),
        (("lantern-",), 2),
    ],
)
def test_happening_has_as_many_articles_as_the_overview_says(prefixes: tuple[str, ...], count: int) -> None:
    reports = [d for d in GOLD if any((m.event or "").startswith(prefixes) for m in d.mentions)]
    assert len(reports) == count
    assert len({d.extra["outlet"] for d in reports}) > 1


def test_two_earthquakes_are_reported_in_the_same_words() -> None:
    kestry, tarnvale = articles_about("kestry-quake"), articles_about("tarnvale-quake")
    assert words_for("kestry-quake", kestry[0]) == words_for("tarnvale-quake", tarnvale[0])
    assert kestry[0].date != tarnvale[0].date
    both = [d for d in tarnvale if d in kestry]
    assert both
    assert words_for("kestry-quake", both[0]) & words_for("tarnvale-quake", both[0]) == {"quake"}


def test_theft_is_reported_on_successive_days_up_to_the_arrest() -> None:
    days = [date.fromisoformat(d.date or "") for d in articles_about("crown-theft")]
    first = days[0]
    assert {first, first + timedelta(1), first + timedelta(2)} <= set(days)
    arrest = articles_about("crown-arrest")
    assert arrest[0].date == (first + timedelta(2)).isoformat()
    assert all(words_for("crown-theft", d) for d in arrest)


def test_language_layer_keeps_the_tokens_and_sentences_of_the_gold() -> None:
    for plain, (parsed, _) in zip(ARTICLES, annotate(ARTICLES), strict=True):
        assert (parsed.id, parsed.tokens, parsed.sentences) == (plain.id, plain.tokens, plain.sentences)


def test_both_survive_a_file(tmp_path: Path) -> None:
    for name, corpus in (("articles", ARTICLES), ("gold", GOLD)):
        write(corpus, tmp_path / f"{name}.jsonl")
        assert read(tmp_path / f"{name}.jsonl") == corpus
