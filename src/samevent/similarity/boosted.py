"""The boosted pair model: the log-odds of f(i, j) are a sum of decision trees over the features of a pair.

Trees are plain arrays, saved without pickle, and evaluated here: scikit-learn is needed to train, not to score.
A score splits into contributions: on its way from the root to a leaf, a pair passes through nodes whose mean scores
differ, and each difference is due to the feature that the tree asked for. They add up to the score exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit

from samevent.errors import DataError, FormatError, UsageError, place
from samevent.hddcrp.mixture import Uncertainty
from samevent.similarity.bags import NO_BACKGROUND, Background, Floats, Indices
from samevent.similarity.blocking import Blocking
from samevent.similarity.features import Feature
from samevent.similarity.mentions import LARGE_CONTEXTUAL, MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.purity import AS_IT_IS, Purity
from samevent.similarity.shown import THE_POSTERIOR, Shown
from samevent.similarity.tree_features import CONTEXT_GROUP, LARGE_GROUP, TREE_FEATURES, columns
from samevent.storage import damaged_table, pack_strings, read_table, unpack_strings, write_table

BOOSTED_KIND = "boosted similarity"
BOOSTED_SCHEMA = 1

Columns = NDArray[np.float32]

USUAL_UNCERTAINTY = Uncertainty(shift=-0.4, spread=1.5)
"""Chosen for `standard` on unseen topics and on another corpus (tools/reliability.py); others share it unmeasured."""

_BY_NAME = {feature.name: feature for feature in TREE_FEATURES}


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Decision trees, node by node, each tree from its root on; tree `t` has the nodes `starts[t]:starts[t + 1]`.

    Node `n` asks for column `column[n]`: up to `threshold[n]`, go to node `left[n]`, else to `right[n]`; a missing
    value goes left where `missing_left[n]`. A leaf has `left[n] == 0`. `value[n]` is what a leaf adds to the score; of
    an inner node, the mean over the training pairs that reached it.
    """

    starts: NDArray[np.int32]
    column: NDArray[np.int16]
    threshold: Floats
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    value: Floats

    def __post_init__(self) -> None:
        nodes = len(self.column)
        inner = self.left > 0
        number = np.arange(nodes)
        same_length = all(
            len(each) == nodes for each in (self.threshold, self.left, self.right, self.missing_left)
        )
        if not (
            same_length
            and len(self.value) == nodes
            and len(self.starts) > 0
            and self.starts[0] == 0
            and self.starts[-1] == nodes
            and (np.diff(self.starts) > 0).all()
            and (self.left[inner] > number[inner]).all()
            and (self.right[inner] > number[inner]).all()
            and max(self.left.max(initial=0), self.right.max(initial=0)) < max(nodes, 1)
        ):
            raise FormatError(
                "the trees of the pair model are damaged", expected="nodes whose children come after them"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trees) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in Trees.__dataclass_fields__
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def scores(self, matrix: Columns) -> Floats:
        """Return the sum of the leaves that each row of a matrix reaches."""
        scores = np.zeros(len(matrix))
        leaf, nodes = self.left == 0, np.arange(len(self.left), dtype=np.int32)
        children = np.stack([np.where(leaf, nodes, self.right), np.where(leaf, nodes, self.left)], axis=1)
        _scores(
            self.starts, self.depths, self.column, self.threshold, children, self.missing_left.view(np.uint8),
            self.value, matrix, scores,
        )  # fmt: skip
        return scores

    @property
    def depths(self) -> NDArray[np.int32]:
        """The most questions that each tree asks."""
        tree = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))
        depths = np.zeros(len(self), np.int32)
        nodes = self.starts[:-1]
        while len(nodes := nodes[self.left[nodes] > 0]):
            depths[np.unique(tree[nodes])] += 1
            nodes = np.concatenate([self.left[nodes], self.right[nodes]])
        return depths

    def contributions(self, matrix: Columns) -> tuple[float, Floats]:
        """Return the sum of the means at the roots, and what each column adds to it in each row."""
        added = np.zeros(matrix.shape)
        _contributions(
            self.starts, self.column, self.threshold, self.left, self.right, self.missing_left, self.value,
            matrix, added,
        )  # fmt: skip
        return float(self.value[self.starts[:-1]].sum()), added


