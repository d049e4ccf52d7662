"""The same answers from nltk's WordNet and FrameNet, for people who have these corpora.

Differences to the compiled lexicon: base forms are found by nltk's own morphology, which does not take
expressions of several words apart; frames come from FrameNet's lexical units instead of PropBank's links, and
`frame_roles` are the core elements of a frame. nltk is slower by far and is no dependency of samevent.
"""

from __future__ import annotations

import importlib
from typing import Any

from samevent.errors import UsageError
from samevent.language.lexicon.base import Pos, normal
from samevent.language.lexicon.wordnet import synset_name

_FRAMENET_POS: dict[Pos, str] = {"n": "n", "v": "v", "a": "a", "r": "adv"}


class NltkLexicon:
    """A `Lexicon` over two corpus readers of nltk; what the methods answer is said there."""

    def __init__(self, wordnet: Any, framenet: Any) -> None:
        self._wordnet = wordnet
        self._framenet = framenet
        self._units: dict[str, list[int]] = {}
        for number, name in sorted(framenet.lu_ids_and_names().items()):
            self._units.setdefault(normal(name), []).append(number)

    @classmethod
    def load(cls) -> NltkLexicon:
        """Take the corpora that nltk finds on this machine."""
        try:
            corpus = importlib.import_module("nltk.corpus")
            for reader in (corpus.wordnet, corpus.framenet):
                reader.ensure_loaded()
        except ImportError as error:
            raise UsageError("nltk is not installed", hint="install it with: pip install nltk") from error
        except LookupError as error:
            raise UsageError(
                "nltk does not find the corpora wordnet and framenet_v17",
                hint="fetch them with: python -m nltk.downloader wordnet framenet_v17",
            ) from error
        return cls(corpus.wordnet, corpus.framenet)

    def base(self, word: str, pos: Pos) -> str | None:
        """Return the base form of a word."""
        base: str | None = self._wordnet.morphy(normal(word), pos)
        return base

    def synsets(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of a word's senses."""
        return tuple(map(self._name, self._synsets(word, pos, senses)))

    def synonyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the other words of its senses."""
        found = dict.fromkeys(
            name.lower() for synset in self._synsets(word, pos, senses) for name in synset.lemma_names()
        )
        found.pop(self.base(word, pos) or "", None)
        return tuple(found)

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of all senses above its senses."""
        above = (up for synset in self._synsets(word, pos, senses) for up in synset.closure(_hypernyms))
        return tuple(map(self._name, dict.fromkeys(above)))

    def classes(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the lexicographers' classes of its senses."""
        return tuple(dict.fromkeys(synset.lexname() for synset in self._synsets(word, pos, senses)))

    def frames(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the frames of its lexical units."""
        return tuple(dict.fromkeys(frame.name for frame in self._frames(word, pos)))

    def frame_roles(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the core elements of these frames."""
        return tuple(
            dict.fromkeys(
                f"{frame.name}.{normal(name)}"
                for frame in self._frames(word, pos)
                for name, element in frame.FE.items()
                if element.coreType == "Core"
            )
        )

    def _synsets(self, word: str, pos: Pos, senses: int | None) -> list[Any]:
        base = self.base(word, pos)
        return [] if base is None else self._senses(base, pos)[:senses]

    def _senses(self, base: str, pos: str) -> list[Any]:
        # `lemmas` and not `synsets`, which adds the senses of other base forms. A synset that has a word in two
        # spellings, such as A and a, comes twice.
        return list(dict.fromkeys(lemma.synset() for lemma in self._wordnet.lemmas(base, pos)))

    def _name(self, synset: Any) -> str:
        # Releases of nltk count the senses of adjectives in different ways, so its own name is not used.
        word = synset.lemma_names()[0].lower()
        pos = "a" if synset.pos() == "s" else synset.pos()
        return synset_name(word, pos, self._senses(word, pos).index(synset) + 1)

    def _frames(self, word: str, pos: Pos) -> list[Any]:
        forms = (normal(word), self.base(word, pos))
        units = next(
            (found for form in forms if (found := self._units.get(f"{form}.{_FRAMENET_POS[pos]}"))), []
        )
        return [self._framenet.lu(number).frame for number in units]


def _hypernyms(synset: Any) -> list[Any]:
    return [*synset.hypernyms(), *synset.instance_hypernyms()]
