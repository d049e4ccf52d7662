"""The mentions that all systems of a table are given, and the gold mentions that they are scored against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from samevent.corpus import Clustering, Corpus, Document, Mention, matching
from samevent.errors import DataError, place
from samevent.experiments import protocols
from samevent.experiments.protocols import Task
from samevent.experiments.work import Work, corpus_digest
from samevent.formats import read
from samevent.model import Model
from samevent.names import DEFAULT_PRESET
from samevent.preparation import MISSING_ARGUMENTS, WORDS_ONLY, Extraction, Prepared
from samevent.scoring import Filter


@dataclass(frozen=True, eq=False)
class MentionSet:
    """The prepared mentions that systems are given, under a name, and the gold mentions; all have heads.

    The prepared documents have no topics: finding groups of documents is up to the systems.
    """

    name: str
    task: Task
    prepared: Prepared
    gold: Corpus

    @property
    def documents(self) -> Corpus:
        """The documents with the mentions that systems are given."""
        return self.prepared.corpus

    @cached_property
    def digest(self) -> str:
        """Identifies the set."""
        return corpus_digest(self.documents)

    @cached_property
    def in_scope(self) -> Corpus:
        """The mentions that are scored, before any filter."""
        return self.task.in_scope(self.documents, self.gold)

    def kept(self, filter: Filter) -> Corpus:
        """Return the mentions that pass a filter."""
        if filter == "none":
            return self.in_scope
        matched = matching(self.in_scope.mentions("action"), self.gold.mentions("action"), filter)
        ids = {m.id for m in matched}
        return self.in_scope.filtered(lambda m: m.id in ids)

    def ceiling(self, kept: Corpus) -> Clustering:
        """Cluster mentions as the annotators would: by the event of the gold mention with the same head."""
        events = {(m.document, m.head): m.event for m in self.gold.mentions("action")}
        exact = {(m.document, m.span): m.event for m in self.gold.mentions("action")}
        return Clustering.from_labels(
            {
                m.id: exact.get((m.document, m.span)) or events.get((m.document, m.head)) or ("alone", m.id)
                for m in kept.mentions("action")
            }
        )

    def counts(self, kept: Corpus) -> dict[str, int]:
        """Count mentions: all that systems are given, gold ones, those kept, and those with an exact span."""
        gold = list(self.gold.mentions("action"))
        mentions = list(kept.mentions("action"))
        return {
            "given": sum(1 for _ in self.documents.mentions("action")),
            "gold": len(gold),
            "kept": len(mentions),
            "exact": len(matching(mentions, gold, "exact")),
        }


def mention_set(
    name: str, task: Task, documents: Corpus, model: Model, work: Work, *, preset: str = DEFAULT_PRESET
) -> MentionSet:
    """Prepare the mentions of a name (`gold`, `predicted`, or those of a file) of some documents of ECB+.

    The `preset` chooses the extractor.
    """
    extraction = MISSING_ARGUMENTS
    match name:
        case protocols.GOLD:
            given = task.gold(documents)
        case protocols.PREDICTED:
            given = documents.mapped(lambda document: document.with_mentions(()))
            extraction = Extraction(point=task.point)
        case _:
            given = _from_file(Path(name), documents)
    with work.progress(f"reading {Path(name).name} mentions", len(documents)) as show:
        prepared = model.prepare(
            given.mapped(_anonymous),
            extraction=extraction,
            preset=preset,
            jobs=work.jobs,
            watch=lambda stage, done, total, note: show(done),  # noqa: ARG005 (the signature of a watch)
        )
    gold = model.prepare(task.gold(documents), extraction=WORDS_ONLY, jobs=work.jobs).corpus
    return MentionSet(Path(name).name, task, prepared, gold)


def _from_file(path: Path, documents: Corpus) -> Corpus:
    """Read mentions of the same documents; events that they have are ignored."""
    given = {document.id: document for document in read(path)}
    missing = [document.id for document in documents if document.id not in given]
    if missing:
        raise DataError(
            f"the document {missing[0]!r} and {len(missing) - 1} others of the part are not in it",
            where=place(path),
            expected="all documents that are measured",
        )
    return Corpus(given[document.id] for document in documents)


def _anonymous(document: Document) -> Document:
    """Remove what no system may see: topics, events and their classes."""

    def without_event(m: Mention) -> Mention:
        hidden = replace(m, event=None, within=None, event_class=None, negated=False)
        return hidden if m.kind == "action" else m

    return replace(document.with_mentions(map(without_event, document.mentions)), topic=None, subtopic=None)
