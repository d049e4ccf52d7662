"""Many sets of weights on one graph: each as if it were alone, and their average."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from problems import posterior_of_partitions, random_problem, with_constraints, with_fields
from samevent.errors import DataError, UsageError
from samevent.hddcrp import Problem, fit, mixture
from samevent.hddcrp.fit import FitSettings, _Layouts
from samevent.hddcrp.mixture import Mixture, Uncertainty, average, fit_many, fit_uncertain, reweighted
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.runner import Pace
from samevent.partitions.diagnostics import ConvergenceWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")


def shifted(problem: Problem, shifts: list[float]) -> dict[str, Any]:
    """Return affinities with shifted log-odds, 0 below the middle: links vanish at low shifts."""

    def weights(values: NDArray[Any]) -> NDArray[np.float64]:
        odds = np.exp(np.log(values)[None] + np.array(shifts)[:, None])
        return np.where(odds < 0.9, 0.0, odds)

    return {"within": weights(problem.within.values), "across": weights(problem.across.values)}


def alone(problem: Problem, weights: dict[str, NDArray[np.float64]], k: int) -> Problem:
    """Build one problem of a batch from scratch."""

    def rows(name: str) -> Rows:
        links, values = getattr(problem, name), weights[name][k]
        kept = values > 0
        return Rows.from_triples(problem.customers, links.rows[kept], links.columns[kept], values[kept])

    return with_fields(problem, within=rows("within"), across=rows("across"))


@pytest.mark.parametrize(
    "settings",
    [
        FitSettings(sweeps=24, exact_limit=60),
        FitSettings(sweeps=24, exact_limit=60, sampler="paper"),
        FitSettings(sweeps=24, exact_limit=60, model="ddcrp"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_each_member_of_a_batch_is_what_it_would_be_alone(settings: FitSettings, jobs: int) -> None:
    problem = with_constraints(
        random_problem(4, customers=40, documents=8, density=0.03, vocabulary=8), 1, must=2, cannot=4
    )
    weights = shifted(problem, [-0.8, 0.0, 0.7, 1.5])
    seeds = [3, 3, 4, 5]
    posteriors = fit_many(problem, **weights, settings=settings, seeds=seeds, jobs=jobs)
    assert len({len(posterior.components) for posterior in posteriors}) > 1  # some fell apart
    for k, posterior in enumerate(posteriors):
        single = fit(
            alone(problem, weights, k), seed=seeds[k], model=settings.model, sampler=settings.sampler,
            sweeps=settings.sweeps, exact_limit=settings.exact_limit,
        )  # fmt: skip
        for name in ("best", "left", "right", "together", "samples", "last", "component"):
            assert getattr(posterior, name).tobytes() == getattr(single, name).tobytes(), name
        assert posterior.best_log_joint == single.best_log_joint
        assert posterior.component_traces.keys() == single.component_traces.keys()


def test_members_with_the_same_links_share_their_arrays() -> None:
    problem = random_problem(4, customers=30, density=0.1)
    layouts = _Layouts()
    one, two = (
        layouts.split(
            reweighted(problem, within=problem.within.values * c, across=problem.across.values * c), "hddcrp", "paper"
        )
        for c in (1.0, 2.0)
    )  # fmt: skip
    assert one.words is two.words
    assert one.left is two.left
    assert all(a.columns is b.columns for a, b in zip(one.links, two.links, strict=True))
    assert not np.array_equal(one.links[0].values, two.links[0].values)


@pytest.mark.parametrize("seed", range(3))
def test_average_over_a_grid_is_that_of_enumeration(seed: int) -> None:
    problem = random_problem(seed, customers=5, density=0.7)
    weights = shifted(problem, [-1.0, -0.4, 0.0, 0.4, 1.0])
    laws = [posterior_of_partitions(alone(problem, weights, k)) for k in range(5)]
    mixture = average(fit_many(problem, **weights, settings=FitSettings(keep=4000), seeds=range(5)))
    assert mixture.samples.shape == (5 * 4000, 5)
    for i in range(5):
        for j in range(i):
            expected = np.mean([sum(p for z, p in law.items() if z[i] == z[j]) for law in laws])
            # A pair that no link joins directly in some member is counted there in 4,000 samples.
            assert mixture.probability(i, j) == pytest.approx(expected, abs=0.02)


def test_average_is_exact_where_all_members_know_the_pair() -> None:
    problem = random_problem(2, customers=5, density=0.7)
    scales = np.array([0.5, 1.0, 3.0])[:, None]
    weights: dict[str, Any] = {
        "within": problem.within.values * scales,
        "across": problem.across.values * scales,
    }
    laws = [posterior_of_partitions(alone(problem, weights, k)) for k in range(3)]
    mixture = average(fit_many(problem, **weights))
    expected = [
        np.mean([sum(p for z, p in law.items() if z[i] == z[j]) for law in laws])
        for i, j in zip(mixture.left, mixture.right, strict=True)
    ]
    assert mixture.together == pytest.approx(expected, abs=1e-8)


def test_average_of_one_posterior_is_that_posterior() -> None:
    problem = random_problem(4, customers=40, documents=8, density=0.03)
    posterior = fit(problem)
    mixture = average([posterior])
    for name in ("samples", "left", "right", "together", "component"):
        assert np.array_equal(getattr(mixture, name), getattr(posterior, name)), name


def test_average_joins_components_that_any_member_joins() -> None:
    links = Rows.from_triples(4, [1, 3, 2], [0, 2, 1], [1.0, 1.0, 1.0])
    problem = Problem(document=[0, 1, 2, 3], words=Rows.empty(4), within=Rows.empty(4), across=links)
    nothing = np.zeros((2, 0))
    apart = fit_many(problem, within=nothing, across=[[1, 0, 0], [0, 0, 1]])
    mixture = average(apart)
    assert mixture.component is not None
    assert mixture.component.tolist() == [0, 0, 1, 1]
    assert mixture.probability(0, 2) == 0.0
    joined = average(fit_many(problem, within=nothing, across=[[1, 1, 0], [1, 0, 1]]))
    assert joined.component is not None
    assert joined.component.tolist() == [0, 0, 0, 0]


def test_interrupted_batch_ends_with_the_same_bytes(tmp_path: Path) -> None:
    problem = random_problem(4, customers=40, documents=8, density=0.03, vocabulary=8)
    weights, settings = shifted(problem, [-0.5, 0.5]), FitSettings(sweeps=40, exact_limit=50)
    whole = fit_many(problem, **weights, settings=settings)
    calls: list[int] = []

    def stop(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 3:
            raise KeyboardInterrupt

    options: dict[str, Any] = {
        "settings": settings,
        "checkpoint": tmp_path / "run.npz",
        "pace": Pace(500, -1.0),
    }
    with pytest.raises(KeyboardInterrupt):
        fit_many(problem, **weights, **options, progress=stop)
    resumed = fit_many(problem, **weights, **options)
    assert [one.samples.tobytes() for one in whole] == [one.samples.tobytes() for one in resumed]
    with pytest.raises(UsageError, match="another problem"):
        fit_many(problem, **shifted(problem, [-0.5, 0.6]), **options)


def test_unsettled_batches_warn_once() -> None:
    problem = random_problem(4, customers=40, documents=8, density=0.03, vocabulary=8)
    settings = FitSettings(sweeps=8, exact_limit=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit_many(problem, **shifted(problem, [0.5, 0.5, 0.5]), settings=settings)
    (warning,) = [one for one in caught if issubclass(one.category, ConvergenceWarning)]
    assert "and 2 more posteriors" in str(warning.message)
    assert warning.filename == __file__


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            {"within": [[1.0]], "across": [[-1.0, 1.0]]},
            "'across' has the weight -1.0 at entry 0; expected 0 or",
        ),
        (
            {"within": [[1.0]], "across": [[1.0]]},
            r"'across' has weights of the shape \(1,\); expected \(2,\)",
        ),
        ({"within": [[np.nan]], "across": [[1.0, 1.0]]}, "'within' has the weight nan"),
    ],
)
def test_wrong_weights_are_errors(weights: dict[str, Any], message: str) -> None:
    problem = Problem(
        document=[0, 0, 1],
        words=Rows.empty(3),
        within=Rows.from_triples(3, [1], [0], [1.0]),
        across=Rows.from_triples(3, [2, 2], [0, 1], [1.0, 1.0]),
    )
    with pytest.raises(DataError, match=message):
        fit_many(problem, **weights)
    with pytest.raises(UsageError, match="2 rows of 'within', 1 rows of 'across' and 2 seeds"):
        fit_many(problem, within=[[1.0], [1.0]], across=[[1.0, 1.0]])


def test_average_needs_posteriors_of_the_same_shape() -> None:
    one, two = fit(random_problem(0, customers=3)), fit(random_problem(0, customers=4))
    with pytest.raises(DataError, match="the same shape for all"):
        average([one, two])
    with pytest.raises(DataError, match="at least one posterior"):
        average([])


def log_odds(problem: Problem, scale: float = 1.0) -> dict[str, Any]:
    """Return log-odds for the candidate links of a problem, some below and some above 0."""
    return {name: scale * np.log(getattr(problem, name).values / 1.2) for name in ("within", "across")}


def with_unit_affinities(problem: Problem, **fields: Any) -> Problem:
    rows = {
        name: Rows(links.starts, links.columns, np.ones(len(links.values)))
        for name, links in (("within", problem.within), ("across", problem.across))
    }
    return with_fields(problem, **rows, **fields)


def by_enumeration(
    problem: Problem, scores: dict[str, Any], shifts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return P(same cluster) of all pairs, the mean over shifts of posteriors that are enumerated one by one."""
    n = problem.customers
    mean = np.zeros((n, n))
    for shift in shifts:
        rows = {}
        for name in ("within", "across"):
            links, t = getattr(problem, name), scores[name] + shift
            kept = t >= 0
            weights = links.values[kept] * np.exp(t[kept])
            rows[name] = Rows.from_triples(n, links.rows[kept], links.columns[kept], weights)
        law = posterior_of_partitions(with_fields(problem, **rows))
        for i in range(n):
            for j in range(n):
                mean[i, j] += sum(p for z, p in law.items() if z[i] == z[j]) / len(shifts)
    return mean


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("constrained", [False, True])
def test_uncertain_affinities_are_integrated_exactly_in_exact_components(
    seed: int, constrained: bool
) -> None:
    problem = random_problem(seed, customers=6, density=0.5)
    if constrained:
        problem = with_constraints(problem, seed, must=1, cannot=1)
    scores, unsure = log_odds(problem, 2.0), Uncertainty(shift=-0.3, spread=1.2)
    mixture = fit_uncertain(problem, unsure, **scores, draws=7)
    expected = by_enumeration(problem, scores, unsure.shifts(7))
    assert len({member.components.size.max() for member in mixture.members}) > 1  # some fell apart
    assert len(mixture.left) == len(np.unique(np.sort(pairs_of(problem), axis=1), axis=0))
    assert mixture.together == pytest.approx(expected[mixture.left, mixture.right], abs=1e-8)


