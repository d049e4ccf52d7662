"""Word documents (.docx), with the standard library: the paragraphs of their text as it stands.

Deleted text of tracked changes, comments, footnotes, headers and pictures are left out. The title is that of the
document's properties; when it was made is kept in `extra["created"]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from samevent.corpus import Document
from samevent.errors import FormatError, place
from samevent.formats.base import ReadOptions, loose_format
from samevent.formats.files import opened, read_zip
from samevent.formats.text import date_in
from samevent.formats.xml import Element, parse

_TEXT, _PROPERTIES = "word/document.xml", "docProps/core.xml"
_SKIPPED = frozenset({"del", "Fallback", "moveFrom", "instrText", "delText"})
"""Text that is no longer there, or is there twice."""
_COMPOUND = b"\xd0\xcf\x11\xe0"
"""How old Office documents begin, and encrypted ones of any age."""


def documents(path: Path, id: str, _options: ReadOptions) -> Iterator[Document]:
    """Read one document."""
    with opened(path) as stream:
        if stream.read(len(_COMPOUND)) == _COMPOUND:
            raise FormatError(
                "is protected with a password, or was saved by an older Word",
                expected="a Word document (.docx) without a password",
                hint="open it in Word and save it as .docx without a password",
            )
    parts = dict(read_zip(path, _chosen))
    if (content := parts.get(place(path / _TEXT))) is None:
        raise FormatError(
            f"has no {_TEXT}", expected="a Word document (.docx)", hint="save it as .docx or plain text"
        )
    text = "\n\n".join(_paragraphs(parse(content, place(path / _TEXT))))
    title = created = None
    if about := parts.get(place(path / _PROPERTIES)):
        fields = {
            _name(child): child.text.strip() for child in parse(about, place(path / _PROPERTIES)).children
        }
        title, created = fields.get("title") or None, fields.get("created", "")[:10] or None
    yield Document.from_text(
        id, text, title=title, date=date_in(id), extra={"created": created} if created else {}
    )


def _chosen(names: Iterable[str]) -> list[str]:
    return [name for name in names if name in (_TEXT, _PROPERTIES)]


def _paragraphs(root: Element) -> Iterator[str]:
    """Yield paragraphs that have text, also those of tables."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if _name(element) == "p":
            if text := "".join(_words(element)).strip():
                yield text
            waiting += reversed([*_boxes(element)])
        elif _name(element) not in _SKIPPED:
            waiting += reversed(element.children)


def _words(element: Element) -> Iterator[str]:
    for child in element.children:
        match _name(child):
            case "t":
                yield child.text
            case "tab" | "br" | "cr":
                yield " "
            case "noBreakHyphen":
                yield "-"
            case "p":  # a text box, which is a paragraph of its own
                pass
            case name if name not in _SKIPPED:
                yield from _words(child)


def _boxes(element: Element) -> Iterator[Element]:
    """Yield the paragraphs inside a paragraph."""
    for child in element.children:
        if _name(child) == "p":
            yield child
        elif _name(child) not in _SKIPPED:
            yield from _boxes(child)


def _name(element: Element) -> str:
    """Return the name without its prefix."""
    return element.tag.rpartition(":")[2]


FORMAT = loose_format("docx", "Word documents: their paragraphs", (".docx",), documents)
