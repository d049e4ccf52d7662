"""Writing a report: one file, or several where one would be too large to open."""

from __future__ import annotations

from pathlib import Path

from samevent.errors import UsageError, place
from samevent.formats.files import STANDARD, check_absent, write_text
from samevent.report.book import Book
from samevent.report.index import Links
from samevent.report.page import first_page
from samevent.report.splitting import split
from samevent.results import Result

LIMIT = 20_000_000
"""The largest file, in bytes."""

QUOTED = 50
"""How many mentions of an event stand in their sentences where a report has several pages."""


def page(result: Result) -> str:
    """Return the report as one page, however large.

    >>> from samevent.corpus import Corpus
    >>> "<script src" in page(Result(Corpus([])))
    False
    """
    book = Book(result)
    return first_page(book, Links(), list(book.blocks()))


def write_report(
    result: Result, path: Path | str, *, overwrite: bool = False, limit: int = LIMIT
) -> list[Path]:
    """Write a report and return its files: `path`, and `-2`, `-3` and so on beside it if one is not enough."""
    path = Path(path)
    if path == STANDARD:
        write_text(path, [page(result)])
        return [path]
    if path.suffix.lower() != ".html":
        raise UsageError(
            "a report is a page of HTML", where=place(path), expected="a name that ends with .html"
        )
    check_absent(path, overwrite=overwrite)
    texts = pages(result, name=path.name, limit=limit)
    paths = [path.with_name(name) for name in texts]
    for target in paths[1:]:
        check_absent(target, overwrite=overwrite)
    for target, text in zip(paths, texts.values(), strict=True):
        write_text(target, [text], overwrite=overwrite)
    return paths


def pages(result: Result, *, name: str = "report.html", limit: int = LIMIT) -> dict[str, str]:
    """Return the files of a report by name, none larger than `limit` bytes unless a single part is."""
    book = Book(result)
    whole = first_page(book, Links(), list(book.blocks()))
    if len(whole.encode()) <= limit:
        return {name: whole}
    # The script finds sentences in the documents of its own page, so there must be more of them in the events.
    return split(Book(result, quoted=QUOTED), name=name, limit=limit)
