"""WordNet from its compiled table: senses, synonyms, hypernyms, classes, base forms.

Synsets are numbers inside and names outside (`bomb.v.01`, as nltk writes them but with `a` for all adjectives).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from samevent.language.lexicon.base import Pos, normal
from samevent.language.lexicon.morphology import Morphology
from samevent.storage import Rows, Table, damaged_table, read_table, unpack_strings

KIND = "wordnet"
SCHEMA = 1

CLASSES = tuple(
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body "
    "noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive "
    "noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation "
    "noun.shape noun.state noun.substance noun.time verb.body verb.change verb.cognition verb.communication "
    "verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion verb.perception "
    "verb.possession verb.social verb.stative verb.weather adj.ppl".split()
)
"""The lexicographers' files by their numbers (manual page lexnames(5WN))."""


def synset_name(word: str, pos: str, rank: int) -> str:
    """Name a synset after its first word and which of the word's senses it is.

    >>> synset_name("bomb", "v", 1)
    'bomb.v.01'
    """
    return f"{word}.{pos}.{rank:02}"


class WordNet:
    """A compiled WordNet; what the methods answer is said by `Lexicon`."""

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
        """Say whether a base form in normal writing is an entry."""
        return f"{pos}:{lemma}" in self._entries

    def base(self, word: str, pos: Pos) -> str | None:
        """Return the base form of a word."""
        return self._morphology.base(normal(word), pos)

    def synsets(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of a word's senses."""
        return tuple(map(self._name, self._numbers(word, pos, senses)))

    def synonyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the other words of its senses."""
        entry = self._entry(word, pos)
        numbers = self._numbers(word, pos, senses)
        found = dict.fromkeys(i for number in numbers for i in self._words[number] if i != entry)
        return tuple(self._lemmas[i][2:] for i in found)

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of all senses above its senses."""
        return tuple(dict.fromkeys(chain.from_iterable(map(self._above, self._numbers(word, pos, senses)))))

    def classes(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the lexicographers' classes of its senses."""
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
            found: dict[int, None] = {}
            level: Iterable[int] = (number,)
            while level:
                level = dict.fromkeys(up for i in level for up in self._hypernyms[i] if up not in found)
                found.update(level)
            names = self._closures[number] = tuple(map(self._name, found))
        return names

    def _name(self, number: int) -> str:
        name = self._names.get(number)
        if name is None:
            pos, _, word = self._lemmas[self._words[number][0]].partition(":")
            name = self._names[number] = synset_name(word, pos, self._ranks[number])
        return name
