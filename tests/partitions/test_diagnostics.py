from __future__ import annotations

import math
import statistics
from itertools import combinations

import numpy as np
import pytest

from samevent.errors import DataError
from samevent.partitions.diagnostics import (
    ConvergenceWarning,
    Limits,
    agreement_of_chains,
    diagnose,
    effective_draws,
    neighbours_together,
    split_rhat,
)
from samevent.partitions.labels import Floats
from samevent.seeds import stream


def autoregressive(key: int, chains: int, draws: int, memory: float) -> Floats:
    random = stream(11, "ar", key)
    trace = np.empty((chains, draws))
    trace[:, 0] = random.standard_normal(chains) / math.sqrt(1 - memory**2)
    for t in range(1, draws):
        trace[:, t] = memory * trace[:, t - 1] + random.standard_normal(chains)
    return trace


def plain_scores(rows: list[list[float]]) -> list[list[float]]:
    """Rank-normalise in the plainest way: mean ranks of ties, then normal quantiles."""
    flat = sorted(x for row in rows for x in row)
    rank = {x: flat.index(x) + (flat.count(x) + 1) / 2 for x in set(flat)}
    normal = statistics.NormalDist()
    return [[normal.inv_cdf((rank[x] - 0.375) / (len(flat) + 0.25)) for x in row] for row in rows]


def plain_halves(trace: Floats) -> list[list[float]]:
    half = trace.shape[1] // 2
    return [part for row in trace.tolist() for part in (row[:half], row[len(row) - half :])]


def plain_variances(rows: list[list[float]]) -> tuple[float, float]:
    n = len(rows[0])
    within = statistics.mean(statistics.variance(row) for row in rows)
    between = n * statistics.variance([statistics.mean(row) for row in rows])
    return within, (n - 1) / n * within + between / n


def plain_rhat(trace: Floats) -> float:
    halves = plain_halves(trace)
    middle = statistics.median(x for row in halves for x in row)
    rhats = []
    for rows in (halves, [[abs(x - middle) for x in row] for row in halves]):
        within, pooled = plain_variances(plain_scores(rows))
        rhats.append(math.sqrt(pooled / within))
    return max(rhats)


def plain_effective_draws(trace: Floats) -> float:
    rows = plain_scores(plain_halves(trace))
    m, n = len(rows), len(rows[0])
    within, pooled = plain_variances(rows)

    def rho(lag: int) -> float:
        means = [statistics.mean(row) for row in rows]
        lagged = [
            sum((row[t] - mu) * (row[t + lag] - mu) for t in range(n - lag)) / (n - 1)
            for row, mu in zip(rows, means, strict=True)
        ]
        return 1 - (within - statistics.mean(lagged)) / pooled

    total, lowest, lag = 0.0, math.inf, 0
    while lag + 1 < n:
        pair = (1.0 if lag == 0 else rho(lag)) + rho(lag + 1)
        if pair < 0:
            break
        lowest = min(lowest, pair)
        total += lowest
        lag += 2
    return m * n / max(-1 + 2 * total, 1 / math.log10(m * n))


@pytest.mark.parametrize(
    ("chains", "draws", "memory"), [(4, 50, 0.0), (2, 61, 0.9), (1, 40, 0.5), (3, 30, -0.6)]
)
def test_mixing_agrees_with_the_textbook_written_out(chains: int, draws: int, memory: float) -> None:
    trace = np.round(autoregressive(chains, chains, draws, memory), 1)
    assert split_rhat(trace) == pytest.approx(plain_rhat(trace))
    assert effective_draws(trace) == pytest.approx(plain_effective_draws(trace))


def test_effective_draws_follow_the_memory_of_a_chain() -> None:
    memory = 0.8
    trace = autoregressive(1, 4, 4000, memory)
    assert effective_draws(trace) == pytest.approx(16000 * (1 - memory) / (1 + memory), rel=0.15)


def test_mixing_ignores_order_of_chains_and_monotone_changes() -> None:
    trace = autoregressive(2, 4, 100, 0.5)
    assert split_rhat(trace[::-1]) == pytest.approx(split_rhat(trace))
    assert effective_draws(np.exp(trace)) == pytest.approx(effective_draws(trace))


def test_rhat_sees_chains_apart_and_chains_of_different_width() -> None:
    trace = autoregressive(3, 4, 500, 0.0)
    assert split_rhat(trace) < 1.01
    assert split_rhat(trace + np.arange(4)[:, None]) > 1.2
    assert split_rhat(trace * np.array([1, 1, 1, 5])[:, None]) > 1.1


