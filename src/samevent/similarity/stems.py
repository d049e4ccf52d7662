"""What *acquire* and *acquisition* have in common: lemmas cut down to stems, roughly."""

from __future__ import annotations

ENDINGS = (
    "ization", "ations", "ation", "ition", "ments", "ment", "ances", "ance", "ings", "ing", "ions", "ion", "ers",
    "ors", "er", "or", "ed", "es", "al", "s", "e",
)  # fmt: skip
"""Of those that a lemma ends in, the first is cut off."""
LEAST = 3
"""So many letters stay at least."""


def stem(lemma: str) -> str:
    """Return what is left of a lemma without its ending; letters doubled before it are one.

    >>> [stem(lemma) for lemma in ("shooting", "shoot", "winner", "win", "acquisition", "acquire", "be")]
    ['shoot', 'shoot', 'win', 'win', 'acquis', 'acquir', 'be']
    """
    for ending in ENDINGS:
        if lemma.endswith(ending) and len(lemma) - len(ending) >= LEAST:
            lemma = lemma.removesuffix(ending)
            break
    if len(lemma) > LEAST and lemma[-1] == lemma[-2]:
        lemma = lemma[:-1]
    return lemma.rstrip("ey") if len(lemma) > LEAST + 1 else lemma
