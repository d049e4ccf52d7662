"""RSS and Atom files: one document per entry, with its title and date.

The text is the longest of an entry's content, description and summary, without markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from samevent.corpus import Document
from samevent.errors import FormatError
from samevent.formats.base import ReadOptions, has_suffix, loose_format
from samevent.formats.files import opened, read_bytes
from samevent.formats.markup import plain_text
from samevent.formats.records import beside, iso_date
from samevent.formats.xml import Element, parse

_SUFFIXES = (".rss", ".atom")
_ROOT = re.compile(rb"\s*(?:\xef\xbb\xbf)?(?:<\?[^>]*>|<!--.*?-->|\s)*<(?:rss|feed|rdf:RDF)\b", re.DOTALL)
_SNIFFED_BYTES = 4096
_CONTENT = ("encoded", "content", "description", "summary")
_DATES = ("published", "pubdate", "date", "updated")
_IDS = ("guid", "id")


def documents(path: Path, id: str, options: ReadOptions) -> Iterator[Document]:
    """Read the entries of a feed."""
    root = parse(read_bytes(path), str(path), encoding=options.encoding)
    entries = [*_entries(root)]
    if not entries:
        raise FormatError("has no entries", expected="an RSS or Atom feed with items")
    for number, entry in enumerate(entries, 1):
        with options.loose_at(path, entry.line):
            yield _document(entry, f"{id}/{number}")


def _entries(root: Element) -> Iterator[Element]:
    """Yield items, which are in the channel or beside it."""
    for child in root.children:
        if _name(child) in ("item", "entry"):
            yield child
        elif _name(child) == "channel":
            yield from _entries(child)


def _document(entry: Element, id: str) -> Document:
    fields: dict[str, str] = {}
    for child in entry.children:
        fields.setdefault(_name(child), child.text.strip() or child.attributes.get("href", ""))
    texts = [plain_text(fields[name]) for name in _CONTENT if fields.get(name)]
    if not texts:
        raise FormatError("the entry has no text", expected="a description, a summary or content")
    title = plain_text(fields.get("title", ""))
    when = next((fields[name] for name in _DATES if fields.get(name)), None)
    own = next((fields[name] for name in _IDS if fields.get(name)), None)
    return Document.from_text(
        beside(id, own) if own else id,
        max(texts, key=len),
        title=title or None,
        date=iso_date(when) if when else None,
        extra={"url": fields["link"]} if fields.get("link") else {},
    )


def _name(element: Element) -> str:
    """Return the name without its prefix, in lower case."""
    return element.tag.rpartition(":")[2].lower()


def _recognises(path: Path) -> bool:
    if not path.is_file() or not has_suffix(path, ".xml", *_SUFFIXES):
        return False
    if has_suffix(path, *_SUFFIXES):
        return True
    with opened(path) as stream:
        return _ROOT.match(stream.read(_SNIFFED_BYTES)) is not None


FORMAT = loose_format(
    "feed", "RSS and Atom files: one document per entry", _SUFFIXES, documents, recognises=_recognises
)
