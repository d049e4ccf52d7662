"""HTML that cannot be broken by its content: the one place where text is escaped.

Text becomes markup only through `html` and `data_block`. Attributes that could run or load anything cannot be
written at all: links stay inside the report, and there are no handlers, sources or inline styles.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias


class Safe(str):
    """A string that is markup already."""

    __slots__ = ()


Child: TypeAlias = str | int | Iterable["Child"] | None
Value: TypeAlias = str | int | bool | None

_ATTRIBUTES = frozenset(
    "aria-hidden aria-keyshortcuts aria-label aria-live class cx d href id placeholder preserveAspectRatio r role scope"
    " tabindex title type value viewBox x x1 x2 y y1 y2".split()
)
_LINK = re.compile(r"(?:[\w.%~-]+\.(?i:html))?#[\w-]*")
_LOCAL_LINK = re.compile(r"<a href=#([edm][0-9]+)")
_BARE = re.compile(r"[\w.#%-]+")
_VOID = frozenset("input br hr col meta link".split())
_END_TAG_OMITTED = frozenset("li td th tr dt dd option".split())

# Control characters are invisible, and bidirectional ones can misrepresent text: all are shown.
_SHOWN = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"}
_SHOWN |= dict.fromkeys((*range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")
_SHOWN |= {code: f"[U+{code:04X}]" for code in (0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_ESCAPED = _SHOWN | {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_QUOTED = str.maketrans({'"': "&quot;", "'": "&#39;"})


def escape(text: str) -> Safe:
    """Return text as markup that shows it; what is markup already stays as it is.

    >>> escape("<b> & \\0")
    '&lt;b&gt; &amp; ␀'
    """
    return text if isinstance(text, Safe) else Safe(text.translate(_ESCAPED))


def html(tag: str, *children: Child, **attributes: Value) -> Safe:
    """Return an element.

    Children that are not `Safe` are escaped, None is left out, iterables are flattened. In attribute names a
    trailing `_` is dropped and other `_` become `-`; True is an attribute without a value, None and False omit it.

    >>> html("a", "<3", href="#e1", class_="c1")
    '<a href=#e1 class=c1>&lt;3</a>'
    """
    pieces = [f"<{tag}", *map(_attribute, attributes, attributes.values()), ">"]
    if tag not in _VOID:
        _gather(children, pieces)
        if tag not in _END_TAG_OMITTED:
            pieces.append(f"</{tag}>")
    return Safe("".join(pieces))


def together(child: Child) -> Safe:
    """Return children joined to one piece of markup.

    >>> together(["a", None, html("br"), [1, "&"]])
    'a<br>1&amp;'
    """
    pieces: list[str] = []
    _gather((child,), pieces)
    return Safe("".join(pieces))


def _gather(children: Iterable[Child], pieces: list[str]) -> None:
    for child in children:
        if isinstance(child, str):
            pieces.append(child if type(child) is Safe else child.translate(_ESCAPED))
        elif isinstance(child, int):
            pieces.append(str(child))
        elif child is not None:
            _gather(child, pieces)


def data_block(id: str, data: Any) -> Safe:
    """Return an element that holds JSON for the script: deflated, and in Base64, so that no text in it can close it."""
    text = json.dumps(_shown(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    packed = b64encode(zlib.compress(text.encode(), level=9, wbits=-zlib.MAX_WBITS)).decode()
    return Safe(f"<script{_attribute('id', id)} type=text/plain>{packed}</script>")


def _shown(data: Any) -> Any:
    match data:
        case str():
            return data.translate(_SHOWN)
        case list() | tuple():
            return [_shown(value) for value in data]
        case dict():
            return {_shown(key): _shown(value) for key, value in data.items()}
        case _:
            return data


def relinked(markup: Safe, elsewhere: Mapping[str, str]) -> Safe:
    """Return markup whose links to anchors of other pages name the file of the page.

    Text cannot look like a link here: its `<` is escaped.

    >>> relinked(html("p", html("a", "<a href=#e1", href="#e1")), {"e1": "report-2.html"})
    '<p><a href=report-2.html#e1>&lt;a href=#e1</a></p>'
    """
    if not elsewhere:
        return markup

    def moved(link: re.Match[str]) -> str:
        return "<a" + _attribute("href", f"{elsewhere.get(link[1], '')}#{link[1]}")

    return Safe(_LOCAL_LINK.sub(moved, markup))


@lru_cache(maxsize=10_000, typed=True)
def _attribute(name: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if name not in _ATTRIBUTES:
        raise ValueError(f"a report has no attribute {name!r}")
    if value is True:
        return f" {name}"
    text = str(value)
    if name == "href" and not _LINK.fullmatch(text):
        raise ValueError(f"a report has no link to {text!r}")
    quoted = escape(text).translate(_QUOTED)
    return f" {name}={quoted}" if _BARE.fullmatch(quoted) else f' {name}="{quoted}"'
