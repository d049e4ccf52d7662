"""The path from documents to mentions: parse, label roles, extract mentions and arguments, compile the mention table.

    documents -> `parse` -> `prepare` -> Prepared(corpus, annotations, pair models) -> .table, .evidence, .labelled

This is the only implementation. `Model.prepare` calls it for `run`, `extract`, `cluster`, the experiments and the
spaCy component; training calls it with an extractor that has no model folder yet. It stands above `clusterers`,
because `Prepared` hands out the `Evidence` that they read, and below `model` and `training`, its callers.
Corrections of the parse are not made here: `language.annotate` yields corrected parses to everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from samevent.clusterers import Evidence
from samevent.corpus import KINDS, Corpus, Document, Kind, Mention
from samevent.corrections import NotEvents
from samevent.errors import DataError
from samevent.extraction import (
    DEFAULT_POINT,
    EXTRACTOR_FILE,
    Association,
    Extractor,
    Parsed,
    associate,
    label_events,
)
from samevent.extraction.model import WITH_FILLERS
from samevent.grounding import ground
from samevent.grounding.entities import entity_reader
from samevent.language.annotate import Annotator
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.clauses import with_clauses
from samevent.language.encoder import Encoder, Reading, mention_vectors
from samevent.language.encoder.runtime import Halves
from samevent.language.encoder.tagger import Tagger
from samevent.language.heads import with_heads
from samevent.language.resources import Resources
from samevent.language.roles import Roles
from samevent.language.vectors import Vectors
from samevent.parallel import map_ahead
from samevent.similarity.bags import Indices
from samevent.similarity.boosted import AnyPairModel, BoostedModel
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import LOG_LINEAR, PAIR_MODEL_FILES, PairModel
from samevent.similarity.pairs import LabelledMentions, label_mentions

Encode = Callable[[Corpus, Sequence[Mention]], Mapping[str, Vectors]]
"""Returns the contextual vectors of mentions by name, one row per mention."""
Read = Callable[[Document], Reading]
"""Reads a document with a contextual encoder."""

ARGUMENT_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "action")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What to extract.

    Mentions of `kinds` are looked for where a document has none, or everywhere with `replace`, which also replaces the
    classes of events. `point` is the operating point of the extractor. With `verbs`, every verb that it leaves out is
    an event as well (None: if the preset says so). Without `arguments`, events get no arguments and no roles are
    labelled.
    """

    kinds: tuple[Kind, ...] = KINDS
    replace: bool = False
    point: str = DEFAULT_POINT
    association: Association = field(default=WITH_FILLERS)
    verbs: bool | None = None
    arguments: bool = True

    def missing(self, document: Document) -> list[Kind]:
        """Return the kinds of mentions to look for in a document."""
        present = {mention.kind for mention in document.mentions}
        return [kind for kind in KINDS if kind in self.kinds and (self.replace or kind not in present)]

    def incomplete(self, document: Document) -> bool:
        """Return whether an extractor could add something: mentions, or classes of events."""
        unknown = any(
            m.kind == "action" and (self.replace or m.event_class is None) for m in document.mentions
        )
        return self.arguments and bool(unknown or self.missing(document))


