"""The size of a split of ECB+, counted as in Table 2 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from samevent.corpus import Corpus, Document, unit_of
from samevent.experiments.protocols import PARTS, Split


@dataclass(frozen=True, slots=True)
class Statistics:
    """What some documents hold.

    Sentences are counted without those that only spell a page's address. Mentions are the actions that belong
    to an event. Chains are events as seen from inside a document and from inside a sub-topic; those of a
    single mention count too.
    """

    documents: int
    sentences: int
    mentions: int
    within_chains: int
    cross_chains: int


PAPER: Mapping[str, Statistics] = {
    "train": Statistics(462, 7294, 3555, 2499, 687),
    "dev": Statistics(73, 649, 441, 316, 47),
    "test": Statistics(447, 7867, 3290, 2137, 486),
    "total": Statistics(982, 15810, 7286, 4952, 1220),
}
"""What the paper says of its split, `yang2015`."""


def statistics(corpus: Corpus, split: Split) -> dict[str, Statistics]:
    """Count what each part of a split holds, and all parts together."""
    parts = {part: split.select(corpus, part).documents for part in PARTS}
    everything = [document for documents in parts.values() for document in documents]
    return {part: count(documents) for part, documents in parts.items()} | {"total": count(everything)}


def count(documents: Iterable[Document]) -> Statistics:
    """Count what some documents hold."""
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
