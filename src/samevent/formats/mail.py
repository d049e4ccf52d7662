"""E-mail (.eml), with the standard library: the words of a message, its subject as title, its date.

Of a message in several forms the plain text is read, or else the HTML. Attachments are not opened; their names are
kept in `extra["attachments"]`, the sender in `extra["from"]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from samevent.corpus import Document
from samevent.errors import FormatError
from samevent.formats.base import ReadOptions, loose_format
from samevent.formats.encodings import decode_any
from samevent.formats.extras import guarded_library
from samevent.formats.files import MAX_CONTAINER_BYTES, read_bytes
from samevent.formats.markup import plain_text
from samevent.formats.records import iso_date
from samevent.formats.text import date_in

if TYPE_CHECKING:
    from email.message import EmailMessage


def documents(path: Path, id: str, _options: ReadOptions) -> Iterator[Document]:
    """Read one message."""
    from email import message_from_bytes, policy  # slow to import

    data = read_bytes(path, most=MAX_CONTAINER_BYTES)
    with guarded_library("e-mail"):
        message = message_from_bytes(data, policy=policy.default)
        if not message.keys():
            raise FormatError("has no header", expected="an e-mail message")
        text = _body(message, path)
        extra: dict[str, Any] = {"from": sender} if (sender := _header(message, "from")) else {}
        if names := [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]:
            extra["attachments"] = names
        title, when = _header(message, "subject"), _header(message, "date")
    yield Document.from_text(id, text, title=title, date=iso_date(when) if when else date_in(id), extra=extra)


def _body(message: EmailMessage, path: Path) -> str:
    """Return the words of a message; an empty one has none."""
    body = message.get_body(("plain", "html"))
    if body is None:
        return ""
    data = cast(bytes, body.get_payload(decode=True) or b"")
    charset = body.get_content_charset()
    try:
        text = data.decode(charset or "utf-8")
    except (LookupError, UnicodeError):  # an unknown or wrong charset
        text, _ = decode_any(data, path)
    text = text.replace("\0", "")
    return plain_text(text) if body.get_content_subtype() == "html" else text


def _header(message: EmailMessage, name: str) -> str | None:
    value = " ".join(str(message[name] or "").split())
    return (
        value.encode("utf-8", "replace").decode() or None
    )  # undecodable bytes of a header are half surrogates


FORMAT = loose_format(
    "mail", "e-mail messages: subject, date and words; attachments are not opened", (".eml",), documents
)
