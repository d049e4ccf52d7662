"""From an inflected word to its base form, the way WordNet does it (its manual page morphy(7WN)).

Exception lists come first, then endings are taken off until a word is found that the lexicon knows. Words
joined by underscores or hyphens are brought to their base forms piece by piece; a verb with a preposition
keeps everything between the verb and the last noun.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from samevent.language.lexicon.base import Pos

_ENDINGS: Mapping[Pos, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip
_PREPOSITIONS = frozenset("to at of on off in out up down from with into for about between".split())
_JOINTS = re.compile("([_-])")


class Morphology:
    """Base forms of words. `knows` says whether a form is in the lexicon; keys of `exceptions` are `v:bore`."""

    __slots__ = ("_exceptions", "_knows")

    def __init__(self, exceptions: Mapping[str, tuple[str, ...]], knows: Callable[[str, Pos], bool]) -> None:
        self._exceptions = exceptions
        self._knows = knows

    def base(self, form: str, pos: Pos) -> str | None:
        """Return the first of `bases`, if there is one."""
        return next(self.bases(form, pos), None)

    def bases(self, form: str, pos: Pos) -> Iterator[str]:
        """Go through the known base forms of a form in normal writing, the form itself before all others.

        So *saw* as a verb stays *saw* (to cut), and then comes *see*: a lemmatiser that has seen the sentence
        is believed, and only what it left inflected is changed.
        """
        if self._knows(form, pos):
            yield form
        for base in dict.fromkeys(self._derived(form, pos)):
            if base != form and self._knows(base, pos):
                yield base

    def _derived(self, form: str, pos: Pos) -> tuple[str, ...]:
        if exceptions := self._exceptions.get(f"{pos}:{form}"):
            return exceptions
        if pos != "v" and (base := self._word(form, pos)):
            return (base,)
        if pos == "v" and not _PREPOSITIONS.isdisjoint(form.split("_")[1:]):
            return tuple(self._verb_with_preposition(form))
        return ("".join(self._word(piece, pos) or piece for piece in _JOINTS.split(form)),)

    def _word(self, word: str, pos: Pos) -> str | None:
        """Return the base form of one word: an exception, or the first detached ending that leaves a known word."""
        if exceptions := self._exceptions.get(f"{pos}:{word}"):
            return exceptions[0]
        stem, suffix = word, ""
        if pos == "n":
            if word.endswith("ful"):  # boxesful, boxful
                stem, suffix = word[:-3], "ful"
            elif word.endswith("ss") or len(word) <= 2:
                return None
        return next((base + suffix for base in _detached(stem, pos) if self._knows(base, pos)), None)

    def _verb_with_preposition(self, form: str) -> Iterator[str]:
        verb, *between, last = form.split("_")
        for base in (*self._exceptions.get(f"v:{verb}", ()), *_detached(verb, "v"), verb):
            yield "_".join((base, *between, last))
            if noun := self._word(last, "n"):
                yield "_".join((base, *between, noun))


def _detached(word: str, pos: Pos) -> Iterator[str]:
    for ending, replacement in _ENDINGS[pos]:
        if word.endswith(ending):
            yield word[: -len(ending)] + replacement