EVERYTHING = Extraction()
"""Every kind that a document has no mentions of: raw text in, all mentions out."""
MISSING_ARGUMENTS = Extraction(kinds=ARGUMENT_KINDS)
"""Events are given; participants, times and locations are looked for unless they are given too."""
PREDICTED_ARGUMENTS = Extraction(kinds=ARGUMENT_KINDS, replace=True)
"""Events are given; participants, times and locations are always the extractor's."""
GIVEN_MENTIONS = Extraction(kinds=())
"""All mentions are given; roles say which are arguments of which event."""
WORDS_ONLY = Extraction(kinds=(), arguments=False)
"""Events are given, and only their words matter."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Documents with mentions and arguments, their annotations by document id, and what clusterers need beside them.

    The mention table is compiled when it is first needed, and its mentions are encoded when a pair model asks for it:
    all of them by `encode`, those that might be linked by `encode_large`.
    """

    corpus: Corpus
    annotations: Mapping[str, Annotation]
    resources: Resources
    pair_models: Mapping[str, AnyPairModel] = field(default_factory=dict)
    encode: Encode | None = None
    encode_large: Encode | None = None

    @property
    def table(self) -> MentionTable:
        """The event mentions as arrays."""
        return self.labelled.table

    @cached_property
    def evidence(self) -> Evidence:
        """What clusterers read: the mention table and the pair models."""
        return Evidence(
            self.table,
            self.pair_models,
            self.resources.lexicon,
            self.contextual if self.encode else None,
            self._large_vectors if self.encode_large else None,
        )

    def contextual(self) -> Mapping[str, Vectors]:
        """Return the contextual vectors of the event mentions; none without an encoder."""
        if self.encode is None:
            return {}
        return self.encode(self.corpus, self._events)

    def _large_vectors(self, rows: Indices) -> Mapping[str, Vectors]:
        """Return what the large encoder makes of some event mentions, by their rows in the table."""
        return (
            self.encode_large(self.corpus, [self._events[row] for row in rows.tolist()])
            if self.encode_large
            else {}
        )

    @cached_property
    def _events(self) -> list[Mention]:
        """The event mentions, one per row of the table."""
        mentions = {mention.id: mention for mention in self.corpus.mentions("action")}
        return [mentions[id] for id in self.table.ids]

    @cached_property
    def labelled(self) -> LabelledMentions:
        """The mention table with the known event of each mention, to train and measure pair models."""
        annotated = [(document, self.annotations[document.id]) for document in self.corpus]
        return label_mentions(annotated, lexicon=self.resources.lexicon, vectors=self.resources.vectors)

    def select(
        self, documents: Iterable[Document], pair_models: Mapping[str, AnyPairModel] | None = None
    ) -> Prepared:
        """Return some of the documents, with other pair models if they are given."""
        models = self.pair_models if pair_models is None else pair_models
        return Prepared(
            Corpus(documents), self.annotations, self.resources, models, self.encode, self.encode_large
        )


def parse(
    documents: Iterable[Document],
    roles: Roles | None,
    *,
    jobs: int = 1,
    cache: Cache | None = None,
) -> Iterator[Parsed]:
    """Yield documents with their annotations and predicates, in order; without `roles`, with no predicates."""
    for document, annotation in Annotator().annotate(documents, jobs=jobs, cache=cache):
        yield Parsed(document, annotation, roles.label(document, annotation) if roles else ())


def tagged(
    texts: Iterable[Parsed], read: Read, tagger: Tagger | None = None, *, jobs: int = 1
) -> Iterator[Parsed]:
    """Yield parsed documents with what a tagger, by default the encoder's own, says of them."""
    return (text for text, _ in _read_ahead(texts, read, tagger, jobs))


def with_states(texts: Iterable[Parsed], read: Read, *, jobs: int = 1) -> Iterator[Parsed]:
    """Yield parsed documents with the states of their tokens, to learn from."""
    return map_ahead(lambda text: text._replace(states=read(text.document).states), texts, jobs)


