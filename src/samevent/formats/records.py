"""Records of any making (rows of CSV and Parquet, objects of JSON) as documents: which field is the text.

Fields that are not named are found by the names that exports commonly give them. Everything else is kept in `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Any

from samevent.corpus import Document
from samevent.corpus.document import shortened
from samevent.errors import FormatError, UsageError

USUAL = {
    "text": ("text", "body", "content", "article", "article_text", "full_text", "fulltext", "maintext", "story"),
    "title": ("title", "headline", "subject"),
    "date": ("date", "published", "published_at", "publishedat", "publish_date", "publication_date", "pub_date",
             "pubdate", "date_publish", "datetime", "timestamp", "created_at"),
    "id": ("id", "doc_id", "document_id", "article_id", "guid", "uuid"),
    "topic": ("topic",),
    "subtopic": ("subtopic",),
}  # fmt: skip
"""What fields are commonly called, in lower case."""
NATIVE = frozenset(
    "id text tokens sentences title date topic subtopic mentions url_sentences annotated_sentences".split()
)
"""Fields of a document in JSON Lines, which records of another making may not set."""

_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d)")
_EPOCH = re.compile(r"\d{10}(?:\d{3})?(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the fields that hold text, title, date and id; None is to be found by its usual names."""

    text: str | None = None
    title: str | None = None
    date: str | None = None
    id: str | None = None

    @classmethod
    def of(cls, names: Mapping[str, str | None]) -> Columns:
        """Build from a mapping such as `{"text": "body"}`."""
        if unknown := sorted(names.keys() - {"text", "title", "date", "id"}):
            raise UsageError(f"there is no column for {unknown[0]!r}", expected="text, title, date or id")
        return cls(**names)

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def resolved(self, fields: Collection[str]) -> dict[str, str]:
        """Return the field of each part of a document that is among `fields`; raise if there is none for the text."""
        lower = {field.strip().lower(): field for field in reversed(list(fields))}
        found: dict[str, str] = {}
        for part, usual in USUAL.items():
            wanted = getattr(self, part, None)
            if wanted is not None and wanted not in fields:
                raise FormatError(f"there is no column {wanted!r}", expected=f"one of {_listed(fields)}")
            name = wanted or next((lower[name] for name in usual if name in lower), None)
            if name is not None and (wanted or name not in found.values()):
                found[part] = name
        if "text" not in found:
            raise FormatError(
                f"no column holds the text; there are {_listed(fields)}",
                expected="a column called text, body or content",
                hint="name it: --text-column NAME",
            )
        return found


def document_from_record(record: Mapping[str, Any], fields: Mapping[str, str], id: str) -> Document:
    """Build a document from a record; `fields` say which field is what, `id` is for a record without one."""
    parts: dict[str, Any] = {part: _plain(record.get(field)) for part, field in fields.items()}
    used = {*fields.values(), *NATIVE}
    extra = {
        name: value for name, value in record.items() if name and name not in used and value not in (None, "")
    }
    text = parts.pop("text") or ""
    if "\0" in text:
        raise FormatError("the text has a NUL character", expected="plain text")
    own = parts.pop("id", None)
    when = parts.pop("date", None)
    return Document.from_text(
        beside(id, own) if own else id, text, date=iso_date(when) if when else None, extra=extra, **parts
    )


def beside(id: str, name: str) -> str:
    """Return an id in the same folder as another one.

    >>> beside("monday/news.csv/3", "a17"), beside("news.csv/3", "a17")
    ('monday/a17', 'a17')
    """
    folder = id.rpartition("/")[0].rpartition("/")[0]
    return f"{folder}/{name}" if folder else name


def iso_date(text: str) -> str:
    """Return a date as ISO if it is one of those that programs write: ISO, as in mail, or seconds since 1970.

    >>> iso_date("Tue, 04 Mar 2031 10:00:00 +0000"), iso_date("2031-03-04T10:00Z"), iso_date("4 March")
    ('2031-03-04', '2031-03-04', '4 March')
    """
    from email.utils import parsedate_to_datetime  # slow to import

    text = text.strip()
    if match := _ISO.match(text):
        return match[1]
    try:
        if _EPOCH.fullmatch(text):
            seconds = float(text) / (1000 if len(text.partition(".")[0]) == 13 else 1)
            return datetime.fromtimestamp(seconds, UTC).date().isoformat()
        return parsedate_to_datetime(text).date().isoformat()
    except (
        ValueError,
        OverflowError,
        IndexError,
        TypeError,
    ):  # something else, which may be a date to a person
        return text


def _plain(value: Any) -> str | None:
    """Return a value as text; raise if it is a list or an object."""
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float | date):
        raise FormatError(f"a field is {shortened(repr(value))}", expected="text")
    return value.isoformat() if isinstance(value, date) else str(value)


def _listed(fields: Collection[str]) -> str:
    return shortened(", ".join(map(repr, fields)), 200) if fields else "none"
