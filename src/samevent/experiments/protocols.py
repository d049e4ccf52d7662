"""The protocols of ECB+: which topics are learned from and tested, and what is scored against what.

A split divides ECB+ into topics; each is a file in `splits/`. A task is a protocol on a split: `yang2015` is the
paper's (mentions of cross-document chains anywhere in a document; one unit per document (WD) or sub-topic (CD)),
`cybulska` is what most later work uses (all event mentions of validated sentences, the corpus as one unit), and
`realistic` is what a user with raw text gets: predicted mentions against the gold mentions of `cybulska`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Literal, get_args

from samevent.corpus import Corpus, Document, Mention, Unit, unit_of
from samevent.corpus.corpus import event_key
from samevent.errors import UsageError

if TYPE_CHECKING:  # commands show the names of splits and tasks before anything heavy is imported
    from samevent.extraction import Point
    from samevent.scoring import Filter, Singletons

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


GOLD, PREDICTED = "gold", "predicted"
"""The annotators' mentions, and those that the extractor finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A protocol: its split, the gold mentions that count, and the units that are scored.

    If `validated`, all actions of validated sentences are gold mentions; else those in cross-document chains,
    anywhere. `point` is the extractor's operating point; `filters` apply to mentions that are not gold.
    """

    name: str
    split_name: str
    validated: bool
    mentions: tuple[str, ...]
    point: Point
    filters: tuple[Filter, ...]
    units: tuple[Unit, ...]
    singletons: tuple[Singletons, ...] = ("keep",)

    @property
    def split(self) -> Split:
        """The topics to learn from and to test on."""
        return load_split(self.split_name)

    def gold(self, corpus: Corpus) -> Corpus:
        """Return the documents with their gold mentions alone."""
        return corpus.mapped(self.gold_document)

    def gold_document(self, document: Document) -> Document:
        """Return the document with its gold mentions alone, each in a named event."""
        kept = (m for m in document.mentions if m.kind == "action" and self._counts(m, document))
        return document.with_mentions(_with_event(m) for m in kept)

    def in_scope(self, system: Corpus, gold: Corpus) -> Corpus:
        """Return a system's documents with the actions that stand where gold mentions are counted."""

        def counted(m: Mention) -> bool:
            return m.kind == "action" and (not self.validated or _is_validated(m, gold[m.document]))

        return system.filtered(counted)

    def _counts(self, mention: Mention, document: Document) -> bool:
        return _is_validated(mention, document) if self.validated else mention.event is not None


def _is_validated(mention: Mention, document: Document) -> bool:
    return bool(document.sentences[document.sentence_of(mention.start)].annotated)


def _with_event(mention: Mention) -> Mention:
    """Name the event of a mention that is only in a within-document chain, or in none; systems find its class."""
    event = mention.event or ":".join(event_key(mention))
    return replace(mention, event=event, within=None, arguments=(), event_class=None, negated=False)


TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="yang2015",
            split_name="yang2015",
            validated=False,
            mentions=(GOLD, PREDICTED),
            point="recall",
            filters=("head", "none"),
            units=("document", "subtopic"),
        ),
        Task(
            name="cybulska",
            split_name="cybulska",
            validated=True,
            mentions=(GOLD,),
            point="balanced",
            filters=("none",),
            units=("corpus",),
        ),
        Task(
            name="realistic",
            split_name="cybulska",
            validated=True,
            mentions=(PREDICTED,),
            point="precise",
            filters=("none",),
            units=("corpus", "topic"),
            singletons=("drop", "keep"),
        ),
    )
}
"""The protocols by name."""
