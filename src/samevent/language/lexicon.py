"""Words out of context: base forms, senses, synonyms, hypernyms, classes, frames and their roles.

The shipped lexicon is WordNet together with PropBank rolesets and the FrameNet frames and VerbNet classes they are
linked to. The frame table is compressed JSON: a roleset is `[id, name, frames, roles, verb classes]` (tables without
VerbNet lack the last), a role `[number, function, description, elements]`, an element `[frame, name]`, and each word
lists its rolesets.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, cast

from samevent.language.wordnet import Morphology, Pos, WordNet, normal
from samevent.storage import check_manifest, damaged_table, missing_table

WORDNET_FILE = "wordnet.npz"
FRAMES_FILE = "frames.json.xz"

FRAMES_KIND = "frames"
FRAMES_SCHEMA = 1

_POS_OF_TAG: dict[str, Pos] = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}


class Lexicon(Protocol):
    """Knowledge about words out of context.

    Words may be inflected, in any case, with spaces or underscores: they are reduced to their base form first, as
    WordNet does. Results are in lower case with underscores, without duplicates, frequent senses first, and empty for
    unknown words. `senses=1` uses the most frequent sense only, `None` all of them.
    """

    def base(self, word: str, pos: Pos) -> str | None:
        """Return the base form: the word itself if it is in WordNet, else the form it is inflected from."""
        ...

    def synsets(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of the senses, such as `bomb.v.01`."""
        ...

    def synonyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the words that share a sense with this one, without the word itself."""
        ...

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the names of all hypernyms (kind or instance of), sense by sense, the nearest first."""
        ...

    def classes(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the lexicographer classes, such as `noun.event` and `verb.motion`."""
        ...

    def frames(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the FrameNet frames that the word evokes."""
        ...

    def frame_roles(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the roles in these frames, such as `Attack.assailant`."""
        ...

    def verb(self, word: str, pos: Pos) -> str | None:
        """Return the lemma of the predicate that the word stands for: *announce* for *announcement*."""
        ...

    def verb_classes(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the VerbNet classes of the word, or of the verb that a noun derives from, such as `say-37.7`."""
        ...


def pos_of_tag(tag: str) -> Pos | None:
    """Return the part of speech of a Penn Treebank tag, or None if lexicons have no such words.

    >>> [pos_of_tag(tag) for tag in ("NNS", "VBD", "JJR", "RB", "IN")]
    ['n', 'v', 'a', 'r', None]
    """
    return _POS_OF_TAG.get(tag[:2])


@dataclass(frozen=True, slots=True)
class Role:
    """A numbered role of a roleset (`"0"` to `"6"`, or `"M"` for a modifier) and the frame elements it fills."""

    number: str
    function: str
    """PropBank's function tag: PAG for a prototypical agent, PPT for a patient, and so on."""
    description: str
    elements: tuple[tuple[str, str], ...]
    """FrameNet frame and frame element, such as `("Attack", "assailant")`."""


@dataclass(frozen=True, slots=True)
class Roleset:
    """One sense of a predicate, such as `bomb.01`."""

    id: str
    name: str
    frames: tuple[str, ...]
    roles: tuple[Role, ...]
    verb_classes: tuple[str, ...] = ()


class Frames:
    """PropBank rolesets by base form in normal spelling."""

    def __init__(
        self, manifest: Mapping[str, Any], rolesets: list[Any], words: Mapping[str, list[int]]
    ) -> None:
        self.manifest = manifest
        self._rolesets = rolesets
        self._words = words
        self._built: dict[int, Roleset] = {}

    @classmethod
    def load(cls, path: Path) -> Frames:
        """Read a compiled table."""
        try:
            content = json.loads(lzma.decompress(path.read_bytes()))
            check_manifest(content["manifest"], FRAMES_KIND, FRAMES_SCHEMA, path)
            return cls(content["manifest"], content["rolesets"], content["words"])
        except FileNotFoundError as error:
            raise missing_table(path) from error
        except (OSError, lzma.LZMAError, ValueError, KeyError, TypeError) as error:
            raise damaged_table(path, error) from error

    def knows(self, lemma: str, pos: Pos) -> bool:
        """Return whether a base form has a roleset."""
        return f"{pos}:{lemma}" in self._words

    def rolesets(self, lemma: str, pos: Pos) -> tuple[Roleset, ...]:
        """Return the rolesets of a base form."""
        return tuple(map(self._roleset, self._words.get(f"{pos}:{lemma}", ())))

    def __iter__(self) -> Iterator[tuple[Pos, str]]:
        """Yield the part of speech and base form of all words that have a roleset."""
        for word in self._words:
            pos, _, lemma = word.partition(":")
            yield cast(Pos, pos), lemma

    def _roleset(self, number: int) -> Roleset:
        if number not in self._built:
            id_, name, frames, roles, *classes = self._rolesets[number]
            self._built[number] = Roleset(
                id_,
                name,
                tuple(frames),
                tuple(Role(n, f, d, tuple(map(tuple, e))) for n, f, d, e in roles),
                tuple(chain.from_iterable(classes)),
            )
        return self._built[number]


class CompiledLexicon:
    """A `Lexicon` over two tables. WordNet's exception lists also serve PropBank's words, some of which it lacks."""

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
        """Return the PropBank rolesets of a word, the source of `frames` and `frame_roles`."""
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

    def verb(self, word: str, pos: Pos) -> str | None:
        """Return the lemma of its first roleset, without particles."""
        rolesets = self.rolesets(word, pos)
        return rolesets[0].id.partition(".")[0].partition("_")[0] if rolesets else None

    def verb_classes(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the VerbNet classes that its rolesets are linked to."""
        return tuple(dict.fromkeys(c for roleset in self.rolesets(word, pos) for c in roleset.verb_classes))
