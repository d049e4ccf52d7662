"""Training of the pair model: logistic regression with an L2 penalty, its strength chosen by cross-validation.

Documents of one topic resemble each other, so folds consist of whole topics. A pair is scored by a model trained
without its fold; pairs across folds are left out. Of all values of C whose log loss is within one standard error of
the best, the smallest is taken: correlated features (for mentions of one word, equal heads imply equal words and equal
synonyms) then share the weight instead of competing for it. Classes are not reweighted: that would shift every
probability, and with it the pairs above the minimum similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, log_loss
from threadpoolctl import threadpool_limits

from samevent.errors import DataError, UsageError
from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.calibration import Calibration, calibration
from samevent.similarity.code_features import PAPER_NAMES, select_features
from samevent.similarity.features import TAGS, tag_pairs
from samevent.similarity.links import LinkSettings, find_links
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel, TagPair
from samevent.similarity.pairs import LabelledMentions, Pairs
from samevent.similarity.training_pairs import TrainingPairs, choose_pairs

Progress = Callable[[str], None]

_ITERATIONS = 2000
_TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTrainingSettings:
    """How to train a pair model; the defaults are those of the preset `paper`.

    `document_threshold` is sigma; `pairs` are those learned from; `features` are compared, except those of the groups
    `without`, and `tag_length` letters of the tags (None: all). `penalties` are the values of C to choose from (smaller
    is stronger); `minimum_similarity` defines the links counted in the report.
    """

    document_threshold: float = 0.4
    pairs: TrainingPairs = "similar"
    features: tuple[str, ...] = PAPER_NAMES
    tag_length: int | None = None
    without: tuple[str, ...] = ()
    penalties: tuple[float, ...] = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0)
    folds: int = 5
    minimum_similarity: float = 0.5

    def __post_init__(self) -> None:
        if not self.penalties or min(self.penalties) <= 0:
            raise UsageError(
                f"the values of C are {list(self.penalties)}", expected="at least one value, all above 0"
            )
        if self.folds < 2:
            raise UsageError(f"there are {self.folds} folds", expected="2 or more")
        select_features(self.features, self.without)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The features of pairs as a matrix: one row per pair; columns are numeric features, then pairs of tags."""

    columns: sparse.csr_array
    names: tuple[str, ...]
    tag_pairs: tuple[TagPair, ...]
    tag_length: int | None = None

    @classmethod
    def of(
        cls,
        table: MentionTable,
        pairs: Pairs,
        *,
        features: Collection[str] = PAPER_NAMES,
        tag_length: int | None = None,
        without: Collection[str] = (),
    ) -> Design:
        """Compute features of pairs, except for some groups."""
        numeric = {f.name: f.compare(table, pairs.i, pairs.j) for f in select_features(features, without)}
        tags, names = _tag_columns(table, pairs, tag_length) if TAGS not in without else (None, ())
        blocks = [sparse.csr_array(values[:, np.newaxis]) for values in numeric.values()]
        return cls(
            columns=sparse.hstack([*blocks, tags] if tags is not None else blocks, format="csr"),
            names=tuple(numeric),
            tag_pairs=names,
            tag_length=tag_length,
        )

    def model(self, weights: Floats, intercept: float, about: Mapping[str, Any]) -> PairModel:
        """Return the pair model with these weights of the columns."""
        numbers = weights.tolist()
        return PairModel(
            weights=dict(zip(self.names, numbers, strict=False)),
            tag_weights=dict(zip(self.tag_pairs, numbers[len(self.names) :], strict=True)),
            intercept=intercept,
            tag_length=self.tag_length,
            about=about,
        )


