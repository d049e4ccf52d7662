"""The shipped lexicon: WordNet and frames from their compiled tables."""

from __future__ import annotations

from pathlib import Path

from samevent.language.lexicon.base import Pos, normal
from samevent.language.lexicon.frames import Frames, Roleset
from samevent.language.lexicon.morphology import Morphology
from samevent.language.lexicon.wordnet import WordNet

WORDNET_FILE = "wordnet.npz"
FRAMES_FILE = "frames.json.xz"


class CompiledLexicon:
    """A `Lexicon` over two tables. WordNet's exceptions serve PropBank's words too, which are not all in WordNet."""

    def __init__(self, wordnet: WordNet, frames: Frames) -> None:
        self._frames = frames
        self._morphology = Morphology(wordnet.exceptions, frames.knows)
        self.base = wordnet.base
        self.synsets = wordnet.synsets
        self.synonyms = wordnet.synonyms
        self.hypernyms = wordnet.hypernyms
        self.classes = wordnet.classes

    @classmethod
    def load(cls, folder: Path) -> CompiledLexicon:
        """Read both tables from a folder."""
        return cls(WordNet.load(folder / WORDNET_FILE), Frames.load(folder / FRAMES_FILE))

    def rolesets(self, word: str, pos: Pos) -> tuple[Roleset, ...]:
        """Return the PropBank rolesets of a word: what `frames` and `frame_roles` are read from."""
        base = self._morphology.base(normal(word), pos)
        return () if base is None else self._frames.rolesets(base, pos)

    def frames(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the FrameNet frames that its rolesets are linked to."""
        return tuple(dict.fromkeys(frame for roleset in self.rolesets(word, pos) for frame in roleset.frames))

    def frame_roles(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the frame elements that the roles of its rolesets are linked to."""
        return tuple(
            dict.fromkeys(
                f"{frame}.{element}"
                for roleset in self.rolesets(word, pos)
                for role in roleset.roles
                for frame, element in role.elements
            )
        )
