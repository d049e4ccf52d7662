"""Values by mention that are too many to hold: lines of JSON in a file without a name.

    whys = StoredValues(folder, Why.from_json)
    whys.add(answer.whys)
    whys["a:3-4:action"].reasons

A value is built when it is asked for, and kept until many others have been. `values_in` returns values in memory
unless there is a folder for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from samevent.formats.store import LineFile
from samevent.scratch import Scratch

_RECENT = 1024
"""How many values are kept: a report asks for each of an event twice."""


class HasJson(Protocol):
    """Something with plain values for JSON."""

    def to_json(self) -> dict[str, Any]:
        """Return the plain values."""


AnyValue = TypeVar("AnyValue", bound=HasJson)


class StoredValues(Mapping[str, AnyValue]):
    """Values by key in a file in a folder; `build` makes a value of what its `to_json` returned."""

    def __init__(self, folder: Path, build: Callable[[Any], AnyValue]) -> None:
        self._build = build
        self._file = LineFile.temporary(folder)
        self._places: dict[str, int] = {}
        self._recent: dict[str, AnyValue] = {}

    def add(self, values: Mapping[str, AnyValue]) -> None:
        """Store values with new keys."""
        for key, value in values.items():
            self._places[key] = len(self._file)
            self._file.append(json.dumps(value.to_json()).encode() + b"\n")

    def __getitem__(self, key: str) -> AnyValue:
        value = self._recent.get(key)
        if value is None:
            if len(self._recent) >= _RECENT:
                self._recent.clear()
            value = self._recent[key] = self._build(json.loads(self._file.line(self._places[key])))
        return value

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class HeldValues(dict[str, AnyValue]):
    """Values in memory, added as `StoredValues` are."""

    def add(self, values: Mapping[str, AnyValue]) -> None:
        """Keep values with new keys."""
        self.update(values)


def values_in(
    scratch: Scratch | None, build: Callable[[Any], AnyValue]
) -> StoredValues[AnyValue] | HeldValues[AnyValue]:
    """Return where values by mention go: a file beside a scratch, or memory."""
    return StoredValues(scratch.folder, build) if scratch else HeldValues()
