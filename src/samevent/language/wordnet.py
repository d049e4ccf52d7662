"""WordNet from its compiled table: base forms, senses, synonyms, hypernyms and classes of words.

Synsets are numbers inside and names outside: `bomb.v.01`, as nltk writes them, but with `a` for all adjectives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Literal, get_args

from samevent.storage import Rows, Table, damaged_table, read_table, unpack_strings

KIND = "wordnet"
SCHEMA = 1

Pos = Literal["n", "v", "a", "r"]
"""Noun, verb, adjective, adverb."""

PARTS: tuple[Pos, ...] = get_args(Pos)

CLASSES = tuple(
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body "
    "noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive "
    "noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation "
    "noun.shape noun.state noun.substance noun.time verb.body verb.change verb.cognition verb.communication "
    "verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion verb.perception "
    "verb.possession verb.social verb.stative verb.weather adj.ppl".split()
)
"""The lexicographer files by number (manual page lexnames(5WN))."""


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
_MOST_BASES = 1 << 17
"""Words whose base forms are remembered: they are looked up once for synonyms, once for hypernyms and so on."""


def normal(word: str) -> str:
    """Return a word in the spelling of lexicons.

    >>> normal("Take Place")
    'take_place'
    """
    return word.lower().replace(" ", "_")


def synset_name(word: str, pos: str, rank: int) -> str:
    """Name a synset after its first word and the rank of the sense among those of that word.

    >>> synset_name("bomb", "v", 1)
    'bomb.v.01'
    """
    return f"{word}.{pos}.{rank:02}"


class WordNet:
    """A compiled WordNet. `Lexicon` documents the methods."""

    def __init__(self, table: Table) -> None:
        arrays = table.arrays
        self.manifest = table.manifest
        self._lemmas = unpack_strings(arrays["lemmas"])
        self._entries = dict(zip(self._lemmas, range(len(self._lemmas)), strict=True))
        self._senses, self._words, self._hypernyms = (
            Rows(arrays[f"{name}_lengths"], arrays[name]) for name in ("senses", "words", "hypernyms")
        )
        self._classes, self._ranks = arrays["classes"].tobytes(), arrays["ranks"].tobytes()
        self._names: dict[int, str] = {}
        self._closures: dict[int, tuple[str, ...]] = {}
        self._bases: dict[tuple[str, Pos], str | None] = {}
        lines = unpack_strings(arrays["exceptions"])
        self.exceptions = {form: tuple(bases) for form, *bases in map(str.split, lines)}
        self._morphology = Morphology(self.exceptions, self.knows)

    @classmethod
    def load(cls, path: Path) -> WordNet:
        """Read a compiled table."""
        table = read_table(path, KIND, SCHEMA)
        try:
            return cls(table)
        except (KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error

    def knows(self, lemma: str, pos: Pos) -> bool:
        """Return whether a base form in normal spelling is an entry."""
        return f"{pos}:{lemma}" in self._entries

    def base(self, word: str, pos: Pos) -> str | None:
        """Return the base form of a word."""
        key = word, pos
        if key not in self._bases:
            if len(self._bases) >= _MOST_BASES:
                self._bases.clear()
            self._bases[key] = self._morphology.base(normal(word), pos)
        return self._bases[key]

    def synsets(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of a word's senses."""
        return tuple(map(self._name, self._numbers(word, pos, senses)))

    def synonyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the other words of its senses."""
        entry = self._entry(word, pos)
        numbers = self._numbers(word, pos, senses)
        words = dict.fromkeys(i for number in numbers for i in self._words[number] if i != entry)
        return tuple(self._lemmas[i][2:] for i in words)

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of all senses above its senses."""
        return tuple(dict.fromkeys(chain.from_iterable(map(self._above, self._numbers(word, pos, senses)))))

    def classes(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the lexicographer classes of its senses."""
        numbers = self._numbers(word, pos, senses)
        return tuple(dict.fromkeys(CLASSES[self._classes[number]] for number in numbers))

    def _entry(self, word: str, pos: Pos) -> int | None:
        base = self.base(word, pos)
        return None if base is None else self._entries[f"{pos}:{base}"]

    def _numbers(self, word: str, pos: Pos, senses: int | None) -> list[int]:
        entry = self._entry(word, pos)
        return [] if entry is None else self._senses[entry][:senses]

    def _above(self, number: int) -> tuple[str, ...]:
        """Return the names of all synsets above one, level by level."""
        names = self._closures.get(number)
        if names is None:
            seen: dict[int, None] = {}
            level: Iterable[int] = (number,)
            while level:
                level = dict.fromkeys(up for i in level for up in self._hypernyms[i] if up not in seen)
                seen.update(level)
            names = self._closures[number] = tuple(map(self._name, seen))
        return names

    def _name(self, number: int) -> str:
        name = self._names.get(number)
        if name is None:
            pos, _, word = self._lemmas[self._words[number][0]].partition(":")
            name = self._names[number] = synset_name(word, pos, self._ranks[number])
        return name


class Morphology:
    """From an inflected word to its base form, the way WordNet does it (manual page morphy(7WN)).

    The exception lists come first; then endings are removed until the word is in the lexicon. Words joined by
    underscores or hyphens are reduced piece by piece; a verb with a preposition keeps everything between the verb and
    the last noun. `knows` returns whether a form is in the lexicon; keys of `exceptions` look like `v:bore`.
    """

    __slots__ = ("_exceptions", "_knows")

    def __init__(self, exceptions: Mapping[str, tuple[str, ...]], knows: Callable[[str, Pos], bool]) -> None:
        self._exceptions = exceptions
        self._knows = knows

    def base(self, form: str, pos: Pos) -> str | None:
        """Return the first of `bases`, or None."""
        return next(self.bases(form, pos), None)

    def bases(self, form: str, pos: Pos) -> Iterator[str]:
        """Yield the known base forms of a form in normal spelling, the form itself first.

        So the verb *saw* stays *saw* (to cut) and *see* comes second: the lemmatizer has seen the sentence, so only
        forms that it left inflected are changed.
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
        """Return the base form of one word: an exception, or the first known word left by removing an ending."""
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
