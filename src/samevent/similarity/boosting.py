"""Training of boosted trees on pairs of mentions with gold events.

Rows are the pairs that blocking keeps, so the model learns from what it will be asked. Different events of different
lemmas are many and mostly easy: a share of them is drawn, with weights that make up for the others, so that
probabilities stay those of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import logit
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from samevent.errors import DataError, UsageError
from samevent.hddcrp.mixture import Uncertainty
from samevent.seeds import stream
from samevent.similarity.bags import Background, Booleans, Floats, Indices
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosted import USUAL_UNCERTAINTY, BoostedModel, SecondLook
from samevent.similarity.features import Feature
from samevent.similarity.graph import graph_columns
from samevent.similarity.links import MentionLinks
from samevent.similarity.pairs import LabelledMentions, Pairs, event_sizes
from samevent.similarity.tree_features import DIRECTIONS, TREE_FEATURES, columns, reporting_heads
from samevent.similarity.trees import MOST_LEAVES, Columns, Trees

Progress = Callable[[str], None]

_MINIMUM_FREQUENCY = 2
"""Words of fewer training documents are not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoostingSettings:
    """How to train trees: `rounds` of one tree each, scaled by `rate`; a leaf has at least `leaf_pairs` pairs.

    `l2` shrinks the values of leaves; each split chooses from a `feature_share` of the features, drawn anew;
    `easy_share` is the share of different events with different lemmas that is learned from. Pairs of mentions whose
    events have m and n mentions count (m n)^(-`size_discount` / 2) as much: at 1, an event counts by its mentions, at 0
    by its pairs. Pairs of extracted mentions count `extracted_weight` times as much as those of annotated ones. If
    trees are `directed`, what contradicts (`DIRECTIONS`) never raises a score. `without` lists feature groups and
    single features to leave out. `uncertainty` is how far the log-odds are off on unseen texts. The trees of a second
    look have `second_rounds` and at least `second_leaf_pairs` pairs in a leaf: a graph repeats what it says.
    """

    rounds: int = 250
    rate: float = 0.06
    leaves: int = 15
    leaf_pairs: int = 50
    l2: float = 2.0
    feature_share: float = 0.3
    easy_share: float = 0.15
    size_discount: float = 0.6
    extracted_weight: float = 1.0
    directed: bool = True
    seed: int = 0
    without: tuple[str, ...] = ()
    blocking: Blocking = field(default_factory=Blocking)
    uncertainty: Uncertainty = USUAL_UNCERTAINTY
    second_rounds: int = 150
    second_leaf_pairs: int = 200

    def __post_init__(self) -> None:
        for name, least in (
            ("rounds", 1),
            ("leaves", 2),
            ("leaf_pairs", 1),
            ("l2", 0),
            ("size_discount", 0),
            ("extracted_weight", 0),
            ("second_rounds", 1),
            ("second_leaf_pairs", 1),
        ):
            if getattr(self, name) < least:
                raise UsageError(
                    f"the parameter {name!r} is {getattr(self, name)}", expected=f"{least} or more"
                )
        if self.leaves > MOST_LEAVES:
            raise UsageError(f"the parameter 'leaves' is {self.leaves}", expected=f"{MOST_LEAVES} or fewer")
        for name in ("rate", "feature_share", "easy_share"):
            if not 0 < getattr(self, name) <= 1:
                raise UsageError(
                    f"the parameter {name!r} is {getattr(self, name)}", expected="above 0, at most 1"
                )
        groups = {feature.group for feature in TREE_FEATURES}
        unknown = sorted(set(self.without) - groups - {feature.name for feature in TREE_FEATURES})
        if unknown:
            raise UsageError(
                f"unknown feature group {unknown[0]!r}", expected=f"some of {', '.join(sorted(groups))}"
            )

    @property
    def features(self) -> tuple[Feature, ...]:
        """The columns that trees may ask for."""
        left_out = frozenset(self.without)
        return tuple(f for f in TREE_FEATURES if f.group not in left_out and f.name not in left_out)