def test_constant_traces_have_settled_only_on_the_same_value() -> None:
    assert split_rhat(np.full((3, 10), 0.1)) == 1.0
    assert effective_draws(np.full((3, 10), 0.1)) == 30
    assert split_rhat(np.repeat([[0.1], [0.3]], 10, axis=1)) == math.inf
    assert effective_draws(np.repeat([[0.1], [0.3]], 10, axis=1)) < 4


def test_too_few_draws_give_nan() -> None:
    assert math.isnan(split_rhat([[1, 2, 3]]))
    assert math.isnan(effective_draws([[1, 2, 3], [3, 4, 5]]))
    assert "too few" in diagnose({"clusters": [[1, 2, 3], [1, 2, 3]]}).verdict


def test_agreement_is_that_of_all_pairs_of_chains() -> None:
    rows = stream(4, "agreement").random((5, 30))
    agreement = agreement_of_chains(rows)
    apart = np.array([np.abs(a - b) for a, b in combinations(rows, 2)])
    assert agreement.mean_difference == pytest.approx(apart.mean())
    assert agreement.largest_difference == pytest.approx(apart.max())
    assert agreement.in_different_modes == pytest.approx((apart.max(axis=0) >= 0.5).mean())


def test_agreement_of_one_chain_or_no_pairs_is_complete() -> None:
    assert agreement_of_chains(np.ones((1, 4))).largest_difference == 0
    assert agreement_of_chains(np.ones((3, 0))).in_different_modes == 0


def test_diagnosis_of_settled_chains_does_not_warn(recwarn: pytest.WarningsRecorder) -> None:
    together = np.full((4, 10), 0.3)
    diagnosis = diagnose({"log joint": autoregressive(5, 4, 1000, 0.2)}, together)
    assert diagnosis.settled
    assert diagnosis.verdict.startswith("4 chains of 1000 draws have settled")
    diagnosis.warn()
    assert not recwarn.list


def test_diagnosis_sees_modes_behind_flat_traces() -> None:
    together = np.full((4, 100), 0.3)
    together[0, 0], together[1, 0] = 1.0, 0.0
    diagnosis = diagnose({"log joint": autoregressive(5, 4, 1000, 0.2)}, together)
    assert diagnosis.reasons == ("chains disagree on 1.00% of the candidate pairs by half or more",)
    with pytest.warns(
        ConvergenceWarning, match=r"have not settled: chains disagree.*Try more sweeps; more chains"
    ):
        diagnosis.warn()


def test_diagnosis_of_one_chain_is_never_settled() -> None:
    diagnosis = diagnose({"clusters": autoregressive(6, 1, 1000, 0.0)}, np.full((1, 3), 0.5))
    assert diagnosis.agreement is None
    assert diagnosis.reasons == ("one chain cannot show whether another start would end elsewhere",)


def test_limits_define_settled() -> None:
    trace = autoregressive(7, 4, 200, 0.9)
    assert not diagnose({"clusters": trace}).settled
    assert diagnose({"clusters": trace}, limits=Limits(rhat=2.0, draws_per_chain=1.0)).settled


def test_invalid_traces_are_rejected() -> None:
    with pytest.raises(DataError, match="log joint"):
        diagnose({"log joint": [[1.0, float("nan")]]})
    with pytest.raises(DataError, match="the same for all"):
        diagnose({"a": [[1, 2]], "b": [[1, 2, 3]]})
    with pytest.raises(DataError, match="probabilities"):
        agreement_of_chains([[0.5, 1.5]])


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_together_matches_a_double_loop(seed: int) -> None:
    random = stream(seed, "neighbours")
    labels, samples = random.integers(4, size=12), random.integers(3, size=(3, 7, 12))
    pairs = []
    for i in range(12):
        later = [j for j in range(i + 1, 12) if labels[j] == labels[i]]
        pairs += [(i, later[0])] if later else []
    expected = [[np.mean([row[i] == row[j] for row in chain]) for i, j in pairs] for chain in samples]
    assert neighbours_together(labels, samples) == pytest.approx(np.array(expected))
    assert neighbours_together(np.arange(12), samples).shape == (3, 0)
    with pytest.raises(DataError, match="chains x samples x 3 customers"):
        neighbours_together([0, 1, 1], samples)