def pairs_of(problem: Problem) -> NDArray[np.integer]:
    links = (problem.within, problem.across)
    rows = [np.stack([rows.rows, rows.columns], axis=1) for rows in links]
    return np.concatenate([*rows, problem.must_link])


def test_uncertain_affinities_are_integrated_by_sampling() -> None:
    problem = random_problem(3, customers=6, density=0.6)
    scores, unsure = log_odds(problem, 2.0), Uncertainty(spread=1.5)
    settings = FitSettings(exact_limit=0, chains=4, sweeps=4000, seed=5)
    mixture = fit_uncertain(problem, unsure, **scores, draws=5, settings=settings)
    expected = by_enumeration(problem, scores, unsure.shifts(5))
    assert mixture.together == pytest.approx(expected[mixture.left, mixture.right], abs=0.03)


def test_without_uncertainty_the_draws_are_those_of_the_plain_model() -> None:
    problem = random_problem(4, customers=40, documents=8, density=0.03, vocabulary=8)
    unit, scores = with_unit_affinities(problem), log_odds(problem)
    settings = FitSettings(sweeps=24, exact_limit=60, seed=3)
    mixture = fit_uncertain(unit, Uncertainty(), **scores, draws=1, truncation=-np.inf, settings=settings)
    odds = {name: np.exp(scores[name]) for name in scores}
    plain = fit(reweighted(unit, **odds), seed=3, sweeps=settings.sweeps, exact_limit=settings.exact_limit)
    for name in ("samples", "left", "right", "together"):
        assert getattr(mixture, name).tobytes() == getattr(plain, name).tobytes(), name


