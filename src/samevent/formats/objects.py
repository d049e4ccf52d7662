"""JSON files of other programs: an array of objects that each have a text, or objects one after another.

Objects are read one by one, so an array may be larger than memory. An object that holds one list of objects
(`{"articles": [...]}`) stands for its list. Objects in the native form of JSON Lines keep their mentions.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from samevent.corpus import Document
from samevent.errors import FormatError, place
from samevent.formats import files
from samevent.formats.base import ReadOptions, loose_format
from samevent.formats.encodings import encoding_of
from samevent.formats.fields import Json, loads
from samevent.formats.jsonl import document_from_json
from samevent.formats.records import Columns, document_from_record

_CHUNK = 1 << 16
_SPACE = " \t\r\n\ufeff"


def documents(path: Path, id: str, options: ReadOptions) -> Iterator[Document]:
    """Read the objects of a file."""
    number = 0
    for value in values(path, options.encoding):
        for record in _records(value):
            number += 1
            with options.loose_at(path):
                yield _document(record, options.columns, f"{id}/{number}")
    if not number:
        raise FormatError("has no objects", expected="an array of objects with a text")


def _document(record: Any, columns: Columns, id: str) -> Document:
    """Build a document from an object, native or not, or from a string, which is a text."""
    if isinstance(record, str):
        return document_from_record({"text": record}, {"text": "text"}, id)
    if not isinstance(record, dict):
        raise FormatError(f"item {id!r} is a JSON {type(record).__name__}", expected="an object with a text")
    if not columns and _is_native(record):
        return document_from_json({"id": id} | record)
    return document_from_record(record, columns.resolved(record), id)


def _is_native(record: Json) -> bool:
    """Return whether an object is a document of JSON Lines with words or mentions of its own."""
    return isinstance(record.get("tokens"), list) or isinstance(record.get("mentions"), list)


def values(path: Path, encoding: str | None = None) -> Iterator[Any]:
    """Yield the items of an array, or the values that stand one after another, as they are read."""
    text = _Text(path, encoding)
    array = text.next_character() == "["
    if array:
        text.skip(1)
    while (character := text.next_character()) and not (array and character == "]"):
        if character == ",":
            text.skip(1)
            continue
        yield text.value()


def _records(value: Any) -> Iterator[Any]:
    """Yield the records that a value stands for."""
    if isinstance(value, dict):
        lists = [
            each for each in value.values() if isinstance(each, list) and each and isinstance(each[0], dict)
        ]
        if len(lists) == 1 and not any(
            isinstance(value.get(name), str) for name in ("text", "body", "content")
        ):
            yield from lists[0] if "tokens" not in value else [value]
            return
    yield value


class _Text:
    """The text of a file, of which only the part around the present value is in memory."""

    def __init__(self, path: Path, encoding: str | None) -> None:
        self._path = path
        self._pieces = self._read(encoding)
        self._held, self._at, self._ended = "", 0, False
        self._decoder = json.JSONDecoder()

    def next_character(self) -> str:
        """Return the next character that is not white space, or nothing at the end."""
        while True:
            while self._at < len(self._held):
                if self._held[self._at] not in _SPACE:
                    return self._held[self._at]
                self._at += 1
            if not self._more():
                return ""

    def skip(self, count: int) -> None:
        """Pass over characters."""
        self._at += count

    def value(self) -> Any:
        """Return the JSON value that begins here."""
        wanted = _CHUNK
        while True:
            try:
                _, end = self._decoder.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                before = len(self._held) - self._at
                while len(self._held) - self._at < wanted and self._more():
                    pass
                if len(self._held) - self._at == before and self._ended:
                    why = f"{error.msg} at character {error.pos - self._at} of the item"
                    raise self._invalid(why) from error
                if wanted > files.MAX_BYTES:
                    raise self._invalid(f"an item has more than {files.MAX_BYTES:,} characters") from error
                wanted *= 2
            except (RecursionError, ValueError) as error:
                raise self._invalid(str(error)) from error
            else:
                try:
                    value = loads(self._held[self._at : end])
                except ValueError as error:
                    raise self._invalid(str(error)) from error
                self._at = end
                return value

    def _invalid(self, why: str) -> FormatError:
        return FormatError(
            f"is not valid JSON ({why})",
            where=place(self._path),
            expected="JSON, complete to its end",
            hint="download or export it again",
        )

    def _more(self) -> bool:
        """Read on; return whether there was more."""
        piece = next(self._pieces, None)
        if piece is None:
            self._ended = True
            return False
        self._held, self._at = self._held[self._at :] + piece, 0
        return True

    def _read(self, encoding: str | None) -> Iterator[str]:
        encoding = encoding or (encoding_of(self._path) if self._path != files.STANDARD else None) or "utf-8"
        decoder = codecs.getincrementaldecoder(encoding)()
        with files.opened(self._path) as stream:
            while chunk := stream.read(_CHUNK):
                try:
                    yield decoder.decode(chunk)
                except UnicodeDecodeError as error:
                    raise FormatError(
                        f"byte 0x{error.object[error.start]:02x} is not valid {encoding.upper()}",
                        where=place(self._path),
                        hint="name its encoding (--encoding)",
                    ) from error


FORMAT = loose_format(
    "json", "JSON of other programs: an array of objects with a text", (".json",), documents
)
