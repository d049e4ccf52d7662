"""Markdown tables, percentages and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with the first column left-aligned and the others right-aligned.

    >>> print(table(["", "F1"], [["lemma", "78.0"]]))
    |  | F1 |
    |---|---:|
    | lemma | 78.0 |
    """
    rule = "|".join(["---", *["---:"] * (len(columns) - 1)])
    lines = [columns, *rows]
    head, *body = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, f"|{rule}|", *body])


def percent(fraction: float | None) -> str:
    """Format a fraction as a percentage."""
    return "" if fraction is None else f"{100 * fraction:.1f}"


def points(fraction: float) -> str:
    """Format a difference in signed percentage points.

    >>> points(0.0123), points(-0.0001)
    ('+1.2', '+0.0')
    """
    return f"{round(100 * fraction, 1) + 0.0:+.1f}"


def prf(score: Mapping[str, float]) -> str:
    """Format precision, recall and F1 as one cell."""
    return " / ".join(percent(score[name]) for name in ("precision", "recall", "f1"))


def between(interval: Mapping[str, float], *, signed: bool = False) -> str:
    """Format an interval.

    >>> between({"low": -0.012, "high": 0.03}, signed=True)
    '[-1.2, +3.0]'
    """
    style = points if signed else percent
    return f"[{style(interval['low'])}, {style(interval['high'])}]"


def change(difference: Mapping[str, Any]) -> str:
    """Format a difference with its interval."""
    return f"{points(difference['conll'])} {between(difference['interval'], signed=True)}"