def test_uncertain_fit_does_not_depend_on_jobs_or_interruption(tmp_path: Path) -> None:
    problem = random_problem(4, customers=40, documents=8, density=0.03, vocabulary=8)
    settings = FitSettings(sweeps=24, exact_limit=20, chains=2, keep=5)

    def fitted(**how: Any) -> Mixture:
        return fit_uncertain(
            problem, Uncertainty(spread=1), **log_odds(problem, 2.0), draws=4, settings=settings, **how
        )

    whole = fitted()
    assert whole.complete
    assert fitted(jobs=3).together.tobytes() == whole.together.tobytes()

    def stop(done: int, total: int) -> None:
        if done > total / 4:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"checkpoint": tmp_path / "run.npz", "pace": Pace(300, -1.0)}
    with pytest.raises(KeyboardInterrupt):
        fitted(**options, progress=stop)
    assert fitted(**options).samples.tobytes() == whole.samples.tobytes()
    assert not fitted(time_limit=0, pace=Pace(1, -1.0)).complete


def test_more_uncertainty_means_less_certain_probabilities() -> None:
    problem = random_problem(1, customers=6, density=0.8, likelihood_weight=0)
    scores: dict[str, Any] = {
        name: np.full(len(getattr(problem, name).values), 2.0) for name in ("within", "across")
    }
    means = [
        fit_uncertain(problem, Uncertainty(spread=spread), **scores).together.mean() for spread in (0, 1.5, 3)
    ]
    assert means[0] > means[1] > means[2]


