"""Average linkage of P(same cluster): against scikit-learn, under constraints, and in its order of merging."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from samevent.errors import UsageError
from samevent.partitions.labels import canonical
from samevent.partitions.linkage import average_link, average_link_given, central_core, weakest_link
from samevent.partitions.posterior import Posterior
from samevent.seeds import stream


def random_posterior(seed: int, customers: int = 30, **fields: object) -> Posterior:
    random = stream(seed, "partitions")
    home = random.integers(5, size=customers)
    moved = random.random((20, customers)) < 0.3
    samples = np.where(moved, random.integers(8, size=(20, customers)), home)
    left, right = np.triu_indices(customers, 1)
    together = (samples[:, left] == samples[:, right]).mean(axis=0)
    return Posterior(samples=samples, left=left, right=right, together=together, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cut", [0.21, 0.33, 0.52])
def test_average_link_is_that_of_scipy(seed: int, cut: float) -> None:
    posterior = random_posterior(seed)
    distance = 1 - posterior.matrix(np.arange(30))
    np.fill_diagonal(distance, 0)
    expected = fcluster(linkage(squareform(distance), "average"), 1 - cut, "distance")
    assert average_link(posterior, cut).tolist() == canonical(expected).tolist()


def test_average_link_needs_a_chain_of_candidate_pairs() -> None:
    samples = np.zeros((2, 3), np.int32)
    assert average_link(Posterior(samples=samples), 0.5).tolist() == [0, 1, 2]
    left, right = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    linked = Posterior(samples=samples, left=left, right=right, together=np.ones(2))
    assert average_link(linked, 0.5).tolist() == [0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_average_link_satisfies_constraints(seed: int) -> None:
    free = average_link(random_posterior(seed), 0.3)
    together, apart = np.flatnonzero(free == free[0])[:2], None
    other = int(np.flatnonzero(free != free[0])[0])
    apart = (int(together[0]), int(together[1]))
    bound = random_posterior(seed, cannot_link=[apart], must_link=[(int(together[0]), other)])
    labels = average_link(bound, 0.3)
    assert labels[apart[0]] != labels[apart[1]]
    assert labels[apart[0]] == labels[other]


def test_average_link_joins_must_linked_customers_that_samples_keep_apart() -> None:
    posterior = Posterior(
        samples=np.arange(3, dtype=np.int32)[np.newaxis], must_link=np.array([[0, 2]], np.int32)
    )
    assert average_link(posterior, 0.9).tolist() == [0, 1, 0]


def joined_slowly(between: np.ndarray, cut: float) -> np.ndarray:
    """Join the closest groups, the first in order among equals, with all means computed anew after each join."""
    sums, group = between.copy(), np.arange(len(between))
    while True:
        sizes = np.bincount(group, minlength=len(group))
        alive = sizes > 0
        with np.errstate(all="ignore"):
            mean = np.where(np.outer(alive, alive), sums / np.outer(sizes, sizes), -1.0)
        np.fill_diagonal(mean, -1.0)
        a, b = sorted(map(int, np.unravel_index(mean.argmax(), mean.shape)))
        if mean[a, b] < cut:
            return canonical(group)
        group[group == b] = a
        sums[a] += sums[b]
        sums[:, a] = sums[a]


@pytest.mark.parametrize("seed", range(5))
def test_average_link_takes_the_first_of_equal_means(seed: int) -> None:
    random = stream(seed, "equal")
    between = random.integers(1, 4, size=(25, 25)) / 4  # few values, so many means are equal
    between = np.maximum(between, between.T)
    left, right = (side.astype(np.int32) for side in np.triu_indices(25, 1))
    posterior = Posterior(
        samples=np.zeros((1, 25), np.int32), left=left, right=right, together=between[left, right]
    )
    assert average_link(posterior, 0.6).tolist() == joined_slowly(between, 0.6).tolist()


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("pair", [(3, 7), (0, 29), (11, 12)])
def test_average_link_given_a_pair_is_that_of_a_posterior_with_its_constraint(
    pair: tuple[int, int], together: bool
) -> None:
    bound = random_posterior(3, must_link=[pair]) if together else random_posterior(3, cannot_link=[pair])
    between = random_posterior(3).matrix(np.arange(30))
    assert average_link_given(between, pair, together, 0.3).tolist() == average_link(bound, 0.3).tolist()


def test_average_link_of_nothing_is_nothing() -> None:
    assert average_link(Posterior(samples=np.zeros((1, 0), np.int32)), 0.5).tolist() == []


@pytest.mark.parametrize("cut", [0.0, 1.1])
def test_cut_outside_its_range_is_an_error(cut: float) -> None:
    with pytest.raises(UsageError, match="'cut'"):
        average_link(Posterior(samples=np.zeros((1, 2), np.int32)), cut)


@pytest.mark.parametrize("seed", range(3))
def test_weakest_link_is_the_last_merge_of_scipy(seed: int) -> None:
    between = random_posterior(seed, customers=9).matrix(np.arange(9))
    distance = 1 - between
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance), "average")
    side, mean = weakest_link(between)
    expected = fcluster(tree, 2, "maxclust")
    assert canonical(side.astype(int)).tolist() == canonical(expected).tolist()
    assert mean == pytest.approx(1 - tree[-1, 2])
    assert 2 * side.sum() <= 9


def test_weakest_link_of_two_is_the_second() -> None:
    side, mean = weakest_link(np.array([[1.0, 0.3], [0.3, 1.0]]))
    assert (side.tolist(), mean) == ([False, True], 0.3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("least", [0.2, 0.5, 0.8])
def test_central_core_fits_together_and_nobody_else_fits_it(seed: int, least: float) -> None:
    between = random_posterior(seed, customers=12).matrix(np.arange(12))
    core = central_core(between, least)
    assert core[between.mean(axis=1).argmax()]
    inside = between[np.ix_(core, core)]
    assert (inside[~np.eye(len(inside), dtype=bool)] >= least).all()
    for customer in np.flatnonzero(~core).tolist():
        assert (between[customer, core] < least).any()


def test_central_core_is_everybody_if_all_pairs_are_probable() -> None:
    assert central_core(np.full((5, 5), 0.7), 0.5).all()
    assert central_core(np.eye(4), 0.5).sum() == 1
