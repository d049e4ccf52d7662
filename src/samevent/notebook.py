"""What a notebook shows of a value: a heading and a small table, with everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

SHOWN = 10
"""Rows of a table."""


def table(heading: str, columns: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """Return the first of `count` rows as HTML; None is an empty cell.

    >>> table("<b>", ["n"], [[None]], 1)
    '<p>&lt;b&gt;</p><table><thead><tr><th>n</th></tr></thead><tbody><tr><td></td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in islice(rows, SHOWN))
    more = f"<p>and {count - SHOWN:,} more</p>" if count > SHOWN else ""
    return f"<p>{escape(heading)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    shown = "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
    return f"<td>{escape(shown)}</td>"
