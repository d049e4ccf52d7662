"""The pair model: f(i, j) is the logistic function of a weighted sum of features (Eq. 6).

Weights apply to all pairs, as in the paper, or to the pairs of one case (`features.CASES`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from samevent.errors import FormatError, place
from samevent.similarity.bags import NO_BACKGROUND, Background, Floats, Indices
from samevent.similarity.features import ALL_FEATURES, CASES, Case, tag_pairs
from samevent.similarity.mentions import MentionTable
from samevent.storage import Table, damaged_table, pack_strings, read_table, unpack_strings, write_table

SIMILARITY_FILE = "similarity.npz"
"""File name of the paper's pair model in a model folder."""
LIGHT_FILE = "similarity-light.npz"
"""File name of the pair model with weights by case."""
STANDARD_FILE = "similarity-standard.npz"
"""File name of the pair model of boosted trees."""
PAIR_MODEL_FILES = {"paper": SIMILARITY_FILE, "light": LIGHT_FILE, "standard": STANDARD_FILE}
"""File names of the pair models by name."""

KIND = "similarity"
SCHEMA = 1

TagPair = tuple[str, str]

_BY_NAME = {feature.name: feature for feature in ALL_FEATURES}


@dataclass(frozen=True, slots=True)
class PairModel:
    """A weight for each feature and for each pair of tags (first, second), and the intercept.

    Missing weights are 0. `about` records how the model was trained, `background` the document frequencies of its
    training corpus.
    """

    weights: Mapping[str, float]
    tag_weights: Mapping[TagPair, float]
    intercept: float
    about: Mapping[str, Any] = field(default_factory=dict)
    background: Background = NO_BACKGROUND

    def __post_init__(self) -> None:
        by_case = {case.weight_name(name) for case in CASES for name in _BY_NAME} | {
            case.name for case in CASES
        }
        unknown = sorted(set(self.weights) - set(_BY_NAME) - by_case)
        if unknown:
            raise FormatError(
                f"the pair model has a weight for the unknown feature {unknown[0]!r}",
                expected=f"some of {', '.join(_BY_NAME)}",
            )

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases if the model has weights by case, else none."""
        return CASES if any(name not in _BY_NAME for name in self.weights) else ()

    def for_case(self, case: Case) -> PairModel:
        """Return the model of the pairs of one case, which has no cases itself."""
        weights = {
            name: self.weights.get(name, 0.0) + self.weights.get(case.weight_name(name), 0.0)
            for name in _BY_NAME
        }
        intercept = self.intercept + self.weights.get(case.name, 0.0)
        return PairModel(weights, self.tag_weights, intercept, self.about, self.background)

    def probability(self, table: MentionTable, i: Indices, j: Indices) -> Floats:
        """Return f for pairs of rows of a table: the probability that both refer to the same event; symmetric."""
        probability: Floats = expit(self.score(table, i, j))
        return probability

    def score(self, table: MentionTable, i: Indices, j: Indices) -> Floats:
        """Return the weighted sum, the log-odds of f."""
        if self.cases:
            scores = np.empty(len(i))
            for case in self.cases:
                mask = case.mask(table, i, j)
                scores[mask] = self.for_case(case).score(table, i[mask], j[mask])
            return scores
        total = np.full(len(i), self.intercept, np.float64)
        for name, feature in _BY_NAME.items():
            weight = self.weights.get(name, 0.0)
            if weight:
                total += weight * feature.compare(table, i, j)
        return total + self.tag_score(table, i, j)

    def tag_score(self, table: MentionTable, i: Indices, j: Indices) -> Floats:
        """Return the part of the score that the tags of the heads add."""
        ordered = self.tag_matrix(table.heads.tags)
        first, second, in_order = tag_pairs(table, i, j)
        forth, back = ordered[first, second], ordered[second, first]
        scores: Floats = np.where(in_order, forth, (forth + back) / 2)
        return scores

    def tag_matrix(self, tags: tuple[str, ...]) -> Floats:
        """Return the weights of all pairs of these tags, one row per first tag."""
        rows = [[self.tag_weights.get((first, second), 0.0) for second in tags] for first in tags]
        return np.array(rows, np.float64).reshape(len(tags), len(tags))

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the model to a file; the bytes depend on the model alone."""
        manifest = {"intercept": self.intercept, "about": dict(self.about)}
        background = self.background
        arrays: dict[str, NDArray[Any]] = {
            "names": pack_strings(list(self.weights)),
            "weights": np.array(list(self.weights.values()), np.float64),
            "tags": pack_strings([" ".join(pair) for pair in self.tag_weights]),
            "tag_weights": np.array(list(self.tag_weights.values()), np.float64),
        }
        if background.documents:
            manifest["documents_read"] = background.documents
            arrays["words_read"] = pack_strings(list(background.counts))
            arrays["word_documents"] = np.array(list(background.counts.values()), np.int32)
        write_table(path, KIND, SCHEMA, manifest, arrays, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path) -> PairModel:
        """Read a model."""
        table = read_table(path, KIND, SCHEMA)
        arrays = table.arrays
        try:
            names, tags = unpack_strings(arrays["names"]), unpack_strings(arrays["tags"])
            pairs = [(first, second) for first, second in (pair.split(" ") for pair in tags)]
            return cls(
                weights=dict(zip(names, arrays["weights"].tolist(), strict=True)),
                tag_weights=dict(zip(pairs, arrays["tag_weights"].tolist(), strict=True)),
                intercept=float(table.manifest["intercept"]),
                about=table.manifest["about"],
                background=_background(table) if "documents_read" in table.manifest else NO_BACKGROUND,
            )
        except FormatError as error:
            error.where = place(path)
            raise
        except (KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error


def _background(table: Table) -> Background:
    words, counts = unpack_strings(table.arrays["words_read"]), table.arrays["word_documents"].tolist()
    return Background(int(table.manifest["documents_read"]), dict(zip(words, counts, strict=True)))
