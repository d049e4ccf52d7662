"""Scores of answers: averages over runs, bootstrap intervals over topics, paired tests.

As in the paper, the last sample of every run is scored, and the scores are averaged. The bootstrap resamples topics;
the scores of a draw are averaged over runs as well, and two systems are compared on the same draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samevent.scoring import METRICS, Pairing, Score, scores_of
from samevent.scoring.bootstrap import replicate
from samevent.scoring.scores import CONLL
from samevent.scoring.table import Floats, Integers, Metric
from samevent.seeds import stream

SHOWN: tuple[Metric, ...] = tuple(metric for metric in METRICS if metric.name in (*CONLL, "lea"))
"""The metrics of a row."""
LEVEL = 0.95
DRAWS, DRAWS_ACROSS = 1000, 200
"""Numbers of bootstrap draws; fewer where a unit crosses topics, because every draw is scored from scratch there."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A system at one level: scores averaged over its answers, and the CoNLL score of every answer and draw."""

    scores: Mapping[str, Score]
    conll: float
    by_answer: tuple[float, ...]
    draws: Floats
    clusters: float

    def minus(self, other: Scored) -> dict[str, Any]:
        """Return the difference from another system on the same draws, with a two-sided p-value."""
        deltas = self.draws - other.draws
        tail = min(int((deltas <= 0).sum()), int((deltas >= 0).sum()))
        return {
            "conll": self.conll - other.conll,
            "interval": interval(deltas),
            "p_value": min(1.0, 2 * (tail + 1) / (len(deltas) + 1)),
        }

    def to_json(self) -> dict[str, Any]:
        """Return the figures of a row."""
        metrics = {
            name: {"precision": score.precision, "recall": score.recall, "f1": score.f1}
            for name, score in self.scores.items()
        }
        return metrics | {
            "conll": self.conll,
            "conll_interval": interval(self.draws),
            "conll_runs": list(self.by_answer),
            "clusters": self.clusters,
        }


def scored(pairings: Sequence[Pairing], *, seed: int = 0) -> Scored:
    """Score the answers of a system, each paired with the same gold events."""
    runs = [scores_of(pairing) for pairing in pairings]
    by_answer = tuple(scores.conll for scores in runs)
    return Scored(
        scores={
            metric.name: Score(*_means([_figures(getattr(each, metric.name)) for each in runs]))
            for metric in SHOWN
        },
        conll=float(np.mean(by_answer)),
        by_answer=by_answer,
        draws=np.mean(
            [_draws(pairing, each.conll, seed) for pairing, each in zip(pairings, runs, strict=True)], axis=0
        ),
        clusters=float(np.mean([len(pairing.table().system_sizes) for pairing in pairings])),
    )


def _figures(score: Score) -> tuple[float, float, float]:
    return score.recall, score.precision, score.f1


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    return [float(value) for value in np.mean(rows, axis=0)]


def _draws(pairing: Pairing, conll: float, seed: int) -> Floats:
    """Return the CoNLL score of every draw of topics, given the score on all topics.

    A draw has fewer distinct topics than the corpus. Where a unit crosses topics, there are fewer to confuse, and the
    draws are biased upwards: they are centred on the score.
    """
    count = len(pairing.groups)
    group_of = np.zeros(len(pairing.units), np.int64)
    group_of[pairing.unit] = pairing.group
    if (group_of[pairing.unit] == pairing.group).all():
        weights = _weights(count, DRAWS, seed)[:, group_of].astype(np.float64)
        tallies = {metric.name: metric.tally(pairing.table()) for metric in SHOWN}
        return _conll({name: weights @ tally for name, tally in tallies.items()})
    drawn = [replicate(pairing, times).table() for times in _weights(count, DRAWS_ACROSS, seed)]
    sums = {metric.name: [metric.tally(table).sum(axis=0) for table in drawn] for metric in SHOWN}
    draws = _conll({name: np.array(rows) for name, rows in sums.items()})
    centred: Floats = draws - draws.mean() + conll
    return centred


def _weights(count: int, draws: int, seed: int) -> Integers:
    """Return how often each group is in each draw."""
    picks = stream(seed, "bootstrap", count, draws).integers(count, size=(draws, count))
    return np.stack([np.bincount(row, minlength=count) for row in picks])


def _conll(sums: Mapping[str, Floats]) -> Floats:
    f1 = [metric.score(sums[metric.name])[..., 2] for metric in SHOWN if metric.name in CONLL]
    mean: Floats = np.mean(f1, axis=0)
    return mean


def interval(values: Floats) -> dict[str, float]:
    """Return the central interval of some draws."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {"low": float(low), "high": float(high)}
