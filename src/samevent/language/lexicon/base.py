"""What a lexicon is asked, whoever answers."""

from __future__ import annotations

from typing import Literal, Protocol, get_args

Pos = Literal["n", "v", "a", "r"]
"""Noun, verb, adjective, adverb."""

PARTS: tuple[Pos, ...] = get_args(Pos)

_OF_TAG: dict[str, Pos] = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}


class Lexicon(Protocol):
    """What is known of a word out of context.

    A word may be inflected, in any case, with spaces or underscores: it is first brought to its base form, as
    WordNet does. Answers are in lower case with underscores, each once, the frequent senses first; nothing
    known is an empty answer. `senses=1` looks at the most frequent sense only, `None` at all of them.
    """

    def base(self, word: str, pos: Pos) -> str | None:
        """Return the base form: the word itself if it is in WordNet, else what its inflection comes from."""
        ...

    def synsets(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the senses by name, such as `bomb.v.01`: the first word of the synset and which of its senses."""
        ...

    def synonyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the words that share a sense with this one, without itself."""
        ...

    def hypernyms(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return all that its senses are a kind or an instance of, by name: sense by sense, near ones first."""
        ...

    def classes(self, word: str, pos: Pos, *, senses: int | None = None) -> tuple[str, ...]:
        """Return the lexicographers' classes, such as `noun.event` and `verb.motion`."""
        ...

    def frames(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the FrameNet frames that the word evokes, by their names."""
        ...

    def frame_roles(self, word: str, pos: Pos) -> tuple[str, ...]:
        """Return the roles in these frames, such as `Attack.assailant`."""
        ...


def pos_of_tag(tag: str) -> Pos | None:
    """Return the part of speech of a Penn Treebank tag, if a lexicon knows it.

    >>> [pos_of_tag(tag) for tag in ("NNS", "VBD", "JJR", "RB", "IN")]
    ['n', 'v', 'a', 'r', None]
    """
    return _OF_TAG.get(tag[:2])


def normal(word: str) -> str:
    """Return a word as lexicons write it.

    >>> normal("Take Place")
    'take_place'
    """
    return word.lower().replace(" ", "_")