@dataclass(frozen=True)
class BoostedModel:
    """Trees over named features, and the score that they add to.

    `about` records how the model was trained, `background` the document frequencies of its training corpus.
    `uncertainty` is how far its log-odds are off on texts that it has not seen, `shown` how far to trust the posterior
    that results from them there, and `purity` how often events are pure.
    """

    trees: Trees
    names: tuple[str, ...]
    intercept: float
    blocking: Blocking = field(default_factory=Blocking)
    about: Mapping[str, Any] = field(default_factory=dict)
    background: Background = NO_BACKGROUND
    uncertainty: Uncertainty = USUAL_UNCERTAINTY
    shown: Shown = THE_POSTERIOR
    purity: Purity = AS_IT_IS

    def __post_init__(self) -> None:
        unknown = [name for name in self.names if name not in _BY_NAME]
        if unknown or self.trees.column.max(initial=0) >= len(self.names):
            raise FormatError(
                f"the pair model has the unknown feature {unknown[0]!r}" if unknown
                else f"the pair model asks for {self.trees.column.max() + 1} features and names {len(self.names)}",
                expected=f"some of {', '.join(_BY_NAME)}",
            )  # fmt: skip

    @cached_property
    def groups(self) -> frozenset[str]:
        """The groups of the features that the trees ask for."""
        asked = np.unique(self.trees.column[self.trees.left > 0]).tolist()
        return frozenset(self.features[column].group for column in asked)

    @property
    def needs_context(self) -> bool:
        """Whether vectors of the small encoder are compared, by trees or by the blocking."""
        return CONTEXT_GROUP in self.groups or (self.needs_large and self.blocking.contextual is not None)

    @property
    def needs_large(self) -> bool:
        """Whether the trees compare vectors of the large encoder."""
        return LARGE_GROUP in self.groups

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The columns that the trees ask for."""
        return tuple(_BY_NAME[name] for name in self.names)

    def probability(self, table: MentionTable, i: Indices, j: Indices) -> Floats:
        """Return f for pairs of rows of a table: the probability that both refer to the same event; symmetric."""
        probability: Floats = expit(self.score(table, i, j))
        return probability

    def score(self, table: MentionTable, i: Indices, j: Indices) -> Floats:
        """Return the log-odds of f."""
        return self.intercept + self.trees.scores(self.columns(table, i, j))

    def columns(self, table: MentionTable, i: Indices, j: Indices) -> Columns:
        """Return the features of pairs, one row per pair."""
        missing = (self.needs_context and not table.contextual) or (
            self.needs_large and LARGE_CONTEXTUAL[0] not in table.contextual
        )
        if missing and len(i):
            raise UsageError(
                "the pair model compares contextual vectors, and the mentions have none",
                expected="a model with an encoder",
                hint="train one (samevent train encoder), or choose another preset",
            )
        return columns(table, i, j, self.features)

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the model to a file; the bytes depend on the model alone."""
        blocking = {name: getattr(self.blocking, name) for name in Blocking.__dataclass_fields__}
        manifest = {
            "intercept": self.intercept,
            "about": dict(self.about),
            "blocking": blocking,
            "documents_read": self.background.documents,
            "uncertainty": asdict(self.uncertainty),
            "shown": asdict(self.shown),
            "purity": asdict(self.purity),
        }
        arrays: dict[str, NDArray[Any]] = {
            "names": pack_strings(self.names),
            "words_read": pack_strings(list(self.background.counts)),
            "word_documents": np.array(list(self.background.counts.values()), np.int32),
            **{name: getattr(self.trees, name) for name in Trees.__dataclass_fields__},
        }
        write_table(path, BOOSTED_KIND, BOOSTED_SCHEMA, manifest, arrays, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path) -> BoostedModel:
        """Read a model."""
        table = read_table(path, BOOSTED_KIND, BOOSTED_SCHEMA)
        arrays, manifest = table.arrays, table.manifest
        try:
            words, counts = unpack_strings(arrays["words_read"]), arrays["word_documents"].tolist()
            return cls(
                trees=Trees(**{name: arrays[name] for name in Trees.__dataclass_fields__}),
                names=tuple(unpack_strings(arrays["names"])),
                intercept=float(manifest["intercept"]),
                blocking=Blocking(**manifest["blocking"]),
                about=manifest["about"],
                background=Background(int(manifest["documents_read"]), dict(zip(words, counts, strict=True))),
                uncertainty=Uncertainty(**manifest.get("uncertainty", asdict(USUAL_UNCERTAINTY))),
                shown=Shown(**manifest.get("shown", {})),
                purity=Purity(**manifest.get("purity", {})),
            )
        except FormatError as error:
            error.where = place(path)
            raise
        except (KeyError, ValueError, TypeError, DataError) as error:
            raise damaged_table(path, error) from error


AnyPairModel = PairModel | BoostedModel
"""Either kind of pair model."""


_BLOCK = 256
"""Number of pairs that pass through a tree together, so that its nodes and their features stay in the cache."""


@njit(cache=True, nogil=True, inline="always")
def _child(column, threshold, left, right, missing_left, matrix, pair, node):  # type: ignore[no-untyped-def]
    """Return the child of an inner node that a pair goes to."""
    value = matrix[pair, column[node]]
    # A missing value is not below the threshold either.
    if value <= threshold[node] or (missing_left[node] and np.isnan(value)):
        return left[node]
    return right[node]


@njit(cache=True, nogil=True)
def _scores(starts, depths, column, threshold, children, missing_left, value, matrix, out):  # type: ignore[no-untyped-def]
    # Pairs of a block go down a tree level by level, and stay in a leaf: no branch depends on what they are like.
    nodes = np.empty(_BLOCK, np.int32)
    for begin in range(0, len(matrix), _BLOCK):
        size = min(_BLOCK, len(matrix) - begin)
        for tree in range(len(starts) - 1):
            nodes[:size] = starts[tree]
            for _ in range(depths[tree]):
                for pair in range(size):
                    node = nodes[pair]
                    feature = matrix[begin + pair, column[node]]
                    missing = np.uint8(feature != feature)  # NaN is not equal to itself
                    goes_left = np.uint8(feature <= threshold[node]) | (missing & missing_left[node])
                    nodes[pair] = children[node, goes_left]
            for pair in range(size):
                out[begin + pair] += value[nodes[pair]]


@njit(cache=True, nogil=True)
def _contributions(starts, column, threshold, left, right, missing_left, value, matrix, out):  # type: ignore[no-untyped-def]
    for pair in range(len(matrix)):
        for tree in range(len(starts) - 1):
            node = starts[tree]
            while left[node] > 0:
                child = _child(column, threshold, left, right, missing_left, matrix, pair, node)
                out[pair, column[node]] += value[child] - value[node]
                node = child
