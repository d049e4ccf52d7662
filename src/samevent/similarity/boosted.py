"""The boosted pair model: the log-odds of f(i, j) are a sum of decision trees over the features of a pair.

Trees are plain arrays (`trees`), saved without pickle: scikit-learn is needed to train, not to score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from samevent.errors import DataError, FormatError, UsageError, place
from samevent.hddcrp.mixture import Uncertainty
from samevent.scratch import IN_MEMORY, Scratch
from samevent.similarity.bags import NO_BACKGROUND, Background, Floats, Indices
from samevent.similarity.blocking import Blocking
from samevent.similarity.features import Feature
from samevent.similarity.graph import GRAPH_COLUMNS, LinkGraph, near_links
from samevent.similarity.mentions import LARGE_CONTEXTUAL, MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs
from samevent.similarity.shown import THE_POSTERIOR, Shown
from samevent.similarity.tree_features import CONTEXT_GROUP, LARGE_GROUP, TREE_FEATURES, columns
from samevent.similarity.trees import Columns, Trees
from samevent.storage import damaged_table, pack_strings, read_table, unpack_strings, write_table

BOOSTED_KIND = "boosted similarity"
BOOSTED_SCHEMA = 2

USUAL_UNCERTAINTY = Uncertainty(shift=-0.4, spread=1.5)
"""Chosen for `standard` and `best` on unseen topics and on another corpus (tools/reliability.py)."""

LEAST_LINK = 0.01
"""Pairs below this f are no links, and not part of the graph that a second look sees."""

_CHUNK = 1 << 16
"""Number of links that a second look takes at a time."""
_BY_NAME = {feature.name: feature for feature in TREE_FEATURES}


@dataclass(frozen=True)
class SecondLook:
    """Trees over the columns of the graph of a model's links (`graph`)."""

    trees: Trees
    intercept: float


@dataclass(frozen=True)
class BoostedModel:
    """Trees over named features, and the score that they add to.

    `about` records how the model was trained, `background` the document frequencies of its training corpus.
    `uncertainty` is how far its log-odds are off on texts that it has not seen and `shown` how far to trust the
    posterior that results from them there. `second` looks at pairs again when all have been scored (`look_again`).
    """

    trees: Trees
    names: tuple[str, ...]
    intercept: float
    blocking: Blocking = field(default_factory=Blocking)
    about: Mapping[str, Any] = field(default_factory=dict)
    background: Background = NO_BACKGROUND
    uncertainty: Uncertainty = USUAL_UNCERTAINTY
    shown: Shown = THE_POSTERIOR
    second: SecondLook | None = None

    def __post_init__(self) -> None:
        unknown = [name for name in self.names if name not in _BY_NAME]
        asked = int(self.trees.column.max(initial=0))
        if unknown or asked >= len(self.names):
            raise FormatError(
                f"the pair model has the unknown feature {unknown[0]!r}" if unknown
                else f"the pair model asks for {asked + 1} features and names {len(self.names)}",
                expected=f"some of {', '.join(_BY_NAME)}",
            )  # fmt: skip
        if self.second and int(self.second.trees.column.max(initial=0)) >= len(GRAPH_COLUMNS):
            raise FormatError(
                "the second look asks for more columns than a graph has",
                expected=f"at most {len(GRAPH_COLUMNS)}",
            )

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

    def look_again(
        self,
        document: Indices,
        pairs: Pairs,
        score: Floats,
        which: Indices | None = None,
        *,
        out: Floats | None = None,
        scratch: Scratch = IN_MEMORY,
    ) -> Floats:
        """Return the log-odds of all links of a corpus after a second look, given those of the first.

        A pair says more once it is known which others either mention is like: the mean of both looks counts.
        `document` are the documents of all mentions. Only the pairs `which` are looked at, by their numbers, if they
        are given. The result of all pairs may be written to `out`, which may be `score`; what is large lies in the
        `scratch`.
        """
        if self.second is None:
            return score if which is None else score[which]
        if which is not None:
            near = near_links(document, pairs, which)
            pairs, score, which = pairs[near], score[near], np.cumsum(near)[which] - 1
        graph = LinkGraph(document, pairs, score, scratch=scratch)
        links = None
        if which is not None:
            chosen = np.zeros(len(score), np.bool_)
            chosen[which] = True
            links = np.flatnonzero(chosen[graph.order])
        mean: Floats = np.empty(len(score)) if out is None else out
        for start in range(0, len(score) if links is None else len(links), _CHUNK):
            some = slice(start, start + _CHUNK)
            part = some if links is None else links[some]
            again = self.second.trees.scores(np.asfortranarray(graph.columns(part)))
            own = graph.order[part]
            mean[own] = (score[own] + self.second.intercept + again) / 2
            scratch.release()
        return mean if which is None else mean[which]

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
        }
        arrays: dict[str, NDArray[Any]] = {
            "names": pack_strings(self.names),
            "words_read": pack_strings(list(self.background.counts)),
            "word_documents": np.array(list(self.background.counts.values()), np.int32),
            **{name: getattr(self.trees, name) for name in Trees.__dataclass_fields__},
        }
        if self.second:
            manifest["second_intercept"] = self.second.intercept
            arrays |= {
                f"second_{name}": getattr(self.second.trees, name) for name in Trees.__dataclass_fields__
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
                second=_second_look(arrays, manifest),
            )
        except FormatError as error:
            error.where = place(path)
            raise
        except (KeyError, ValueError, TypeError, DataError) as error:
            raise damaged_table(path, error) from error


def _second_look(arrays: Mapping[str, NDArray[Any]], manifest: Mapping[str, Any]) -> SecondLook | None:
    if "second_intercept" not in manifest:
        return None
    trees = Trees(**{name: arrays[f"second_{name}"] for name in Trees.__dataclass_fields__})
    return SecondLook(trees, float(manifest["second_intercept"]))


AnyPairModel = PairModel | BoostedModel
"""Either kind of pair model."""
