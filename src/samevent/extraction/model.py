"""The extractor: finds events, participants, times and locations in parsed documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import EVENT_CLASSES, KINDS, Document, Kind, Mention
from samevent.errors import DataError, UsageError
from samevent.extraction.arguments import Association, Parsed, associate, label_events
from samevent.extraction.classes import ClassWeights, class_probabilities, is_negated
from samevent.extraction.contextual import CONTEXT_COLUMNS
from samevent.extraction.decoding import Candidates, decode, merge_dates
from samevent.extraction.features import GROUPS, Encoder, Features, look_up_features, sentence_borders
from samevent.extraction.gold import head_of
from samevent.extraction.semicrf import Floats, marginals
from samevent.extraction.verbs import left_verbs
from samevent.extraction.weights import Weights, potentials
from samevent.language.annotation import Annotation
from samevent.language.encoder.tagger import TAGGED, WINDOW, Tagger
from samevent.language.hashing import KeyTable, key_gaps, keys_from_gaps
from samevent.language.heads import head
from samevent.language.resources import DEFAULT as DEFAULT_MODEL
from samevent.language.resources import Resources, resources
from samevent.storage import damaged_table, quantized, read_table, write_table

KIND = "extractor"
SCHEMA = 2
EXTRACTOR_FILE = "extractor.npz"
CONTEXTUAL_FILE = "extractor-standard.npz"
"""The extractor that needs the tags of an encoder."""
LEAST_WEIGHT = 0.02
"""Features whose weights are all smaller are not saved."""

Point = Literal["precise", "balanced", "recall"]
POINTS: tuple[Point, ...] = get_args(Point)
"""Operating points: few wrong events and none whose head is empty, the best F1, or high recall."""
DEFAULT_POINT = POINTS[0]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The minimal probability of mentions of each kind at each operating point."""

    precise: Mapping[Kind, float]
    balanced: Mapping[Kind, float]
    recall: Mapping[Kind, float]

    def at(self, point: str) -> Mapping[Kind, float]:
        """Return the thresholds of an operating point."""
        if point not in POINTS:
            raise UsageError(f"unknown operating point {point!r}", expected=f"one of {', '.join(POINTS)}")
        thresholds: Mapping[Kind, float] = getattr(self, point)
        return thresholds


_EMPTY_TAGS = frozenset(("PRON", "DET", "AUX"))
_EMPTY_LEMMAS = frozenset("be have do get let seem thing one way something anything".split())

WITH_FILLERS = Association(add_fillers=True)
"""Role fillers of an event become its arguments even where no mention was found."""


def is_empty(annotation: Annotation, token: int) -> bool:
    """Return whether a word alone names no event: *it*, *this*, *have*, *thing*."""
    return annotation.pos[token] in _EMPTY_TAGS or annotation.lemmas[token].lower() in _EMPTY_LEMMAS


