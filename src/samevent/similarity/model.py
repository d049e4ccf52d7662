"""The pair model of the paper: f(i, j) is the logistic function of a weighted sum of features (Eq. 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from samevent.errors import FormatError, place
from samevent.similarity.bags import Floats, Indices
from samevent.similarity.code_features import ALL_FEATURES
from samevent.similarity.features import tag_pairs
from samevent.similarity.mentions import MentionTable
from samevent.storage import damaged_table, pack_strings, read_table, unpack_strings, write_table

SIMILARITY_FILE = "similarity.npz"
"""File name of the paper's pair model in a model folder."""
CODE_FILE = "similarity-paper-code.npz"
"""File name of the pair model of the authors' program."""
LIGHT_FILE = "similarity-light.npz"
"""File name of the boosted trees that need no encoder."""
STANDARD_FILE = "similarity-standard.npz"
"""File name of the boosted trees that compare contextual vectors."""
BEST_FILE = "similarity-best.npz"
"""File name of the boosted trees that compare vectors of the large encoder, too."""
PAIR_MODEL_FILES = {
    "paper": SIMILARITY_FILE,
    "paper-code": CODE_FILE,
    "light": LIGHT_FILE,
    "standard": STANDARD_FILE,
    "best": BEST_FILE,
}
"""File names of the pair models by name."""
LOG_LINEAR = ("paper", "paper-code")
"""The pair models that are log-linear; the others are boosted trees."""

KIND = "similarity"
SCHEMA = 1

TagPair = tuple[str, str]

_BY_NAME = {feature.name: feature for feature in ALL_FEATURES}


@dataclass(frozen=True, slots=True)
class PairModel:
    """A weight for each feature and for each pair of tags (first, second), and the intercept.

    Missing weights are 0. With a `tag_length`, only so many letters of a tag count. `about` records how the model was
    trained.
    """

    weights: Mapping[str, float]
    tag_weights: Mapping[TagPair, float]
    intercept: float
    about: Mapping[str, Any] = field(default_factory=dict)
    tag_length: int | None = None

    def __post_init__(self) -> None:
        unknown = sorted(set(self.weights) - set(_BY_NAME))
        if unknown:
            raise FormatError(
                f"the pair model has a weight for the unknown feature {unknown[0]!r}",
                expected=f"some of {', '.join(_BY_NAME)}",
            )

    def probability(self, table: MentionTable, i: Indices, j: Indices) -> Floats:
        """Return f for pairs of rows of a table: the probability that both refer to the same event; symmetric."""
        probability: Floats = expit(self.score(table, i, j))
        return probability

    def score(self, table: MentionTable, i: Indices, j: Indices) -> Floats:
        """Return the weighted sum, the log-odds of f."""
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
        names = [tag[: self.tag_length] for tag in tags]
        rows = [[self.tag_weights.get((first, second), 0.0) for second in names] for first in names]
        return np.array(rows, np.float64).reshape(len(tags), len(tags))

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the model to a file; the bytes depend on the model alone."""
        manifest = {"intercept": self.intercept, "about": dict(self.about)}
        if self.tag_length is not None:
            manifest["tag_length"] = self.tag_length
        arrays: dict[str, NDArray[Any]] = {
            "names": pack_strings(list(self.weights)),
            "weights": np.array(list(self.weights.values()), np.float64),
            "tags": pack_strings([" ".join(pair) for pair in self.tag_weights]),
            "tag_weights": np.array(list(self.tag_weights.values()), np.float64),
        }
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
                tag_length=table.manifest.get("tag_length"),
                about=table.manifest["about"],
            )
        except FormatError as error:
            error.where = place(path)
            raise
        except (KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error
