"""Saved web pages: the main text without menus, comments and advertisements, by trafilatura (extra `web`).

The title and date are those that the page declares in its head. A page without a main text is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from samevent.corpus import Document
from samevent.errors import FormatError
from samevent.formats.base import ReadOptions, has_suffix, loose_format
from samevent.formats.encodings import decode_any
from samevent.formats.extras import guarded_library, missing
from samevent.formats.files import read_bytes
from samevent.formats.text import date_in

_CHARSET = re.compile(rb"""<meta[^>]{,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_HEAD = 4096
_ARCHIVES = (".mhtml", ".mht")
"""A page with its pictures in one file, as browsers save it."""
_DATES = {
    "extensive_search": False,
    "original_date": True,
    "max_date": "2999-12-31",
    "outputformat": "%Y-%m-%d",
}
"""Only dates that a page declares; the last one must not depend on the day of the run."""
_LOGGERS = ("trafilatura", "htmldate", "justext", "courlan", "readability")


def documents(path: Path, id: str, options: ReadOptions) -> Iterator[Document]:
    """Read one page."""
    data = read_bytes(path)
    if has_suffix(path, *_ARCHIVES):
        data = _page_in(data)
    page, guess = decode_page(data, path, options.encoding)
    yield document_from_page(page, id, {"encoding": guess} if guess else {})


def _page_in(archive: bytes) -> bytes:
    """Return the page of an archive, a message whose first part in HTML it is."""
    from email import message_from_bytes, policy  # slow to import

    with guarded_library("a web archive"):
        parts = message_from_bytes(archive, policy=policy.default).walk()
        page = next((part for part in parts if part.get_content_type() == "text/html"), None)
        if page is None:
            raise FormatError("has no page", expected="a web page saved as a single file (MHTML)")
        return cast(bytes, page.get_payload(decode=True) or b"")


def decode_page(data: bytes, path: Path, encoding: str | None) -> tuple[str, str | None]:
    """Decode a page: as it declares unless it lies, or as any text; the second value is a guessed encoding."""
    if encoding is None and (declared := _CHARSET.search(data[:_HEAD])):
        try:
            return data.decode(declared[1].decode("ascii")), None
        except (LookupError, UnicodeError):
            pass
    return decode_any(data, path, encoding)


def document_from_page(page: str, id: str, extra: dict[str, str]) -> Document:
    """Build a document from the HTML of a page."""
    try:
        from trafilatura import bare_extraction
    except ImportError as error:
        raise missing("HTML", "trafilatura", "web") from error
    with guarded_library("HTML", *_LOGGERS):
        found: Any = bare_extraction(
            page, with_metadata=True, include_comments=False, date_extraction_params=_DATES
        )
    text = (found.text or "").replace("\0", "").replace("\n", "\n\n") if found else ""
    if not found or not text.strip():
        raise FormatError(
            "has no main text",
            expected="a page with an article",
            hint="save its text as .txt if there is one",
        )
    if found.url:
        extra = extra | {"url": str(found.url)}
    return Document.from_text(
        id, text, title=found.title or None, date=found.date or date_in(id), extra=extra
    )


FORMAT = loose_format(
    "html",
    "saved web pages: their main text (extra web)",
    (".html", ".htm", ".xhtml", *_ARCHIVES),
    documents,
)
