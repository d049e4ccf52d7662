"""The extractor: finds events, participants, times and locations in parsed documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import KINDS, Document, Kind, Mention
from samevent.errors import DataError, UsageError
from samevent.extraction.arguments import Association, Parsed, associate, label_events
from samevent.extraction.decoding import Candidates, decode, merge_dates
from samevent.extraction.features import GROUPS, Encoder, Features, look_up_features
from samevent.extraction.semicrf import Floats, marginals
from samevent.extraction.weights import Weights, potentials
from samevent.language.hashing import KeyTable, key_gaps, keys_from_gaps
from samevent.language.heads import head
from samevent.language.resources import DEFAULT as DEFAULT_MODEL
from samevent.language.resources import Resources, resources
from samevent.storage import damaged_table, quantized, read_table, write_table

KIND = "extractor"
SCHEMA = 1
EXTRACTOR_FILE = "extractor.npz"
LEAST_WEIGHT = 0.02
"""Features whose weights are all smaller are not saved."""

Point = Literal["balanced", "recall"]
POINTS: tuple[Point, ...] = get_args(Point)
"""Operating points: the best F1, or high recall."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The minimal probability of mentions of each kind at each operating point."""

    balanced: Mapping[Kind, float]
    recall: Mapping[Kind, float]

    def at(self, point: str) -> Mapping[Kind, float]:
        """Return the thresholds of an operating point."""
        if point not in POINTS:
            raise UsageError(f"unknown operating point {point!r}", expected=f"one of {', '.join(POINTS)}")
        return self.balanced if point == "balanced" else self.recall


WITH_FILLERS = Association(add_fillers=True)
"""Role fillers of an event become its arguments even where no mention was found."""


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
        *,
        groups: Collection[str] = GROUPS,
    ) -> None:
        _check(resources, weights, tokens, segments, limits, thresholds)
        self.resources = resources
        self.weights = weights
        self.limits: NDArray[np.int64] = np.array(list(limits), np.int64)
        self.thresholds = thresholds
        self.groups = tuple(name for name in GROUPS if name in groups)
        self._tokens, self._segments = tokens, segments
        self._encoder = Encoder(
            resources.lexicon, resources.vectors, groups=self.groups, longest=int(self.limits.max())
        )

    def extract(
        self,
        text: Parsed,
        *,
        point: str = "balanced",
        kinds: Collection[Kind] = KINDS,
        association: Association = WITH_FILLERS,
    ) -> Document:
        """Return the document with new mentions of these kinds, and with arguments on its events.

        Mentions of other kinds are kept. So are existing arguments of events, unless they refer to a replaced mention.
        """
        for kind in kinds:
            if kind not in KINDS:
                raise UsageError(f"unknown kind {kind!r}", expected=f"some of {', '.join(KINDS)}")
        thresholds = self.thresholds.at(point)
        kept = _without_kinds(text.document, kinds)
        new = self.mentions(text, kinds, least=thresholds)
        document = text.document.with_mentions([*kept, *new])
        predicates = label_events(self.resources.roles, document, text.annotation, text.predicates)
        return associate(document, text.annotation, predicates, settings=association)

    def mentions(
        self, text: Parsed, kinds: Collection[Kind] = KINDS, *, least: Mapping[Kind, float] | None = None
    ) -> list[Mention]:
        """Return mentions with probability >= `least` (default: all); those of one kind do not overlap."""
        document, annotation = text.document, text.annotation
        prose = np.ones(len(document.tokens), np.bool_)
        for sentence in document.sentences:
            prose[sentence.start : sentence.end] = not sentence.is_url
        return [
            document.mention(kind, start, end, head=head(annotation, start, end), probability=probability)
            for kind, spans in self.candidates(text).items()
            if kind in kinds
            for start, end, probability in zip(
                spans.start.tolist(), spans.end.tolist(), spans.probability.round(6).tolist(), strict=True
            )
            if prose[start] and (least is None or probability >= least[kind])
        ]

    def candidates(self, text: Parsed) -> dict[Kind, Candidates]:
        """Return the candidate mentions of each kind, as arrays."""
        features = self.features(text)
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
        return look_up_features(self._encoder.encode(*text), self._tokens, self._segments)

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
            "limits": self.limits,
        }
        for name, keys, rows in (
            ("token", self._tokens, self.weights.token),
            ("segment", self._segments, self.weights.segment),
        ):
            kept = np.abs(rows).max(axis=1, initial=0) >= LEAST_WEIGHT
            levels, scales = quantized(rows[kept].astype(np.float32))
            arrays |= {
                f"{name}_keys": key_gaps(keys.keys[kept]),
                f"{name}_levels": levels,
                f"{name}_scales": scales,
            }
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
            rows = [
                (a[f"{name}_levels"] * a[f"{name}_scales"]).astype(np.float64)
                for name in ("token", "segment")
            ]
            dense = [a[name].astype(np.float64) for name in ("vector", "phrase", "transitions")]
            weights = Weights(*rows, *dense)
            return cls(
                resources,
                weights,
                KeyTable.of(keys_from_gaps(a["token_keys"])),
                KeyTable.of(keys_from_gaps(a["segment_keys"])),
                a["limits"].tolist(),
                Thresholds(**table.manifest["thresholds"]),
                groups=table.manifest["groups"],
            )
        except (DataError, KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error


def load_extractor(model: str | Path = DEFAULT_MODEL) -> Extractor:
    """Load the extractor of a model: a shipped one by its name, or any by its folder."""
    language = resources(model)
    return Extractor.load(language.folder / EXTRACTOR_FILE, language)


def _check(
    resources: Resources,
    weights: Weights,
    tokens: KeyTable,
    segments: KeyTable,
    limits: Collection[int],
    thresholds: Thresholds,
) -> None:
    """Raise if the parts do not fit together: compiled code checks no bounds."""
    kinds = len(KINDS)
    shapes = [part.shape for part in weights]
    vector, phrase = len(weights.vector), len(weights.phrase)
    wanted = Weights.zeros(len(tokens.keys), len(segments.keys), vector, phrase, kinds)
    if shapes != [part.shape for part in wanted] or len(limits) != kinds or min(limits) < 1:
        raise DataError("the weights, features and kinds of an extractor do not fit together")
    if any(set(thresholds.at(point)) != set(KINDS) for point in POINTS):
        raise DataError("an extractor lacks thresholds", expected=f"one for each of {', '.join(KINDS)}")
    if {vector, phrase} - {0, resources.vectors.dimension}:
        raise DataError(
            f"an extractor was trained with word vectors of {max(vector, phrase)} dimensions",
            expected=f"the {resources.vectors.dimension} dimensions of its model",
            hint="train it again: samevent train extractor",
        )


def _without_kinds(document: Document, kinds: Collection[Kind]) -> list[Mention]:
    """Return the mentions of all other kinds, without arguments that refer to removed mentions."""
    kept = [m for m in document.mentions if m.kind not in kinds]
    ids = {m.id for m in kept}
    return [
        replace(m, arguments=tuple(a for a in m.arguments if a.mention in ids)) if m.arguments else m
        for m in kept
    ]
