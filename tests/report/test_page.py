from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from builders import corpora, document
from report.pages import Page
from report.small import annotated, small_result, with_reasons
from samevent.corpus import Corpus
from samevent.report import page
from samevent.report.book import MAX_QUOTED_CHARACTERS
from samevent.report.index import MAX_SINGLETON_ARTICLES
from samevent.results import Diagnostics, Result


def parsed(result: Result) -> Page:
    return Page(page(result))


def article(text: str, id: str) -> str:
    """Return the source of one article."""
    found = re.search(rf"<article id={id} .*?</article>", text, re.DOTALL)
    assert found
    return found[0]


def check_links(found: Page) -> None:
    """Every link leads somewhere, and no two places have the same name."""
    ids = found.values("id")
    assert len(ids) == len(set(ids))
    assert {href.removeprefix("#") for href in found.values("href") if not href.startswith("data:")} <= set(
        ids
    )


def test_page_policy_allows_just_its_own_style_and_scripts() -> None:
    found = parsed(small_result())
    [policy] = [content for content in found.values("content") if "default-src" in content]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"

    def hashes(kind: str) -> set[str]:
        texts = [text for tag, attributes, text in found.raw if tag == kind and "type" not in attributes]
        return {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts}

    assert set(rules["style-src"].split()) == hashes("style")
    assert set(rules["script-src"].split()) == hashes("script")
    assert len(hashes("script")) == 2


def test_page_holds_no_address_handler_or_inline_style() -> None:
    found = parsed(small_result())
    names = {name for _, attributes in found.elements for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src", "action")}
    assert found.tags().isdisjoint({"img", "iframe", "object", "embed", "base", "form", "audio", "video"})
    assert not [href for href in found.values("href") if not href.startswith(("#", "data:image/svg+xml,"))]


def test_page_is_the_same_bytes_every_time() -> None:
    assert page(small_result()) == page(small_result())


def test_page_links_lead_to_places_of_their_own() -> None:
    check_links(parsed(small_result()))


def test_page_header_counts_events_and_names_settings() -> None:
    text = parsed(small_result()).text
    assert "8 events in 4 documents" in text
    assert "16 mentions; 3 of the events are in more than one document." in text
    for part in ("preset default", "seed 7", "All runs agree", "alpha within"):
        assert part in text
    titled = parsed(small_result(about={"title": "A <raid>"})).text
    assert "A <raid>" in titled
    assert "8 events in 4 documents, 16 mentions; 3 of" in titled


def test_event_shows_mentions_in_their_sentences_with_arguments() -> None:
    raid = article(page(small_result()), "e1")
    assert (
        "<i>Sudan</i> <mark>bombed</mark> <i>a refugee camp</i> in <i>Yida</i> on <i>Thursday</i> ." in raid
    )
    assert raid.count("<mark>") == 6
    chips = re.search(r"<dl>.*?</dl>", raid)
    assert chips
    assert "<dt>who<dd><b>Sudan</b>" in chips[0]
    assert "<dt>when<dd><b>Thursday<i>2</i></b>" in chips[0]
    assert "<dt>where<dd>" in chips[0]


def test_event_puts_doubtful_members_first_and_says_so() -> None:
    result = small_result()
    raid = article(page(result), "e1")
    assert raid.index("Doubtful") < raid.index("<mark>strike") < raid.index("<mark>bombed")
    assert raid.count("low") == 2  # the mention, and the event with it
    assert "0.38" in raid
    assert "Doubtful" not in article(page(result), "e2")


def test_event_names_the_mentions_that_may_be_another_event() -> None:
    text = page(small_result())
    raid = article(text, "e1")
    words = r"<a href=#m\d+>dropped</a> <a href=#m\d+>strike</a>"
    assert re.search(rf"<p class=perhaps>0\.62 that these 2 mentions are another event: {words}", raid)
    assert "perhaps" not in article(text, "e2")


def test_event_says_what_a_member_is_closest_to_and_why() -> None:
    text = page(small_result())
    raid = article(text, "e1")
    assert re.search(r"closest to <a href=#m\d+>bombed</a>: both name Yida", raid)
    data = Page(text).data
    closest, similarity, probability, *reasons = next(iter(data["whys"].values()))
    assert (similarity, probability) == (70, 93)
    assert [data["words"][word] for word in reasons[::2]] == [
        "heads with the same lemma",
        "arguments in common (Yida)",
        "different times",
    ]
    assert reasons[1::2] == [-9, 8, -3]
    assert f"id=m{closest} " in text


def test_document_text_is_whole_and_its_mentions_lead_to_their_events() -> None:
    result = small_result()
    found = parsed(result)
    for source in result.corpus:
        assert source.text in found.text
    text = article(page(result), "d1")
    assert re.search(r"<a href=#e1 id=m\d+ class=c0>bombed</a>", text)
    assert re.search(r"<a href=#e1 id=m\d+ class=c0>raid</a>", text)


def test_singletons_have_no_articles_where_there_are_many() -> None:
    def articles(singletons: int) -> int:
        words = " ".join(f"<mourn{i}|{i}>" for i in range(singletons))
        text = page(
            Result.from_corpus(with_reasons([annotated("a", f"The <raid|raid> was a <raid|raid> . {words}")]))
        )
        check_links(Page(text))
        assert len(re.findall(r"<li class=s><a href=#m\d+><b>mourn", text)) in (0, singletons)
        return text.count("<article id=e")

    assert articles(MAX_SINGLETON_ARTICLES) == 1 + MAX_SINGLETON_ARTICLES
    assert articles(MAX_SINGLETON_ARTICLES + 1) == 1


def test_events_name_mentions_where_sentences_would_be_too_long() -> None:
    result = small_result()
    long = document("long", "x" * MAX_QUOTED_CHARACTERS)
    text = page(Result.from_corpus(Corpus([*result.to_corpus(), long])))
    check_links(Page(text))
    raid = article(text, "e1")
    assert raid.count("<mark>") == 1
    assert re.search(r"<p class=more><a href=#m\d+>bombed</a> 0.95 ", raid)


def test_long_sentences_are_cut_around_the_mention() -> None:
    words = " ".join(["before"] * 200 + ["<fell|e>"] + ["after"] * 200)
    event = article(page(Result.from_corpus(with_reasons([annotated("a", words)]))), "e1")
    assert "<q>… before" in event
    assert "after …</q>" in event
    assert event.count("before") + event.count("after") < 120


@pytest.mark.parametrize(
    "changes",
    [
        {"corpus": Corpus([])},
        {"corpus": Corpus([document()])},
        {"corpus": Corpus([document("a", ".")])},
        {"about": {}},
        {"diagnostics": Diagnostics()},
        {"diagnostics": Diagnostics("", {"log joint": []})},
        {"diagnostics": Diagnostics("", {"log joint": [[], [float("nan")]], "events": [[3.0]]})},
    ],
)
def test_page_of_little_is_still_a_page(changes: dict[str, Any]) -> None:
    found = parsed(small_result(**changes))
    check_links(found)
    assert {"main", "h1", "nav"} <= found.tags()


def test_page_without_dates_says_so() -> None:
    corpus = small_result().corpus.mapped(lambda d: replace(d, date=None))
    assert "nothing to draw" in parsed(small_result(corpus=corpus)).text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpora())
def test_page_of_any_corpus_has_sound_links_and_whole_texts(corpus: Corpus) -> None:
    found = parsed(Result.from_corpus(corpus))
    check_links(found)
    for source in corpus:
        assert source.text in found.text
