"""A corpus: documents in order, looked up by id, with the clustering of their mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

from samevent.corpus.clustering import Clustering
from samevent.corpus.document import Document
from samevent.corpus.mention import Kind, Mention
from samevent.corpus.stored import StoredDocuments
from samevent.errors import CorpusError, UsageError, check_type

Unit = Literal["document", "subtopic", "topic", "corpus"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True, slots=True, init=False)
class Corpus:
    """Documents with unique ids, whose mentions have unique ids too.

    Stored documents stay where they are: whoever stored them has checked the ids of their mentions.
    """

    documents: Sequence[Document]
    _place: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __init__(self, documents: Iterable[Document]) -> None:
        if isinstance(documents, StoredDocuments):
            object.__setattr__(self, "documents", documents)
            object.__setattr__(self, "_place", _places(documents.ids))
            return
        object.__setattr__(self, "documents", checked_documents(documents))
        object.__setattr__(self, "_place", _places(document.id for document in self.documents))
        owners: dict[str, str] = {}
        for document in self.documents:
            for m in document.mentions:
                if m.id in owners:
                    raise repeated_mention(owners[m.id], document.id, m.id)
                owners[m.id] = document.id

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._place

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the documents, in order."""
        return tuple(self._place)

    def __getitem__(self, document_id: str) -> Document:
        if document_id not in self._place:
            raise CorpusError(
                f"there is no document {document_id!r} in the corpus",
                expected="the id of one of its documents",
            )
        return self.documents[self._place[document_id]]

    def mentions(self, kind: Kind | None = None) -> Iterator[Mention]:
        """Yield the mentions of one kind (or all) in document and reading order."""
        return (m for d in self.documents for m in d.mentions if kind is None or m.kind == kind)

    def clustering(self, kind: Kind | None = "action") -> Clustering:
        """Return the partition of the mentions by their events.

        Mentions with the same `event` form a cluster; without events, mentions of one document with the same `within`
        chain; a mention with neither is a singleton.
        """
        return Clustering.from_labels({m.id: event_key(m) for m in self.mentions(kind)})

    def with_clustering(self, clustering: Clustering) -> Corpus:
        """Return the corpus with the events of a clustering, numbered by their first mention.

        Mentions outside the clustering lose their event and chain.
        """
        names: dict[int, str] = {}
        for m in self.mentions():
            if m.id in clustering:
                names.setdefault(clustering.label_of(m.id), f"e{len(names) + 1}")

        def renamed(m: Mention) -> Mention:
            event = names[clustering.label_of(m.id)] if m.id in clustering else None
            return replace(m, event=event, within=None)

        return self.mapped(lambda d: d.with_mentions(renamed(m) for m in d.mentions))

    def filtered(self, keep: Callable[[Mention], bool]) -> Corpus:
        """Return the corpus with only the mentions that `keep` accepts, and without arguments that lost theirs."""

        def kept(document: Document) -> Document:
            mentions = [m for m in document.mentions if keep(m)]
            ids = {m.id for m in mentions}
            return document.with_mentions(
                replace(m, arguments=tuple(a for a in m.arguments if a.mention in ids)) if m.arguments else m
                for m in mentions
            )

        return self.mapped(kept)

    def mapped(self, change: Callable[[Document], Document]) -> Corpus:
        """Return the corpus of the changed documents; stored ones are changed whenever they are asked for."""
        if isinstance(self.documents, StoredDocuments):
            return Corpus(self.documents.mapped(change))
        return Corpus(change(document) for document in self.documents)

    def lazily(self) -> Corpus:
        """Return the corpus, of which documents will be changed one by one (`mapped`), whenever they are asked for."""
        if isinstance(self.documents, StoredDocuments):
            return self
        return Corpus(StoredDocuments(self.ids, self.documents.__getitem__))

    def grouped(self, unit: Unit) -> dict[str, tuple[Document, ...]]:
        """Return the documents of each unit: a document, a sub-topic, a topic or the corpus."""
        groups: dict[str, list[Document]] = {}
        for document in self.documents:
            groups.setdefault(unit_of(document, unit), []).append(document)
        return {name: tuple(documents) for name, documents in groups.items()}


def checked_documents(documents: object) -> tuple[Document, ...]:
    """Return documents as a tuple; raise if there is anything else among them."""
    hint = "samevent.read reads files; samevent.resolve takes texts and file names too"
    if isinstance(documents, str):
        check_type(documents, Document, "documents", hint=hint)
    check_type(documents, Iterable, "documents", hint=hint)
    known = tuple(cast(Iterable[Document], documents))
    for document in known:
        check_type(document, Document, "a document", hint=hint)
    return known


def _places(ids: Iterable[str]) -> dict[str, int]:
    """Return the place of each document; raise if two have the same id."""
    places: dict[str, int] = {}
    for place, id in enumerate(ids):
        if places.setdefault(id, place) != place:
            raise CorpusError(f"two documents have the id {id!r}", expected="unique document ids")
    return places


def repeated_mention(first: str, second: str, mention: str) -> CorpusError:
    """Return the error of two documents that have a mention with the same id."""
    return CorpusError(
        f"documents {first!r} and {second!r} both have a mention {mention!r}",
        expected="mention ids that are unique in the corpus",
    )


def event_key(mention: Mention) -> tuple[str, ...]:
    """Return a key that mentions of the same event share."""
    if mention.event is not None:
        return "event", mention.event
    if mention.within is not None:
        return "within", mention.document, mention.within
    return "mention", mention.id


def unit_of(document: Document, unit: Unit) -> str:
    """Return the name of the unit that a document belongs to."""
    match unit:
        case "document":
            return document.id
        case "corpus":
            return "corpus"
        case "topic":
            name = document.topic
        case "subtopic":
            if document.subtopic is None or document.topic is None:
                name = document.subtopic
            else:
                name = f"{document.topic}/{document.subtopic}"
        case _:
            raise UsageError(f"there is no unit {unit!r}", expected=f"one of {', '.join(UNITS)}")
    if name is None:
        raise CorpusError(
            f"document {document.id!r} has no {unit}",
            expected=f"a {unit} on every document",
            hint="use the unit document or corpus, or add the field to the documents",
        )
    return name
