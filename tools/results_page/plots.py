"""SVG plots: scores with intervals, traces, counts, reliability."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#1f5fa8", "#c8553d", "#3d8361", "#8e5ea2", "#b8860b", "#5c6b73")
_INK, _FAINT = "#222", "#ccc"
_LEFT, _RIGHT, _TOP, _BOTTOM = 130, 24, 40, 46

Scale = Callable[[float], float]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, and a reference mark (the paper's figure)."""

    name: str
    value: float
    low: float
    high: float
    mark: float | None = None


def bars(title: str, rows: Sequence[Bar], *, lowest: float = 0.0, highest: float = 100.0) -> str:
    """Draw horizontal bars with whiskers, and diamonds at the marks."""
    width, height = 640, _TOP + 26 * len(rows) + _BOTTOM
    x = _linear(lowest, highest, _LEFT, width - _RIGHT)
    parts = [_grid(x, _steps(lowest, highest), _TOP, height - _BOTTOM)]
    for number, row in enumerate(rows):
        y = _TOP + 26 * number + 13
        parts += [
            _text(_LEFT - 8, y + 4, row.name, anchor="end"),
            _box(_LEFT, y - 8, x(row.value) - _LEFT, 16),
            _path([(x(row.low), y), (x(row.high), y)], _INK, 1.5),
            *(_path([(x(end), y - 4), (x(end), y + 4)], _INK, 1.5) for end in (row.low, row.high)),
        ]
        if row.mark is not None:
            at = x(row.mark)
            points = f"{at - 5:.1f},{y} {at:.1f},{y - 6} {at + 5:.1f},{y} {at:.1f},{y + 6}"
            parts.append(f'<polygon points="{points}" fill="{COLOURS[1]}" stroke="#fff"/>')
    return _svg(title, width, height, parts)


def lines(
    title: str,
    series: Mapping[str, Iterable[Sequence[Point]]],
    *,
    x_name: str,
    y_name: str,
    logarithmic: bool = False,
) -> str:
    """Draw lines; each series has a colour and one or more lines."""
    width, height = 640, 320
    drawn = {name: [list(line) for line in many] for name, many in series.items()}
    points = [point for many in drawn.values() for line in many for point in line]
    (x_low, x_high), (y_low, y_high) = (_range(values) for values in zip(*points, strict=True))
    turn = math.log10 if logarithmic else float
    inner = _linear(turn(x_low), turn(x_high), _LEFT, width - _RIGHT)
    y = _linear(y_low, y_high, height - _BOTTOM, _TOP)
    ticks = (
        [10.0**k for k in range(math.ceil(turn(x_low)), math.floor(turn(x_high)) + 1)]
        if logarithmic
        else None
    )
    parts = [
        _grid(lambda value: inner(turn(value)), ticks or _steps(x_low, x_high), _TOP, height - _BOTTOM),
        *(_text(_LEFT - 8, y(tick) + 4, f"{tick:,.6g}", anchor="end") for tick in _steps(y_low, y_high)),
        _text(width - _RIGHT, height - 8, x_name, anchor="end"),
        _text(_LEFT, _TOP - 6, y_name),
    ]
    for number, (name, many) in enumerate(drawn.items()):
        colour = COLOURS[number % len(COLOURS)]
        parts += [_path([(inner(turn(a)), y(b)) for a, b in line], colour, 1.4) for line in many]
        parts.append(_text(8, _TOP + 18 * number + 12, name, colour=colour))
    return _svg(title, width, height, parts)


def columns(title: str, counts: Mapping[str, int], *, x_name: str) -> str:
    """Draw counts as labelled columns on a logarithmic scale."""
    width, height = 640, 260
    top = math.log10(max(counts.values(), default=1) + 1)
    step = (width - _LEFT - _RIGHT) / max(1, len(counts))
    y = _linear(0, top, height - _BOTTOM, _TOP + 12)
    parts = [_text(width - _RIGHT, height - 8, x_name, anchor="end")]
    for number, (name, count) in enumerate(counts.items()):
        left, high = _LEFT + step * number, y(math.log10(count + 1))
        parts += [
            _box(left + 3, high, step - 6, height - _BOTTOM - high),
            _text(left + step / 2, high - 4, f"{count:,}", anchor="middle"),
            _text(left + step / 2, height - _BOTTOM + 16, name, anchor="middle"),
        ]
    return _svg(title, width, height, parts)


def reliability(title: str, bins: Sequence[Mapping[str, float]]) -> str:
    """Draw predicted against observed frequencies; the diagonal is perfect calibration."""
    size = 360
    x, y = _linear(0, 1, 60, size - 20), _linear(0, 1, size - 50, 40)
    ticks = [k / 5 for k in range(6)]
    parts = [
        _grid(x, ticks, 40, size - 50),
        *(_text(52, y(tick) + 4, f"{tick:g}", anchor="end") for tick in ticks),
        _path([(x(0), y(0)), (x(1), y(1))], _FAINT, 1.5),
        _path([(x(each["said"]), y(each["true"])) for each in bins], COLOURS[0], 1.6),
        *(
            f'<circle cx="{x(b["said"]):.1f}" cy="{y(b["true"]):.1f}" r="3.5" fill="{COLOURS[0]}"/>'
            for b in bins
        ),
        _text(size - 20, size - 10, "predicted probability", anchor="end"),
        _text(60, 34, "observed frequency"),
    ]
    return _svg(title, size, size, parts)


def _svg(title: str, width: int, height: int, parts: Iterable[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
    )
    body = [f"<title>{escape(title)}</title>", '<rect width="100%" height="100%" fill="#fff"/>']
    return "\n".join(
        [
            f'{head} font-family="sans-serif" font-size="12">',
            *body,
            _text(8, 18, title, bold=True),
            *parts,
            "</svg>\n",
        ]
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", colour: str = _INK, bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{weight}>{escape(text)}</text>'
    )


def _box(x: float, y: float, width: float, height: float) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} fill="{COLOURS[0]}" opacity=".75"/>'


def _path(points: Sequence[Point], colour: str, width: float) -> str:
    steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{steps}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _grid(x: Scale, ticks: Sequence[float], top: float, bottom: float) -> str:
    rules = (_path([(x(tick), top), (x(tick), bottom)], _FAINT, 0.7) for tick in ticks)
    names = (_text(x(tick), bottom + 16, f"{tick:,.6g}", anchor="middle") for tick in ticks)
    return "\n".join([*rules, *names])


def _linear(low: float, high: float, start: float, end: float) -> Scale:
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def _range(values: Iterable[float]) -> tuple[float, float]:
    numbers = list(values)
    return min(numbers), max(numbers)


def _steps(low: float, high: float) -> list[float]:
    """Return four to ten round ticks from low to high.

    >>> _steps(0, 100)
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    """
    span = (high - low) or 1.0
    power = 10 ** math.floor(math.log10(span))
    step = next(power * k for k in (0.1, 0.2, 0.5, 1, 2) if span / (power * k) <= 9)
    first = math.ceil(low / step - 1e-9)
    return [round(step * k, 10) for k in range(first, math.floor(high / step + 1e-9) + 1)]
