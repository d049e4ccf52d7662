"""Small pieces of markup that several parts of the report share."""

from __future__ import annotations

from samevent.report.markup import Safe, html
from samevent.report.words import DOUBTFUL, probability


def bar(value: float | None) -> Safe | None:
    """Return a probability as a number that the style draws a small bar beside, in steps of a twentieth."""
    if value is None:
        return None
    return html("var", probability(value), class_=f"p{int(20 * value)}{' low' if value < DOUBTFUL else ''}")


def empty(*words: str) -> Safe:
    """Return what stands where there is nothing to show."""
    return html("p", *words, class_="empty")
