"""Which detections of which seismic stations belong to the same tremor?

The HDDCRP on data that have nothing to do with text. A station is a group, a detection is a row, a tremor is a
cluster: a station may detect a tremor several times, one wave after another, and several stations detect it. What is
observed are codes of wave forms. Detections that are close in time have a high affinity, within a station and, with
an allowance for the time that waves travel, between stations. The data are simulated, so the answer is known.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp import HDDCRP, affinity_from_distance
from samevent.seeds import stream

STATIONS, TREMORS, CODES = 12, 150, 30
HOURS, KM, KM_PER_SECOND = 2, 100, 6.0
HALF_LIFE = 4.0
"""Seconds after which the affinity of two detections has halved."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def detections(seed: int) -> tuple[Integers, Floats, Integers, Integers]:
    """Simulate tremors; return station, time, counts of codes and true tremor of each detection, in order of time."""
    random = stream(seed, "tremors")
    sites = random.uniform(0, KM, size=(STATIONS, 2))
    rows = []
    for tremor in range(TREMORS):
        time, place = random.uniform(0, HOURS * 3600), random.uniform(0, KM, size=2)
        codes = random.integers(CODES, size=3)
        for station in np.flatnonzero(random.random(STATIONS) < 0.6):
            for _ in range(1 + random.poisson(0.5)):
                arrival = time + np.hypot(*(sites[station] - place)) / KM_PER_SECOND + random.exponential(1.0)
                rows.append((arrival, int(station), random.choice(codes, size=2).tolist(), tremor))
    rows.sort()
    times, stations, words, truth = zip(*rows, strict=True)
    counts = np.array([np.bincount(codes, minlength=CODES) for codes in words])
    return np.array(stations), np.array(times), counts, np.array(truth)


def cluster(station: Integers, time: Floats, counts: Integers) -> HDDCRP:
    """Fit the model; detections whose affinity is below a half cannot link."""
    gap = np.abs(time[:, None] - time[None, :])
    # Between stations, waves may have travelled for longer.
    allowance = np.where(station[:, None] == station[None, :], 0.0, KM / KM_PER_SECOND / 2)
    affinity = affinity_from_distance(
        np.maximum(0, gap - allowance), decay="exponential", scale=HALF_LIFE / np.log(2), minimum=0.5
    )
    model = HDDCRP(dirichlet=0.01, sweeps=1600, random_state=1)
    return model.fit(counts, groups=station, affinity=affinity)


def main() -> None:
    """Fit, and compare with the truth."""
    station, time, counts, truth = detections(seed=1)
    model = cluster(station, time, counts)
    posterior, labels = model.posterior_, model.labels_
    i, j = np.triu_indices(len(truth), 1)
    same, predicted = truth[i] == truth[j], labels[i] == labels[j]
    correct = (same & predicted).sum()
    lines = [
        f"{len(truth)} detections at {STATIONS} stations",
        posterior.verdict,
        f"tremors: {len(set(truth.tolist()))} true, {model.n_clusters_} predicted",
        f"pairs of the same tremor: precision {correct / predicted.sum():.1%}, recall {correct / same.sum():.1%}",
    ]
    right = truth[posterior.left] == truth[posterior.right]
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
        inside = (posterior.together >= low) & ((posterior.together < high) | (high == 1))
        share = right[inside].mean()
        lines.append(f"P(same tremor) {low} to {high}: {inside.sum():5d} pairs, {share:6.1%} of them true")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
