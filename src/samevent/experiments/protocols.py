"""How ECB+ is divided into topics to learn from and topics to test on; each split is a file in `splits/`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Literal, get_args

from samevent.corpus import Corpus, Document
from samevent.errors import UsageError

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = get_args(Part)

SPLITS = ("yang2015", "cybulska")
"""The names of the splits."""


@dataclass(frozen=True, slots=True)
class Split:
    """The topics of each part, and where the division comes from."""

    name: str
    source: str
    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]

    def topics(self, part: Part) -> tuple[str, ...]:
        """Return the topics of a part."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[part]

    def part_of(self, document: Document) -> Part | None:
        """Name the part that a document's topic is in, if it is in any."""
        return next((part for part in PARTS if document.topic in self.topics(part)), None)

    def select(self, corpus: Corpus, part: Part) -> Corpus:
        """Return the documents of one part."""
        return Corpus(document for document in corpus if self.part_of(document) == part)


def load_split(name: str) -> Split:
    """Load a split by its name.

    >>> load_split("yang2015").dev
    ('23', '24', '25')
    """
    if name not in SPLITS:
        raise UsageError(f"there is no split {name!r}", expected=f"one of {', '.join(SPLITS)}")
    file = resources.files("samevent.experiments") / "splits" / f"{name}.json"
    data = json.loads(file.read_text("utf-8"))
    return Split(name, data["source"], *(tuple(data[part]) for part in PARTS))
