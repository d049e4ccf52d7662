"""Which detections of which seismic stations belong to the same tremor?

The HDDCRP on data that has nothing to do with text. A station is a restaurant, a detection a customer, a tremor a
menu: a station may detect a tremor several times (one wave after another), and several stations detect it. What is
observed are codes of wave forms; what makes a link probable is closeness in time, within a station and, after the
time that waves take, between stations. The data are drawn here, so the answer is known.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp import Problem, Rows, fit
from samevent.seeds import stream

STATIONS, TREMORS, CODES = 12, 150, 30
HOURS, KM, KM_A_SECOND = 2, 100, 6.0
PATIENCE = 4.0
"""Affinity halves every so many seconds."""


def detections(
    seed: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64], list[list[int]], NDArray[np.int64]]:
    """Draw tremors; return station, corrected time, codes and true tremor of each detection, in order of time."""
    random = stream(seed, "tremors")
    sites = random.uniform(0, KM, size=(STATIONS, 2))
    rows = []
    for tremor in range(TREMORS):
        time, place = random.uniform(0, HOURS * 3600), random.uniform(0, KM, size=2)
        codes = random.integers(CODES, size=3)
        for station in np.flatnonzero(random.random(STATIONS) < 0.6):
            for _ in range(1 + random.poisson(0.5)):
                arrival = time + np.hypot(*(sites[station] - place)) / KM_A_SECOND + random.exponential(1.0)
                rows.append((arrival, int(station), random.choice(codes, size=2).tolist(), tremor))
    rows.sort()
    times, stations, words, truth = zip(*rows, strict=True)
    return np.array(stations), np.array(times), list(words), np.array(truth)


def problem_of(station: NDArray[np.int64], time: NDArray[np.float64], codes: list[list[int]]) -> Problem:
    """Turn detections into a problem: affinity falls with the time between, and ends below a half."""
    count = len(time)
    gap = np.abs(time[:, None] - time[None, :])
    # Between stations, waves may have been under way for longer.
    slack = np.where(station[:, None] == station[None, :], 0.0, KM / KM_A_SECOND / 2)
    affinity = 2.0 ** (-np.maximum(0, gap - slack) / PATIENCE)
    i, j = np.nonzero((affinity > 0.5) & ~np.eye(count, dtype=bool))
    same = station[i] == station[j]
    earlier = same & (j < i)
    return Problem(
        document=station,
        words=Rows.counted(codes),
        vocabulary=CODES,
        within=Rows.from_triples(count, i[earlier], j[earlier], affinity[i, j][earlier]),
        across=Rows.from_triples(count, i[~same], j[~same], affinity[i, j][~same]),
        dirichlet=0.01,
    )


def main() -> None:
    """Fit, and compare with the truth."""
    station, time, codes, truth = detections(seed=1)
    posterior = fit(problem_of(station, time, codes), seed=1, sweeps=1600)
    found = posterior.consensus().labels
    pairs = np.triu_indices(len(truth), 1)
    really, claimed = truth[pairs[0]] == truth[pairs[1]], found[pairs[0]] == found[pairs[1]]
    shared = (really & claimed).sum()
    right = truth[posterior.pairs.left] == truth[posterior.pairs.right]
    lines = [
        f"{len(truth)} detections at {STATIONS} stations",
        posterior.verdict,
        f"tremors: {len(set(truth.tolist()))} there were, {found.max() + 1} found",
        f"pairs of one tremor: {shared / claimed.sum():.1%} of those claimed are, "
        f"{shared / really.sum():.1%} of those that are were claimed",
    ]
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
        inside = (posterior.together >= low) & ((posterior.together < high) | (high == 1))
        share = right[inside].mean()
        lines.append(f"P(same tremor) {low} to {high}: {inside.sum():5d} pairs, {share:6.1%} of them true")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
