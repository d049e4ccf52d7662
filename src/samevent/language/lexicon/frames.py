"""PropBank rolesets and the FrameNet frames they are linked to, from their compiled table.

The table is compressed JSON: a roleset is `[id, name, frames, roles]`, a role `[number, function, description,
elements]`, an element `[frame, name]`, and each word points at its rolesets.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from samevent.language.lexicon.base import Pos
from samevent.storage import check_manifest, damaged_table, missing_table

KIND = "frames"
SCHEMA = 1


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


class Frames:
    """The rolesets of base forms in normal writing; `knows` says whether there are any."""

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
            check_manifest(content["manifest"], KIND, SCHEMA, path)
            return cls(content["manifest"], content["rolesets"], content["words"])
        except FileNotFoundError as error:
            raise missing_table(path) from error
        except (OSError, lzma.LZMAError, ValueError, KeyError, TypeError) as error:
            raise damaged_table(path, error) from error

    def knows(self, lemma: str, pos: Pos) -> bool:
        """Say whether a base form has a roleset."""
        return f"{pos}:{lemma}" in self._words

    def rolesets(self, lemma: str, pos: Pos) -> tuple[Roleset, ...]:
        """Return the rolesets of a base form."""
        return tuple(map(self._roleset, self._words.get(f"{pos}:{lemma}", ())))

    def __iter__(self) -> Iterator[tuple[Pos, str]]:
        """Go through the base forms that have a roleset, with their part of speech."""
        for word in self._words:
            pos, _, lemma = word.partition(":")
            yield cast(Pos, pos), lemma

    def _roleset(self, number: int) -> Roleset:
        if number not in self._built:
            id_, name, frames, roles = self._rolesets[number]
            self._built[number] = Roleset(
                id_, name, tuple(frames), tuple(Role(n, f, d, tuple(map(tuple, e))) for n, f, d, e in roles)
            )
        return self._built[number]
