"""Pieces of Markdown: tables, percentages, intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, its first column left and the others right.

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
    """Show a fraction as a percentage."""
    return "" if fraction is None else f"{100 * fraction:.1f}"


def points(fraction: float) -> str:
    """Show a difference in percentage points, with its sign.

    >>> points(0.0123), points(-0.0001)
    ('+1.2', '+0.0')
    """
    return f"{round(100 * fraction, 1) + 0.0:+.1f}"


def prf(score: Mapping[str, float]) -> str:
    """Show precision, recall and F1 in one cell."""
    return " / ".join(percent(score[name]) for name in ("precision", "recall", "f1"))


def between(interval: Mapping[str, float], *, signed: bool = False) -> str:
    """Show an interval.

    >>> between({"low": -0.012, "high": 0.03}, signed=True)
    '[-1.2, +3.0]'
    """
    show = points if signed else percent
    return f"[{show(interval['low'])}, {show(interval['high'])}]"


def change(difference: Mapping[str, Any]) -> str:
    """Show a difference with its interval."""
    return f"{points(difference['conll'])} {between(difference['interval'], signed=True)}"
