"""What is known of the run, whatever it is: nested names and values as lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samevent.report.markup import Safe, html

LONG = 160
"""Longer values are folded away."""

FOLDED = 15
"""Lists with more entries are folded away too."""

IN_HEADER = ("preset", "clusterer", "model", "seed")


def about_list(about: Mapping[str, Any]) -> Safe:
    """Return names and values; values that are mappings become lists of their own."""
    plain = {key: value for key, value in about.items() if not _is_table(value)}
    nested = {key: value for key, value in about.items() if _is_table(value)}
    return html(
        "div",
        html("dl", ((html("dt", said(key)), html("dd", _value(value))) for key, value in plain.items()))
        if plain
        else None,
        (html("section", _table(said(key), value)) for key, value in nested.items()),
        class_="about",
    )


def _table(name: str, table: Mapping[str, Any]) -> list[Safe]:
    if len(table) <= FOLDED:
        return [html("h4", name), about_list(table)]
    return [html("details", html("summary", f"{name} ({len(table):,})"), about_list(table))]


def header_line(about: Mapping[str, Any]) -> list[Safe]:
    """Return what a reader wants to know of the run at once."""
    known = [key for key in IN_HEADER if about.get(key) is not None and not _is_table(about[key])]
    return [html("span", f"{said(key)} ", html("b", _text(about[key]))) for key in known]


def said(key: str) -> str:
    """Return the name of a setting as words."""
    return str(key).replace("_", " ")


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value)


def _value(value: Any) -> Safe | str:
    text = _text(value)
    if len(text) <= LONG:
        return text
    return html("details", html("summary", text[: LONG // 2] + " …"), text)


def _text(value: Any) -> str:
    match value:
        case None | "" | [] | {}:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case Mapping():
            return "; ".join(f"{said(key)}: {_text(inner)}" for key, inner in value.items())
        case list() | tuple():
            return ", ".join(map(_text, value))
        case _:
            return str(value)
