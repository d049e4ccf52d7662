"""All metrics of a pairing in one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from samevent.corpus import Clustering, Corpus, Kind, Unit
from samevent.scoring import bcubed, blanc, ceaf, detection, lea, muc
from samevent.scoring.pairing import Filter, Pairing, Singletons, pair
from samevent.scoring.table import Floats, Metric

METRICS: tuple[Metric, ...] = (
    muc.METRIC,
    bcubed.METRIC,
    ceaf.ENTITY_METRIC,
    ceaf.MENTION_METRIC,
    blanc.METRIC,
    lea.METRIC,
    detection.METRIC,
)
CONLL = ("muc", "bcubed", "ceafe")
"""The metrics whose F1 the CoNLL score averages."""


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and F1 as fractions of 1."""

    recall: float
    precision: float
    f1: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one system against one gold standard, micro-averaged over units."""

    muc: Score
    bcubed: Score
    ceafe: Score
    ceafm: Score
    blanc: Score
    lea: Score
    mentions: Score
    conll: float
    notes: tuple[str, ...] = field(default=(), compare=False)

    def to_json(self) -> dict[str, dict[str, float] | float]:
        """Return plain values, keyed as the command line prints them."""
        values: dict[str, dict[str, float] | float] = {}
        for metric in METRICS:
            score: Score = getattr(self, metric.name)
            values[metric.name] = {f.name: getattr(score, f.name) for f in fields(Score)}
        return values | {"conll": self.conll}


def score(
    gold: Corpus,
    system: Corpus | Clustering,
    *,
    unit: Unit = "document",
    filter: Filter = "none",
    singletons: Singletons = "keep",
    kind: Kind = "action",
) -> Scores:
    """Score a system's events against gold events.

    `unit`: clusters are split into these before they are compared (document, sub-topic, topic or whole corpus);
    the sums of all units are added up (micro average). `filter`: keep only system mentions that match a gold
    mention. `singletons`: keep them, drop each side's own, or drop the gold ones from both sides (`drop-gold`).
    """
    return scores_of(pair(gold, system, unit=unit, filter=filter, singletons=singletons, kind=kind))


def scores_of(pairing: Pairing) -> Scores:
    """Score a pairing."""
    sums = {name: tally.sum(axis=0) for name, tally in tallies(pairing).items()}
    values = {metric.name: Score(*map(float, metric.score(sums[metric.name]))) for metric in METRICS}
    conll = sum(values[name].f1 for name in CONLL) / len(CONLL)
    return Scores(**values, conll=conll, notes=pairing.notes)


def tallies(pairing: Pairing) -> dict[str, Floats]:
    """Return the sums of every metric, one row per unit."""
    table = pairing.table()
    return {metric.name: metric.tally(table) for metric in METRICS}


def f1_of(sums: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return F1 of every metric and the CoNLL score from sums (sums on the last axis)."""
    f1 = {metric.name: metric.score(sums[metric.name])[..., 2] for metric in METRICS}
    return f1 | {"conll": np.mean([f1[name] for name in CONLL], axis=0)}
