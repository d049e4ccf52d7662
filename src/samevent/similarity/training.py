"""Learning the pair model: logistic regression with an L2 penalty, its strength chosen out of fold.

Documents of one topic resemble each other, so folds are made of topics. A pair is scored by a model that has seen no
document of the pair's fold; pairs across folds are left aside. Of all values of C whose log loss is within one standard
error of the best, the smallest is taken: features that say nearly the same (for mentions of one word, equal heads
make equal words and equal synonyms) then share the weight instead of fighting over it. Classes are not re-weighted:
that would shift every probability, and with it what lies above the minimum similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, log_loss
from threadpoolctl import threadpool_limits

from samevent.errors import DataError, UsageError
from samevent.similarity.affinities import Settings as LinkSettings
from samevent.similarity.affinities import affinities
from samevent.similarity.bags import Booleans, Floats, Indices
from samevent.similarity.calibration import Calibration, calibration
from samevent.similarity.design import Design
from samevent.similarity.features import chosen
from samevent.similarity.labelled import Labelled
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs, training_pairs

Progress = Callable[[str], None]

_ITERATIONS = 2000
_TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to train; the values are those of the preset `paper`.

    `document_threshold` is sigma; `without` names feature groups to leave out; `by_case` gives every case weights of
    its own, for more features; `penalties` are the values of C to choose from (smaller is stronger);
    `minimum_similarity` is what counts as a link in the report.
    """

    document_threshold: float = 0.4
    without: tuple[str, ...] = ()
    by_case: bool = False
    penalties: tuple[float, ...] = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0)
    folds: int = 5
    minimum_similarity: float = 0.5

    def __post_init__(self) -> None:
        if not self.penalties or min(self.penalties) <= 0:
            raise UsageError(f"the values of C are {list(self.penalties)}", expected="some, all above 0")
        if self.folds < 2:
            raise UsageError(f"there are {self.folds} folds", expected="2 or more")
        chosen(self.without)


LIGHT = Settings(document_threshold=0.1, by_case=True, penalties=(0.1,), minimum_similarity=0.25)
"""How the pair model of the preset `light` is trained; `tools/tune_light.py` shows why."""
_LEAST_READ = 2
"""A word that was read in fewer documents is not worth its place in the file."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How well one value of C does out of fold: the log loss of each fold, and the average precision of all."""

    penalty: float
    losses: tuple[float, ...]
    average_precision: float

    @property
    def log_loss(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.losses))


@dataclass(frozen=True, slots=True)
class Report:
    """What came out of training beside the weights.

    `calibration` is out of fold, at the chosen C. `links_per_mention` says how many other mentions of the whole
    corpus a mention may be linked with.
    """

    pairs: int
    same: int
    penalty: float
    trials: tuple[Trial, ...]
    calibration: Calibration
    links_per_mention: float


@dataclass(frozen=True, slots=True)
class Trained:
    """A model and how it was found."""

    model: PairModel
    report: Report


def train(
    data: Labelled,
    *,
    learn: Collection[str] | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Learn from mentions whose events are known.

    C is chosen over all topics; the model that is returned is then fitted to the topics in `learn` (all of them
    unless told).
    """
    settings = settings or Settings()
    tell = progress or (lambda _: None)
    if len(data.topics) < 2:
        raise DataError(
            f"the documents are of {len(data.topics)} topic",
            expected="two topics or more, to choose C on topics that were not learned from",
        )
    table = data.table
    pairs = training_pairs(table, document_threshold=settings.document_threshold)
    same = data.same(pairs)
    tell(f"{len(pairs):,} pairs, {int(same.sum()):,} of the same event")
    design = Design.of(table, pairs, without=settings.without, by_case=settings.by_case)
    topic = data.topic[table.document]

    found = {}
    for penalty in settings.penalties:
        found[penalty] = _out_of_fold(design, pairs, same, topic % settings.folds, penalty)
        tell(f"C = {penalty:g}: log loss {found[penalty].trial.log_loss:.4f} out of fold")
    penalty = strongest_penalty([held_out.trial for held_out in found.values()])
    best = found[penalty]

    taken = np.array([learn is None or name in learn for name in data.topics])[topic]
    kept = taken[pairs.i] & taken[pairs.j]
    fitted = _fit(design, kept, same, penalty)
    about = {
        "C": penalty,
        "document_threshold": settings.document_threshold,
        "without": list(settings.without),
        "pairs": int(kept.sum()),
    }
    if settings.by_case:
        about["by_case"] = True
    model = design.model(fitted.coef_[0], float(fitted.intercept_[0]), about)
    if settings.by_case:
        learned = np.array([learn is None or data.topics[number] in learn for number in data.topic.tolist()])
        model = replace(model, background=table.read(learned).without_rare(_LEAST_READ))
    report = Report(
        pairs=int(kept.sum()),
        same=int(same[kept].sum()),
        penalty=penalty,
        trials=tuple(held_out.trial for held_out in found.values()),
        calibration=calibration(best.probability, best.same),
        links_per_mention=_links_per_mention(table, model, settings.minimum_similarity),
    )
    tell(
        f"fitted to {report.pairs:,} pairs: C = {penalty:g}, intercept {model.intercept:.2f}, "
        f"{report.links_per_mention:.1f} candidate links a mention"
    )
    return Trained(model, report)


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """What models said of pairs that they had not seen."""

    trial: Trial
    probability: Floats
    same: Booleans


def _out_of_fold(design: Design, pairs: Pairs, same: Booleans, fold: Indices, penalty: float) -> _HeldOut:
    first, second = pairs.of(fold)
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
            "no topic has a pair of mentions to choose C on", expected="two mentions or more in a document"
        )
    scored = ~np.isnan(probability)
    said, truth = probability[scored], same[scored]
    precision = float(average_precision_score(truth, said)) if truth.any() else 0.0
    return _HeldOut(Trial(penalty, tuple(losses), precision), said, truth)


def _links_per_mention(table: MentionTable, model: PairModel, minimum_similarity: float) -> float:
    found = affinities(table, model, settings=LinkSettings(minimum_similarity=minimum_similarity))
    return (2 * len(found.within.columns) + len(found.across.columns)) / len(table)


def strongest_penalty(trials: Sequence[Trial]) -> float:
    """Return the smallest C whose loss exceeds the least by no more than the standard error of the difference."""
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
            expected="pairs of the same event and pairs of different ones, in every fold",
            hint="give more annotated documents, or fewer folds",
        )
    # One thread: sums over several would differ in their last bits.
    with threadpool_limits(1):
        return LogisticRegression(C=penalty, max_iter=_ITERATIONS, tol=_TOLERANCE).fit(
            design.columns[rows], truth
        )
