"""spaCy: events as spans of a Doc, from a pipeline component or over many Docs at once.

    nlp.add_pipe("samevent")                # doc.spans["events"]: the mentions of this Doc, labelled by event
    docs = resolve_docs(nlp.pipe(texts))    # the same over all Docs: an event has one label everywhere

A span is a mention. Its label is the id of its event, and its id that of the mention. The group's attribute `labels`
has a description of each event. Tokens and sentences are those of the Doc, without white space; for a Doc without
sentences, rule-based ones are used and not stored. The Docs enter `Model.prepare` as documents with given tokens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from samevent.corpus import Corpus, Document, Mention, Token
from samevent.corpus.document import reading_order, sentences_of
from samevent.corpus.tokenize import sentence_sizes
from samevent.language.resources import DEFAULT
from samevent.model import Model, Options
from samevent.results import Event, Result

KEY = "events"
"""The key of the spans: `doc.spans[KEY]`."""


class Resolver(Protocol):
    """Resolves event coreference, like a `Model`."""

    def resolve(self, corpus: Iterable[Document], *, options: Options) -> Result:
        """Return the documents with their mentions and events."""


def resolve_docs(
    docs: Iterable[Doc],
    *,
    model: str | Path | Resolver = DEFAULT,
    options: Options | None = None,
    key: str = KEY,
) -> list[Doc]:
    """Find the events of all Docs together and store them in `doc.spans[key]`.

    Singletons are included unless the options say otherwise.
    """
    resolver = Model.load(model) if isinstance(model, str | Path) else model
    read = [_read(doc, f"doc-{number}") for number, doc in enumerate(docs, 1)]
    members = _members(resolver, [text.document for text in read], options or Options(keep_singletons=True))
    for text in read:
        text.doc.spans[key] = text.spans(key, members[text.document.id])
    return [text.doc for text in read]


class EventComponent:
    """A component that finds the events of each Doc separately; the model is loaded with the first Doc."""

    def __init__(self, model: str, options: Options, key: str) -> None:
        self.model = model
        self.options = options
        self.key = key

    def __call__(self, doc: Doc) -> Doc:
        """Store the events of a Doc in its spans."""
        return resolve_docs([doc], model=self.resolver, options=self.options, key=self.key)[0]

    @cached_property
    def resolver(self) -> Resolver:
        """The loaded model."""
        return Model.load(self.model)


@Language.factory(
    "samevent",
    assigns=["doc.spans"],
    default_config={
        "model": DEFAULT,
        "preset": Options().preset,
        "seed": 0,
        "keep_singletons": True,
        "key": KEY,
    },
)
def make_component(
    nlp: Language,  # noqa: ARG001 (spaCy passes the pipeline and a name to every factory)
    name: str,  # noqa: ARG001
    model: str,
    preset: str,
    seed: int,
    keep_singletons: bool,
    key: str,
) -> EventComponent:
    """Return the component that `nlp.add_pipe("samevent", config={...})` adds."""
    return EventComponent(model, Options(preset=preset, seed=seed, keep_singletons=keep_singletons), key)


@dataclass(frozen=True, slots=True)
class _Read:
    """A Doc as a document, with the index in the Doc of each of its tokens."""

    doc: Doc
    document: Document
    numbers: tuple[int, ...]

    def spans(self, key: str, members: Iterable[tuple[Event, Mention]]) -> SpanGroup:
        spans, labels = [], {}
        for event, mention in sorted(members, key=lambda member: reading_order(member[1])):
            start, end = self.numbers[mention.start], self.numbers[mention.end - 1] + 1
            spans.append(Span(self.doc, start, end, label=event.id, span_id=mention.id))
            labels[event.id] = event.label
        return SpanGroup(self.doc, name=key, spans=spans, attrs={"labels": labels})


def _read(doc: Doc, id: str) -> _Read:
    words = [token for token in doc if not token.is_space]
    tokens = tuple(Token(word.text, word.idx, word.idx + len(word.text)) for word in words)
    if doc.has_annotation("SENT_START"):
        sizes = [sum(not token.is_space for token in sentence) for sentence in doc.sents]
    else:
        sizes = sentence_sizes(doc.text, [(token.start, token.end) for token in tokens])
    sentences = sentences_of(size for size in sizes if size)
    document = Document(id=id, text=doc.text, tokens=tokens, sentences=sentences)
    return _Read(doc, document, tuple(word.i for word in words))


def _members(
    resolver: Resolver, documents: Iterable[Document], options: Options
) -> Mapping[str, Sequence[tuple[Event, Mention]]]:
    """Return the mentions of each document, by its id, with their events."""
    members: dict[str, list[tuple[Event, Mention]]] = defaultdict(list)
    nonempty = [document for document in documents if document.tokens]
    events: Iterable[Event] = resolver.resolve(Corpus(nonempty), options=options).events if nonempty else ()
    for event in events:
        for mention in event.mentions:
            members[mention.document].append((event, mention))
    return members