def test_wrong_uncertainty_and_log_odds_are_errors() -> None:
    with pytest.raises(DataError, match="with a spread of -1"):
        Uncertainty(spread=-1)
    problem = random_problem(1, customers=5)
    with pytest.raises(DataError, match="log-odds of the shape"):
        fit_uncertain(problem, Uncertainty(), within=[1.0], across=log_odds(problem)["across"])


def test_mixture_is_settled_if_the_means_of_chains_are_close() -> None:
    problem = random_problem(4, customers=40, documents=8, density=0.03, vocabulary=8)
    settings = FitSettings(sweeps=8, exact_limit=1, chains=2)
    few, many = (
        fit_uncertain(problem, Uncertainty(spread=0.1), **log_odds(problem), draws=draws, settings=settings)
        for draws in (2, 32)
    )
    assert not few.settled
    assert many.chain_difference.max() < few.chain_difference.max() / 2
    assert few.settled == (few.chain_difference.max() <= 0.05)
    within, across = (np.stack([getattr(problem, name).values] * 2) for name in ("within", "across"))
    members = fit_many(problem, within=within, across=across, settings=settings, seeds=[1, 2])
    differences = [member.components.mean_difference[member.component] for member in members]
    assert Mixture.of(members).chain_difference == pytest.approx(np.hypot(*differences) / 2)


@pytest.mark.parametrize("seed", range(3))
def test_members_fitted_one_by_one_make_the_same_mixture(
    monkeypatch: pytest.MonkeyPatch, seed: int, tmp_path: Path
) -> None:
    problem = random_problem(seed, customers=30, documents=6, density=0.06, vocabulary=8)
    settings = FitSettings(sweeps=16, exact_limit=50, chains=2, keep=5)
    options: dict[str, Any] = {
        "uncertainty": Uncertainty(spread=1.5), **log_odds(problem), "draws": 5, "settings": settings,
    }  # fmt: skip
    whole = fit_uncertain(problem, **options)
    monkeypatch.setattr(mixture, "_TOGETHER", 0)
    calls: list[tuple[int, int]] = []
    for checkpoint in (None, tmp_path / "run.npz", tmp_path / "run.npz"):
        other = fit_uncertain(
            problem, **options, checkpoint=checkpoint, progress=lambda *done: calls.append(done)
        )
        for name in ("samples", "left", "right", "together", "component", "chain_difference"):
            assert getattr(whole, name).tobytes() == getattr(other, name).tobytes(), name
        assert (whole.sampled, whole.settled, whole.seed) == (other.sampled, other.settled, other.seed)
        assert [t.log_joint.tobytes() for t in whole.largest] == [
            t.log_joint.tobytes() for t in other.largest
        ]
    assert calls[-1] == (1000, 1000)
    assert not fit_uncertain(problem, **options, time_limit=0).complete
