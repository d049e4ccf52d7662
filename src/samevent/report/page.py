"""The page: a header, and a view each for events, documents, time, the table of both, and the run."""

from __future__ import annotations

from collections.abc import Sequence

from samevent.report.about import about_list, header_line
from samevent.report.book import Block, Book
from samevent.report.chains import chains
from samevent.report.index import Links
from samevent.report.markup import Child, Safe, html
from samevent.report.matrix import matrix
from samevent.report.parts import empty
from samevent.report.shell import whole_page
from samevent.report.timeline import timeline
from samevent.report.words import counted
from samevent.results import Result

VIEWS = {
    "events": "Events",
    "documents": "Documents",
    "timeline": "Timeline",
    "matrix": "Matrix",
    "run": "Run",
}

SORTS = {
    "size": "most mentions",
    "documents": "most documents",
    "date": "earliest",
    "sure": "surest",
    "doubt": "least sure",
    "reading": "reading order",
}

KEYS = {
    "/": "search",
    "j k ↓ ↑": "next, previous in the list",
    "Enter": "open; in the search, the first one found",
    "Esc": "clear the search, go back to the list",
    "1 2 3 4 5": "events, documents, timeline, matrix, run",
    "?": "this help",
}

HOW_TO_READ = (
    "The number beside a mention is the probability that it tells of the same event as the other mentions of its event,"
    " on average over them; that of an event is the mean over its mentions. Below 0.50 a mention is called doubtful and"
    " comes first.",
    "“Closest to” names the mention of the same event that it most probably shares the event with. What speaks for the"
    " two (to the right) and against them (to the left) is given in log-odds: 0.7 doubles the odds.",
)


def first_page(book: Book, links: Links, blocks: Sequence[Block], pager: Safe | None = None) -> str:
    """Return the page that holds everything but the blocks that are elsewhere."""
    search = [_search("documents", "Search documents"), html("output", aria_live="polite")]
    views: dict[str, Child] = {
        "events": _panes("events", _event_tools(book), book.event_list(links), blocks, links),
        "documents": _panes("documents", search, book.document_list(links), blocks, links),
        "timeline": timeline(book.index, links),
        "matrix": matrix(book.index, links),
        "run": _run(book.index.result),
    }
    sections = [
        html("section", html("h2", VIEWS[id]), body, id=id, class_="view") for id, body in views.items()
    ]
    body = [_masthead(book), _navigation(), html("main", pager, sections), _help()]
    return whole_page(book.title, body, book.data(blocks))


def further_page(book: Book, links: Links, blocks: Sequence[Block], pager: Safe) -> str:
    """Return a page with blocks that the first page has no room for."""
    sections = [
        html("section", html("h2", VIEWS[kind]), html("div", shown, class_="reading"), class_="view further")
        for kind in ("events", "documents")
        if (shown := [block.render(links) for block in blocks if block.kind == kind])
    ]
    return whole_page(book.title, html("main", pager, sections, pager), book.data(blocks, rows=False))


def _masthead(book: Book) -> Safe:
    about = book.index.result.about
    version = next((f" {about[key]}" for key in ("samevent", "version") if about.get(key)), "")
    return html(
        "header",
        html("a", "Skip to the events", href="#events", class_="skip"),
        html("p", html("b", "samevent", version), header_line(about), class_="brand"),
        html("h1", book.title),
        html("p", _found(book), class_="found"),
        class_="masthead",
    )


def _found(book: Book) -> str:
    _, mentions, events, across = book.counts
    found = "Told of" if book.title == book.headline else f"{book.headline}, told of"
    found += f" in {counted(mentions, 'mention')}"
    if len(book.index.documents) > 1 and events:
        found += f"; {f'{across:,}' if across else 'none'} of the events in more than one document"
    return f"{found}."


def _navigation() -> Safe:
    return html(
        "nav",
        (html("a", words, href=f"#{id}") for id, words in VIEWS.items()),
        html(
            "button",
            "?",
            id="keys",
            type="button",
            aria_label="Keyboard shortcuts",
            title="Keyboard shortcuts (?)",
        ),
        html("button", "◐", id="theme", type="button", aria_label="Light or dark", title="Light or dark"),
        aria_label="Views",
    )


def _panes(kind: str, tools: Child, rows: Sequence[Safe], blocks: Sequence[Block], links: Links) -> Safe:
    """Return a list beside what its lines lead to."""
    articles = [block.render(links) for block in blocks if block.kind == kind]
    tools = html("div", tools, class_="tools", role="search")
    back = html("button", f"← All {kind}", type="button", class_="back")
    return html(
        "div",
        html("div", tools, html("div", rows, class_="list"), class_="side"),
        html("div", back, articles, class_="reading"),
        class_="panes",
    )


def _event_tools(book: Book) -> list[Safe]:
    singles = len(book.index.told_once)
    sorts = (html("option", words, value=id) for id, words in SORTS.items())
    tools = [
        _search("events", "Search labels, words, documents"),
        html("output", aria_live="polite"),
        html("label", "sorted by ", html("select", sorts, id="sort")),
        html("label", html("input", id="across", type="checkbox"), "across documents"),
    ]
    if singles:
        tools.append(
            html("label", html("input", id="singles", type="checkbox"), f"single mentions ({singles:,})")
        )
    return tools


def _search(kind: str, words: str) -> Safe:
    return html("input", type="search", placeholder=words, aria_label=f"Search {kind}", aria_keyshortcuts="/")


def _run(result: Result) -> list[Child]:
    known = about_list(result.about) if result.about else empty("Nothing is known of the run.")
    return [
        html("h3", "Has the sampler settled?"),
        chains(result.diagnostics),
        html("h3", "Settings"),
        known,
        html("h3", "How to read this page"),
        html("div", (html("p", words) for words in HOW_TO_READ), class_="prose"),
    ]


def _help() -> Safe:
    keys = (
        (html("dt", (html("kbd", key) for key in names.split())), html("dd", what))
        for names, what in KEYS.items()
    )
    return html(
        "dialog",
        html("h2", "Keyboard"),
        html("dl", keys),
        html("button", "Close", type="button"),
        id="help",
        aria_label="Keyboard",
    )
