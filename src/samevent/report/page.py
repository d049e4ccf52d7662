"""The page: a header, one view each for events, documents, timeline, matrix and run, and the policy around them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib import resources
from typing import Any

from samevent.report.book import Block, Book
from samevent.report.index import Reportable
from samevent.report.markup import Child, Safe, data_block, html, relinked, together
from samevent.report.parts import counted, empty
from samevent.report.plots import chains, matrix, timeline
from samevent.report.review import questions

VIEWS = {
    "stories": "Stories",
    "events": "Events",
    "documents": "Documents",
    "timeline": "Timeline",
    "matrix": "Matrix",
    "run": "Run",
    "questions": "Questions",
}

SORTS = {
    "weight": "importance",
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
    "Enter": "open; in the search, the first match",
    "Esc": "clear the search, go back to the list",
    "1 2 3 4 5 6": "stories, events, documents, timeline, matrix, run",
    "?": "this help",
}

HOW_TO_READ = (
    "A story is a group of documents that share events; its headline is the title of one of them. Events are ordered by"
    " what matters: how many documents mention them, headlines and first paragraphs, and how sure they are. What is"
    " only said, seen or done is background, and shown on request.",
    "The number beside a mention is the probability that it refers to the same event as the other mentions of its"
    " event, averaged over them; an event's number is the probability that all its mentions are one event. From 0.90 on"
    " that is almost certain, from 0.50 on likely, below it is unsure. One wrong mention makes a large event unsure, so"
    " it says instead how many of its mentions are likely to be one event, any two of them. Mentions below 0.50 are"
    " marked doubtful and listed first.",
    "“Closest to” names the mention that most probably refers to the same event. Reasons for (to the right) and against"
    " (to the left) are in log-odds: 0.7 doubles the odds.",
)

LONG_VALUE = 160
"""Longer values are folded away."""

LONG_TABLE = 15
"""Tables with more entries are folded away too."""

_FILES = ("page", "review")
"""The scripts and styles of a page, in this order."""

IN_HEADER = ("preset", "clusterer", "model", "seed")

_EARLY = 'try{new DecompressionStream("deflate-raw");document.documentElement.classList.add("js")}catch{}'
"""Runs before anything is drawn, so that what the script folds away never flashes.

