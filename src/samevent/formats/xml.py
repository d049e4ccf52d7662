"""Safe XML: a small tree whose elements know their location.

A document type declaration is an error, which rules out entities that expand without end or fetch files.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple
from xml.parsers import expat

from samevent.errors import FormatError, place
from samevent.formats.files import decoded

MAX_DEPTH = 100
"""The deepest nesting of elements."""

_BAD_BYTES = {
    expat.errors.codes[message]
    for message in (expat.errors.XML_ERROR_INVALID_TOKEN, expat.errors.XML_ERROR_PARTIAL_CHAR)
}


class Element(NamedTuple):
    """An element and the line where it starts.

    Only elements without children have a `text`, and those of the type `xhtml`, whose text is their markup.
    """

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Element, ...]
    text: str
    file: str
    line: int

    @property
    def where(self) -> str:
        """The location for error messages."""
        return place(self.file, self.line)

    def required(self, name: str) -> str:
        """Return an attribute that must be present and not empty."""
        value = self.attributes.get(name)
        if not value:
            raise FormatError(
                f"<{self.tag}> has no {name}", where=self.where, expected=f"an attribute {name!r}"
            )
        return value

    def number(self, name: str) -> int:
        """Return an attribute that must be a whole number, 0 or more."""
        value = self.required(name)
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise FormatError(
                f"<{self.tag}> has the {name} {value!r}", where=self.where, expected="a whole number"
            )
        return int(value)


def parse(data: bytes, file: str, *, encoding: str | None = None) -> Element:
    """Return the root element; `encoding` overrides the declared one."""
    builder = _Builder(file)
    try:
        builder.parser.Parse(decoded(data, file, encoding=encoding) if encoding else data, True)
    except expat.ExpatError as error:
        if error.code in _BAD_BYTES and builder.encoding.lower() == "utf-8":
            decoded(data, file)  # raises an error that names the byte, if it is not UTF-8
        raise FormatError(
            f"is not well-formed XML ({expat.ErrorString(error.code)})",
            where=place(file, error.lineno),
            expected="well-formed XML",
            hint="check that the file is complete",
        ) from error
    except (LookupError, ValueError) as error:  # unknown encodings
        raise FormatError(
            f"declares the encoding {builder.encoding!r}, which cannot be read",
            where=place(file, 1),
            expected="UTF-8",
            hint="pass the file's encoding (--encoding), or convert it to UTF-8",
        ) from error
    return builder.root


class _Builder:
    """Builds the tree from expat's callbacks."""

    root: Element

    def __init__(self, file: str) -> None:
        self.file = file
        self.encoding = "utf-8"
        self.open: list[tuple[int, Mapping[str, str], list[Element]]] = []
        self.pieces: list[str] = []
        self.markup_depth = 0
        """How many elements are open where the markup of another one begins; 0 outside of markup."""
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declaration
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self.encoding = encoding or self.encoding

    def _doctype(self, name: str, *_identifiers: object) -> None:
        raise FormatError(
            f"declares a document type ({name}), which could define harmful entities",
            where=place(self.file, self.parser.CurrentLineNumber),
            expected="XML without a DOCTYPE",
            hint="delete the declaration if you trust the file",
        )

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self.open) == MAX_DEPTH:
            raise FormatError(
                "elements are nested too deeply",
                where=place(self.file, line),
                expected=f"at most {MAX_DEPTH} levels",
            )
        self.open.append((line, attributes, []))
        if self.markup_depth:
            self.pieces.append(f"<{tag.rpartition(':')[2]}>")
            return
        self.pieces.clear()
        if attributes.get("type") == "xhtml":
            self.markup_depth = len(self.open)

    def _characters(self, text: str) -> None:
        self.pieces.append(escape(text, quote=False) if self.markup_depth else text)

    def _end(self, tag: str) -> None:
        in_markup = self.markup_depth and len(self.open) > self.markup_depth
        line, attributes, children = self.open.pop()
        if in_markup:
            self.pieces.append(f"</{tag.rpartition(':')[2]}>")
            return
        text = "".join(self.pieces) if self.markup_depth or not children else ""
        self.markup_depth = 0
        element = Element(tag, attributes, tuple(children), text, self.file, line)
        if self.open:
            self.open[-1][2].append(element)
        else:
            self.root = element