@dataclass(frozen=True, slots=True, eq=False)
class PairRows:
    """Pairs to learn from: their features, whether they refer to the same event, and how many pairs each stands for."""

    pairs: Pairs
    columns: Columns
    same: Booleans
    weight: Floats

    def weighted(self, factor: float) -> PairRows:
        """Return the same rows, each standing for so many times as many pairs."""
        return replace(self, weight=factor * self.weight)

    @classmethod
    def concatenate(cls, parts: Sequence[PairRows]) -> PairRows:
        """Put rows of several mention tables one after the other; `pairs` still count in their own tables."""
        return cls(
            Pairs.concatenate([part.pairs for part in parts]),
            np.concatenate([part.columns for part in parts]),
            np.concatenate([part.same for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class TrainingPairs:
    """The pairs of all topics that blocking keeps and that can be compared; see `training_pairs`.

    Their columns are computed once, for the trees of all topics and those of each fold.
    """

    data: LabelledMentions
    pairs: Pairs
    settings: BoostingSettings

    @cached_property
    def _chosen(self) -> tuple[Booleans, Columns]:
        """Which pairs may be learned from, and their columns."""
        kept, _ = chosen_pairs(self.data, self.pairs, self.settings, self._draw)
        pairs = self.pairs[kept]
        return kept, columns(self.data.table, pairs.i, pairs.j, self.settings.features)

    @cached_property
    def _draw(self) -> Floats:
        return _draw(self.pairs, self.settings)

    def rows(self, learn: Collection[str] | None = None) -> PairRows:
        """Return the pairs to learn from: all of the same event or lemma that are judged, and some of the others.

        Both mentions are of topics in `learn` (default: all).
        """
        data, (chosen, matrix) = self.data, self._chosen
        learned = np.array([learn is None or name in learn for name in data.topics], np.bool_)
        learned = learned[data.topic[data.table.document]]
        inside = learned[self.pairs.i] & learned[self.pairs.j]
        pairs = self.pairs[inside]
        kept, weight = chosen_pairs(data, pairs, self.settings, self._draw[inside])
        pairs = pairs[kept]
        return PairRows(pairs, matrix[inside[chosen]], data.same(pairs), weight[kept])


def training_pairs(
    data: LabelledMentions, settings: BoostingSettings, half_of: Mapping[str, int] | None = None
) -> TrainingPairs:
    """Return the pairs of mentions with known events that trees may learn from.

    If the contextual vectors come from several encoders, `half_of` numbers the encoder of each topic: vectors of
    different encoders cannot be compared, and pairs across them are left out.
    """
    pairs = Pairs.concatenate(block[data.known(block)] for block in settings.blocking.pairs(data.table))
    if half_of:
        half = np.array([half_of[name] for name in data.topics], np.int32)
        pairs = pairs[pairs.equal(half[data.topic[data.table.document]])]
    return TrainingPairs(data, pairs, settings)


def chosen_pairs(
    data: LabelledMentions, pairs: Pairs, settings: BoostingSettings, draw: Floats
) -> tuple[Booleans, Floats]:
    """Return which pairs to learn from, and how many each stands for: of the easy ones, a share.

    Pairs that annotators may not have looked at are left out, but for statements: everybody *said* something. Pairs of
    large events, which say much the same, count less; those of the same event stand for as many as without that, and
    so do the others, so that probabilities stay those of all pairs.
    """
    same = data.same(pairs)
    easy = ~same & ~pairs.equal(data.table.heads.lemma[data.table.head])
    statements = (reporting_heads(data.table, pairs.i, pairs.j) > 0) & data.known(pairs)
    kept = (~easy | (draw < settings.easy_share)) & (statements | ~data.unjudged(pairs))
    weight = np.where(easy, 1 / settings.easy_share, 1.0)
    paired = np.zeros(len(data.event), np.bool_)
    paired[pairs.i] = paired[pairs.j] = True
    size = np.maximum(event_sizes(data.event, paired), 1).astype(np.float64)
    discount = (size[pairs.i] * size[pairs.j]) ** (-settings.size_discount / 2)
    for group in (kept & same, kept & ~same):
        weight[group] *= discount[group] * weight[group].sum() / (weight[group] @ discount[group])
    return kept, weight


def _draw(pairs: Pairs, settings: BoostingSettings) -> Floats:
    """Return random numbers, of which those below the share of easy pairs keep them."""
    return stream(settings.seed, "easy pairs").random(len(pairs))


def train_boosted(
    data: LabelledMentions,
    *,
    learn: Collection[str] | None = None,
    settings: BoostingSettings | None = None,
    pairs: TrainingPairs | None = None,
    extracted: TrainingPairs | None = None,
    more: Callable[[Background], PairRows] | None = None,
    progress: Progress | None = None,
) -> BoostedModel:
    """Train on mentions with gold events, of the topics in `learn` (default: all).

    `pairs` are those of the mentions (default: `training_pairs`), `extracted` those of the mentions that an extractor
    finds in the same documents that had not seen their topics. `more` returns further rows to learn from, by the
    background of the model.
    """
    settings = settings or BoostingSettings()
    rows = (pairs or training_pairs(data, settings)).rows(learn)
    if extracted and settings.extracted_weight:
        rows = PairRows.concatenate([rows, extracted.rows(learn).weighted(settings.extracted_weight)])
    learned = np.array([learn is None or name in learn for name in data.topics], np.bool_)
    background = data.table.document_frequencies(learned[data.topic]).without_rare(_MINIMUM_FREQUENCY)
    if progress:
        progress(f"{len(rows.pairs):,} pairs, {int(rows.same.sum()):,} of the same event")
    if more:
        rows = PairRows.concatenate([rows, more(background)])
    return replace(fit_trees(rows.columns, rows.same, rows.weight, settings), background=background)


@dataclass(frozen=True, eq=False)
class JudgedLinks:
    """Mentions with known events, and links that models found which had not seen them.

    `fold` is the fold of each mention, by which some links can be left out.
    """

    data: LabelledMentions
    links: MentionLinks
    fold: Indices

    @cached_property
    def graph(self) -> Columns:
        """What the graph of all links says of each."""
        table = self.data.table
        return graph_columns(table.document, self.links.pairs, logit(self.links.similarity))

    def rows(self, settings: BoostingSettings, without: int | None = None) -> PairRows:
        """Return the links to learn from, but for those of the fold `without`."""
        learn = self.fold[self.links.pairs.i] != (-1 if without is None else without)
        pairs = self.links.pairs[learn]
        kept, weight = chosen_pairs(self.data, pairs, settings, _draw(pairs, settings))
        pairs = pairs[kept]
        return PairRows(pairs, self.graph[learn][kept], self.data.same(pairs), weight[kept])


def train_second_look(
    annotated: JudgedLinks,
    settings: BoostingSettings,
    extracted: JudgedLinks | None = None,
    *,
    without: int | None = None,
) -> SecondLook:
    """Train a second look on links of annotated mentions and, if they are given, of extracted ones.

    Links of the fold `without` are left out.
    """
    rows = annotated.rows(settings, without)
    if extracted and settings.extracted_weight:
        found = extracted.rows(settings, without)
        rows = PairRows.concatenate([rows, found.weighted(settings.extracted_weight)])
    again = replace(settings, rounds=settings.second_rounds, leaf_pairs=settings.second_leaf_pairs)
    classifier = _fitted(rows.columns, rows.same, rows.weight, again)
    return SecondLook(trees_of(classifier), _intercept(classifier))


def fit_trees(matrix: Columns, same: Booleans, weight: Floats, settings: BoostingSettings) -> BoostedModel:
    """Fit trees to pairs, one row each."""
    directions = [DIRECTIONS.get(feature.name, 0) for feature in settings.features]
    classifier = _fitted(matrix, same, weight, settings, directions if settings.directed else None)
    return from_classifier(classifier, settings, pairs=len(same))


def from_classifier(
    classifier: HistGradientBoostingClassifier, settings: BoostingSettings, *, pairs: int = 0
) -> BoostedModel:
    """Return the model that a fitted classifier is."""
    about = {
        name: getattr(settings, name)
        for name in (
            "rounds",
            "rate",
            "leaves",
            "leaf_pairs",
            "l2",
            "feature_share",
            "easy_share",
            "size_discount",
            "extracted_weight",
            "directed",
            "seed",
            "second_rounds",
            "second_leaf_pairs",
        )
    }
    return BoostedModel(
        trees=trees_of(classifier),
        names=tuple(feature.name for feature in settings.features),
        intercept=_intercept(classifier),
        blocking=settings.blocking,
        about={**about, "without": list(settings.without), "pairs": pairs},
        uncertainty=settings.uncertainty,
    )


def _fitted(
    matrix: Columns,
    same: Booleans,
    weight: Floats,
    settings: BoostingSettings,
    directions: Sequence[int] | None = None,
) -> HistGradientBoostingClassifier:
    if same.all() or not same.any():
        raise DataError(
            f"of {len(same)} pairs to learn from, {int(same.sum())} are of the same event",
            expected="pairs of the same event and pairs of different events",
            hint="add annotated documents",
        )
    classifier = HistGradientBoostingClassifier(
        max_iter=settings.rounds,
        learning_rate=settings.rate,
        max_leaf_nodes=settings.leaves,
        min_samples_leaf=settings.leaf_pairs,
        l2_regularization=settings.l2,
        max_features=settings.feature_share,
        monotonic_cst=directions,
        early_stopping=False,
        random_state=settings.seed,
    )
    # scikit-learn refuses a column without any value; a constant one is never asked for.
    known = np.where(np.isnan(matrix).all(axis=0), np.float32(0), matrix)
    # One thread: the bytes of a model must not depend on the machine.
    with threadpool_limits(1):
        classifier.fit(known, same, sample_weight=weight)
    return classifier


def _intercept(classifier: HistGradientBoostingClassifier) -> float:
    return float(np.ravel(classifier._baseline_prediction)[0])


def trees_of(classifier: HistGradientBoostingClassifier) -> Trees:
    """Return the trees of a fitted classifier as plain arrays.

    Inner nodes get the mean of the leaves below them, by the number of training pairs.
    """
    parts = [predictor.nodes for (predictor,) in classifier._predictors]
    starts = np.cumsum([0, *(len(nodes) for nodes in parts)])
    nodes = np.concatenate(parts)
    shift = np.repeat(starts[:-1], np.diff(starts))
    leaf = nodes["is_leaf"].astype(bool)
    left, right = (np.where(leaf, 0, nodes[side] + shift).astype(np.int32) for side in ("left", "right"))
    value, count = nodes["value"].astype(np.float64), nodes["count"].astype(np.float64)
    for node in np.flatnonzero(~leaf)[::-1].tolist():  # children come after their parents
        below = left[node], right[node]
        value[node] = sum(value[child] * count[child] for child in below) / sum(
            count[child] for child in below
        )
    return Trees(
        starts=starts.astype(np.int32),
        column=np.where(leaf, 0, nodes["feature_idx"]).astype(np.int16),
        threshold=np.where(leaf, 0.0, nodes["num_threshold"]),
        left=left,
        right=right,
        missing_left=nodes["missing_go_to_left"].astype(bool) & ~leaf,
        value=value,
    )
