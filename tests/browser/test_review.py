"""Corrections in a real browser: served, each is on disk at once; from a file, they are downloaded."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser.test_hostile import HOSTILE, hostile_result
from browser.visits import Open, Visit
from report.small import small_result
from review.small import finished_run, with_posterior
from samevent.corrections import MarkedMention, parse_corrections, read_corrections
from samevent.results import Result
from samevent.review import ReviewServer, Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOOLS = "#events article.on .correct button"


@contextmanager
def served(
    browser: Browser, folder: Path, result: Result | None = None, width: int = 1280
) -> Iterator[tuple[Visit, ReviewServer]]:
    """Review a run in a browser, and make sure at the end that the page was quiet."""
    with Session(finished_run(folder, result)) as session, ReviewServer(session) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.set_default_timeout(30_000)
        base = server.address.rpartition("/")[0]
        visit = Visit(page, [server.address, f"{base}/decisions"])
        visit.watch()
        try:
            page.goto(f"{server.address}#events")
            page.wait_for_selector("html.review")
            yield visit, server
            assert not visit.wrongs
        finally:
            page.context.close()
            server.shutdown()
            thread.join()


def decided(server: ReviewServer) -> list[tuple[str, list[list[str]]]]:
    read = read_corrections(server.session.file).decisions
    return [(d.decision, [[m.text for m in group] for group in d.groups]) for d in read]


def settled(visit: Visit, words: str) -> None:
    visit.page.wait_for_function(
        "words => document.querySelector('#decided [role=status]').textContent.includes(words)", arg=words
    )


def test_every_button_puts_its_decision_on_disk(browser: Browser, tmp_path: Path) -> None:
    with served(browser, tmp_path / "out") as (seen, server):
        page = seen.page
        members = ["strike", "bombed", "raid", "dropped", "attack", "bombardment"]
        page.click(f"{TOOLS}:has-text('All one event')")
        settled(seen, "same event")
        assert decided(server)[-1] == ("same", [members])
        page.check("#events article.on li:has(mark:text('strike')) input.tick")
        page.click(f"{TOOLS}:has-text('Not the same')")
        settled(seen, "not the same event")
        assert decided(server)[-1] == ("different", [["strike"], members[1:]])
        assert page.locator("#events article.on input.tick:checked").count() == 0
        assert "You said: not the same event" in seen.see("article.on .person")
        page.check("#events article.on li:has(mark:text('dropped')) input.tick")
        page.click(f"{TOOLS}:has-text('Split off')")
        settled(seen, "split")
        assert decided(server)[-1][0] == "split"
        page.check("#events article.on li:has(mark:text('attack')) input.tick")
        page.click(f"{TOOLS}:has-text('Not an event')")
        settled(seen, "not an event")
        assert decided(server)[-1] == ("not-an-event", [["attack"]])
        page.click(f"{TOOLS}:has-text('Rename')")
        page.fill("dialog.ask input", "The <b>raid</b>")
        page.keyboard.press("Enter")
        settled(seen, "renamed")
        assert read_corrections(server.session.file).decisions[-1].label == "The <b>raid</b>"
        assert "The <b>raid</b>" in seen.see("article.on h3")[0]
        page.click("#decided button:has-text('Undo')")
        settled(seen, "undone")
        assert decided(server)[-1][0] == "undo"
        assert "The <b>raid</b>" not in seen.see("article.on h3")[0]


def test_two_events_become_one_and_decisions_are_there_after_a_reload(
    browser: Browser, tmp_path: Path
) -> None:
    with served(browser, tmp_path / "out") as (seen, server):
        page = seen.page
        page.click(f"{TOOLS}:has-text('Same event as')")
        page.fill("dialog.ask input[type=search]", "kill")
        assert page.locator("dialog.ask option").count() == 1
        page.click("dialog.ask button[type=submit]")
        settled(seen, "same event")
        [(kind, [group])] = decided(server)
        assert kind == "same"
        assert {"raid", "killed", "died"} <= set(group)
        page.reload()
        page.wait_for_selector("html.review")
        assert seen.see("#decided b") == ["1 decision"]
        assert "You said: same event" in seen.see("article.on .person")


def test_questions_are_answered_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with served(browser, tmp_path / "out") as (seen, server):
        page = seen.page
        page.click("nav a[href='#questions']")
        cards = seen.see(".card")
        assert cards
        assert "They are two events now" in cards[0]
        page.locator(".card button").first.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        settled(seen, "not the same event")
        assert decided(server)[0][0] == "different"
        assert seen.see(".card.done .answer") == ["You said: not the same event."]


def test_a_contradiction_is_told_and_not_saved(browser: Browser, tmp_path: Path) -> None:
    with served(browser, tmp_path / "out") as (seen, server):
        page = seen.page
        for words in (("bombed", "raid"), ("raid", "dropped")):
            for word in words:
                page.check(f"#events article.on li:has(mark:text-is('{word}')) input.tick")
            page.click(f"{TOOLS} >> text='Same event'")
            page.wait_for_function("() => !document.querySelector('#events article.on input.tick:checked')")
        bombed, _, dropped = (m for m in server.session.result.events.largest(1)[0].mentions[:3])
        groups = [[MarkedMention.of(bombed).to_json()], [MarkedMention.of(dropped).to_json()]]
        status = page.evaluate(
            "async (groups) => (await fetch('decisions', {method: 'POST', "
            "headers: {'Content-Type': 'application/json'}, "
            "body: JSON.stringify({decision: 'different', groups})})).status",
            groups,
        )
        assert status == 409
        seen.wrongs[:] = [wrong for wrong in seen.wrongs if "409" not in wrong]
        assert len(decided(server)) == 2


def test_a_phone_can_review(browser: Browser, tmp_path: Path) -> None:
    with served(browser, tmp_path / "out", width=390) as (seen, server):
        page = seen.page
        page.locator("#events .list li a").first.click()
        page.locator("#events article.on input.tick").first.check()
        page.click(f"{TOOLS}:has-text('Not an event')")
        settled(seen, "not an event")
        assert len(decided(server)) == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_page_from_a_file_collects_decisions_and_downloads_them(visit: Open) -> None:
    seen = visit(with_posterior(small_result()))
    page = seen.page
    page.wait_for_selector("html.review")
    page.check("#events article.on li:has(mark:text('strike')) input.tick")
    page.click(f"{TOOLS}:has-text('Not the same')")
    settled(seen, "Noted")
    page.click(f"{TOOLS}:has-text('Rename')")
    page.fill("dialog.ask input", "A name")
    page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.click("#decided button:has-text('Download')")
    seen.wrongs[:] = [wrong for wrong in seen.wrongs if not wrong.startswith("request: blob:")]
    read = parse_corrections(Path(download.value.path()).read_bytes())
    assert [decision.decision for decision in read.decisions] == ["different", "rename"]
    known = {(m.document, m.char_start, m.char_end, m.text) for m in small_result().corpus.mentions("action")}
    assert {
        (m.document, m.char_start, m.char_end, m.text) for d in read.decisions for m in d.mentions
    } <= known


def test_hostile_documents_can_be_corrected_and_stay_quiet(browser: Browser, tmp_path: Path) -> None:
    with served(browser, tmp_path / "out", hostile_result()) as (seen, server):
        page = seen.page
        page.click(f"{TOOLS}:has-text('All one event')")
        settled(seen, "same event")
        page.click(f"{TOOLS}:has-text('Rename')")
        page.fill("dialog.ask input", HOSTILE[0])
        page.keyboard.press("Enter")
        settled(seen, "renamed")
        first, second = read_corrections(server.session.file).decisions
        known = {
            (m.document, m.char_start, m.char_end, m.text)
            for m in server.session.result.corpus.mentions("action")
        }
        assert {(m.document, m.char_start, m.char_end, m.text) for m in first.mentions} <= known
        assert second.label == HOSTILE[0]
        page.reload()
        page.wait_for_selector("html.review")
        assert not page.locator("img, iframe, main script, [onload], [onerror], [onmouseover]").count()


def test_another_site_cannot_decide(browser: Browser, tmp_path: Path) -> None:
    """A page of another origin knows the whole address, and still gets nothing."""
    with served(browser, tmp_path / "out") as (seen, server):
        other = browser.new_context().new_page()
        other.route(
            "http://evil.example/**", lambda route: route.fulfill(body="<p>hello", content_type="text/html")
        )
        other.goto("http://evil.example/")
        url = server.address.rpartition("/")[0] + "/decisions"
        mention = {"document": "bbc", "char_start": 0, "char_end": 1, "text": "A"}
        body = json.dumps({"decision": "not-an-event", "groups": [[mention]]})
        tried = other.evaluate(
            """async ([url, body]) => {
              const kinds = [{mode: "no-cors"}, {}, {headers: {"Content-Type": "application/json"}}];
              const ends = [];
              for (const kind of kinds) {
                try {
                  const answer = await fetch(url, {method: "POST", body, ...kind});
                  ends.push(answer.type === "opaque" ? "opaque" : answer.status);
                } catch { ends.push("refused"); }
              }
              return ends;
            }""",
            [url, body],
        )
        assert 201 not in tried
        other.context.close()
        assert not server.session.file.exists()
        assert not seen.wrongs


@pytest.mark.parametrize("kind", ["served", "static"])
def test_tools_have_names_and_work_without_a_pointer(
    browser: Browser, tmp_path: Path, visit: Open, kind: str
) -> None:
    if kind == "static":
        seen = visit(with_posterior(small_result()))
        seen.page.wait_for_selector("html.review")
        check_names(seen)
        return
    with served(browser, tmp_path / "out") as (seen, _):
        check_names(seen)


def check_names(seen: Visit) -> None:
    boxes = seen.page.locator("#events article.on input.tick")
    assert boxes.evaluate_all("all => all.every(e => e.getAttribute('aria-label').startsWith('Select “'))")
    assert seen.page.locator("#events article.on .correct").get_attribute("role") == "toolbar"
    boxes.first.focus()
    seen.page.keyboard.press("Space")
    assert "1 ticked:" in seen.see("#events article.on .correct")[0]
