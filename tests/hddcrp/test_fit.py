from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from distances import binder_distance
from problems import log_likelihood_by_hand, posterior_by_hand, random_problem, with_fields, without_words
from samevent.errors import DataError, UsageError
from samevent.hddcrp import ComponentPosterior, Problem, fit, sample
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.runner import Pace
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.labels import canonical

SAMPLERS: list[dict[str, Any]] = [{}, {"sampler": "paper"}, {"model": "ddcrp"}]


def several_components(seed: int = 4, customers: int = 40) -> Problem:
    """Components of many sizes, some too large to enumerate at a low limit."""
    return random_problem(seed, customers=customers, documents=8, density=0.8 / customers, vocabulary=8)


def quietly(problem: Problem, **options: Any) -> ComponentPosterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(problem, **options)


def assert_same(a: ComponentPosterior, b: ComponentPosterior) -> None:
    for name in ("best", "together", "samples", "last", "component"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name
    assert a.best_log_joint == b.best_log_joint
    assert a.component_traces.keys() == b.component_traces.keys()
    for number, traces in a.component_traces.items():
        for name, trace in traces.items():
            assert trace.tobytes() == b.component_traces[number][name].tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_fit_solves_small_problems_exactly(seed: int) -> None:
    problem = random_problem(seed, customers=5)
    posterior, by_hand = fit(problem), posterior_by_hand(problem)
    assert posterior.components.exact.all()
    for i in range(5):
        for j in range(5):
            expected = sum(p for z, p in by_hand.items() if z[i] == z[j])
            listed = (min(i, j), max(i, j)) in zip(posterior.left, posterior.right, strict=True)
            # The probability of a pair that no link joins directly is a share of 100 samples.
            assert posterior.probability(i, j) == pytest.approx(expected, abs=1e-8 if listed else 0.2)


@pytest.mark.parametrize("options", SAMPLERS)
def test_fit_samples_what_it_would_enumerate(options: dict[str, Any]) -> None:
    problem = random_problem(4, customers=8, documents=3, density=0.3)
    exact = fit(problem, **options)
    sampled = quietly(problem, exact_limit=1, sweeps=6000, **options)
    assert exact.components.exact.all()
    assert not sampled.components.exact[sampled.components.size > 1].any()
    assert sampled.together == pytest.approx(exact.together, abs=0.05)
    assert sampled.best_log_joint == exact.best_log_joint
    assert sampled.samples.shape == exact.samples.shape == (100, 8)


@pytest.mark.parametrize("options", SAMPLERS)
def test_fit_does_not_depend_on_threads_or_on_compiling(options: dict[str, Any]) -> None:
    problem = several_components()
    settings = {"exact_limit": 50, "sweeps": 16, "seed": 3, **options}
    results = []
    for jobs, threshold in ((1, 0), (3, 0), (2, np.inf)):
        results.append(quietly(problem, jobs=jobs, pace=Pace(compile_threshold=threshold), **settings))
    assert (~results[0].components.exact).any()
    assert (results[0].components.exact & (results[0].components.size > 1)).any()
    assert_same(results[0], results[1])
    assert_same(results[0], results[2])


def test_fit_does_not_depend_on_the_size_of_steps() -> None:
    problem = several_components()
    whole = quietly(problem, exact_limit=50, sweeps=40, check=True)
    assert_same(whole, quietly(problem, exact_limit=50, sweeps=40, pace=Pace(updates_per_step=300)))


def test_fit_draws_other_samples_with_another_seed() -> None:
    problem = several_components()
    one, two = (quietly(problem, exact_limit=50, sweeps=16, seed=seed) for seed in (1, 2))
    assert one.samples.tobytes() != two.samples.tobytes()


def test_labels_are_canonical_and_stay_in_their_components() -> None:
    posterior = quietly(several_components(), exact_limit=50, sweeps=16)
    for labels in (posterior.best, *posterior.samples, *posterior.last):
        firsts = [labels.tolist().index(k) for k in range(labels.max() + 1)]
        assert firsts == sorted(firsts)
        assert all(len(set(posterior.component[labels == k])) == 1 for k in range(labels.max() + 1))


def test_fit_best_is_at_least_as_probable_as_every_sweep() -> None:
    problem = several_components()
    posterior = quietly(problem, exact_limit=1, sweeps=80)
    alone = np.isin(np.arange(40), posterior.components.first[posterior.components.size == 1])
    heights = sum(traces["log joint"].max() for traces in posterior.component_traces.values())
    kept = alone[problem.words.rows]
    rows, columns, values = problem.words.rows[kept], problem.words.columns[kept], problem.words.values[kept]
    singles = with_fields(problem, words=Rows.from_triples(40, rows, columns, values))
    words_of_singles = log_likelihood_by_hand(singles, tuple(range(40)))
    assert posterior.best_log_joint >= heights + words_of_singles - 1e-6


def test_fit_stops_chains_that_agree_and_continues_the_others() -> None:
    easy = with_fields(several_components(), alpha_across=1e4, alpha_within=1e4)
    posterior = fit(easy, exact_limit=1, sweeps=800)
    sampled = ~posterior.components.exact
    assert posterior.components.settled.all()
    assert (posterior.components.sweeps[sampled] < 800).any()
    with pytest.warns(ConvergenceWarning, match="not settled .* Try more sweeps; more chains") as caught:
        hard = fit(several_components(), exact_limit=1, sweeps=8)
    assert len(caught) == 1
    assert not hard.components.settled.all()
    assert hard.components.sweeps[~hard.components.settled].tolist() == [8] * int(
        (~hard.components.settled).sum()
    )


def test_fit_returns_a_posterior_at_the_time_limit() -> None:
    posterior = quietly(
        several_components(), exact_limit=1, sweeps=80_000, time_limit=0, pace=Pace(updates_per_step=1)
    )
    assert not posterior.complete
    assert (posterior.components.sweeps == 0).all()
    assert posterior.samples.shape == (100, 40)
    assert ((posterior.together >= 0) & (posterior.together <= 1)).all()


def test_progress_rises_to_the_total() -> None:
    calls: list[tuple[int, int]] = []
    quietly(
        several_components(),
        exact_limit=1,
        sweeps=16,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1]


def test_consensus_is_a_partition_of_all_customers() -> None:
    posterior = quietly(several_components(), exact_limit=50, sweeps=80)
    consensus = posterior.consensus(loss="binder")
    assert len(consensus.labels) == 40
    distances = [binder_distance(consensus.labels, sample) for sample in posterior.samples]
    assert consensus.expected_loss == pytest.approx(np.mean(distances))
    assert consensus.expected_loss <= min(
        np.mean([binder_distance(own, other) for other in posterior.samples]) for own in posterior.samples
    )


def empty_problem(customers: int = 0) -> Problem:
    nothing = Rows.empty(customers)
    return Problem(document=np.zeros(customers, int), words=nothing, within=nothing, across=nothing)


@pytest.mark.parametrize("options", SAMPLERS)
@pytest.mark.parametrize("customers", [0, 1, 3])
def test_fit_handles_problems_without_links_or_words(options: dict[str, Any], customers: int) -> None:
    posterior = fit(empty_problem(customers), **options)
    assert posterior.best.tolist() == list(range(customers))
    assert posterior.best_log_joint == 0
    assert posterior.samples.shape == (100, customers)
    runs = sample(empty_problem(customers), runs=2, sweeps=3, **options)
    assert runs.samples.tolist() == [list(range(customers))] * 2
    assert runs.traces["clusters"].tolist() == [[customers] * 3] * 2


def test_customers_without_words_follow_their_links() -> None:
    problem = without_words(random_problem(3, customers=5))
    posterior, by_hand = fit(problem), posterior_by_hand(problem)
    i, j = int(posterior.left[0]), int(posterior.right[0])
    assert posterior.together[0] == pytest.approx(
        sum(p for z, p in by_hand.items() if z[i] == z[j]), abs=1e-8
    )


def test_fit_samples_a_large_star_instead_of_enumerating_it() -> None:
    count = 3000
    star = with_fields(
        empty_problem(count),
        document=np.arange(count),
        documents=count,
        across=Rows.from_triples(count, np.zeros(count - 1, int), np.arange(1, count), np.ones(count - 1)),
    )
    posterior = quietly(star, sweeps=8)
    assert posterior.components.size.tolist() == [count]
    assert posterior.components.configurations.tolist() == [count]


@pytest.mark.parametrize("options", SAMPLERS)
def test_sample_traces_every_sweep(options: dict[str, Any]) -> None:
    problem = several_components(customers=300)
    runs = sample(problem, runs=3, sweeps=6, seed=2, **options)
    assert runs.samples.shape == (3, 300)
    assert runs.traces["log joint"].shape == runs.traces["clusters"].shape == (3, 6)
    assert (runs.samples.max(axis=1) + 1).tolist() == runs.traces["clusters"][:, -1].tolist()
    again = sample(problem, runs=3, sweeps=6, seed=2, jobs=2, **options)
    assert runs.samples.tobytes() == again.samples.tobytes()
    assert runs.traces["log joint"].tobytes() == again.traces["log joint"].tobytes()


def test_samplers_agree_on_the_number_of_clusters() -> None:
    problem = several_components(customers=80)
    means = [
        sample(problem, runs=6, sweeps=400, sampler=sampler).traces["clusters"][:, 50:].mean(axis=1)
        for sampler in ("collapsed", "paper")
    ]
    error = np.sqrt(sum(runs.var(ddof=1) / len(runs) for runs in means))
    assert abs(means[0].mean() - means[1].mean()) < 4 * error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chains": 1}, "'chains' is 1; expected 2 or more"),
        ({"sweeps": 7}, "'sweeps' is 7; expected 8 or more"),
        ({"seed": -1}, "'seed' is -1; expected 0 or more"),
        ({"jobs": 0}, "'jobs' is 0; expected 1 or more"),
        ({"keep": 0}, "'keep' is 0"),
        ({"time_limit": -1}, "'time_limit' is -1"),
        ({"exact_limit": float("nan")}, "'exact_limit' is nan"),
        ({"sampler": "fast"}, "there is no sampler 'fast' for the model 'hddcrp'; expected 'collapsed'"),
        ({"sampler": "paper", "model": "ddcrp"}, "there is no sampler 'paper' for the model 'ddcrp'"),
        ({"initial": "somehow"}, "there is no start 'somehow'; expected"),
    ],
)
def test_fit_rejects_invalid_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        fit(random_problem(0), **options)
    assert message in str(caught.value)


