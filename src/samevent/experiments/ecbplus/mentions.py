"""What all systems of a table are given: one set of mentions, and the gold mentions that it is scored against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from samevent.corpus import Clustering, Corpus, Document, Mention, matching
from samevent.errors import DataError, place
from samevent.experiments.ecbplus import tasks
from samevent.experiments.ecbplus.tasks import Task
from samevent.experiments.work import Work, digest_of_corpus, digest_of_files
from samevent.extraction import load_extractor, parsed
from samevent.formats import read, write
from samevent.language.annotate import annotate
from samevent.language.cache import Cache
from samevent.language.heads import with_heads
from samevent.language.verbs import with_verbs
from samevent.scoring import Filter


@dataclass(frozen=True, eq=False)
class MentionSet:
    """Mentions that systems are given, under a name, and the gold ones; heads are on all actions.

    `documents` carry no topics: what groups documents is for systems to find out.
    """

    name: str
    task: Task
    documents: Corpus
    gold: Corpus

    @cached_property
    def digest(self) -> str:
        """What tells this set from others."""
        return digest_of_corpus(self.documents)

    @cached_property
    def in_scope(self) -> Corpus:
        """The mentions that are scored, before any filter."""
        return self.task.in_scope(self.documents, self.gold)

    def kept(self, filter: Filter) -> Corpus:
        """Return the mentions that pass a filter."""
        if filter == "none":
            return self.in_scope
        found = matching(self.in_scope.mentions("action"), self.gold.mentions("action"), filter)
        ids = {m.id for m in found}
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


def mention_set(name: str, task: Task, documents: Corpus, model: Path, work: Work) -> MentionSet:
    """Return the mentions of a name: `gold`, `predicted`, or else those of a file, of some documents of ECB+."""
    gold = Corpus(_with_heads(task.gold(documents), work))
    match name:
        case tasks.GOLD:
            given = gold
        case tasks.PREDICTED:
            given = _predicted(task, documents, model, work)
        case _:
            given = Corpus(_with_heads(_from_file(Path(name), documents), work))
    return MentionSet(Path(name).name, task, given.mapped(_anonymous), gold)


def _predicted(task: Task, documents: Corpus, model: Path, work: Work) -> Corpus:
    """Extract mentions, or read those that were: one file for all systems."""
    bare = documents.mapped(lambda d: d.with_mentions(()))
    file = work.place("mentions", task.point, digest_of_corpus(bare), digest_of_files(model.iterdir()))
    file = file.with_suffix(".jsonl")
    if work.has(file):
        return read(file)
    extractor = load_extractor(model)
    found = []
    with work.watch("extracting", len(bare)) as done:
        for number, text in enumerate(
            parsed(bare, extractor.resources.roles, jobs=work.jobs, cache=Cache()), 1
        ):
            found.append(extractor.extract(text, point=task.point))
            done(number)
    corpus = Corpus(found)
    write(corpus, file, overwrite=True)
    return corpus


def _from_file(path: Path, documents: Corpus) -> Corpus:
    """Read mentions of just these documents; events that they have are not looked at."""
    given = {document.id: document for document in read(path)}
    missing = [document.id for document in documents if document.id not in given]
    if missing:
        raise DataError(
            f"the document {missing[0]!r} and {len(missing) - 1} others of the part are not in it",
            where=place(path),
            expected="all documents that are measured",
        )
    return Corpus(given[document.id] for document in documents)


def _with_heads(corpus: Corpus, work: Work) -> Iterator[Document]:
    for document, annotation in annotate(corpus, jobs=work.jobs, cache=Cache()):
        yield with_heads(document, with_verbs(annotation))  # as the extractor reads it


def _anonymous(document: Document) -> Document:
    """Take away what no system may see: topics and events."""

    def told(m: Mention) -> Mention:
        return replace(m, event=None, within=None) if m.kind == "action" else m

    return replace(document.with_mentions(map(told, document.mentions)), topic=None, subtopic=None)
