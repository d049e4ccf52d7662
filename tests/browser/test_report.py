"""The report as a reader meets it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from browser.visits import Open, Visit
from builders import document
from report.small import SPLIT_BYTES, annotated, small_result, with_reasons
from samevent.corpus import Corpus
from samevent.events import Events
from samevent.report import book as books
from samevent.results import Result

ROWS = "#events .list li b"


def opened(visit: Visit) -> str:
    """Return the label of the open event or document, once the page has followed its address."""
    visit.page.evaluate("() => new Promise(done => setTimeout(done, 50))")
    [label] = visit.see(".view.on article h3")
    return label


def test_report_opens_with_stories(visit: Open) -> None:
    seen = visit(at="")
    [headline] = seen.see("#stories .list li b")
    assert opened(seen) == headline
    assert seen.see("#stories output") == ["1 story"]
    first, *_ = seen.see("#stories article.on .links a")
    seen.page.locator("#stories article.on .links a").first.click()
    assert opened(seen) == first
    assert seen.see("body > nav a[aria-current]") == ["Events"]


def test_background_and_unsure_events_are_filtered(visit: Open) -> None:
    result = small_result()
    events, *heads = result._events_and_heads
    hidden = [replace(event, background=event.label == "Condemned") for event in events]
    vars(result)["_events_and_heads"] = Events(hidden), *heads
    seen = visit(result)
    assert seen.see(ROWS) == ["Bombardment", "Killed"]
    seen.page.check("#background")
    assert seen.see(ROWS) == ["Bombardment", "Killed", "Condemned"]
    seen.page.check("#unsure")
    assert seen.see(ROWS) == ["Bombardment"]
    assert seen.see("#events .list li em") == ["unsure"]


def test_events_open_with_the_most_important_one(visit: Open) -> None:
    seen = visit()
    assert len(seen.see(ROWS)) == 3
    assert opened(seen) == seen.see(ROWS)[0]
    assert seen.page.locator("#events a[aria-current]").count() == 1
    assert seen.see("#events output") == ["3 events"]


def test_search_finds_labels_words_and_documents(visit: Open) -> None:
    seen = visit()
    for words, count in (
        ("strike", 2),
        ("WITNESSES", 1),
        ("white-house", 2),
        ("letter raid", 2),
        ("halt", 0),
        ("", 3),
    ):
        seen.page.fill("#events input[type=search]", words)
        assert len(seen.see(ROWS)) == count, words
    seen.page.fill("#events input[type=search]", "strike")
    assert seen.see("#events output") == ["2 of 3 events"]


def test_events_are_sorted_and_filtered(visit: Open) -> None:
    seen = visit()
    seen.page.select_option("#sort", "documents")
    by_documents = seen.see(ROWS)
    seen.page.check("#singles")
    assert len(seen.see(ROWS)) == 8
    seen.page.select_option("#sort", "doubt")
    assert seen.see("#events .list li var")[0] == "0.38"
    seen.page.select_option("#sort", "sure")
    assert seen.see("#events .list li var")[-1] == "0.38"
    seen.page.select_option("#sort", "date")
    assert "Mourn" in seen.see(ROWS)[-1]
    seen.page.select_option("#sort", "reading")
    order = [
        int(href[2:])
        for href in seen.page.locator("#events .list li a").evaluate_all("all => all.map(a => a.hash)")
    ]
    assert order == sorted(order)
    seen.page.check("#across")
    seen.page.select_option("#sort", "documents")
    assert seen.see(ROWS) == by_documents


def test_event_opens_and_says_why(visit: Open) -> None:
    seen = visit()
    seen.page.locator("#events .list li a").nth(1).click()
    assert opened(seen) == seen.see(ROWS)[1]
    seen.page.locator("article.on small button").first.click()
    assert not seen.see("article.on .figures p")
    assert len(seen.see("article.on .both q")) == 2
    seen.page.locator("article.on .reasons summary").click()
    [box] = seen.see("article.on .reasons")
    assert "The two alone: 0.70. Given all mentions: 0.93." in box
    assert "+2.1" in box or "−0.9" in box
    widths = seen.page.locator("article.on .reasons i").evaluate_all(
        "all => all.map(i => i.getBoundingClientRect().width)"
    )
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] > 0
    seen.page.locator("article.on small button").first.click()
    assert not seen.see("article.on .reasons")
    seen.page.go_back()
    assert seen.page.url.endswith("#events")


def test_keys_search_move_open_and_leave(visit: Open) -> None:
    seen = visit()
    keys = seen.page.keyboard
    keys.press("j")
    keys.press("j")
    keys.press("k")
    keys.press("Enter")
    assert opened(seen) == seen.see(ROWS)[1]
    keys.press("/")
    keys.type("strike j")
    assert seen.page.input_value("#events input[type=search]") == "strike j"
    keys.press("Escape")
    assert seen.page.input_value("#events input[type=search]") == ""
    keys.press("/")
    keys.type("witnesses")
    keys.press("Enter")
    assert opened(seen) == "Killed"
    assert seen.page.evaluate("CSS.highlights.get('found').size") == 2
    keys.press("/")
    keys.press("Escape")
    assert seen.page.evaluate("CSS.highlights.get('found').size") == 0
    keys.press("/")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    assert seen.page.evaluate("document.activeElement.textContent").startswith(seen.see(ROWS)[2])
    keys.press("?")
    assert seen.see("dialog h2") == ["Keyboard"]
    keys.press("Escape")
    assert not seen.see("dialog h2")
    for digit, view in enumerate(("stories", "events", "documents", "timeline", "matrix", "run"), 1):
        keys.press(str(digit))
        seen.page.wait_for_selector(f"#{view}.on")
        assert len(seen.see(".view")) == 1


def test_mark_in_a_document_shows_its_siblings_and_leads_to_its_event(visit: Open) -> None:
    seen = visit(at="#documents")
    mark = seen.page.locator("#d1 .text a", has_text="bombed")
    mark.hover()
    [card] = seen.see("#card")
    assert "6 mentions" in card
    assert re.search(r"raid\s+here", card)
    assert re.search(r"strike\s+A letter without a date", card)
    assert seen.see("#d1 .kin") == ["bombed", "raid"]
    seen.page.mouse.move(2, 2)
    assert not seen.see("#card")
    mark.focus()
    assert seen.see("#card")
    mark.click()
    assert seen.page.url.endswith("#e1")
    assert opened(seen) == seen.see(ROWS)[0]


def test_mention_of_an_event_leads_into_its_document(visit: Open) -> None:
    seen = visit()
    seen.page.locator("article.on section:not(.doubtful) li > a").first.click()
    assert opened(seen) == "Sudan bombs refugee camp"
    assert seen.see(".text a:target") == ["bombed"]
    assert seen.page.locator(".text a:target").bounding_box() is not None


def test_views_are_drawn(visit: Open) -> None:
    seen = visit(at="#timeline")
    assert len(seen.see("#timeline .lanes li > a")) == 3
    box = seen.page.locator("#timeline circle").first.bounding_box()
    assert box
    assert box["width"] > 5
    seen.page.click("text=Matrix")
    assert len(seen.see("#matrix tbody tr")) == 3
    seen.page.click("nav >> text=Run")
    assert "the sampler has settled" in seen.see("#run")[0]
    assert seen.page.locator("#run path").count() == 4


def test_dark_and_light_follow_the_system_until_chosen(visit: Open) -> None:
    def ground(of: Visit) -> int:
        colour = of.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    def becomes(of: Visit, bright: bool) -> bool:
        """Return whether the ground becomes bright or dark within some seconds."""
        for _ in range(200):
            if ground(of) > 600 if bright else ground(of) < 150:
                return True
            of.page.wait_for_timeout(50)
        return False

    light, dark = visit(), visit(color_scheme="dark")
    assert becomes(light, bright=True)
    assert becomes(dark, bright=False)
    dark.page.click("#theme")
    assert becomes(dark, bright=True)
    dark.page.reload()
    assert becomes(dark, bright=True)


def test_page_without_script_is_read_as_a_whole(visit: Open) -> None:
    seen = visit(java_script_enabled=False)
    [text] = seen.see("body")
    for source in small_result().corpus:
        assert source.text.split("\n")[0] in text
    for words in (
        "Doubtful",
        "closest to",
        "settled",
        "8 events in 4 documents",
        "5 events with a single mention",
    ):
        assert words in text
    assert not seen.see(".tools, dialog, #theme")
    seen.page.locator("#d1 .text a", has_text="condemned").click()
    [condemned] = [event.id for event in small_result().events if event.mentions[0].text == "condemned"]
    assert seen.page.url.endswith(f"#{condemned}")


@pytest.mark.parametrize(
    "lacking",
    [
        "delete self.DecompressionStream",
        "DecompressionStream = class { constructor() { throw TypeError() } }",
    ],
)
def test_page_in_a_browser_that_cannot_unpack_is_as_without_script(visit: Open, lacking: str) -> None:
    plain = visit(at="", java_script_enabled=False)
    seen = visit(at="")
    seen.page.add_init_script(lacking)
    seen.page.reload()
    for _ in range(200):  # until the script has given up
        if seen.see("body") == plain.see("body"):
            break
        seen.page.wait_for_timeout(50)
    assert seen.see("body") == plain.see("body")
    assert not seen.see(".tools, dialog, #theme, #card")


def test_phone_shows_the_list_then_the_event(visit: Open) -> None:
    seen = visit(width=390)
    assert len(seen.see(ROWS)) == 3
    assert not seen.see("article")
    seen.page.locator("#events .list li a").first.click()
    assert not seen.see(ROWS)
    assert opened(seen)
    seen.page.click("text=All events")
    assert len(seen.see(ROWS)) == 3
    wide = seen.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


def test_print_shows_all_events_on_white_without_controls(visit: Open) -> None:
    seen = visit(color_scheme="dark")
    seen.page.emulate_media(media="print")
    assert len(seen.see("#events article h3")) == 3
    assert seen.see("#timeline h2") == ["Timeline"]
    assert not seen.see("nav, .tools, #documents")
    colour = seen.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert min(map(int, re.findall(r"\d+", colour)[:3])) > 200
    assert seen.page.pdf()[:4] == b"%PDF"


def test_script_fetches_sentences_that_the_page_does_not_repeat(
    visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = visit().see("article.on q")
    monkeypatch.setattr(books, "MAX_QUOTED_CHARACTERS", 1)
    seen = visit()
    assert sorted(seen.see("article.on q")) == sorted(whole)
    assert len(seen.see("article.on mark")) == 6
    assert len(seen.see("article.on small button")) == 6
    assert len(seen.see("article.on .doubtful li")) == 1


def test_mention_under_another_one_can_still_be_reached(visit: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(books, "MAX_QUOTED_CHARACTERS", 1)
    base = document("d", "The raid . The raid .")
    places = [("a", 1, "x"), ("b", 4, "x"), ("c", 1, "y"), ("d", 4, "y")]
    mentions = [base.mention("action", at, at + 1, id=id, event=event) for id, at, event in places]
    seen = visit(Result(Corpus([base.with_mentions(mentions)])))
    assert len(seen.see(ROWS)) == 2
    for row in (0, 1):
        seen.page.click("nav >> text=Events")
        seen.page.locator("#events .list li a").nth(row).click()
        assert seen.see("#events article.on h3")
        seen.page.locator("article.on li > a, article.on .more a").last.click()
        assert opened(seen) == "d"
        assert seen.page.locator(":target").count() == 1


def test_split_report_is_one_to_the_reader(visit: Open) -> None:
    words = "The <raid|raid> <killed|kill> [ten people|p] ; <anger|a{0}> <followed|f{1}> ."
    result = Result.from_corpus(
        with_reasons([annotated(f"d{i}", words.format(i % 9, i % 20)) for i in range(60)])
    )
    seen = visit(result, limit=SPLIT_BYTES)
    assert len(seen.files) > 2
    seen.page.locator("#events .list li a").last.click()
    assert re.search(r"report(-\d)?\.html#e", seen.page.url)
    seen.page.locator(":target a").last.click()
    assert "#m" in seen.page.url or "#d" in seen.page.url
    assert seen.page.locator(":target").count() == 1


@pytest.mark.parametrize("script", [True, False])
def test_report_of_nothing_is_quiet(visit: Open, script: bool) -> None:
    seen = visit(Result(Corpus([])), java_script_enabled=script)
    assert "0 events in 0 documents" in seen.see("body")[0]


def test_search_excludes_words_and_puts_labels_first(visit: Open) -> None:
    seen = visit()
    seen.page.check("#singles")
    every = seen.see("#events .list li b")
    seen.page.fill("#events input[type=search]", "killed")
    found = seen.see("#events .list li b")
    named = ["killed" in label.lower() for label in found]
    assert any(named)
    assert named == sorted(named, reverse=True)
    seen.page.fill("#events input[type=search]", "-killed")
    left = seen.see("#events .list li b")
    assert left
    assert sorted(left + found) == sorted(every)
    seen.page.fill("#events input[type=search]", "-")
    assert seen.see("#events .list li b") == every


def test_dots_and_cells_open_the_document_that_they_are_about(visit: Open) -> None:
    seen = visit()
    for view, link in (("timeline", ".lanes svg a"), ("matrix", "td a")):
        seen.page.goto(f"{seen.files[0]}#{view}")
        seen.page.locator(f"#{view} {link}").first.click()
        seen.page.wait_for_function("() => location.hash.startsWith('#m')")
        assert seen.see("#documents article.on .text")
    assert not seen.wrongs


def test_the_header_shrinks_after_the_first_screen(visit: Open) -> None:
    seen = visit(at="")
    height = "document.querySelector('.masthead').offsetHeight"
    before = seen.page.evaluate(height)
    seen.page.click("nav a[href='#events']")
    seen.page.wait_for_selector("body.begun")
    assert seen.page.evaluate(height) < before / 2
