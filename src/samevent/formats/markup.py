"""Plain text from a fragment of HTML, as feeds and mails hold it, with the standard library alone.

Whole pages, of which only the main text is wanted, are for `webpage.py`. The standard library's parser takes quadratic
time for tags that do not end; this one looks at every character once, and drops what follows such a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_DROPPED = frozenset("head math noscript object script style svg template title".split())
_BLOCKS = frozenset(
    "address article aside blockquote br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main "
    "nav ol p pre section table td th tr ul".split()
)
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


def plain_text(fragment: str) -> str:
    """Return the words of a fragment, one paragraph per block; scripts and styles are dropped.

    >>> plain_text("<p>Two <b>men</b> fell &amp; died.<script>alert(1)</script></p><p>Then 1 < 2.")
    'Two men fell & died.\\n\\nThen 1 < 2.'
    """
    text = unescape("".join(_pieces(fragment)))
    return _LINES.sub("\n\n", _BLANKS.sub(" ", text)).strip()


def _pieces(fragment: str) -> Iterator[str]:
    """Yield the text between tags, and a line end for each tag of a block."""
    lower = fragment.lower()
    if len(lower) != len(fragment):  # a few letters have longer lower cases
        lower = fragment
    at = 0
    while (start := fragment.find("<", at)) >= 0:
        yield fragment[at:start]
        if fragment.startswith("<!--", start):
            end = fragment.find("-->", start)
            at = end + 3
        elif (tag := _TAG.match(lower, start)) or fragment[start + 1 : start + 2] in ("!", "?"):
            end = fragment.find(">", start)
            at = end + 1
            name = tag[1] if tag else ""
            if name in _BLOCKS:
                yield "\n"
            elif name in _DROPPED and end >= 0 and lower[start + 1] != "/":
                end = lower.find(f"</{name}", at)
                at = end
        else:  # a character like others
            yield "<"
            at = end = start + 1
        if end < 0:  # a comment, a tag or a script without an end
            return
    yield fragment[at:]
