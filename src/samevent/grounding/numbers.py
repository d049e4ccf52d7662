"""Numbers as words and figures."""

from __future__ import annotations

import re

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL: dict[str, int] = {word: number for number, word in enumerate(_UNITS)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
"""Single words below one hundred."""
SCALES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12, "m": 1e6,
    "mn": 1e6, "bn": 1e9, "k": 1e3,
}  # fmt: skip
_FIGURES = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")


def number_of(words: list[str]) -> float | None:
    """Return the number that words spell, None if they spell none.

    >>> number_of(["twenty-five", "thousand"]), number_of(["2.5", "million"]), number_of(["1,200"])
    (25000.0, 2500000.0, 1200.0)
    """
    total, current, seen = 0.0, 0.0, False
    pieces = [piece for word in words for piece in (word.split("-") if word[:1].isalpha() else [word])]
    for piece in pieces:
        if piece == "and" and seen:
            continue
        if piece in SMALL:
            current, seen = current + SMALL[piece], True
        elif _FIGURES.fullmatch(piece):
            current, seen = current + float(piece.replace(",", "")), True
        elif piece in ("a", "an") and not seen:
            continue
        elif piece in SCALES:
            scale = SCALES[piece]
            current = (current or 1.0) * scale
            seen = True
            if scale >= 1e3:
                total, current = total + current, 0.0
        else:
            return None
    return total + current if seen else None
