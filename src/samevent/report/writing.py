"""Write a report: one file, or several linked pages where one file would be too large to open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from samevent.errors import UsageError, place
from samevent.formats.files import STANDARD, check_absent, write_text
from samevent.report.book import Block, Book
from samevent.report.index import Reportable
from samevent.report.markup import Safe, data_block, html, relinked
from samevent.report.page import first_page, further_page

MAX_BYTES = 20_000_000
"""The largest file."""

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
    return first_page(book, [*book.event_blocks(), *book.document_blocks])


def pages(result: Reportable, *, name: str = "report.html", limit: int = MAX_BYTES) -> dict[str, str]:
    """Return the files of a report by name, none larger than `limit` bytes unless a single block is."""
    book = Book(result)
    whole = first_page(book, [*book.event_blocks(), *book.document_blocks])
    if _size(whole) <= limit:
        return {name: whole}
    blocks = [*book.event_blocks(QUOTED_WHEN_SPLIT), *book.document_blocks]
    parts = _packed(book, blocks, name, limit)
    names = [_page_name(name, number) for number in range(1, len(parts) + 1)]
    home = {anchor: quote(names[number]) for number, part in enumerate(parts) for anchor in _anchors(part)}
    texts = {}
    for number, part in enumerate(parts):
        here = _anchors(part)
        elsewhere = {anchor: file for anchor, file in home.items() if anchor not in here}
        render = further_page if number else first_page
        texts[names[number]] = render(book, part, elsewhere, _pager(names, number))
    return texts


def write_report(
    result: Reportable, path: Path | str, *, overwrite: bool = False, limit: int = MAX_BYTES
) -> list[Path]:
    """Write a report and return its files: `path`, and `-2`, `-3` and so on beside it if one is not enough."""
    path = Path(path)
    if path == STANDARD:
        write_text(path, [page(result)])
        return [path]
    if path.suffix.lower() != ".html":
        raise UsageError(
            "a report is an HTML page", where=place(path), expected="a name that ends with .html"
        )
    check_absent(path, overwrite=overwrite)
    texts = pages(result, name=path.name, limit=limit)
    paths = [path.with_name(name) for name in texts]
    for target in paths[1:]:
        check_absent(target, overwrite=overwrite)
    for target, text in zip(paths, texts.values(), strict=True):
        write_text(target, [text], overwrite=overwrite)
    return paths


def _packed(book: Book, blocks: Sequence[Block], name: str, limit: int) -> list[list[Block]]:
    """Distribute blocks over pages, counting every link as if it left its page, so that no page exceeds the limit."""
    far = _page_name(name, 1000)
    elsewhere = dict.fromkeys(_anchors(blocks), quote(far))
    pager = _pager([far] * 3, 1)
    room = limit - _size(first_page(book, [], elsewhere, pager))
    room_further = limit - _size(further_page(book, [], elsewhere, pager))
    parts: list[list[Block]] = [[]]
    for block in blocks:
        data = data_block("data", book.data([block], rows=False))
        needed = _size(relinked(block.markup, elsewhere)) + _size(data)
        if needed > room and (parts[-1] or len(parts) == 1):
            parts.append([])
            room = room_further
        parts[-1].append(block)
        room -= needed
    return parts


def _anchors(blocks: Sequence[Block]) -> set[str]:
    return {anchor for block in blocks for anchor in block.anchors}


def _size(text: str) -> int:
    return len(text.encode())


def _page_name(name: str, number: int) -> str:
    path = Path(name)
    return name if number == 1 else f"{path.stem}-{number}{path.suffix}"


def _pager(names: Sequence[str], here: int) -> Safe:
    """Return links to the first, the previous and the next page."""
    targets = {"first": 0, "previous": here - 1, "next": here + 1}
    links = [
        html("a", words, href=f"{quote(names[number])}#")
        for words, number in targets.items()
        if 0 <= number < len(names) and number != here
    ]
    return html("nav", f"Page {here + 1:,} of {len(names):,}", links, class_="pager", aria_label="Pages")
