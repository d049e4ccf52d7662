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
from samevent.extraction.dates import whole_dates
from samevent.extraction.decoding import Candidates, candidates
from samevent.extraction.features import GROUPS, Encoder, Features, looked_up
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
"""A feature whose weights are all smaller than this is not worth its place in the file."""

Point = Literal["balanced", "recall"]
POINTS: tuple[Point, ...] = get_args(Point)
"""Operating points: as right as possible, or as much as possible."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How probable a mention of each kind must be at an operating point."""

    balanced: Mapping[Kind, float]
    recall: Mapping[Kind, float]

    def at(self, point: str) -> Mapping[Kind, float]:
        """Return the thresholds of an operating point."""
        if point not in POINTS:
            raise UsageError(f"there is no operating point {point!r}", expected=f"one of {', '.join(POINTS)}")
        return self.balanced if point == "balanced" else self.recall


WITH_FILLERS = Association(add_fillers=True)
"""Who fills a role of an event takes part in it, even if nothing else told so."""


class Extractor:
    """A trained semi-Markov CRF over the words that some resources know about."""

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
        """Return the document with mentions of some kinds found anew, and with arguments on its events.

        Mentions of the other kinds stay as they are; arguments that events already had do too, unless what they
        point to was found anew.
        """
        for kind in kinds:
            if kind not in KINDS:
                raise UsageError(f"there is no kind {kind!r}", expected=f"some of {', '.join(KINDS)}")
        thresholds = self.thresholds.at(point)
        old = _kept(text.document, kinds)
        found = self.mentions(text, kinds, least=thresholds)
        document = text.document.with_mentions([*old, *found])
        predicates = label_events(self.resources.roles, document, text.annotation, text.predicates)
        return associate(document, text.annotation, predicates, settings=association)

    def mentions(
        self, text: Parsed, kinds: Collection[Kind] = KINDS, *, least: Mapping[Kind, float] | None = None
    ) -> list[Mention]:
        """Return all that may be mentions, however improbable unless told; those of one kind do not overlap."""
        document, annotation = text.document, text.annotation
        prose = np.ones(len(document.tokens), np.bool_)
        for sentence in document.sentences:
            prose[sentence.start : sentence.end] = not sentence.is_url
        return [
            document.mention(kind, start, end, head=head(annotation, start, end), probability=probability)
            for kind, found in self.candidates(text).items()
            if kind in kinds
            for start, end, probability in zip(
                found.start.tolist(), found.end.tolist(), found.probability.round(6).tolist(), strict=True
            )
            if prose[start] and (least is None or probability >= least[kind])
        ]

    def candidates(self, text: Parsed) -> dict[Kind, Candidates]:
        """Return what may be mentions of each kind, as arrays."""
        features = self.features(text)
        probable = self.probabilities(features)
        found = {
            kind: candidates(probable[:, :, k], features.segment_heads, int(self.limits[k]), features.borders)
            for k, kind in enumerate(KINDS)
        }
        words = [token.text for token in text.document.tokens]
        return {**found, "time": whole_dates(found["time"], words, features.borders)}

    def features(self, text: Parsed) -> Features:
        """Return a document as the model reads it."""
        return looked_up(self._encoder.raw(*text), self._tokens, self._segments)

    def probabilities(self, features: Features) -> Floats:
        """Return the probability of every segment, by first token, length less one, and kind."""
        _, found = marginals(potentials(features, self.weights, self.limits), features.borders)
        return found.segments

    def save(self, path: Path, manifest: Mapping[str, Any], *, overwrite: bool = False) -> None:
        """Write the extractor as one table; weights are rounded to 8 bits, rows that matter little are left out."""
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
    known_words = resources(model)
    return Extractor.load(known_words.folder / EXTRACTOR_FILE, known_words)


def _check(
    resources: Resources,
    weights: Weights,
    tokens: KeyTable,
    segments: KeyTable,
    limits: Collection[int],
    thresholds: Thresholds,
) -> None:
    """Refuse what does not fit together: compiled code looks at no border."""
    kinds = len(KINDS)
    shapes = [part.shape for part in weights]
    vector, phrase = len(weights.vector), len(weights.phrase)
    wanted = Weights.zeros(len(tokens.keys), len(segments.keys), vector, phrase, kinds)
    if shapes != [part.shape for part in wanted] or len(limits) != kinds or min(limits) < 1:
        raise DataError("weights, features and kinds of an extractor do not fit together")
    if any(set(thresholds.at(point)) != set(KINDS) for point in POINTS):
        raise DataError("an extractor lacks thresholds", expected=f"one for each of {', '.join(KINDS)}")
    if {vector, phrase} - {0, resources.vectors.dimension}:
        raise DataError(
            f"an extractor was trained with word vectors of {max(vector, phrase)} dimensions",
            expected=f"those of the model it is in, {resources.vectors.dimension}",
            hint="train it again: samevent train extractor",
        )


def _kept(document: Document, kinds: Collection[Kind]) -> list[Mention]:
    """Return the mentions of all other kinds, and of their arguments those that are still there."""
    kept = [m for m in document.mentions if m.kind not in kinds]
    ids = {m.id for m in kept}
    return [
        replace(m, arguments=tuple(a for a in m.arguments if a.mention in ids)) if m.arguments else m
        for m in kept
    ]