class Extractor:
    """A trained semi-Markov CRF with the language resources that it uses."""

    def __init__(
        self,
        resources: Resources,
        weights: Weights,
        tokens: KeyTable,
        segments: KeyTable,
        limits: Collection[int],
        thresholds: Thresholds,
        classes: ClassWeights,
        *,
        groups: Collection[str] = GROUPS,
        tagger: Tagger | None = None,
    ) -> None:
        _check(resources, weights, tokens, segments, limits, thresholds, classes)
        self.tagger = tagger
        """What scores the tags of tokens; None if that is the tagger of the encoder itself."""
        self.resources = resources
        self.weights = weights
        self.limits: NDArray[np.int64] = np.array(list(limits), np.int64)
        self.thresholds = thresholds
        self.classes = classes
        self.groups = tuple(name for name in GROUPS if name in groups)
        self._tokens, self._segments = tokens, segments
        self._encoder = Encoder(
            resources.lexicon, resources.vectors, groups=self.groups, longest=int(self.limits.max())
        )

    @property
    def contextual(self) -> bool:
        """Whether it needs the tags of an encoder."""
        return len(self.weights.context) > 0

    def extract(
        self,
        text: Parsed,
        *,
        point: str = DEFAULT_POINT,
        kinds: Collection[Kind] = KINDS,
        association: Association = WITH_FILLERS,
        verbs: bool = False,
    ) -> Document:
        """Return the document with new mentions of these kinds, and with classes and arguments on its events.

        Mentions of other kinds are kept, and so are classes that they have. So are existing arguments of events,
        unless they refer to a replaced mention. With `verbs`, every verb that it leaves out is an event as well.
        """
        for kind in kinds:
            if kind not in KINDS:
                raise UsageError(f"unknown kind {kind!r}", expected=f"some of {', '.join(KINDS)}")
        thresholds = self.thresholds.at(point)
        features = self.features(text)
        kept = _without_kinds(text.document, kinds)
        new = self._found(text, features, kinds, thresholds) if kinds else []
        if point == "precise":
            new = [
                m
                for m in new
                if m.kind != "action" or not is_empty(text.annotation, head_of(m, text.annotation))
            ]
        if verbs and "action" in kinds:
            new += left_verbs(text.document, text.annotation, [*kept, *new])
        document = self._classified(text.document.with_mentions([*kept, *new]), text.annotation, features)
        predicates = label_events(self.resources.roles, document, text.annotation, text.predicates)
        return associate(document, text.annotation, predicates, settings=association)

    def mentions(
        self, text: Parsed, kinds: Collection[Kind] = KINDS, *, least: Mapping[Kind, float] | None = None
    ) -> list[Mention]:
        """Return mentions with probability >= `least` (default: all); those of one kind do not overlap."""
        return self._found(text, self.features(text), kinds, least)

    def classify(self, text: Parsed) -> Document:
        """Return the document with a class on its actions; those that have one keep it."""
        return self._classified(text.document, text.annotation, self.features(text))

    def class_probabilities(self, features: Features, heads: Sequence[int]) -> Floats:
        """Return the probability of each class of actions with these heads, one row per action."""
        return class_probabilities(features, heads, self.classes)

    def _classified(self, document: Document, annotation: Annotation, features: Features) -> Document:
        unknown = [m for m in document.mentions if m.kind == "action" and m.event_class is None]
        if not unknown or not self.classes.learned:
            return document
        heads = [head_of(m, annotation) for m in unknown]
        best = self.class_probabilities(features, heads).argmax(axis=1).tolist()
        known = {
            m.id: replace(
                m,
                event_class=EVENT_CLASSES[number],
                negated=m.negated or is_negated(document, annotation, head),
            )
            for m, head, number in zip(unknown, heads, best, strict=True)
        }
        return document.with_mentions(known.get(m.id, m) for m in document.mentions)

    def _found(
        self,
        text: Parsed,
        features: Features,
        kinds: Collection[Kind],
        least: Mapping[Kind, float] | None,
    ) -> list[Mention]:
        document, annotation = text.document, text.annotation
        prose = np.ones(len(document.tokens), np.bool_)
        for sentence in document.sentences:
            prose[sentence.start : sentence.end] = not sentence.is_url
        return [
            document.mention(kind, start, end, head=head(annotation, start, end), probability=probability)
            for kind, spans in self._candidates(text, features).items()
            if kind in kinds
            for start, end, probability in zip(
                spans.start.tolist(), spans.end.tolist(), spans.probability.round(6).tolist(), strict=True
            )
            if prose[start] and (least is None or probability >= least[kind])
        ]

    def _candidates(self, text: Parsed, features: Features) -> dict[Kind, Candidates]:
        """Return the candidate mentions of each kind, as arrays."""
        probabilities = self.probabilities(features)
        spans = {
            kind: decode(
                probabilities[:, :, k], features.segment_heads, int(self.limits[k]), features.borders
            )
            for k, kind in enumerate(KINDS)
        }
        words = [token.text for token in text.document.tokens]
        return {**spans, "time": merge_dates(spans["time"], words, features.borders)}

    def features(self, text: Parsed) -> Features:
        """Return a document as the model sees it."""
        if self.contextual and text.tags is None:
            if self.tagger is None or text.states is None:
                raise DataError(
                    f"the extractor needs the tags of an encoder, and document {text.document.id!r} has none",
                    expected="documents that the encoder of the same model has read",
                )
            tags = self.tagger.scores(text.states, sentence_borders(text.document))
            text = text._replace(tags=tags)
        return look_up_features(self._encoder.encode(*text[:4]), self._tokens, self._segments)

    def probabilities(self, features: Features) -> Floats:
        """Return the probability of each segment, by first token, length - 1 and kind."""
        _, expected = marginals(potentials(features, self.weights, self.limits), features.borders)
        return expected.segments

    def save(self, path: Path, manifest: Mapping[str, Any], *, overwrite: bool = False) -> None:
        """Write the extractor as one table; weights are quantized to 8 bits, and negligible rows are left out."""
        arrays: dict[str, NDArray[Any]] = {
            "vector": self.weights.vector.astype(np.float32),
            "phrase": self.weights.phrase.astype(np.float32),
            "transitions": self.weights.transitions.astype(np.float32),
            "context": self.weights.context.astype(np.float32),
            "class_context": self.classes.context.astype(np.float32),
            "class_bias": self.classes.bias.astype(np.float32),
            "limits": self.limits,
        }
        if self.tagger:
            parts = {"mean": self.tagger.mean, "weight": self.tagger.weight, "bias": self.tagger.bias}
            arrays |= {f"tagger_{name}": part for name, part in parts.items()}
        for name, keys, tables in (
            ("token", self._tokens, {"token": self.weights.token, "class": self.classes.token}),
            ("segment", self._segments, {"segment": self.weights.segment}),
        ):
            kept = np.abs(np.hstack(list(tables.values()))).max(axis=1, initial=0) >= LEAST_WEIGHT
            arrays[f"{name}_keys"] = key_gaps(keys.keys[kept])
            for table, rows in tables.items():
                levels, scales = quantized(rows[kept].astype(np.float32))
                arrays |= {f"{table}_levels": levels, f"{table}_scales": scales}
        about = {
            "groups": list(self.groups),
            "thresholds": {point: dict(self.thresholds.at(point)) for point in POINTS},
        }
        write_table(path, KIND, SCHEMA, {**manifest, **about}, arrays, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path, resources: Resources) -> Extractor:
        """Read an extractor."""
        table = read_table(path, KIND, SCHEMA)
        a = table.arrays
        try:
            *rows, class_rows = (
                (a[f"{name}_levels"] * a[f"{name}_scales"]).astype(np.float64)
                for name in ("token", "segment", "class")
            )
            dense = [a[name].astype(np.float64) for name in ("vector", "phrase", "context", "transitions")]
            weights = Weights(*rows, *dense)
            classes = [a[name].astype(np.float64) for name in ("class_context", "class_bias")]
            return cls(
                resources,
                weights,
                KeyTable.of(keys_from_gaps(a["token_keys"])),
                KeyTable.of(keys_from_gaps(a["segment_keys"])),
                a["limits"].tolist(),
                Thresholds(**table.manifest["thresholds"]),
                ClassWeights(class_rows, *classes),
                groups=table.manifest["groups"],
                tagger=_tagger(a),
            )
        except (DataError, KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error


def load_extractor(model: str | Path = DEFAULT_MODEL) -> Extractor:
    """Load the extractor of a model: a shipped one by its name, or any by its folder."""
    language = resources(model)
    return Extractor.load(language.file(EXTRACTOR_FILE), language)


def _check(
    resources: Resources,
    weights: Weights,
    tokens: KeyTable,
    segments: KeyTable,
    limits: Collection[int],
    thresholds: Thresholds,
    classes: ClassWeights,
) -> None:
    """Raise if the parts do not fit together: compiled code checks no bounds."""
    kinds = len(KINDS)
    shapes = [part.shape for part in weights]
    vector, phrase, context = len(weights.vector), len(weights.phrase), len(weights.context)
    wanted = Weights.zeros(len(tokens.keys), len(segments.keys), vector, phrase, context, kinds)
    shapes += [part.shape for part in classes]
    empty = ClassWeights.zeros(len(tokens.keys), context)
    if (
        shapes != [part.shape for part in (*wanted, *empty)]
        or context not in (0, CONTEXT_COLUMNS)
        or len(limits) != kinds
        or min(limits) < 1
    ):
        raise DataError("the weights, features and kinds of an extractor do not fit together")
    if any(set(thresholds.at(point)) != set(KINDS) for point in POINTS):
        raise DataError("an extractor lacks thresholds", expected=f"one for each of {', '.join(KINDS)}")
    if {vector, phrase} - {0, resources.vectors.dimension}:
        raise DataError(
            f"an extractor was trained with word vectors of {max(vector, phrase)} dimensions",
            expected=f"the {resources.vectors.dimension} dimensions of its model",
            hint="train it again: samevent train extractor",
        )


def _tagger(arrays: Mapping[str, NDArray[Any]]) -> Tagger | None:
    parts = [arrays.get(f"tagger_{name}") for name in ("mean", "weight", "bias")]
    mean, weight, bias = parts
    if mean is None or weight is None or bias is None:
        return None
    if weight.shape != (len(WINDOW) * len(mean), len(TAGGED)) or bias.shape != (len(TAGGED),):
        raise DataError("the tagger of an extractor does not fit its tags")
    return Tagger(mean, weight, bias)


def _without_kinds(document: Document, kinds: Collection[Kind]) -> list[Mention]:
    """Return the mentions of all other kinds, without arguments that refer to removed mentions."""
    kept = [m for m in document.mentions if m.kind not in kinds]
    ids = {m.id for m in kept}
    return [
        replace(m, arguments=tuple(a for a in m.arguments if a.mention in ids)) if m.arguments else m
        for m in kept
    ]
