"""Uncertainty of scores: bootstrap intervals, and a paired test between two systems.

Documents of one topic resemble each other, so topics are drawn, not documents: as many as there are, with
replacement; a topic drawn twice counts twice. Where topics are unknown, units are drawn.

A draw has fewer distinct topics than the corpus. Where a unit spans topics (the whole corpus), there is less to
confuse, and draws score higher: they are shifted back, so that their mean is the score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samevent.errors import DataError
from samevent.scoring.pairing import Pairing
from samevent.scoring.scores import f1_of, tallies
from samevent.scoring.table import ABSENT, Floats, Integers
from samevent.seeds import stream


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle `level` of the bootstrap draws."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The F1 of system A minus that of system B, its interval, and a two-sided p-value."""

    difference: float
    interval: Interval
    p_value: float


def intervals(
    pairing: Pairing, *, samples: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Return the interval of every metric's F1 and of the CoNLL score."""
    draws = _shifted(pairing, _draws(pairing, samples, seed))
    return {name: _interval(np.clip(values, 0, 1), level) for name, values in draws.items()}


def differences(
    a: Pairing, b: Pairing, *, samples: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, Difference]:
    """Compare two systems on the same draws of the same gold standard.

    The p-value is twice the smaller share of draws on either side of no difference, counting the observed data as
    one more draw, so that it is never 0.
    """
    if a.groups != b.groups:
        raise DataError(
            "the two systems were paired with different gold standards",
            expected="the same gold standard and unit for both",
        )
    weights = _draws(a, samples, seed)
    observed, against = _observed(a), _observed(b)
    left, right = _shifted(a, weights), _shifted(b, weights)
    result = {}
    for name in left:
        deltas = left[name] - right[name]
        tail = min(int((deltas <= 0).sum()), int((deltas >= 0).sum()))
        result[name] = Difference(
            difference=observed[name] - against[name],
            interval=_interval(deltas, level),
            p_value=min(1.0, 2 * (tail + 1) / (samples + 1)),
        )
    return result


def resampled(pairing: Pairing, weights: Integers) -> dict[str, Floats]:
    """Return F1 of every metric for each row of `weights`, the number of times each group was drawn."""
    group_of = _group_of_units(pairing)
    if group_of is None:
        return _replicated(pairing, weights)
    # Sums are additive over units, so a group drawn twice counts its sums twice.
    by_unit = weights[:, group_of].astype(np.float64)
    return f1_of({name: by_unit @ tally for name, tally in tallies(pairing).items()})


def _observed(pairing: Pairing) -> dict[str, float]:
    """Return F1 of every metric on all groups."""
    once = np.ones((1, len(pairing.groups)), dtype=np.int64)
    return {name: float(values[0]) for name, values in resampled(pairing, once).items()}


def _shifted(pairing: Pairing, weights: Integers) -> dict[str, Floats]:
    """Return the draws without the bias of units that span groups."""
    draws = resampled(pairing, weights)
    if _group_of_units(pairing) is not None:
        return draws
    observed = _observed(pairing)
    return {name: values - values.mean() + observed[name] for name, values in draws.items()}


def replicate(pairing: Pairing, times: Integers) -> Pairing:
    """Return the pairing with the mentions of each group repeated `times` times, each copy with its own clusters.

    A unit inside one group is repeated with it; a unit across groups (the whole corpus) stays one unit.
    """
    inside = _group_of_units(pairing) is not None
    width = int(times.max(initial=1))
    repeats = times[pairing.group]
    index = np.repeat(np.arange(len(pairing.unit)), repeats)
    copy = np.arange(len(index)) - np.repeat(np.cumsum(repeats) - repeats, repeats)

    def copied(labels: Integers) -> Integers:
        return np.where(labels[index] == ABSENT, ABSENT, labels[index] * width + copy)

    return Pairing(
        unit=pairing.unit[index] * width + copy if inside else pairing.unit[index],
        group=pairing.group[index],
        gold=copied(pairing.gold),
        system=copied(pairing.system),
        units=tuple(f"{name}#{i}" for name in pairing.units for i in range(width))
        if inside
        else pairing.units,
        groups=pairing.groups,
    )


def _replicated(pairing: Pairing, weights: Integers) -> dict[str, Floats]:
    rows = [
        f1_of({name: tally.sum(axis=0) for name, tally in tallies(replicate(pairing, times)).items()})
        for times in weights
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _group_of_units(pairing: Pairing) -> Integers | None:
    """Return the group of each unit, or None if a unit spans several groups."""
    group_of = np.zeros(len(pairing.units), dtype=np.int64)
    group_of[pairing.unit] = pairing.group
    return group_of if bool((group_of[pairing.unit] == pairing.group).all()) else None


def _draws(pairing: Pairing, samples: int, seed: int) -> Integers:
    count = len(pairing.groups)
    if count < 2:
        raise DataError(
            "a bootstrap draws topics, or units where topics are unknown, and there is only one",
            expected="at least two",
            hint="give the documents topics, or score by document",
        )
    picks = stream(seed, "bootstrap", count, samples).integers(count, size=(samples, count))
    return np.stack([np.bincount(row, minlength=count) for row in picks])


def _interval(values: Floats, level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
