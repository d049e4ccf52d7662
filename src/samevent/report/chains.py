"""How the sampler went: a plot a quantity, a line a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from samevent.report.markup import Safe, html
from samevent.report.parts import empty
from samevent.report.words import counted
from samevent.results import Diagnostics

POINTS = 400
"""How many points of a line are drawn; a longer one is drawn by the extremes of even stretches of it."""

LINES = 6


def chains(diagnostics: Diagnostics) -> list[Safe]:
    """Return the verdict and the plots."""
    verdict = html("p", diagnostics.verdict, class_="verdict") if diagnostics.verdict else None
    plots = [plot for name, trace in diagnostics.traces.items() if (plot := _plot(name, trace)) is not None]
    drawn = html("div", plots, class_="plots") if plots else empty("This run kept no traces of a sampler.")
    return [part for part in (verdict, drawn) if part is not None]


def _plot(name: str, trace: Sequence[Sequence[float]]) -> Safe | None:
    values = [value for run in trace for value in run if math.isfinite(value)]
    if not values:
        return None
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 1, high + 1
    sweeps = max(len(run) for run in trace)
    lines = [
        html("path", d=path, class_=f"l{number % LINES}")
        for number, run in enumerate(trace)
        if (path := _path(run, low, high, sweeps))
    ]
    extent = f"over {counted(sweeps, 'sweep')}, from {_number(low)} to {_number(high)}"
    return html(
        "figure",
        html("figcaption", name, html("small", counted(len(lines), "run"))),
        html("div", html("span", _number(high)), html("span", _number(low)), class_="y", aria_hidden="true"),
        html(
            "svg",
            lines,
            viewBox="0 0 1000 1000",
            preserveAspectRatio="none",
            role="img",
            aria_label=f"{name} of {counted(len(lines), 'run')} {extent}",
        ),
        html(
            "div", html("span", "1"), html("span", counted(sweeps, "sweep")), class_="x", aria_hidden="true"
        ),
    )


def _path(run: Sequence[float], low: float, high: float, sweeps: int) -> str:
    width = max(1, sweeps - 1)
    pieces, pen = [], "M"
    for sweep in _kept(run):
        value = run[sweep]
        if not math.isfinite(value):
            pen = "M"
            continue
        across, down = 1000 * sweep / width, 1000 * (high - value) / (high - low)
        pieces.append(f"{pen}{across:.0f} {down:.0f}")
        pen = "L"
    return "".join(pieces) + ("h1000" if len(pieces) == 1 else "")


def _kept(run: Sequence[float]) -> list[int]:
    """Return the sweeps to draw: all, or the lowest and highest of each stretch, so that no peak is lost."""
    if len(run) <= POINTS:
        return list(range(len(run)))
    kept: set[int] = {0, len(run) - 1}
    for stretch in range(POINTS // 2):
        part = range(stretch * len(run) * 2 // POINTS, (stretch + 1) * len(run) * 2 // POINTS)
        kept |= {min(part, key=run.__getitem__), max(part, key=run.__getitem__)}
    return sorted(kept)


def _number(value: float) -> str:
    text = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return text.replace("-", "−")
