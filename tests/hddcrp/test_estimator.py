"""The estimator: scikit-learn's own checks, and that it asks the engine what it should."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from problems import random_problem
from samevent.errors import SameventError
from samevent.hddcrp import HDDCRP, Problem, fit, split_affinity
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.seeds import stream

EXPECTED_FAILURES = {
    "check_clustering": "clusters standardised blobs, which have negative and fractional values; X holds counts",
}


def expected_failures(_: HDDCRP) -> dict[str, str]:
    return EXPECTED_FAILURES


@pytest.mark.filterwarnings("ignore::samevent.partitions.diagnostics.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([HDDCRP(sweeps=8)], expected_failed_checks=expected_failures, xfail_strict=True)  # type: ignore[untyped-decorator]
def test_estimator_passes_the_checks_of_scikit_learn(estimator: HDDCRP, check: Any) -> None:
    check(estimator)


def counts_in_groups(seed: int, rows: int = 24, words: int = 12) -> tuple[Any, list[str], Any]:
    """Draw counts from three topics of a few words each, groups by name, and the topics."""
    random = stream(seed, "estimator")
    topic = random.integers(3, size=rows)
    counts = np.zeros((rows, words), int)
    for row, k in enumerate(topic):
        np.add.at(counts[row], random.integers(4 * k, 4 * k + 4, size=20), 1)
    return counts, [f"group {g}" for g in random.integers(4, size=rows)], topic


def quietly(model: HDDCRP, *arguments: Any, **options: Any) -> HDDCRP:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*arguments, **options)


@pytest.mark.parametrize("model", ["hddcrp", "ddcrp"])
def test_fit_recovers_topics_from_counts_alone(model: str) -> None:
    counts, _, topic = counts_in_groups(1)
    fitted = quietly(HDDCRP(model=model, dirichlet=0.5, sweeps=200), counts)
    assert fitted.n_clusters_ == 3
    same = topic[:, None] == topic[None, :]
    assert ((fitted.labels_[:, None] == fitted.labels_[None, :]) == same).all()
    assert fitted.n_features_in_ == 12


def test_fit_gives_what_the_engine_gives() -> None:
    problem = random_problem(3, customers=7, documents=3, density=0.4, likelihood_weight=0.5)
    counts = np.zeros((7, problem.vocabulary), int)
    counts[problem.words.rows, problem.words.columns] = problem.words.values
    affinity = np.zeros((7, 7))
    for links in (problem.within, problem.across):
        affinity[links.rows, links.columns] = links.values
    model = HDDCRP(
        alpha_within=0.5, alpha_across=0.4, dirichlet=0.5, likelihood_weight=0.5, random_state=9, samples=30
    )
    model.fit(counts, groups=problem.document, affinity=affinity)
    posterior = fit(problem, seed=9, keep=30)
    assert model.posterior_.samples.tobytes() == posterior.samples.tobytes()
    assert model.posterior_.together.tobytes() == posterior.together.tobytes()
    assert model.labels_.tolist() == posterior.consensus().labels.tolist()
    dense = model.probability_.toarray()
    assert (dense == dense.T).all()
    assert (np.diag(dense) == 1).all()
    for i, j, p in zip(posterior.left, posterior.right, posterior.together, strict=True):
        assert dense[i, j] == p
    assert model.probability_.nnz == 7 + 2 * len(posterior.left)


def test_groups_may_be_any_hashable_values() -> None:
    counts, names, _ = counts_in_groups(2)
    model = HDDCRP(dirichlet=0.5, sweeps=40)
    expected = quietly(clone(model), counts, groups=names).labels_.tolist()
    numbers = [sorted(set(names)).index(name) for name in names]
    for groups in (np.array(names), [(name, 1) for name in names], numbers, [0.5 * n for n in numbers]):
        assert quietly(clone(model), counts, groups=groups).labels_.tolist() == expected


def test_sparse_and_dense_inputs_give_the_same_result() -> None:
    counts, names, _ = counts_in_groups(3)
    affinity = stream(3, "affinity").random((24, 24)) + 0.1
    expected = quietly(HDDCRP(sweeps=16), counts, groups=names, affinity=affinity)
    other = quietly(
        HDDCRP(sweeps=16), sparse.csc_matrix(counts), groups=names, affinity=sparse.coo_array(affinity)
    )
    assert other.labels_.tolist() == expected.labels_.tolist()
    assert (other.probability_.toarray() == expected.probability_.toarray()).all()


def test_threads_do_not_change_the_result_and_seeds_do() -> None:
    counts, names, _ = counts_in_groups(4)
    one, two, other = (
        quietly(
            HDDCRP(
                sweeps=16,
                exact_limit=1,
                alpha_across=0.4,
                likelihood_weight=0,
                n_jobs=jobs,
                random_state=seed,
            ),
            counts,
            groups=names,
        )
        for jobs, seed in ((1, 5), (-1, 5), (None, 6))
    )
    assert one.posterior_.samples.tobytes() == two.posterior_.samples.tobytes()
    assert one.posterior_.samples.tobytes() != other.posterior_.samples.tobytes()
    state = np.random.RandomState(0)
    quietly(HDDCRP(sweeps=16, random_state=state), counts)
    assert state.randint(1000) != np.random.RandomState(0).randint(1000)


def test_constraints_are_honoured() -> None:
    counts, names, topic = counts_in_groups(5)
    first, second = np.flatnonzero(topic == 0)[:2]
    other = np.flatnonzero(topic == 1)[0]
    model = quietly(
        HDDCRP(dirichlet=0.5, sweeps=40),
        counts,
        groups=names,
        must_link=[(first, other)],
        cannot_link=[(first, second)],
    )
    assert model.labels_[first] == model.labels_[other] != model.labels_[second]
    for sample in model.posterior_.samples:
        assert sample[first] == sample[other] != sample[second]
    assert model.probability_[first, other] == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha_within": 0}, "'alpha_within' parameter of HDDCRP must be a float in the range [1e-50, 1e+50]. Got 0"),
        ({"dirichlet": float("nan")}, "'dirichlet' parameter of HDDCRP must be a float in the range"),
        ({"likelihood_weight": -1.0}, "must be a float in the range [0, 1000]. Got -1.0 instead."),
        ({"min_cosine": 1.5}, "must be a float in the range [0, 1]. Got 1.5 instead."),
        ({"chains": 1}, "The 'chains' parameter of HDDCRP must be an int in the range [2, inf). Got 1 instead."),
        ({"sweeps": 20.0}, "The 'sweeps' parameter of HDDCRP must be an int in the range [8, inf). Got 20.0 instead."),
        ({"samples": None}, "must be an int in the range [1, inf). Got None instead."),
        ({"model": "hdp"}, "The 'model' parameter of HDDCRP must be one of 'hddcrp', 'ddcrp'. Got 'hdp' instead."),
        ({"model": "ddcrp", "sampler": "paper"}, "'sampler' parameter of HDDCRP must be 'collapsed' for the model"),
        ({"loss": "rand"}, "must be one of 'variation-of-information', 'binder'. Got 'rand' instead."),
        ({"n_jobs": 0}, "The 'n_jobs' parameter of HDDCRP must be an int of at least 1, -1 or None. Got 0 instead."),
        ({"random_state": -3}, "must be an int of at least 0, a RandomState or None. Got -3 instead."),
        ({"random_state": "x"}, "Got 'x' instead."),
    ],
)  # fmt: skip
def test_invalid_parameters_are_named_when_fitting(parameters: dict[str, Any], message: str) -> None:
    model = HDDCRP(**parameters)  # only stores them
    with pytest.raises(ValueError, match="parameter of HDDCRP") as caught:
        model.fit([[1, 0], [0, 1]])
    assert message in str(caught.value)
    assert isinstance(caught.value, SameventError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": [[0.5, 1], [1, 1]]}, "'words' has the value 0.5 in row 0, column 0; expected counts"),
        ({"X": [[-1, 1], [1, 1]]}, "Negative values in data passed to HDDCRP"),
        ({"groups": ["a"]}, "'groups' has 1 entries; expected 2, one per row of X"),
        ({"affinity": [[1]]}, "affinities have the shape (1, 1); expected (2, 2)"),
        ({"affinity": [[0, -1], [-1, 0]]}, "'within' has the value -1.0 in row 1, column 0"),
        ({"must_link": [(0, 2)]}, "'must_link' names customer 2"),
        ({"must_link": [(0, 1)], "cannot_link": [(1, 0)]}, "'must_link' joins them: 0 - 1"),
    ],
)
def test_invalid_data_are_value_errors(arguments: dict[str, Any], message: str) -> None:
    data = arguments.pop("X", [[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=r".") as caught:
        HDDCRP().fit(data, **arguments)
    assert message in str(caught.value)


def test_importing_the_engine_does_not_import_scikit_learn() -> None:
    code = (
        "import sys, samevent.hddcrp as h; print('sklearn' in sys.modules)\n"
        "print(h.HDDCRP.__name__, 'sklearn' in sys.modules, h.HDDCRP is h.estimator.HDDCRP)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "HDDCRP", "True", "True"]


def test_split_affinity_feeds_a_problem() -> None:
    counts, names, _ = counts_in_groups(6)
    document = np.unique(names, return_inverse=True)[1]
    within, across = split_affinity(np.ones((24, 24)), document)
    problem = Problem(document=document, words=counts, within=within, across=across)
    same = document[:, None] == document[None, :]
    assert len(problem.within.columns) == np.tril(same, -1).sum()
    assert len(problem.across.columns) == (~same).sum()