def test_probability_of_an_unknown_customer_is_an_error() -> None:
    posterior = fit(random_problem(0, customers=4))
    with pytest.raises(DataError, match="customers 0 to 3"):
        posterior.probability(0, 4)
    assert posterior.probability(2, 2) == 1.0


def test_fit_does_not_compile_for_tiny_problems() -> None:
    code = (
        "import sys; from samevent.hddcrp import Problem, fit\n"
        "problem = Problem(document=[0, 1], words=[[1], [1]], within=[[0, 0]] * 2, across=[[0, 0], [0.9, 0]])\n"
        "fit(problem); print('samevent.hddcrp.seating' in sys.modules, 'samevent.hddcrp.enumeration' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


SHARED = ("vocabulary", "dirichlet", "alpha_within", "alpha_across", "alpha_flat", "likelihood_weight")


def test_part_of_a_problem_draws_what_the_whole_draws_there() -> None:
    whole = several_components(customers=60)
    settings: dict[str, Any] = {"seed": 3, "sweeps": 8, "exact_limit": 4, "keep": 8}
    posterior = quietly(whole, **settings)
    rows = np.flatnonzero(np.isin(posterior.component, np.unique(posterior.component)[1::2]))
    assert 0 < len(rows) < 60
    number = np.full(60, -1)
    number[rows] = np.arange(len(rows))

    def inside(links: Rows) -> Rows:
        kept = np.isin(links.rows, rows)
        return Rows.from_triples(
            len(rows), number[links.rows[kept]], number[links.columns[kept]], links.values[kept]
        )

    words = np.isin(whole.words.rows, rows)
    part = Problem(
        document=whole.document[rows], within=inside(whole.within), across=inside(whole.across), names=rows,
        words=Rows.from_triples(
            len(rows), number[whole.words.rows[words]], whole.words.columns[words], whole.words.values[words]
        ),
        **{name: getattr(whole, name) for name in SHARED},
    )  # fmt: skip
    alone = quietly(part, **settings)
    assert np.array_equal(alone.samples, canonical(posterior.samples[:, rows]))
    kept = np.isin(posterior.left, rows)
    assert np.array_equal(alone.together, posterior.together[kept])
    with pytest.raises(DataError, match="different numbers"):
        Problem(
            document=[0, 0], words=Rows.empty(2), within=Rows.empty(2), across=Rows.empty(2), names=[1, 1]
        )
