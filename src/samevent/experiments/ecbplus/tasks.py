"""The three protocols: what is scored against what.

`yang2015` is the paper's: mentions of cross-document chains anywhere in a document, one document (WD) or one sub-topic
(CD) a unit. `cybulska` is what most later work uses: all event mentions of validated sentences, the corpus as one
unit. `realistic` is what a user with raw text gets: found mentions against those same gold mentions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from samevent.corpus import Corpus, Document, Mention, Unit
from samevent.corpus.corpus import event_key
from samevent.experiments.protocols import Split, load_split
from samevent.extraction import Point
from samevent.scoring import Filter, Singletons

GOLD, PREDICTED = "gold", "predicted"
"""Mentions of the annotators, and those that the extractor finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a protocol asks.

    `validated`: all actions of sentences that annotators vouch for count; else those linked across documents do,
    wherever they stand. `point` is where the extractor works; `filters` are for mentions that are not gold.
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
        """Which topics are learned from, and which are tested."""
        return load_split(self.split_name)

    def gold(self, corpus: Corpus) -> Corpus:
        """Return the documents with the actions that count and no other mentions, each with a named event."""

        def counted(document: Document) -> Document:
            kept = (m for m in document.mentions if m.kind == "action" and self._counts(m, document))
            return document.with_mentions(_with_event(m) for m in kept)

        return corpus.mapped(counted)

    def in_scope(self, system: Corpus, gold: Corpus) -> Corpus:
        """Return a system's documents with only those actions that stand where gold ones are counted."""

        def counted(m: Mention) -> bool:
            return m.kind == "action" and (not self.validated or _is_validated(m, gold[m.document]))

        return system.filtered(counted)

    def _counts(self, mention: Mention, document: Document) -> bool:
        return _is_validated(mention, document) if self.validated else mention.event is not None


def _is_validated(mention: Mention, document: Document) -> bool:
    return bool(document.sentences[document.sentence_of(mention.start)].annotated)


def _with_event(mention: Mention) -> Mention:
    """Name the event of a mention that is in a chain of its document only, or in none."""
    event = mention.event or ":".join(event_key(mention))
    return replace(mention, event=event, within=None, arguments=())


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
            point="balanced",
            filters=("none",),
            units=("corpus", "topic"),
            singletons=("drop", "keep"),
        ),
    )
}
"""Every protocol by its name."""
