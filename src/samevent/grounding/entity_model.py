"""The pair model of entity mentions: one log-linear model per kind of pair, within and across documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from samevent.grounding.entity_pairs import PAIR_KINDS, EntityPairs, columns, pairs_across, pairs_within
from samevent.grounding.entity_tables import Booleans, EntityTable, Floats, Integers
from samevent.storage import damaged_table, pack_strings, read_table, unpack_strings, write_table

ENTITIES_FILE = "entities.npz"
"""File name in a model folder."""
KIND, SCHEMA = "entities", 1

IMPOSSIBLE = -30.0
"""The log-odds of kinds of pairs that were never seen together, such as pronouns of different documents."""
_FEWEST = 50
"""Kinds of pairs with fewer examples, or fewer than a tenth of them of the same entity, are not learned."""
_PENALTY = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The weights of named columns, one row per kind of pair, and the intercepts; NaN where nothing was learned."""

    names: tuple[str, ...]
    weights: Floats
    intercepts: Floats

    def scores(self, names: Sequence[str], values: NDArray[np.float64], kind: Integers) -> Floats:
        """Return the log-odds of pairs."""
        if names != self.names:
            order = [names.index(name) for name in self.names]
            values = values[:, order]
        scores = np.full(len(values), IMPOSSIBLE)
        for number in range(len(PAIR_KINDS)):
            if np.isfinite(self.intercepts[number]):
                here = kind == number
                scores[here] = values[here] @ self.weights[number] + self.intercepts[number]
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class EntityModel:
    """How probable it is that two mentions are the same entity; `about` records how that was learned."""

    within: Weights
    across: Weights
    about: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, table: EntityTable, pairs: EntityPairs, *, within: bool) -> Floats:
        """Return the log-odds that pairs, all within or all across documents, are the same entity."""
        names, values = columns(table, pairs, within=within)
        return (self.within if within else self.across).scores(names, values, pairs.kind)

    def probability(self, table: EntityTable, pairs: EntityPairs, *, within: bool) -> Floats:
        """Return the probability that pairs are the same entity."""
        probability: Floats = expit(self.scores(table, pairs, within=within))
        return probability

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the model to a file; the bytes depend on the model alone."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, part in (("within", self.within), ("across", self.across)):
            arrays |= {
                f"{name}_names": pack_strings(part.names),
                f"{name}_weights": part.weights,
                f"{name}_intercepts": part.intercepts,
            }
        write_table(path, KIND, SCHEMA, {"about": dict(self.about)}, arrays, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path) -> EntityModel:
        """Read a model."""
        table = read_table(path, KIND, SCHEMA)
        try:
            within, across = (_stored(table.arrays, name) for name in ("within", "across"))
            return cls(within, across, table.manifest["about"])
        except (KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error


def _stored(arrays: Mapping[str, NDArray[Any]], name: str) -> Weights:
    names = tuple(unpack_strings(arrays[f"{name}_names"]))
    weights, intercepts = arrays[f"{name}_weights"], arrays[f"{name}_intercepts"]
    if weights.shape != (len(PAIR_KINDS), len(names)) or intercepts.shape != (len(PAIR_KINDS),):
        raise ValueError(f"weights of the shape {weights.shape}")
    return Weights(names, weights, intercepts)


Example = tuple[EntityTable, Integers]
"""A table, and the known entity of each of its rows."""


def train_entities(examples: Iterable[Example], about: Mapping[str, Any] | None = None) -> EntityModel:
    """Learn from mentions with known entities."""
    examples = list(examples)
    return EntityModel(
        _learned(examples, within=True),
        _learned(examples, within=False),
        about={} if about is None else about,
    )


def _learned(examples: Sequence[Example], *, within: bool) -> Weights:
    names: tuple[str, ...] = ()
    blocks, kinds, same = [], [], []
    for table, entity in examples:
        pairs = (pairs_within if within else pairs_across)(table)
        names, values = columns(table, pairs, within=within)
        blocks.append(values)
        kinds.append(pairs.kind)
        same.append(entity[pairs.i] == entity[pairs.j])
    values, kind, together = np.concatenate(blocks), np.concatenate(kinds), np.concatenate(same)
    weights = np.zeros((len(PAIR_KINDS), len(names)))
    intercepts = np.full(len(PAIR_KINDS), np.nan)
    for number in range(len(PAIR_KINDS)):
        here = kind == number
        if here.sum() >= _FEWEST and _FEWEST / 10 <= together[here].sum() < here.sum():
            weights[number], intercepts[number] = _fitted(values[here], together[here])
    return Weights(names, weights, intercepts)


def _fitted(values: NDArray[np.float64], same: Booleans) -> tuple[Floats, float]:
    """Return weights and intercept of a logistic regression on scaled columns."""
    from sklearn.linear_model import LogisticRegression

    scale = values.std(axis=0)
    scale[scale < 1e-6] = 1.0
    model = LogisticRegression(C=_PENALTY, max_iter=1000).fit(values / scale, same)
    return model.coef_[0] / scale, float(model.intercept_[0])
