"""A report on several pages, where one would be too large to open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from samevent.report.book import Block, Book
from samevent.report.index import Links
from samevent.report.markup import Safe, data_block, html
from samevent.report.page import first_page, further_page


def split(book: Book, *, name: str, limit: int) -> dict[str, str]:
    """Return pages by name: all that is not a block on the first, and blocks in order where there is room."""
    parts = _packed(book, list(book.blocks()), name, limit)
    names = [_name(name, number) for number in range(1, len(parts) + 1)]
    home = {anchor: quote(names[number]) for number, part in enumerate(parts) for anchor in _anchors(part)}
    texts = {}
    for number, part in enumerate(parts):
        here = _anchors(part)
        links = Links({anchor: file for anchor, file in home.items() if anchor not in here})
        write = further_page if number else first_page
        texts[names[number]] = write(book, links, part, _pager(names, number))
    return texts


def _packed(book: Book, blocks: Sequence[Block], name: str, limit: int) -> list[list[Block]]:
    """Put blocks on pages as if every link left its page, so that no page turns out larger."""
    far = _name(name, 1000)
    links = Links(dict.fromkeys(_anchors(blocks), quote(far)))
    pager = _pager([far] * 3, 1)
    room = limit - _size(first_page(book, links, [], pager))
    room_further = limit - _size(further_page(book, links, [], pager))
    parts: list[list[Block]] = [[]]
    for block in blocks:
        needed = _size(block.render(links)) + _size(data_block("data", book.data([block], rows=False)))
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


def _name(name: str, number: int) -> str:
    path = Path(name)
    return name if number == 1 else f"{path.stem}-{number}{path.suffix}"


def _pager(names: Sequence[str], here: int) -> Safe:
    """Return links to the first, the previous and the next page."""
    places = {"first": 0, "previous": here - 1, "next": here + 1}
    links = [
        html("a", words, href=f"{quote(names[number])}#")
        for words, number in places.items()
        if 0 <= number < len(names) and number != here
    ]
    return html("nav", f"Page {here + 1:,} of {len(names):,}", links, class_="pager", aria_label="Pages")
