"""Write a report: one file, or several linked pages where one file would be too large to open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from samevent.errors import UsageError, checked_path, place
from samevent.formats.files import STANDARD, check_absent, write_text
from samevent.report.book import Block, Book
from samevent.report.index import Reportable
from samevent.report.markup import Safe, html
from samevent.report.page import first_page, further_page
from samevent.report.parts import counted
from samevent.report.plots import linked_mentions
from samevent.report.reasons import packed

MAX_BYTES = 8_000_000
"""The largest report on one page: a browser opens it in about two seconds."""

PAGE_BYTES = 5_000_000
"""The largest page of a report of several."""

_MARKUP_PER_TEXT = 4
"""A page takes at least about so many bytes per character of its documents."""

QUOTED_WHEN_SPLIT = 50
"""How many mentions per event stand in their sentences in a report of several pages.

The script finds sentences only in the documents of its own page, so events must quote more of them.
"""


def page(result: Reportable) -> str:
    """Return the report as one page, however large.

    >>> from samevent import Corpus, Result
    >>> "<script src" in page(Result(Corpus([])))
    False
    """
    book = Book(result)
    return first_page(book, book.blocks())


def pages(
    result: Reportable, *, name: str = "report.html", limit: int = MAX_BYTES, served: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the files of a report, name and text: one that holds everything if it is no larger than `limit` bytes.

    Otherwise events and documents are on further pages, those that belong together on one, as far as they fit, and
    the last file to come is the index under the name of the report. Nothing is rendered twice but a report of which it
    shows only afterwards that it is too large, and only one page is in memory at a time. Pages that are `served` may
    post decisions to where they come from.
    """
    book = Book(result)
    most = limit / _MARKUP_PER_TEXT
    if book.survey(most).characters <= most:
        whole = first_page(book, book.blocks(), served=served)
        if _size(whole) <= limit:
            yield name, whole
            return
    book.whole = False
    home: dict[str, str] = {}
    summaries: list[Safe] = []
    number = 1
    for number, (part, last) in enumerate(_packed(book, name, min(limit, PAGE_BYTES)), 2):
        file = _page_name(name, number)
        texts = [block.anchors[0] for block in part.blocks if block.kind == "documents"]
        home |= {block.anchors[0]: quote(file) for block in part.blocks}
        home |= {anchor: quote(file) for anchor in part.leads}
        summary = f"Page {number:,}: {counted(len(texts), 'document')}"
        summaries.append(html("li", html("a", summary, href=f"{quote(file)}#")))
        elsewhere = {anchor: quote(_page_name(name, other)) for anchor, other in part.elsewhere.items()}
        pager = _pager(name, number, last=last)
        yield file, further_page(book, part.blocks, elsewhere, pager, served=served)
    yield name, first_page(book, [], home, _pager(name, 1, last=number == 1), summaries, served=served)


def write_report(
    result: Reportable, path: Path | str, *, overwrite: bool = False, limit: int = MAX_BYTES
) -> list[Path]:
    """Write a report and return its files: `path`, and `-2`, `-3` and so on beside it if one is not enough."""
    path = checked_path(path)
    if path == STANDARD:
        write_text(path, [page(result)])
        return [path]
    if path.suffix.lower() != ".html":
        raise UsageError(
            "a report is an HTML page", where=place(path), expected="a name that ends with .html"
        )
    check_absent(path, overwrite=overwrite)
    written: list[Path] = []
    for name, text in pages(result, name=path.name, limit=limit):
        if not written and name != path.name:
            for old in _further_pages(path):
                check_absent(old, overwrite=overwrite)
        write_text(path.with_name(name), [text], overwrite=overwrite)
        written.append(path.with_name(name))
    for old in _further_pages(path) if overwrite else ():
        if old not in written:
            old.unlink()  # of an earlier report, which had more pages
    return [path, *(target for target in written if target != path)]


def _further_pages(path: Path) -> list[Path]:
    """Return the existing pages after the first."""
    name = re.compile(rf"{re.escape(path.stem)}-[0-9]+{re.escape(path.suffix)}")
    return [other for other in path.parent.glob("*") if name.fullmatch(other.name)]


@dataclass(frozen=True, slots=True)
class _Part:
    """The blocks of a page; `elsewhere` has the pages of anchors that they may link to, `leads` what the index may."""

    blocks: list[Block]
    elsewhere: dict[str, int]
    leads: list[str]


def _packed(book: Book, name: str, limit: int) -> Iterator[tuple[_Part, bool]]:
    """Yield the parts of further pages, and whether each is the last.

    Every link of a block is counted as if it left its page, so that no page exceeds the limit unless one block does.
    """
    far = len(quote(_page_name(name, 100_000)))
    empty = limit - _size(further_page(book, [], {}, _pager(name, 100_000, last=False)))
    single = {book.index.lead(event) for event in book.listed[1]} | linked_mentions(book.index)
    number, room, blocks = 2, empty, list[Block]()
    elsewhere: dict[str, int] = {}
    ready: _Part | None = None
    for group in book.groups(QUOTED_WHEN_SPLIT):
        sizes = [_upper_bound(block, far) for block in group]
        here: list[tuple[int, list[Block]]] = [(number, [])]
        if sum(sizes) > room and blocks:  # what belongs together begins on a page of its own
            here = [(number, []), (number + 1, [])]
            room = empty
        for block, needed in zip(group, sizes, strict=True):
            if needed > room and here[-1][1]:
                here.append((here[-1][0] + 1, []))
                room = empty
            here[-1][1].append(block)
            room -= needed
        homes = {anchor: at for at, part in here for block in part for anchor in block.anchors}
        for at, part in here:
            if at > number:
                if ready:
                    yield ready, False
                ready = _Part(blocks, elsewhere, _leads(blocks, single))
                number, blocks, elsewhere = at, [], {}
            blocks += part
            if len(here) > 1:
                elsewhere |= {anchor: other for anchor, other in homes.items() if other != at}
    if ready:
        yield ready, not blocks
    if blocks:
        yield _Part(blocks, elsewhere, _leads(blocks, single)), True


def _leads(blocks: Sequence[Block], single: AbstractSet[str]) -> list[str]:
    return [anchor for block in blocks for anchor in block.anchors if anchor in single]


def _upper_bound(block: Block, far: int) -> int:
    """Return the bytes that a block and its data take at most: numbers take less room once they are packed."""
    data = packed(block.reasons)
    texts = sum(len(word) + 4 for word in data["words"])
    numbers = sum(4 * len(why) + 12 for why in data["whys"].values())
    return _size(block.markup) + far * block.markup.count("<a") + texts + numbers


def _size(text: str) -> int:
    return len(text.encode())


def _page_name(name: str, number: int) -> str:
    path = Path(name)
    return name if number == 1 else f"{path.stem}-{number}{path.suffix}"


def _pager(name: str, here: int, *, last: bool) -> Safe:
    """Return links to the first, the previous and the next page."""
    targets = {"first": 1, "previous": here - 1, "next": 0 if last else here + 1}
    links = [
        html("a", words, href=f"{quote(_page_name(name, number))}#")
        for words, number in targets.items()
        if 0 < number != here
    ]
    return html("nav", f"Page {here:,}", links, class_="pager", aria_label="Pages")
