"""Reading a report back, with nothing but the parser of the standard library."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

Attributes = dict[str, str | None]


@dataclass
class Page(HTMLParser):
    """The elements of a page, what is visible of it, and the raw content of its scripts and styles."""

    elements: list[tuple[str, Attributes]] = field(default_factory=list)
    visible: list[str] = field(default_factory=list)
    raw: list[tuple[str, Attributes, str]] = field(default_factory=list)

    def __init__(self, text: str) -> None:
        self.elements, self.visible, self.raw = [], [], []
        super().__init__(convert_charrefs=True)
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.raw.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            tag, attributes, text = self.raw[-1]
            self.raw[-1] = (tag, attributes, text + data)
        else:
            self.visible.append(data)

    @property
    def data(self) -> Any:
        """What the script reads."""
        [packed] = [text for _, attributes, text in self.raw if attributes.get("id") == "data"]
        return json.loads(zlib.decompress(b64decode(packed, validate=True), wbits=-zlib.MAX_WBITS))

    @property
    def text(self) -> str:
        """What a reader sees."""
        return "".join(self.visible)

    def values(self, attribute: str) -> list[str]:
        """Return all values of an attribute."""
        return [value for _, attributes in self.elements if (value := attributes.get(attribute)) is not None]

    def tags(self) -> set[str]:
        """Return the names of all elements."""
        return {tag for tag, _ in self.elements}