def prepare(
    texts: Iterable[Parsed],
    resources: Resources,
    extractor: Extractor | None = None,
    *,
    extraction: Extraction = EVERYTHING,
    pair_models: Mapping[str, AnyPairModel] | None = None,
    encode: Encode | None = None,
    encode_large: Encode | None = None,
    read: Read | None = None,
    keep_vectors: bool = False,
    not_events: NotEvents | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Prepared:
    """Give parsed documents the mentions, classes and arguments that they lack.

    A contextual extractor needs `read`, which gives the tags of a document. With `keep_vectors`, each document is read
    only once: the vectors of its event mentions are kept and take the place of `encode`. Mentions that a person says
    are `not_events` are taken out.
    `jobs` threads read ahead; results do not depend on their number. `progress` is called with the number of documents
    done and of event mentions in them.
    """
    documents: list[Document] = []
    annotations: dict[str, Annotation] = {}
    vectors: dict[str, Halves] = {}
    names: Sequence[str] = ()
    events = 0
    needed = read if extractor and extractor.contextual else None
    tagger = extractor.tagger if extractor else None
    for done, (text, reading) in enumerate(_read_ahead(texts, needed, tagger, jobs), 1):
        document = complete(text, resources, extractor, extraction)
        if not_events:
            document = not_events.without(document)
        documents.append(document)
        if reading and keep_vectors:
            actions = [mention for mention in document.mentions if mention.kind == "action"]
            vectors |= zip((mention.id for mention in actions), reading.vectors(actions), strict=True)
            names = reading.encoder.vector_names
        annotations[document.id] = text.annotation
        events += sum(mention.kind == "action" for mention in document.mentions)
        if progress:
            progress(done, events)
    if needed and keep_vectors:
        encode = _from_memory(vectors, names, encode)
    return Prepared(Corpus(documents), annotations, resources, pair_models or {}, encode, encode_large)


def complete(
    text: Parsed, resources: Resources, extractor: Extractor | None, extraction: Extraction
) -> Document:
    """Return one document with the mentions, classes, arguments, clauses and heads that it lacks, and references.

    Given mentions stay as they are, and so do classes, arguments and clauses that events already have. Without an
    extractor, events without a class get none.
    """
    document = _with_arguments(text, resources, extractor, extraction)
    reader = entity_reader(resources) if extraction.arguments else None
    return with_clauses(ground(document, text.annotation, resources.gazetteer, reader), text.annotation)


def _with_arguments(
    text: Parsed, resources: Resources, extractor: Extractor | None, extraction: Extraction
) -> Document:
    document, annotation, predicates = text[:3]
    if not extraction.arguments:
        return with_heads(document, annotation)
    if extraction.replace:
        document = document.with_mentions(map(_without_class, document.mentions))
        text = text._replace(document=document)
    kinds = extraction.missing(document)
    if not kinds:
        if extractor and extraction.incomplete(document):
            document = extractor.classify(text)
        known = label_events(resources.roles, document, annotation, predicates)
        return associate(document, annotation, known)
    if extractor is None:
        raise missing_extractor(resources.folder)
    return extractor.extract(
        text,
        point=extraction.point,
        kinds=kinds,
        association=extraction.association,
        verbs=bool(extraction.verbs),
    )


def missing_extractor(folder: Path) -> DataError:
    """Return the error of a model that has to find mentions and cannot."""
    return DataError(
        f"the model {folder.name!r} has no {EXTRACTOR_FILE} to find the missing mentions",
        expected="a model with an extractor, or documents with mentions of every kind",
        hint="train one: samevent train extractor DATA -o MODEL",
    )


def load_pair_models(folder: Path) -> dict[str, AnyPairModel]:
    """Load the pair models that a model's folder has, by name."""
    files = {name: folder / file for name, file in PAIR_MODEL_FILES.items()}
    return {
        name: PairModel.load(file) if name in LOG_LINEAR else BoostedModel.load(file)
        for name, file in files.items()
        if file.exists()
    }


def read_with(encoder: Encoder, cache: Cache | None = None) -> Read:
    """Return a function that reads documents with an encoder; it may be called by several threads."""
    encoder.reader, encoder.outputs  # noqa: B018 -- loaded once, before there are threads
    return lambda document: encoder.read(document, cache)


def encode_with(
    encoder: Encoder,
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Callable[[int], None] | None = None,
) -> Encode:
    """Return a function that encodes mentions in their documents; `progress` is called with numbers of mentions."""

    def encode(corpus: Corpus, mentions: Sequence[Mention]) -> Mapping[str, Vectors]:
        return mention_vectors(encoder, corpus, mentions, jobs=jobs, cache=cache, progress=progress)

    return encode


def _without_class(mention: Mention) -> Mention:
    return replace(mention, event_class=None, negated=False) if mention.kind == "action" else mention


def _read_ahead(
    texts: Iterable[Parsed], read: Read | None, tagger: Tagger | None, jobs: int
) -> Iterator[tuple[Parsed, Reading | None]]:
    """Yield texts with their tags, and their readings; without `read`, as they are."""

    def tag(text: Parsed) -> tuple[Parsed, Reading]:
        reading = read(text.document)  # type: ignore[misc]
        return text._replace(tags=reading.tags(tagger)), reading

    if read is None:
        return ((text, None) for text in texts)
    return map_ahead(tag, texts, jobs)


def _from_memory(vectors: Mapping[str, Halves], names: Sequence[str], otherwise: Encode | None) -> Encode:
    """Return a function that looks vectors up by mention; if some are unknown, all are encoded."""

    def encode(corpus: Corpus, mentions: Sequence[Mention]) -> Mapping[str, Vectors]:
        if otherwise and any(mention.id not in vectors for mention in mentions):
            return otherwise(corpus, mentions)
        if not mentions:
            return {}
        rows = np.stack([vectors[mention.id] for mention in mentions], axis=1)
        return dict(zip(names, rows, strict=True))

    return encode
