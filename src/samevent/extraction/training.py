"""Training an extractor: weights from all marked sentences, operating points from held-out topics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from samevent.corpus import KINDS, Document, Kind
from samevent.errors import DataError, UsageError
from samevent.extraction.arguments import Parsed
from samevent.extraction.classes import LabelledHead, fit_classes
from samevent.extraction.contextual import context_columns
from samevent.extraction.features import (
    GROUPS,
    Encoder,
    FeatureKeys,
    concatenate,
    look_up_features,
    select_sentences,
    sentence_borders,
)
from samevent.extraction.gold import (
    Ranking,
    Segment,
    gold_path,
    head_of,
    length_limits,
    marked_sentences,
    ranking,
)
from samevent.extraction.learning import LearningSettings, learn
from samevent.extraction.model import POINTS, Extractor, Thresholds
from samevent.extraction.weights import Weights
from samevent.language.encoder.tagger import TaggedText, Tagger, fit_tagger
from samevent.language.encoder.tagging import token_tags
from samevent.language.hashing import Keys, KeyTable, frequent_keys
from samevent.language.resources import Resources

Progress = Callable[[str], None]
Limits = Sequence[int]

NO_THRESHOLDS = Thresholds(*(dict.fromkeys(KINDS, 1.0) for _ in POINTS))
"""The thresholds of an extractor that only ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorSettings:
    """Hyperparameters of training."""

    learning: LearningSettings = field(default_factory=LearningSettings)
    least: int = 2
    """The minimal count of a feature."""
    groups: tuple[str, ...] = GROUPS
    folds: int = 3
    """Number of folds over topics for choosing the operating points."""
    recall_shares: Mapping[Kind, float] = field(
        default_factory=lambda: {"action": 0.285, "participant": 0.23, "time": 0.0305, "location": 0.0203}
    )
    """Mentions per token of each kind at the operating point `recall`."""
    precise_beta: Mapping[Kind, float] = field(
        default_factory=lambda: {"action": 0.8, "participant": 1.0, "time": 1.0, "location": 1.0}
    )
    """The F score of each kind that is best at the operating point `precise`: below 1, precision counts more."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """An annotated document, prepared for training."""

    text: Parsed
    keys: FeatureKeys
    """Of its marked sentences."""
    path: tuple[Segment, ...]
    """The gold path through these."""
    heads: tuple[LabelledHead, ...]
    """Their actions whose class is known; tokens counted as in the path."""


class HeldOut(NamedTuple):
    """An annotated document, and an extractor that was trained on other topics."""

    text: Parsed
    extractor: Extractor


def groups_without(names: Collection[str]) -> tuple[str, ...]:
    """Return all groups of features except these."""
    for name in names:
        if name not in GROUPS:
            raise UsageError(f"unknown group of features {name!r}", expected=f"one of {', '.join(GROUPS)}")
    return tuple(name for name in GROUPS if name not in names)


def train(
    texts: Sequence[Parsed],
    resources: Resources,
    *,
    beside: Sequence[Parsed] = (),
    settings: ExtractorSettings | None = None,
    progress: Progress = lambda _: None,
) -> Extractor:
    """Train on parsed documents with gold mentions; with the states of an encoder, the extractor is contextual.

    Operating points come from cross-validation over topics, those of the documents `beside` included: mentions are
    ranked by an extractor trained on the other topics.
    """
    return train_cross_fitted(texts, resources, beside=beside, settings=settings, progress=progress)[0]


def train_cross_fitted(
    texts: Sequence[Parsed],
    resources: Resources,
    *,
    beside: Sequence[Parsed] = (),
    settings: ExtractorSettings | None = None,
    progress: Progress = lambda _: None,
) -> tuple[Extractor, list[HeldOut]]:
    """Train like `train`; return as well all documents with extractors that were trained on other topics."""
    settings = settings or ExtractorSettings()
    limits = length_limits(text.document for text in texts)
    held_out = list(cross_fit([*texts, *beside], resources, limits, settings, progress))
    thresholds = thresholds_of(rankings(held_out), settings)
    for _, extractor in held_out:
        extractor.thresholds = thresholds
    examples = prepare_examples(texts, resources, limits, settings)
    return fit(examples, resources, limits, settings, thresholds, progress), held_out


def thresholds_of(ranked: Mapping[Kind, Ranking], settings: ExtractorSettings) -> Thresholds:
    """Return the operating points that are best on these rankings."""
    return Thresholds(
        {kind: ranked[kind].best_threshold(settings.precise_beta[kind]) for kind in KINDS},
        {kind: ranked[kind].best_threshold() for kind in KINDS},
        {kind: ranked[kind].threshold_for(settings.recall_shares[kind]) for kind in KINDS},
    )


def cross_fit(
    texts: Sequence[Parsed],
    resources: Resources,
    limits: Limits,
    settings: ExtractorSettings,
    progress: Progress,
) -> Iterator[HeldOut]:
    """Yield documents with extractors trained on other topics."""
    examples = prepare_examples(texts, resources, limits, settings)
    folds = _folds([example.text.document for example in examples], settings.folds)
    for number, fold in enumerate(folds, 1):
        progress(f"fold {number} of {len(folds)}")
        others = [example for example in examples if example.text.document.id not in fold]
        extractor = fit(others, resources, limits, settings, NO_THRESHOLDS, progress)
        for example in examples:
            if example.text.document.id in fold:
                yield HeldOut(example.text, extractor)


def rankings(held_out: Iterable[HeldOut]) -> dict[Kind, Ranking]:
    """Return the ranking of each kind."""
    found = [(text.document, text.annotation, extractor.mentions(text)) for text, extractor in held_out]
    return {kind: ranking(kind, found) for kind in KINDS}


def prepare_examples(
    texts: Iterable[Parsed], resources: Resources, limits: Limits, settings: ExtractorSettings
) -> list[Example]:
    """Return documents as features and gold paths; those without marked sentences are empty."""
    encoder = Encoder(resources.lexicon, resources.vectors, groups=settings.groups, longest=max(limits))
    examples = []
    for text in texts:
        sentences = marked_sentences(text.document)
        keys = select_sentences(encoder.encode(*text[:3]), sentences)
        shift = _shifts(text.document, sentences)
        path, heads = _path(text, shift, limits), _labelled_heads(text, shift)
        examples.append(Example(text, keys, tuple(path), tuple(heads)))
    return examples


def fit(
    examples: Sequence[Example],
    resources: Resources,
    limits: Limits,
    settings: ExtractorSettings,
    thresholds: Thresholds,
    progress: Progress,
) -> Extractor:
    """Return the extractor that minimises the objective on these documents."""
    if not any(example.path for example in examples):
        raise DataError(
            "there are no mentions to train an extractor on",
            expected=f"annotated documents, at least two, with mentions of kinds {', '.join(KINDS)}",
        )
    # Several threads would change the order of additions, hence the last bits.
    with threadpool_limits(1):
        tagger, examples = _tagged(examples, settings)
    keys = concatenate([example.keys for example in examples])
    tokens, segments = (
        KeyTable.of(_frequent(part, settings.least)) for part in (keys.token_keys, keys.segment_keys)
    )
    vector, phrase = (
        keys.vectors.shape[1] * (name in settings.groups) for name in ("vectors", "phrase_vectors")
    )
    context = keys.context.shape[1]
    weights = Weights.zeros(len(tokens.keys), len(segments.keys), vector, phrase, context, len(KINDS))
    features = look_up_features(keys, tokens, segments)
    with threadpool_limits(1):
        learn(
            weights,
            features,
            _concatenate_paths(examples),
            np.array(limits, np.int64),
            settings.learning,
            progress,
        )
        classes = fit_classes(features, _concatenate_heads(examples), len(tokens.keys))
    return Extractor(
        resources,
        weights,
        tokens,
        segments,
        limits,
        thresholds,
        classes,
        groups=settings.groups,
        tagger=tagger,
    )


def _tagged(
    examples: Sequence[Example], settings: ExtractorSettings
) -> tuple[Tagger | None, Sequence[Example]]:
    """Return the tagger of some documents, and the documents with what taggers of other topics say of them.

    There is none, and documents stay as they are, if their states or the kinds of their mentions are unknown.
    """
    texts = [
        TaggedText(
            text.states,
            sentence_borders(text.document),
            token_tags(text.document, marked_sentences(text.document)),
        )
        for text in (example.text for example in examples)
        if text.states is not None
    ]
    if "contextual" not in settings.groups or len(texts) < len(examples):
        return None, examples
    tagger = fit_tagger(texts)
    if tagger is None:
        return None, examples
    others: dict[str, Tagger] = {}
    for fold in _folds([example.text.document for example in examples], settings.folds):
        beyond = [t for t, e in zip(texts, examples, strict=True) if e.text.document.id not in fold]
        others |= dict.fromkeys(fold, fit_tagger(beyond) or tagger)
    return tagger, [
        _with_context(example, others[example.text.document.id].scores(text.states, text.borders))
        for example, text in zip(examples, texts, strict=True)
    ]


def _with_context(example: Example, tags: NDArray[np.float32]) -> Example:
    """Return a document with the columns of tags."""
    document = example.text.document
    columns = context_columns(tags, sentence_borders(document))
    marked = [document.sentences[number] for number in marked_sentences(document)]
    parts = [columns[:0], *(columns[sentence.start : sentence.end] for sentence in marked)]
    return replace(example, keys=example.keys._replace(context=np.concatenate(parts)))


def _shifts(document: Document, sentences: Sequence[int]) -> dict[int, int]:
    """Return by how much the tokens of each selected sentence move if only these are counted."""
    at, shift = 0, {}
    for number in sentences:
        sentence = document.sentences[number]
        shift[number] = at - sentence.start
        at += sentence.end - sentence.start
    return shift


def _labelled_heads(text: Parsed, shift: Mapping[int, int]) -> Iterator[LabelledHead]:
    for m in text.document.mentions:
        if m.event_class is not None:
            head = head_of(m, text.annotation)
            number = text.document.sentence_of(head)
            if number in shift:
                yield LabelledHead(head + shift[number], m.event_class)


def _path(text: Parsed, shift: Mapping[int, int], limits: Limits) -> Iterator[Segment]:
    """Yield the gold path, with tokens counted within the selected sentences."""
    for start, end, kind in gold_path(text.document, text.annotation, limits):
        number = text.document.sentence_of(start)
        if number in shift:
            yield start + shift[number], end + shift[number], kind


def _concatenate_paths(examples: Iterable[Example]) -> list[Segment]:
    path, at = [], 0
    for example in examples:
        path += [(start + at, end + at, kind) for start, end, kind in example.path]
        at += int(example.keys.borders[-1])
    return path


def _concatenate_heads(examples: Iterable[Example]) -> list[LabelledHead]:
    heads, at = [], 0
    for example in examples:
        heads += [head._replace(token=head.token + at) for head in example.heads]
        at += int(example.keys.borders[-1])
    return heads


def _frequent(keys: Keys, least: int) -> Keys:
    """Return the frequent keys, without 0, the key of empty segments."""
    frequent = frequent_keys(keys, least)
    return frequent[np.flatnonzero(frequent)]


def _folds(documents: Sequence[Document], count: int) -> list[frozenset[str]]:
    """Assign topics to folds in turn; if there is only one topic, documents."""
    topic = {document.id: document.topic or document.id for document in documents}
    if len(set(topic.values())) < 2:
        topic = {document.id: document.id for document in documents}
    turn = {name: i % count for i, name in enumerate(sorted(set(topic.values())))}
    return [
        frozenset(name for name in topic if turn[topic[name]] == fold)
        for fold in range(min(count, len(turn)))
    ]
