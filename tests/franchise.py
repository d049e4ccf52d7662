"""Exact posteriors of the samplers with a CRP over tables, by enumerating every state."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from samevent.hddcrp.observations import Channel
from samevent.hddcrp.problem import Problem
from samevent.partitions.labels import canonical

Partition = tuple[int, ...]
Concentration = float | NDArray[np.float64]
"""One value, or equally probable ones to integrate over."""


def partitions(n: int, start: Partition = ()) -> Iterator[Partition]:
    """Yield every partition of n things once."""
    if len(start) == n:
        yield start
        return
    for label in range(max(start, default=-1) + 2):
        yield from partitions(n, (*start, label))


def seating_probability(partition: Partition, alpha: Concentration) -> Concentration:
    """Seat customers one by one in a Chinese restaurant."""
    probability, seated = np.ones_like(alpha), Counter[int]()
    for n, table in enumerate(partition):
        probability *= (seated[table] or alpha) / (n + alpha)
        seated[table] += 1
    return probability


def likelihood(partition: Partition, channels: Sequence[Channel]) -> float:
    """Multiply predictive probabilities of values, one token after another."""
    probability = 1.0
    for channel in channels:
        seen: Counter[tuple[int, int, int]] = Counter()
        totals: Counter[tuple[int, int]] = Counter()
        rows = channel.values
        for i, e in zip(rows.rows, range(len(rows.columns)), strict=True):
            value, k = int(rows.columns[e]), partition[i]
            parent = 0 if channel.parent is None else int(channel.parent[value])
            for _ in range(int(rows.values[e])):
                probability *= (seen[k, parent, value] + channel.dirichlet) / (
                    totals[k, parent] + channel.vocabulary * channel.dirichlet
                )
                seen[k, parent, value] += 1
                totals[k, parent] += 1
    return probability


def words_of(problem: Problem) -> list[Channel]:
    return [Channel(problem.words, problem.vocabulary, problem.dirichlet)]


def _normalised(
    masses: dict[Partition, float], channels: Sequence[Channel], weight: float
) -> dict[Partition, float]:
    posterior = {
        partition: mass * likelihood(partition, channels) ** weight for partition, mass in masses.items()
    }
    total = math.fsum(posterior.values())
    return {partition: mass / total for partition, mass in posterior.items()}


def _add_menus(
    masses: dict[Partition, float], tables: Sequence[int], mass: float, alpha: Concentration
) -> None:
    for menu in partitions(max(tables) + 1):
        labels = tuple(canonical([menu[t] for t in tables]).tolist())
        masses[labels] += mass * float(np.mean(seating_probability(menu, alpha)))


def links_posterior(problem: Problem, alpha: float) -> dict[Partition, float]:
    """Enumerate all customer links, then all ways in which their tables share clusters.

    Tables are the connected components of customer links and must-links; partitions that join a cannot-linked pair
    have no mass.
    """
    masses: dict[Partition, float] = defaultdict(float)
    rows = problem.within
    options = []
    for i in range(problem.customers):
        row = slice(rows.starts[i], rows.starts[i + 1])
        choices = [(i, problem.alpha_within), *zip(rows.columns[row].tolist(), rows.values[row], strict=True)]
        total = sum(weight for _, weight in choices)
        options.append([(j, weight / total) for j, weight in choices])
    for links in product(*options):
        tables = list(range(problem.customers))
        for i, j in [*((i, j) for i, (j, _) in enumerate(links)), *problem.must_link.tolist()]:
            tables = [tables[j] if table == tables[i] else table for table in tables]
        _add_menus(masses, canonical(tables).tolist(), math.prod(weight for _, weight in links), alpha)
    allowed = {
        z: mass for z, mass in masses.items() if all(z[i] != z[j] for i, j in problem.cannot_link.tolist())
    }
    return _normalised(allowed, words_of(problem), problem.likelihood_weight)


def franchise_posterior(
    document: NDArray[np.integer],
    channels: Sequence[Channel],
    alpha_within: float,
    alpha: float,
    likelihood_weight: float = 1.0,
) -> dict[Partition, float]:
    """Return the posterior, normalised."""
    return _normalised(franchise_prior(document, alpha_within, alpha), channels, likelihood_weight)


def franchise_prior(
    document: NDArray[np.integer], alpha_within: Concentration, alpha: Concentration
) -> dict[Partition, float]:
    """Enumerate all seatings in every document, then all ways in which tables share clusters."""
    masses: dict[Partition, float] = defaultdict(float)
    homes = [np.flatnonzero(document == d) for d in np.unique(document)]
    for seatings in product(*(partitions(len(home)) for home in homes)):
        tables = np.zeros(len(document), int)
        free = 0
        for home, seating in zip(homes, seatings, strict=True):
            tables[home] = np.array(seating) + free
            free += max(seating) + 1
        mass = math.prod(seating_probability(seating, alpha_within) for seating in seatings)
        _add_menus(masses, tables.tolist(), float(np.mean(mass)), alpha)
    return masses


def integrated_posterior(
    document: NDArray[np.integer],
    channels: Sequence[Channel],
    within: NDArray[np.float64],
    across: NDArray[np.float64],
) -> dict[Partition, float]:
    """Return the posterior of partition and concentrations, each in the lower (0) or upper half (1) of its values.

    The values, in ascending order, are equally probable a priori.
    """
    masses = {
        (*partition, low, high): mass * likelihood(partition, channels)
        for low, alphas in enumerate(np.split(within, 2))
        for high, gammas in enumerate(np.split(across, 2))
        for partition, mass in franchise_prior(document, alphas, gammas).items()
    }
    total = math.fsum(masses.values())
    return {state: mass / total for state, mass in masses.items()}


def p_value(posterior: dict[Partition, float], draw: Callable[[], Partition], draws: int) -> float:
    """Return the chi-square p-value of draws against a posterior; rare partitions are pooled."""
    seen = Counter(draw() for _ in range(draws))
    assert not set(seen) - set(posterior), "an impossible partition"
    common = [p for p, mass in posterior.items() if mass * draws >= 5]
    expected = [posterior[p] * draws for p in common]
    observed = [seen[p] for p in common]
    rest = draws - sum(expected)
    if rest >= 5:
        expected.append(rest)
        observed.append(draws - sum(observed))
    scaled = np.array(expected) / sum(expected) * sum(observed)
    return float(chisquare(observed, scaled).pvalue) if len(expected) > 1 else 1.0


def total_variation(posterior: dict[Partition, float], draw: Callable[[], Partition], draws: int) -> float:
    seen = Counter(draw() for _ in range(draws))
    return 0.5 * sum(abs(mass - seen[p] / draws) for p, mass in posterior.items())


def expected_total_variation(posterior: dict[Partition, float], draws: int) -> float:
    """Return the total variation to expect from independent draws: half the mean absolute deviations."""
    return 0.5 * sum(math.sqrt(2 * m * (1 - m) / (math.pi * draws)) for m in posterior.values())