def _tag_columns(
    table: MentionTable, pairs: Pairs, length: int | None
) -> tuple[sparse.csr_array, tuple[TagPair, ...]]:
    """Return one-hot columns of the pairs of tags that occur; unordered pairs count half in both orders."""
    tags, number = np.unique([tag[:length] for tag in table.heads.tags], return_inverse=True)
    *both, in_order = tag_pairs(table, pairs.i, pairs.j)
    (first, second), width = (number[each] for each in both), len(tags)
    forth, back = first.astype(np.int64) * width + second, second.astype(np.int64) * width + first
    codes, column = np.unique(np.concatenate([forth, back[~in_order]]), return_inverse=True)
    row = np.arange(len(pairs))
    values = np.concatenate([np.where(in_order, 1.0, 0.5), np.full((~in_order).sum(), 0.5)])
    cells = (np.concatenate([row, row[~in_order]]), column)
    names = tuple((str(tags[code // width]), str(tags[code % width])) for code in codes.tolist())
    return sparse.coo_array((values, cells), shape=(len(pairs), len(codes))).tocsr(), names


@dataclass(frozen=True, slots=True)
class Trial:
    """Cross-validation of one value of C: the log loss of each fold, and the average precision of all pairs."""

    penalty: float
    losses: tuple[float, ...]
    average_precision: float

    @property
    def log_loss(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.losses))


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What training found besides the weights.

    `calibration` is cross-validated, at the chosen C. `links_per_mention` is the average number of candidate links of
    a mention in the whole corpus.
    """

    pairs: int
    same: int
    penalty: float
    trials: tuple[Trial, ...]
    calibration: Calibration
    links_per_mention: float


@dataclass(frozen=True, slots=True)
class Trained:
    """A pair model and the report of its training."""

    model: PairModel
    report: TrainingReport


def train(
    data: LabelledMentions,
    *,
    learn: Collection[str] | None = None,
    settings: PairTrainingSettings | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Train on mentions with gold events.

    C is chosen on all topics; the returned model is then fitted to the topics in `learn` (default: all).
    """
    settings = settings or PairTrainingSettings()
    log = progress or (lambda _: None)
    if len(data.topics) < 2:
        raise DataError(
            f"all documents have the same topic, {data.topics[0]!r}"
            if data.topics
            else "there are no documents",
            expected="two or more topics, to choose C on topics that were not trained on",
        )
    table = data.table
    pairs = choose_pairs(data, settings.pairs, document_threshold=settings.document_threshold)
    same = data.same(pairs)
    log(f"{len(pairs):,} pairs, {int(same.sum()):,} of the same event")
    design = Design.of(
        table,
        pairs,
        features=settings.features,
        tag_length=settings.tag_length,
        without=settings.without,
    )
    topic = data.topic[table.document]

    validated = {}
    for penalty in settings.penalties:
        validated[penalty] = _cross_validate(design, pairs, same, topic % settings.folds, penalty)
        log(f"C = {penalty:g}: cross-validated log loss {validated[penalty].trial.log_loss:.4f}")
    penalty = strongest_penalty([held_out.trial for held_out in validated.values()])
    best = validated[penalty]

    learned = np.array([learn is None or name in learn for name in data.topics])
    kept = learned[topic][pairs.i] & learned[topic][pairs.j]
    fitted = _fit(design, kept, same, penalty)
    about = {
        "C": penalty,
        "document_threshold": settings.document_threshold,
        "pair_choice": settings.pairs,
        "without": list(settings.without),
        "pairs": int(kept.sum()),
    }
    model = design.model(fitted.coef_[0], float(fitted.intercept_[0]), about)
    report = TrainingReport(
        pairs=int(kept.sum()),
        same=int(same[kept].sum()),
        penalty=penalty,
        trials=tuple(held_out.trial for held_out in validated.values()),
        calibration=calibration(best.probability, best.same),
        links_per_mention=_links_per_mention(table, model, settings.minimum_similarity),
    )
    log(
        f"fitted to {report.pairs:,} pairs: C = {penalty:g}, intercept {model.intercept:.2f}, "
        f"{report.links_per_mention:.1f} candidate links per mention"
    )
    return Trained(model, report)


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """Probabilities and gold labels of held-out pairs."""

    trial: Trial
    probability: Floats
    same: Booleans


def _cross_validate(design: Design, pairs: Pairs, same: Booleans, fold: Indices, penalty: float) -> _HeldOut:
    first, second = pairs.look_up(fold)
    probability = np.full(len(pairs), np.nan)
    losses = []
    for number in np.unique(fold).tolist():
        inside = (first == number) & (second == number)
        if inside.any():
            fitted = _fit(design, (first != number) & (second != number), same, penalty)
            probability[inside] = fitted.predict_proba(design.columns[inside])[:, 1]
            losses.append(float(log_loss(same[inside], probability[inside], labels=[False, True])))
    if not losses:
        raise DataError(
            "no topic has a pair of mentions to choose C on", expected="two or more mentions in a document"
        )
    scored = ~np.isnan(probability)
    predicted, truth = probability[scored], same[scored]
    precision = float(average_precision_score(truth, predicted)) if truth.any() else 0.0
    return _HeldOut(Trial(penalty, tuple(losses), precision), predicted, truth)


def _links_per_mention(table: MentionTable, model: PairModel, minimum_similarity: float) -> float:
    links = find_links(table, model, settings=LinkSettings(minimum_similarity=minimum_similarity))
    return 2 * len(links.pairs) / len(table)


def strongest_penalty(trials: Sequence[Trial]) -> float:
    """Return the smallest C whose loss is within one standard error of the difference from the lowest loss."""
    best = min(trials, key=lambda trial: trial.log_loss)

    def close(trial: Trial) -> bool:
        excess = np.subtract(trial.losses, best.losses)
        return bool(excess.mean() <= excess.std(ddof=min(1, len(excess) - 1)) / np.sqrt(len(excess)))

    return min(trial.penalty for trial in trials if close(trial))


def _fit(design: Design, rows: Booleans, same: Booleans, penalty: float) -> LogisticRegression:
    truth = same[rows]
    if truth.all() or not truth.any():
        raise DataError(
            f"of {len(truth)} pairs to learn from, {int(truth.sum())} are of the same event",
            expected="pairs of the same event and pairs of different events in every fold",
            hint="add annotated documents, or use fewer folds",
        )
    # One thread: sums over several would differ in their last bits.
    with threadpool_limits(1):
        return LogisticRegression(C=penalty, max_iter=_ITERATIONS, tol=_TOLERANCE).fit(
            design.columns[rows], truth
        )
