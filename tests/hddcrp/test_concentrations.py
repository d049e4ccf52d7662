from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from franchise import Partition, integrated_posterior, p_value
from samevent.errors import UsageError
from samevent.hddcrp import hdp
from samevent.hddcrp.concentrations import GammaPrior, draw_concentration
from samevent.hddcrp.franchise import Draws
from samevent.hddcrp.observations import Channel
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.randoms import seeded
from samevent.hddcrp.runner import Pace
from samevent.seeds import stream

WITHIN, ACROSS = GammaPrior(2.0, 1.5), GammaPrior(1.0, 0.5)


def equally_probable(prior: GammaPrior, count: int = 2000) -> np.ndarray:
    return stats.gamma(prior.shape, scale=1 / prior.rate).ppf((np.arange(count) + 0.5) / count)


@pytest.mark.parametrize(("sizes", "tables"), [([7], 3), ([1, 1, 1], 3), ([4, 0, 9, 2], 8), ([60, 80], 120)])
def test_a_concentration_is_drawn_from_its_conditional(sizes: list[int], tables: int) -> None:
    customers, generator = np.array(sizes), stream(0, "conditional", tables)

    def log_density(alpha: float) -> float:
        steps = sum(gammaln(alpha + n) - gammaln(alpha) for n in sizes)
        return float(WITHIN.log_density(alpha) + tables * np.log(alpha) - steps)

    values = np.geomspace(1e-4, 1e3, 20_000)
    logs = np.array([log_density(value) for value in values]) + np.log(values)
    below = np.cumsum(np.exp(logs - logs.max()))

    alpha, draws = 1.0, []
    for number in range(4000):
        alpha = draw_concentration(alpha, WITHIN, customers, tables, generator)
        if number % 8 == 7:
            draws.append(alpha)
    positions = np.interp(draws, values, below / below[-1])
    assert stats.kstest(positions, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_partitions_and_concentrations_are_drawn_from_their_posterior(seed: int) -> None:
    document, words = np.array([0, 0, 1, 0, 1]), [[0], [0], [0, 1], [1], [2]]
    channels = [Channel(Rows.counted(words), 3, 0.4)]
    within, across = equally_probable(WITHIN), equally_probable(ACROSS)
    middles = [np.median(within), np.median(across)]
    state = hdp.init(document, channels, seeded(seed, "integrated"), priors=(WITHIN, ACROSS))
    hdp.sweep(state, sweeps=50)

    def draw() -> Partition:
        hdp.sweep(state, sweeps=12)
        return *state.labels.tolist(), *(state.alphas > middles).astype(int).tolist()

    assert p_value(integrated_posterior(document, channels, within, across), draw, 2500) > 1e-3


def test_documents_of_many_clusters_have_a_large_concentration() -> None:
    """No two customers of a document show the same word: nearly all sit alone, and alpha_d leaves its start."""
    document, words = np.repeat(np.arange(8), 20), [[n % 20] for n in range(160)]
    channels = [Channel(Rows.counted(words), 20, 1e-7)]
    state = hdp.init(document, channels, seeded(0, "many"), priors=(WITHIN, ACROSS))
    hdp.sweep(state, sweeps=50)
    drawn = []
    for _ in range(100):
        hdp.sweep(state)
        drawn.append(state.alpha_within)
    assert min(drawn) > 10 * hdp.ALPHA_WITHIN


def test_log_joint_has_the_density_of_the_concentrations() -> None:
    drawn = hdp.init([0, 0, 1], [], seeded(0, "joint"), priors=(WITHIN, ACROSS))
    within, across = drawn.alphas.tolist()
    fixed = hdp.init([0, 0, 1], [], seeded(0, "joint"), alpha_within=within, alpha_across=across)
    densities = stats.gamma.logpdf(within, 2.0, scale=1 / 1.5) + stats.gamma.logpdf(across, 1.0, scale=2.0)
    assert hdp.Info.of(drawn).log_joint - hdp.Info.of(fixed).log_joint == pytest.approx(densities)


@pytest.mark.parametrize("alpha", [0.01, 300.0])
def test_chains_begin_with_concentrations_that_suit_their_seats(alpha: float) -> None:
    """Thirty customers of each document are alone, or all at one table; the given value is forgotten."""
    document = np.repeat(np.arange(20), 30)

    def first(labels: np.ndarray | None) -> float:
        state = hdp.init(
            document, [], seeded(0, "seats"), labels=labels, alpha_within=alpha, priors=(WITHIN, ACROSS)
        )
        return state.alpha_within

    assert first(None) > 50
    assert first(np.zeros(600, int)) < 0.5


def test_interrupted_chains_continue_with_the_same_concentrations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = stream(3, "lines")
    document = random.integers(6, size=90)
    channels = [Channel(Rows.counted(random.integers(9, size=(90, 2)).tolist()), 9, 0.1)]

    def sample(**options: Any) -> Draws:
        return hdp.sample(document, channels, priors=(WITHIN, ACROSS), runs=2, sweeps=30, keep=3, **options)

    whole = sample()
    monkeypatch.setattr("samevent.hddcrp.franchise.PACE", Pace(1000, seconds_per_checkpoint=-1.0))
    path, calls = tmp_path / "run.npz", list[int]()

    def interrupt(done: int, _: int) -> None:
        calls.append(done)
        if len(calls) > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample(checkpoint=path, progress=interrupt)
    resumed = sample(checkpoint=path)
    assert resumed.samples.tobytes() == whole.samples.tobytes()
    assert resumed.log_joint.tobytes() == whole.log_joint.tobytes()
    with pytest.raises(UsageError, match="another problem or other settings"):
        hdp.sample(document, channels, runs=2, sweeps=30, keep=3, checkpoint=path)


def test_only_chains_with_a_fixed_concentration_of_documents_are_annealed() -> None:
    random = stream(5, "lines")
    document = random.integers(4, size=40)
    channels = [Channel(Rows.counted(random.integers(9, size=(40, 1)).tolist()), 9, 0.01)]

    def ends(priors: hdp.Priors) -> bool:
        """Whether a run of ten sweeps is one without annealing."""
        plain = hdp.init(document, channels, seeded(0, "hdp", 0), priors=priors)
        hdp.sweep(plain, sweeps=10)
        run = hdp.sample(document, channels, priors=priors, runs=1, sweeps=10)
        return bool(np.array_equal(run.samples[0, -1], plain.labels))

    assert [ends(priors) for priors in ((WITHIN, ACROSS), (WITHIN, None), (None, ACROSS), hdp.FIXED)] == [
        True, True, False, False
    ]  # fmt: skip


def test_a_concentration_without_a_prior_is_fixed() -> None:
    state = hdp.init([0, 0, 1, 1], [], seeded(0, "one"), priors=(WITHIN, None), alpha_across=0.7)
    hdp.sweep(state, sweeps=3)
    assert state.alpha_across == 0.7
    assert state.alpha_within != hdp.ALPHA_WITHIN


def test_priors_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'prior_across' is \(1.0, 0.0\); expected shape and rate"):
        hdp.sample([0, 0], [], priors=(WITHIN, GammaPrior(1.0, 0.0)))
