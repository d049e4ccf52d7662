"""The gazetteer of a model: places by name, with what contains them (`tools/build_gazetteer.py` compiles it)."""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from samevent.corpus import Where
from samevent.errors import FormatError, place

GAZETTEER_FILE = "places.tsv.xz"
"""One line per place: names separated by |, GeoNames id, kind, population, line of what contains it."""


class Place(NamedTuple):
    """A place of the gazetteer; `within` is the number of what contains it, -1 if nothing does."""

    name: str
    id: int
    kind: str
    population: int
    within: int


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """Places, and which of them have a name."""

    path: Path

    @cached_property
    def _content(self) -> tuple[list[Place], dict[str, list[int]]]:
        places: list[Place] = []
        by_name: dict[str, list[int]] = {}
        try:
            for line in lzma.decompress(self.path.read_bytes()).decode().splitlines():
                names, id, kind, population, within = line.split("\t")
                for name in names.split("|"):
                    by_name.setdefault(name, []).append(len(places))
                own = names.partition("|")[0]
                places.append(Place(own, int(id), kind, int(population), int(within) if within else -1))
        except (lzma.LZMAError, UnicodeDecodeError, ValueError) as error:
            raise FormatError(
                f"cannot be read as a gazetteer ({error})",
                where=place(self.path),
                hint="install the model again",
            ) from error
        return places, by_name

    def __getitem__(self, number: int) -> Place:
        return self._content[0][number]

    def named(self, name: str) -> list[int]:
        """Return the numbers of the places that have a name."""
        return self._content[1].get(name, [])

    def containers(self, number: int) -> list[int]:
        """Return the numbers of what contains a place, the nearest first."""
        found: list[int] = []
        while (number := self[number].within) >= 0 and number not in found:
            found.append(number)
        return found

    def where(self, number: int) -> Where:
        """Return a place as a value."""
        known = self[number]
        return Where(known.name, known.id or None, tuple(self[up].name for up in self.containers(number)))
