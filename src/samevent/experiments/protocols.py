"""The splits of ECB+ into train, dev and test topics, one file each in `splits/`, and their sizes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from itertools import chain
from typing import Literal, get_args

from samevent.corpus import Corpus, Document, unit_of
from samevent.errors import UsageError

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = get_args(Part)

SPLITS = ("yang2015", "cybulska")
"""Names of the splits."""


@dataclass(frozen=True, slots=True)
class Split:
    """The topics of each part, and the source of the split."""

    name: str
    source: str
    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]

    def topics(self, part: Part) -> tuple[str, ...]:
        """Return the topics of a part."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[part]

    def part_of(self, document: Document) -> Part | None:
        """Return the part that contains a document's topic, if any."""
        return next((part for part in PARTS if document.topic in self.topics(part)), None)

    def select(self, corpus: Corpus, part: Part) -> Corpus:
        """Return the documents of one part."""
        return Corpus(document for document in corpus if self.part_of(document) == part)


def load_split(name: str) -> Split:
    """Load a split by name.

    >>> load_split("yang2015").dev
    ('23', '24', '25')
    """
    if name not in SPLITS:
        raise UsageError(f"unknown split {name!r}", expected=f"one of {', '.join(SPLITS)}")
    file = resources.files("samevent.experiments") / "splits" / f"{name}.json"
    data = json.loads(file.read_text("utf-8"))
    return Split(name, data["source"], *(tuple(data[part]) for part in PARTS))


@dataclass(frozen=True, slots=True)
class Statistics:
    """Sizes, counted as in Table 2 of the paper.

    Sentences that consist of a URL do not count. Mentions are the actions that belong to an event. Chains are the
    events of a document, and those of a sub-topic, including singletons.
    """

    documents: int
    sentences: int
    mentions: int
    within_chains: int
    cross_chains: int


PAPER_STATISTICS: Mapping[str, Statistics] = {
    "train": Statistics(462, 7294, 3555, 2499, 687),
    "dev": Statistics(73, 649, 441, 316, 47),
    "test": Statistics(447, 7867, 3290, 2137, 486),
    "total": Statistics(982, 15810, 7286, 4952, 1220),
}
"""The paper's Table 2, of the split `yang2015`."""


def statistics(corpus: Corpus, split: Split) -> dict[str, Statistics]:
    """Count each part of a split, and all parts together."""
    parts = {part: split.select(corpus, part).documents for part in PARTS}
    counts = {part: count_documents(documents) for part, documents in parts.items()}
    return counts | {"total": count_documents(chain.from_iterable(parts.values()))}


def count_documents(documents: Iterable[Document]) -> Statistics:
    """Count some documents."""
    number = sentences = mentions = 0
    within: set[tuple[str, str]] = set()
    across: set[tuple[str, str]] = set()
    for document in documents:
        number += 1
        sentences += sum(not s.is_url for s in document.sentences)
        events = [m.event for m in document.mentions if m.kind == "action" and m.event is not None]
        mentions += len(events)
        within.update((document.id, event) for event in events)
        across.update((unit_of(document, "subtopic"), event) for event in events)
    return Statistics(number, sentences, mentions, len(within), len(across))
