"""PDF documents: the text of their pages, by pypdf (extra `pdf`).

Lines are joined to paragraphs and words that were divided at the end of a line are made whole again; lines that hold
only the number of a page are dropped. The title is that of the document's properties; when it was made is kept in
`extra["created"]`, because a page may have been printed long after its article appeared.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from samevent.corpus import Document
from samevent.corpus.document import MAX_CHARACTERS
from samevent.errors import FormatError, counted
from samevent.formats.base import ReadOptions, loose_format
from samevent.formats.extras import guarded_library, missing
from samevent.formats.files import MAX_CONTAINER_BYTES, read_bytes
from samevent.formats.text import date_in

if TYPE_CHECKING:
    from pypdf import PdfReader

_PAGE_NUMBER = re.compile(r"\W*(?:page\s+)?\d{1,4}(?:\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE)
_DIVIDED = re.compile(r"(?<=[a-z])[-\u00ad\u2010]$")
_MADE_UP = re.compile(r"(?i:microsoft (?:word|powerpoint) - |untitled|.*\.(?:docx?|indd|qxd|pdf|pmd)$)")
"""Titles that programs make up."""
_FULL = 0.75
"""A line that ends a sentence and is shorter than this share of the longest ends its paragraph."""


def documents(path: Path, id: str, _options: ReadOptions) -> Iterator[Document]:
    """Read one document."""
    check_installed()
    data = read_bytes(path, most=MAX_CONTAINER_BYTES)
    with guarded_library("PDF", "pypdf"):
        reader = _opened(data)
        pages = list(_pages(reader))
        title, created = _properties(reader)
    text = flowing(pages)
    if not text:
        raise FormatError(
            f"has no text on its {counted(len(pages), 'page')}",
            expected="text, not pictures of it",
            hint="if it was scanned, recognise its text first, for example with ocrmypdf",
        )
    yield Document.from_text(
        id, text, title=title, date=date_in(id), extra={"created": created} if created else {}
    )


def check_installed() -> None:
    """Raise if pypdf is not installed."""
    try:
        import pypdf  # noqa: F401
    except ImportError as error:
        raise missing("PDF", "pypdf", "pdf") from error


def _opened(data: bytes) -> PdfReader:
    """Open a document that anyone may read; raise if it needs a password, or a library that decrypts it."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(data))
        opens = not reader.is_encrypted or reader.decrypt("")
    except DependencyError as error:
        raise missing("a PDF encrypted with AES", "cryptography", "pdf") from error
    if not opens:
        raise FormatError(
            "is encrypted", expected="a document without a password", hint="save it without its password"
        )
    return reader


def flowing(pages: Iterable[str]) -> str:
    """Return the text of pages as paragraphs, with a blank line between them.

    >>> flowing(["A strong quake struck the har-\\nbour town.\\n1", "Two people died."])
    'A strong quake struck the harbour town.\\n\\nTwo people died.'
    """
    lines = [line.strip() for page in pages for line in _without_number(page.splitlines())]
    longest = max(map(len, lines), default=0)
    pieces: list[str] = []
    for line in lines:
        if not line:
            pieces.append("\n")
        elif _DIVIDED.search(line):
            pieces.append(_DIVIDED.sub("", line))
        else:
            ends = line.endswith((".", "!", "?", ".”", '."', ":")) and len(line) < _FULL * longest
            pieces.append(line + ("\n" if ends else " "))
    return re.sub(r"[^\S\n]*\n\s*", "\n\n", "".join(pieces)).strip()


def _without_number(lines: list[str]) -> list[str]:
    """Return the lines of a page without a page number at its top or bottom."""
    return [
        line
        for at, line in enumerate(lines)
        if not (at in (0, len(lines) - 1) and _PAGE_NUMBER.fullmatch(line.strip()))
    ]


def _pages(reader: PdfReader) -> Iterator[str]:
    characters = 0
    for page in reader.pages:
        text = page.extract_text().replace("\0", "")
        if (characters := characters + len(text)) > MAX_CHARACTERS:
            raise FormatError(
                f"has more than {MAX_CHARACTERS:,} characters", expected="a shorter document", hint="split it"
            )
        yield text.encode("utf-8", "ignore").decode()  # fonts may map to halves of surrogate pairs


def _properties(reader: PdfReader) -> tuple[str | None, str | None]:
    """Return the title and the day on which the document was made, if there are any."""
    about = reader.metadata
    if about is None:
        return None, None
    title = " ".join(str(about.title or "").split())
    try:
        created = about.creation_date
    except ValueError:
        created = None
    return (
        None if not title or _MADE_UP.match(title) else title
    ), created.date().isoformat() if created else None


FORMAT = loose_format("pdf", "PDF documents: the text of their pages (extra pdf)", (".pdf",), documents)
