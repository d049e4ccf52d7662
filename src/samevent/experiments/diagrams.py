"""Reliability diagrams as SVG: the share of pairs that is true against the probability they are shown with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

Bins = Sequence[Mapping[str, float]]

_LEFT, _RIGHT, _TOP = 58, 16, 64
_SIDE, _STRIP, _GAP, _BOTTOM = 320, 64, 40, 22
_WIDTH = _LEFT + _SIDE + _RIGHT
_HEIGHT = _TOP + _SIDE + _GAP + _STRIP + _BOTTOM
_SERIES = 4
_STYLE = """
text { font: 12px sans-serif; fill: #222 } .title { font-weight: bold; font-size: 13px } .small { font-size: 10.5px }
.rule { stroke: #ccc; stroke-width: .7 } .diagonal { stroke: #999; stroke-width: 1.3; stroke-dasharray: 4 3 }
.line { fill: none; stroke-width: 1.8 } .s0 { stroke: #1f5fa8; fill: #1f5fa8 } .s1 { stroke: #c8553d; fill: #c8553d }
.s2 { stroke: #3d8361; fill: #3d8361 } .s3 { stroke: #8e5ea2; fill: #8e5ea2 } .paper { fill: #fff }
polyline.line { fill: none } .column { opacity: .75; stroke: none }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .paper { fill: #1e2129 } .rule { stroke: #444 }
.diagonal { stroke: #888 } .s0 { stroke: #6ea8ec; fill: #6ea8ec } .s1 { stroke: #ec8a72; fill: #ec8a72 }
.s2 { stroke: #6fc095; fill: #6fc095 } .s3 { stroke: #c296d6; fill: #c296d6 } }
"""


def reliability_diagram(title: str, series: Mapping[str, Bins]) -> str:
    """Draw one line per series over its intervals; the dashed diagonal is where probabilities are true.

    Below are the numbers of pairs of the first series, on a logarithmic scale.
    """
    first = next(iter(series))
    body = [*_axes(), *_counts(first, series[first])]
    for number, (name, bins) in enumerate(series.items()):
        body += _line(f"s{number % _SERIES}", name, bins)
    described = "; ".join(f"{name}: {_described(bins)}" for name, bins in series.items())
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<desc>Shown and true: {escape(described)}</desc>",
            f"<style>{_STYLE}</style>",
            '<rect class="paper" width="100%" height="100%"/>',
            _text(8, 18, title, "title"),
            *_legend(list(series)),
            *body,
            "</svg>\n",
        ]
    )


def _x(probability: float) -> float:
    return _LEFT + _SIDE * probability


def _y(share: float) -> float:
    return _TOP + _SIDE * (1 - share)


def _text(x: float, y: float, content: str, *classes: str, anchor: str = "start") -> str:
    named = f' class="{" ".join(classes)}"' if classes else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(content)}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float, kind: str = "rule") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _axes() -> Iterator[str]:
    for tick in (k / 5 for k in range(6)):
        yield _rule(_x(tick), _TOP, _x(tick), _TOP + _SIDE)
        yield _rule(_LEFT, _y(tick), _LEFT + _SIDE, _y(tick))
        yield _text(_x(tick), _TOP + _SIDE + 16, f"{tick:g}", anchor="middle")
        yield _text(_LEFT - 7, _y(tick) + 4, f"{tick:g}", anchor="end")
    yield _rule(_x(0), _y(0), _x(1), _y(1), "diagonal")
    yield _text(8, _TOP - 10, "share that is true", "small")
    yield _text(_LEFT + _SIDE, _TOP + _SIDE + 32, "probability shown", "small", anchor="end")


def _legend(names: Sequence[str]) -> Iterator[str]:
    x = 8.0
    for number, name in enumerate(names):
        yield f'<rect class="s{number % _SERIES} column" x="{x:.1f}" y="29" width="10" height="10"/>'
        yield _text(x + 15, 38, name, "small")
        x += 30 + 6 * len(name)


def _line(kind: str, name: str, bins: Bins) -> Iterator[str]:
    points = [(_x(each["said"]), _y(each["true"])) for each in bins]
    yield f'<polyline class="{kind} line" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
    for (x, y), each in zip(points, bins, strict=True):
        radius = 2 + 0.9 * math.log10(max(1, each["pairs"]))
        tip = escape(
            f"{name}: {each['pairs']:,.0f} pairs shown with {each['said']:.2f}, {each['true']:.2f} true"
        )
        yield f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{tip}</title></circle>'


def _counts(name: str, bins: Bins) -> Iterator[str]:
    top, bottom = _TOP + _SIDE + _GAP, _TOP + _SIDE + _GAP + _STRIP
    most = math.log10(1 + max((each["pairs"] for each in bins), default=1))
    yield _text(8, top + 8, f"pairs ({name}, logarithmic)", "small")
    yield _rule(_LEFT, bottom, _LEFT + _SIDE, bottom)
    for each in bins:
        height = (_STRIP - 14) * math.log10(1 + each["pairs"]) / most
        x, width = _x(each["low"]) + 2, _SIDE * (each["high"] - each["low"]) - 4
        place = f'x="{x:.1f}" y="{bottom - height:.1f}" width="{width:.1f}" height="{height:.1f}"'
        yield f'<rect class="s0 column" {place}/>'
        yield _text(x + width / 2, bottom + 13, _short(each["pairs"]), "small", anchor="middle")


def _short(count: float) -> str:
    """Write a count in four characters at most.

    >>> [_short(count) for count in (950, 1_234, 56_789)]
    ['950', '1.2k', '57k']
    """
    if count < 1000:
        return f"{count:.0f}"
    return f"{count / 1000:.1f}k" if count < 10_000 else f"{count / 1000:.0f}k"


def _described(bins: Bins) -> str:
    return ", ".join(f"{each['said']:.2f} and {each['true']:.2f}" for each in bins) or "no pairs"
