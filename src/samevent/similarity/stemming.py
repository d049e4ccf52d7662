"""A rough stemmer for the lemmas of heads."""

from __future__ import annotations

_ENDINGS = (
    "ization", "ations", "ation", "ition", "ments", "ment", "ances", "ance", "ings", "ing", "ions", "ion", "ers",
    "ors", "er", "or", "ed", "es", "al", "s", "e",
)  # fmt: skip
"""The first of these that a lemma ends in is cut off."""
_STEM_LENGTH = 3
"""The minimum length of a stem."""


def stem(lemma: str) -> str:
    """Return a rough stem, so that *shooting* and *shoot* share one: the ending and a doubled letter before it go.

    >>> [stem(lemma) for lemma in ("shooting", "shoot", "winner", "win", "acquisition", "acquire", "be")]
    ['shoot', 'shoot', 'win', 'win', 'acquis', 'acquir', 'be']
    """
    for ending in _ENDINGS:
        if lemma.endswith(ending) and len(lemma) - len(ending) >= _STEM_LENGTH:
            lemma = lemma.removesuffix(ending)
            break
    if len(lemma) > _STEM_LENGTH and lemma[-1] == lemma[-2]:
        lemma = lemma[:-1]
    return lemma.rstrip("ey") if len(lemma) > _STEM_LENGTH + 1 else lemma
