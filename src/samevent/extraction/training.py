"""Training: features of all marked sentences, weights learned from them, operating points from topics left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

from samevent.corpus import KINDS, Document, Kind, Mention
from samevent.errors import DataError, UsageError
from samevent.extraction.arguments import Parsed
from samevent.extraction.evaluation import Ranking, ranking
from samevent.extraction.features import GROUPS, Encoder, Raw, joined, looked_up, selected
from samevent.extraction.gold import limits_of, marked_sentences, right_path
from samevent.extraction.learning import Learning, learn
from samevent.extraction.model import Extractor, Thresholds
from samevent.extraction.objective import Segment
from samevent.extraction.weights import Weights
from samevent.language.annotation import Annotation
from samevent.language.hashing import Keys, KeyTable, frequent_keys
from samevent.language.resources import Resources

Progress = Callable[[str], None]
Limits = Sequence[int]

NO_THRESHOLDS = Thresholds(dict.fromkeys(KINDS, 1.0), dict.fromkeys(KINDS, 1.0))
"""Of an extractor that only ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorSettings:
    """What training depends on beside the data."""

    learning: Learning = field(default_factory=Learning)
    least: int = 2
    """How often a feature must have been seen."""
    groups: tuple[str, ...] = GROUPS
    folds: int = 5
    """How many parts the topics are left out in, to find the operating points."""
    recall_shares: Mapping[Kind, float] = field(
        default_factory=lambda: {"action": 0.285, "participant": 0.23, "time": 0.0305, "location": 0.0203}
    )
    """How many mentions of each kind there are at the operating point `recall`, for each token."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """An annotated document, ready to be learned from."""

    text: Parsed
    raw: Raw
    """Its marked sentences."""
    path: tuple[Segment, ...]
    """The right path through these."""


def groups_without(names: Collection[str]) -> tuple[str, ...]:
    """Return all groups of features but these."""
    for name in names:
        if name not in GROUPS:
            raise UsageError(
                f"there is no group of features {name!r}", expected=f"one of {', '.join(GROUPS)}"
            )
    return tuple(name for name in GROUPS if name not in names)


def train(
    texts: Sequence[Parsed],
    resources: Resources,
    *,
    beside: Sequence[Parsed] = (),
    settings: ExtractorSettings | None = None,
    progress: Progress = lambda _: None,
) -> Extractor:
    """Train on parsed documents with gold mentions.

    Operating points are found by leaving topics out: for these, and for those of the documents `beside`, mentions are
    ranked by an extractor that was trained on the other topics.
    """
    settings = settings or ExtractorSettings()
    limits = limits_of(text.document for text in texts)
    thresholds = out_of_fold([*texts, *beside], resources, limits, settings, progress)
    return fitted(
        prepared(texts, resources, limits, settings), resources, limits, settings, thresholds, progress
    )


def out_of_fold(
    texts: Sequence[Parsed],
    resources: Resources,
    limits: Limits,
    settings: ExtractorSettings,
    progress: Progress,
) -> Thresholds:
    """Return the operating points that extractors have on topics they were not trained on."""
    ranked = rankings(cross_fitted(texts, resources, limits, settings, progress))
    return Thresholds(
        {kind: ranked[kind].best_threshold() for kind in KINDS},
        {kind: ranked[kind].threshold_for(settings.recall_shares[kind]) for kind in KINDS},
    )


def cross_fitted(
    texts: Sequence[Parsed],
    resources: Resources,
    limits: Limits,
    settings: ExtractorSettings,
    progress: Progress,
) -> Iterator[tuple[Document, Annotation, list[Mention]]]:
    """Go through documents with what an extractor finds in them that was trained on other topics."""
    examples = prepared(texts, resources, limits, settings)
    folds = _folds([example.text.document for example in examples], settings.folds)
    for number, fold in enumerate(folds, 1):
        progress(f"leaving out {number} of {len(folds)} parts")
        others = [example for example in examples if example.text.document.id not in fold]
        extractor = fitted(others, resources, limits, settings, NO_THRESHOLDS, progress)
        for example in examples:
            if example.text.document.id in fold:
                document, annotation, _ = example.text
                yield document, annotation, extractor.mentions(example.text)


def rankings(found: Iterable[tuple[Document, Annotation, Sequence[Mention]]]) -> dict[Kind, Ranking]:
    """Return the ranking of each kind."""
    found = list(found)
    return {kind: ranking(kind, found) for kind in KINDS}


def prepared(
    texts: Iterable[Parsed], resources: Resources, limits: Limits, settings: ExtractorSettings
) -> list[Example]:
    """Return documents as features and right paths; those without marked sentences teach nothing."""
    encoder = Encoder(resources.lexicon, resources.vectors, groups=settings.groups, longest=max(limits))
    examples = []
    for text in texts:
        sentences = marked_sentences(text.document)
        raw = selected(encoder.raw(*text), sentences)
        examples.append(Example(text, raw, tuple(_path(text, sentences, limits))))
    return examples


def fitted(
    examples: Sequence[Example],
    resources: Resources,
    limits: Limits,
    settings: ExtractorSettings,
    thresholds: Thresholds,
    progress: Progress,
) -> Extractor:
    """Return the extractor that minimises the objective on some documents."""
    if not any(example.path for example in examples):
        raise DataError(
            "there is nothing to train an extractor on",
            expected=f"annotated documents, at least two, with mentions of kinds {', '.join(KINDS)}",
        )
    raw = joined([example.raw for example in examples])
    tokens, segments = (
        KeyTable.of(_seen(keys, settings.least)) for keys in (raw.token_keys, raw.segment_keys)
    )
    vector, phrase = (
        raw.vectors.shape[1] * (name in settings.groups) for name in ("vectors", "phrase_vectors")
    )
    weights = Weights.zeros(len(tokens.keys), len(segments.keys), vector, phrase, len(KINDS))
    # The order in which threads add numbers up would change the last bits.
    with threadpool_limits(1):
        learn(
            weights,
            looked_up(raw, tokens, segments),
            _end_to_end(examples),
            np.array(limits, np.int64),
            settings.learning,
            progress,
        )
    return Extractor(resources, weights, tokens, segments, limits, thresholds, groups=settings.groups)


def _path(text: Parsed, sentences: Sequence[int], limits: Limits) -> Iterator[Segment]:
    """Go through the right path, tokens counted as if the chosen sentences were all there is."""
    at, shift = 0, {}
    for number in sentences:
        sentence = text.document.sentences[number]
        shift[number] = at - sentence.start
        at += sentence.end - sentence.start
    for start, end, kind in right_path(text.document, text.annotation, limits):
        number = text.document.sentence_of(start)
        if number in shift:
            yield start + shift[number], end + shift[number], kind


def _end_to_end(examples: Iterable[Example]) -> list[Segment]:
    path, at = [], 0
    for example in examples:
        path += [(start + at, end + at, kind) for start, end, kind in example.path]
        at += int(example.raw.borders[-1])
    return path


def _seen(keys: Keys, least: int) -> Keys:
    """Return the keys seen so often, without the one of segments that are none."""
    found: Keys = frequent_keys(keys, least)
    return found[np.flatnonzero(found)]


def _folds(documents: Sequence[Document], count: int) -> list[frozenset[str]]:
    """Deal topics out in turn; where there is but one, documents."""
    topic = {document.id: document.topic or document.id for document in documents}
    if len(set(topic.values())) < 2:
        topic = {document.id: document.id for document in documents}
    turn = {name: i % count for i, name in enumerate(sorted(set(topic.values())))}
    return [
        frozenset(name for name in topic if turn[topic[name]] == fold)
        for fold in range(min(count, len(turn)))
    ]