A browser that cannot unpack the data shows the page as one without scripts does.
"""

_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Ccircle cx='5' cy='8' r='4' fill='%233b6fd9'/%3E"
    "%3Ccircle cx='11' cy='8' r='4' fill='%23d9813b' fill-opacity='.8'/%3E%3C/svg%3E"
)


def first_page(
    book: Book,
    blocks: Sequence[Block],
    elsewhere: Mapping[str, str] | None = None,
    pager: Safe | None = None,
    further: Sequence[Safe] = (),
    *,
    served: bool = False,
) -> str:
    """Return the page with all views; `elsewhere` names the files of anchors on the `further` pages, which it lists.

    A page that is `served` may post decisions to where it comes from.
    """
    search = [_search("documents", "Search documents"), html("output", aria_live="polite")]
    among = [_search("stories", "Search stories"), html("output", aria_live="polite")]
    views: dict[str, Child] = {
        "stories": _panes("stories", among, book.story_list(), book.story_blocks()),
        "events": _panes("events", _event_tools(book), book.event_list(), blocks),
        "documents": _panes("documents", search, book.document_list(further), blocks),
        "timeline": timeline(book.index),
        "matrix": matrix(book.index),
        "run": _run(book.index.result),
        "questions": questions(book.index),
    }
    sections = [
        html("section", html("h2", VIEWS[id]), body, id=id, class_="view") for id, body in views.items()
    ]
    body = [_masthead(book), _navigation(), html("main", pager, sections), _help()]
    data = data_block("data", book.data(blocks)), data_block("review", book.review(blocks, first=True))
    return _whole_page(book.title, relinked(together(body), elsewhere or {}), together(data), served=served)


def further_page(
    book: Book, blocks: Sequence[Block], elsewhere: Mapping[str, str], pager: Safe, *, served: bool = False
) -> str:
    """Return a page of blocks that did not fit on the first page."""
    sections = [
        html("section", html("h2", VIEWS[kind]), html("div", shown, class_="reading"), class_="view further")
        for kind in ("events", "documents")
        if (shown := [block.markup for block in blocks if block.kind == kind])
    ]
    body = relinked(html("main", pager, sections, pager), elsewhere)
    data = data_block("data", book.data(blocks, rows=False)), data_block("review", book.review(blocks))
    return _whole_page(book.title, body, together(data), served=served)


def _masthead(book: Book) -> Safe:
    about = book.index.result.about
    version = next((f" {about[key]}" for key in ("samevent", "version") if about.get(key)), "")
    return html(
        "header",
        html("a", "Skip to the stories", href="#stories", class_="skip"),
        html("p", html("b", "samevent", version), _header_line(about), class_="brand"),
        html("h1", book.title),
        html("p", _summary(book), class_="found"),
        class_="masthead",
    )


def _summary(book: Book) -> str:
    _, mentions, events, across = book.counts
    text = counted(mentions, "mention")
    if book.title != book.headline:
        text = f"{book.headline}, {text}"
    if len(book.index.documents) > 1 and events:
        verb = "is" if across == 1 else "are"
        text += f"; {f'{across:,}' if across else 'none'} of the events {verb} in more than one document"
    return f"{text}."


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


def _panes(kind: str, tools: Child, rows: Sequence[Safe], blocks: Sequence[Block]) -> Safe:
    """Return a list beside the articles that its lines lead to."""
    articles = [block.markup for block in blocks if block.kind == kind]
    tools = html("div", tools, class_="tools", role="search")
    back = html("button", f"← All {kind}", type="button", class_="back")
    return html(
        "div",
        html("div", tools, html("div", rows, class_="list"), class_="side"),
        html("div", back, articles, class_="reading"),
        class_="panes",
    )


def _event_tools(book: Book) -> list[Safe]:
    singles = len(book.index.singletons)
    sorts = (html("option", words, value=id) for id, words in SORTS.items())
    tools = [
        _search("events", "Search labels, words, documents"),
        html("output", aria_live="polite"),
        html("label", "sorted by ", html("select", sorts, id="sort")),
        html("label", html("input", id="across", type="checkbox"), "across documents"),
        html("label", html("input", id="unsure", type="checkbox"), "unsure"),
    ]
    if hidden := sum(event.background for event in book.index.coreferent):
        tools.append(
            html("label", html("input", id="background", type="checkbox"), f"background ({hidden:,})")
        )
    if singles:
        tools.append(
            html("label", html("input", id="singles", type="checkbox"), f"single mentions ({singles:,})")
        )
    return tools


def _search(kind: str, words: str) -> Safe:
    return html("input", type="search", placeholder=words, aria_label=f"Search {kind}", aria_keyshortcuts="/")


def _run(result: Reportable) -> list[Child]:
    known = about_list(result.about) if result.about else empty("No settings were stored with this run.")
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


def about_list(about: Mapping[str, Any]) -> Safe:
    """Return names and values as lists; mappings become nested sections."""
    plain = {key: value for key, value in about.items() if not _is_table(value)}
    nested = {key: value for key, value in about.items() if _is_table(value)}
    return html(
        "div",
        html("dl", ((html("dt", _words(key)), html("dd", _value(value))) for key, value in plain.items()))
        if plain
        else None,
        (html("section", _table(_words(key), value)) for key, value in nested.items()),
        class_="about",
    )


def _table(name: str, table: Mapping[str, Any]) -> list[Safe]:
    if len(table) <= LONG_TABLE:
        return [html("h4", name), about_list(table)]
    return [html("details", html("summary", f"{name} ({len(table):,})"), about_list(table))]


def _header_line(about: Mapping[str, Any]) -> list[Safe]:
    """Return the few settings shown in the header."""
    known = [key for key in IN_HEADER if about.get(key) is not None and not _is_table(about[key])]
    return [html("span", f"{_words(key)} ", html("b", _text(about[key]))) for key in known]


def _words(key: str) -> str:
    """Return a setting's name as words."""
    return str(key).replace("_", " ")


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value)


def _value(value: Any) -> Safe | str:
    text = _text(value)
    if len(text) <= LONG_VALUE:
        return text
    return html("details", html("summary", text[: LONG_VALUE // 2] + " …"), text)


def _text(value: Any) -> str:
    match value:
        case None | "" | [] | {}:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case Mapping():
            return "; ".join(f"{_words(key)}: {_text(inner)}" for key, inner in value.items())
        case list() | tuple():
            return ", ".join(map(_text, value))
        case _:
            return str(value)


def _whole_page(title: str, body: Safe, data: Safe, *, served: bool = False) -> str:
    """Return a self-contained HTML page."""
    style, script = (
        "".join(resources.files(__package__).joinpath(f"{name}.{kind}").read_text("utf-8") for name in _FILES)
        for kind in ("css", "js")
    )
    # Nothing outside `html` comes from a result here.
    return (
        f'<!doctype html><html lang="en"{" data-served" if served else ""}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script, served=served)}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f'{html("title", title)}<link rel="icon" href="{_ICON}">'
        f"<style>{style}</style><script>{_EARLY}</script></head>"
        f"<body>{body}{data}<script>{script}</script></body></html>\n"
    )


def _policy(style: str, script: str, *, served: bool) -> str:
    connect = "connect-src 'self'; " if served else ""
    return (
        f"default-src 'none'; {connect}style-src {_hash(style)}; script-src {_hash(_EARLY)} {_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
