"""A minimal SVG writer: readable on light and dark pages, deterministic."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

HUES = (
    ("#2f6fb7", "#e4eefa", "#86b8f0", "#1b2d44"),
    ("#bd6413", "#fceedd", "#f0ab66", "#3b2a18"),
    ("#2d8247", "#e2f3e6", "#82d099", "#1a3324"),
    ("#7850b4", "#efe9f9", "#be9ff0", "#2c2442"),
    ("#b63f5c", "#fbe6ea", "#f097aa", "#40222b"),
    ("#1f7a7e", "#dff2f2", "#79cfd3", "#173437"),
    ("#81761a", "#f3f0d8", "#d8cc70", "#343219"),
    ("#87583b", "#f3e9e2", "#d6a988", "#36281f"),
)
"""Stroke and fill of each colour on light pages, then on dark pages."""

Curve = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""The start of an arrow, two control points, and its tip."""

_STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; fill: var(--ink) }
.sheet { fill: var(--sheet) } .panel { fill: var(--panel); stroke: var(--line) }
.small { font-size: 11px } .tiny { font-size: 9px } .strong { font-weight: 600 } .quiet { fill: var(--quiet) }
.middle { text-anchor: middle } .end { text-anchor: end }
.link { fill: none; stroke-width: 1.6 } .grey { stroke: var(--quiet) } .hollow { stroke-width: 1.8 }
rect[class^=bar] { opacity: .7 }
.across { stroke-width: 2; stroke-dasharray: 7 3 } .inactive { stroke-width: 1.3; stroke-dasharray: 1.5 3.5 }
.lone { fill: none; stroke: var(--line) } .rule { stroke: var(--line) }
.dot { fill: var(--line) }
.mark-full { fill: var(--ink) } .mark-empty { fill: none; stroke: var(--ink); stroke-width: 1.4 }
"""


class Sheet:
    """Elements in painting order."""

    def __init__(self, title: str, description: str) -> None:
        self.title, self.description = title, description
        self._elements: list[str] = []

    def draw(self, tag: str, content: str = "", /, **attributes: str | float) -> None:
        """Add an element; `_` in attribute names becomes `-`, and a trailing one is dropped."""
        written = "".join(
            f' {name.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
            for name, value in attributes.items()
        )
        self._elements.append(
            f"<{tag}{written}>{escape(content, quote=False)}</{tag}>" if content else f"<{tag}{written}/>"
        )

    def text(self, x: float, y: float, content: str, *classes: str, **attributes: str | float) -> None:
        """Add a line of text with its baseline starting at a point."""
        if classes:
            attributes["class_"] = " ".join(classes)
        self.draw("text", content, x=x, y=y, **attributes)

    def spans(self, x: float, y: float, parts: Sequence[tuple[str, str]]) -> None:
        """Add a line of text from (text, class) parts."""
        inner = "".join(
            f'<tspan class="{named}">{escape(words, quote=False)}</tspan>'
            if named
            else escape(words, quote=False)
            for words, named in parts
        )
        self._elements.append(f'<text x="{_plain(x)}" y="{_plain(y)}" xml:space="preserve">{inner}</text>')

    def box(
        self, x: float, y: float, width: float, height: float, *classes: str, round_: float = 8, **more: str
    ) -> None:
        """Add a rounded rectangle."""
        self.draw("rect", x=x, y=y, width=width, height=height, rx=round_, class_=" ".join(classes), **more)

    def arrow(self, curve: Curve, *classes: str, **attributes: str | float) -> None:
        """Add an arrow along a cubic curve; the first class is its colour."""
        start, *bends = (f"{_plain(x)} {_plain(y)}" for x, y in curve)
        path, named = f"M {start} C {', '.join(bends)}", " ".join(("link", *classes))
        self.draw("path", d=path, class_=named, marker_end=f"url(#tip-{classes[0]})", **attributes)

    def written(self, width: float, height: float) -> str:
        """Return the whole picture."""
        tips = [*(f"hue{number}" for number in range(len(HUES))), "grey"]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_plain(width)} {_plain(height)}" '
                f'width="{_plain(width)}" height="{_plain(height)}" role="img" aria-labelledby="title description">',
                f'<title id="title">{escape(self.title)}</title>',
                f'<desc id="description">{escape(self.description)}</desc>',
                f"<style>{_colours()}{_STYLE}</style>",
                f"<defs>{''.join(map(_tip, tips))}</defs>",
                f'<rect class="sheet" width="{_plain(width)}" height="{_plain(height)}" rx="12"/>',
                *self._elements,
                "</svg>\n",
            ]
        )


def width_of(content: str, size: float = 13) -> float:
    """Estimate the width of a text, slightly too large.

    >>> width_of("will") < width_of("moon")
    True
    """
    narrow, wide = "fijlrtI.,:;'|!()[]- ", "mwMW@%"
    units = sum(0.38 if c in narrow else 0.93 if c in wide else 0.7 if c.isupper() else 0.62 for c in content)
    return units * size


def truncate(content: str, width: float, size: float = 13) -> str:
    """Truncate a text to fit."""
    if width_of(content, size) <= width:
        return content
    while content and width_of(content + "…", size) > width:
        content = content[:-1]
    return content.rstrip(" ,") + "…"


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{round(value, 1):g}"


def _tip(name: str) -> str:
    return (
        f'<marker id="tip-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
        f'orient="auto-start-reverse"><path d="M0 0.5 L7.5 4 L0 7.5 z" class="tip-{name}"/></marker>'
    )


def _colours() -> str:
    light = "--sheet:#fff;--panel:#fafaf9;--ink:#24292f;--quiet:#6e7781;--line:#d5d9de"
    dark = "--sheet:#16181d;--panel:#1c1f26;--ink:#e6e8eb;--quiet:#9aa3ad;--line:#3a404a"
    for number, (stroke, fill, dark_stroke, dark_fill) in enumerate(HUES):
        light += f";--s{number}:{stroke};--f{number}:{fill}"
        dark += f";--s{number}:{dark_stroke};--f{number}:{dark_fill}"
    rules = "".join(
        f".hue{n} {{ stroke: var(--s{n}) }} .fill{n} {{ fill: var(--f{n}) }} "
        f".ink{n}, .bar{n}, .tip-hue{n} {{ fill: var(--s{n}) }}\n"
        for n in range(len(HUES))
    )
    return (
        f"\n:root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"{rules}.tip-grey {{ fill: var(--quiet) }}"
    )
