"""Documents that try to be more than text."""

from __future__ import annotations

import pytest

from browser.visits import Open
from samevent.corpus import Argument, Corpus, Document
from samevent.results import Diagnostics, Result

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</style><img src=x onerror=alert(3)>",
    '"><svg/onload=alert(4)>',
    "'onmouseover='alert(5)",
    "javascript:alert(6)",
    "<!--<script>",
    "-->]]>",
    "&lt;b&gt;&amp;",
    "{{7*7}}${alert(8)}",
    "</textarea></title><iframe src=https://example.org>",
    "w" * 3000,
)
UNSEEN = "a\0b\x1bc\u202edcba\u2066e\u2028f"


def hostile_result() -> Result:
    """Put every hostile text everywhere that text can be: ids, titles, dates, events, roles, reasons, settings."""
    documents = []
    for number, text in enumerate(HOSTILE):
        words = [text.replace(" ", "_"), UNSEEN.replace(" ", ""), "fell", "and", "rose"]
        fields = {"title": text, "date": text, "topic": text} if number % 2 else {}
        document = Document.from_tokens(f"{text}{number}", [words, words], **fields)
        filler = document.mention("participant", 1, 2)
        why = {
            "mention": f"{text}0:0-1",
            "similarity": 0.5,
            "probability": 0.5,
            "reasons": [[text, 1.0], [UNSEEN, -1.0]],
        }
        extra = {"event_probability": 0.4, "why": why}
        arguments = [Argument(filler.id, text)]
        places = [(0, 1), (2, 3), (5, 6), (7, 8)]
        mentions = [
            document.mention(
                "action",
                a,
                b,
                id=f"{text}{number}:{a}-{b}",
                event=f"{text}-{a % 5}",
                arguments=arguments,
                extra=extra,
            )
            for a, b in places
        ]
        documents.append(document.with_mentions([filler, *mentions]))
    about = {text: {text: [text]} for text in HOSTILE} | {
        "title": HOSTILE[1],
        "seed": HOSTILE[0],
        "preset": UNSEEN,
    }
    diagnostics = Diagnostics(HOSTILE[2], {HOSTILE[3]: [[1.0, 2.0]]})
    return Result.from_corpus(Corpus(documents), about=about, diagnostics=diagnostics)


@pytest.mark.parametrize("script", [True, False])
def test_hostile_documents_are_shown_and_nothing_more(visit: Open, script: bool) -> None:
    seen = visit(hostile_result(), java_script_enabled=script)
    page = seen.page
    assert page.title() == HOSTILE[1]
    assert seen.see("h1") == [HOSTILE[1]]
    shown = page.locator("body").text_content() or ""
    for text in HOSTILE:
        assert text in shown
    assert "a␀b␛c[U+202E]dcba[U+2066]e" in shown
    assert not page.locator("img, iframe, main script, [onload], [onerror], [onmouseover]").count()


def test_hostile_documents_stay_quiet_in_use(visit: Open) -> None:
    seen = visit(hostile_result())
    page = seen.page
    page.fill("#events input[type=search]", HOSTILE[0])
    assert seen.see("#events .list li")
    page.locator("article.on small button").first.click()
    page.locator("article.on .reasons summary").click()
    [reasons] = seen.see("article.on .reasons")
    assert HOSTILE[0] in reasons
    assert "a␀b␛c[U+202E]dcba[U+2066]e" in reasons
    for view in ("documents", "timeline", "matrix", "run"):
        page.click(f"nav a[href='#{view}']")
        assert seen.see(f"#{view}")
    page.click("nav a[href='#documents']")
    page.locator("article.on .text a[href]").first.hover()
    assert seen.see("#card b")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
