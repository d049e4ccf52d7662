from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pytest

from distances import binder_distance, expected_loss, variation_of_information
from problems import joined
from samevent.errors import DataError, UsageError
from samevent.partitions.consensus import LOSSES, Loss, consensus
from samevent.partitions.labels import Floats, Integers, canonical
from samevent.seeds import stream

DISTANCES: dict[Loss, Callable[[Integers, Integers], float]] = {
    "binder": binder_distance,
    "variation-of-information": variation_of_information,
}
both_losses = pytest.mark.parametrize("loss", LOSSES)


def partitions(n: int, *, start: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield every partition of n customers once, as canonical labels."""
    if len(start) == n:
        yield start
        return
    for label in range(max(start, default=-1) + 2):
        yield from partitions(n, start=(*start, label))


def expected_losses(
    candidates: Iterable[Sequence[int]], samples: Integers, weights: Floats, loss: Loss
) -> Floats:
    """Return the expected loss of many partitions, from which customers share a cluster with which."""
    a, b = (rows[:, :, None] == rows[:, None, :] for rows in (np.array(list(candidates)), samples))
    shared = np.einsum("kij,sij->ksi", a.astype(float), b.astype(float))
    sizes, others = a.sum(axis=2)[:, None], b.sum(axis=2)[None]
    if loss == "binder":
        losses = (sizes + others - 2 * shared).sum(axis=2) / 2
    else:
        losses = (np.log(sizes) + np.log(others) - 2 * np.log(shared)).mean(axis=2)
    return np.asarray(losses @ weights)


def noisy_samples(key: int, customers: int, samples: int, noise: float) -> Integers:
    random = stream(3, "consensus", key)
    truth = random.integers(max(1, customers // 3), size=customers)
    noisy = random.integers(max(1, customers // 3), size=(samples, customers))
    return np.where(random.random((samples, customers)) < noise, noisy, truth)


def test_partitions_are_as_many_as_bell_numbers() -> None:
    assert [len(list(partitions(n))) for n in (1, 2, 3, 4, 5, 6)] == [1, 2, 5, 15, 52, 203]


@both_losses
def test_expected_losses_are_mean_distances(loss: Loss) -> None:
    samples, weights = noisy_samples(2, 5, 4, 0.6), np.array([0.1, 0.2, 0.3, 0.4])
    losses = expected_losses(partitions(5), samples, weights, loss)
    by_hand = [expected_loss(np.array(z), samples, weights, loss) for z in partitions(5)]
    assert losses == pytest.approx(np.array(by_hand))


@both_losses
def test_consensus_is_the_exhaustive_optimum_of_small_cases(loss: Loss) -> None:
    missed = 0
    for case in range(30):
        random = stream(5, "small", case)
        customers = int(random.integers(2, 8))
        samples = random.integers(
            random.integers(1, customers + 1), size=(int(random.integers(1, 9)), customers)
        )
        weights = random.random(len(samples))
        answer = consensus(samples, weights=weights, loss=loss, seed=case)
        best = expected_losses(partitions(customers), samples, weights / weights.sum(), loss).min()
        assert answer.expected_loss >= best - 1e-9
        missed += answer.expected_loss > best + 1e-9
    # The search is greedy: on samples as far apart as these it may miss, but hardly ever does.
    assert missed <= 1


@pytest.mark.slow
@both_losses
@pytest.mark.parametrize("valid_samples", [True, False])
def test_constrained_consensus_is_the_optimum_of_valid_partitions(loss: Loss, valid_samples: bool) -> None:
    missed = 0
    for case in range(100):
        random = stream(6, "constrained", case)
        customers = int(random.integers(3, 8))
        pairs = random.permutation(np.stack(np.triu_indices(customers, 1), axis=1))
        must = pairs[: random.integers(3)]
        group = joined(range(customers), must.tolist())
        cannot = np.array([(i, j) for i, j in pairs if group[i] != group[j]], int).reshape(-1, 2)
        cannot = cannot[: random.integers(5)]

        def allowed(z: Sequence[int], must: Integers = must, cannot: Integers = cannot) -> bool:
            return all(z[i] == z[j] for i, j in must) and all(z[i] != z[j] for i, j in cannot)

        valid = [z for z in partitions(customers) if allowed(z)]
        pool = valid if valid_samples else list(partitions(customers))
        samples = np.array(pool)[random.integers(len(pool), size=random.integers(1, 9))]
        weights = random.random(len(samples))
        weights /= weights.sum()
        answer = consensus(samples, weights=weights, loss=loss, must_link=must, cannot_link=cannot, seed=case)
        assert allowed(answer.labels.tolist())
        assert answer.expected_loss == pytest.approx(expected_loss(answer.labels, samples, weights, loss))
        best = expected_losses(valid, samples, weights, loss).min()
        assert answer.expected_loss >= best - 1e-9
        missed += answer.expected_loss > best + 1e-9
    assert missed <= 1


@both_losses
def test_constraints_that_samples_satisfy_keep_the_consensus_below_every_sample(loss: Loss) -> None:
    for case in range(5):
        samples = noisy_samples(case, 30, 12, 0.7)
        samples[:, 1] = samples[:, 0]
        samples[:, 2] = 100
        best = min(np.mean([DISTANCES[loss](a, b) for b in samples]) for a in samples)
        answer = consensus(samples, loss=loss, restarts=0, must_link=[(0, 1)], cannot_link=[(2, 5), (2, 7)])
        assert answer.expected_loss <= best + 1e-9
        assert answer.labels[0] == answer.labels[1]
        assert answer.labels[2] not in answer.labels[[5, 7]]


def test_must_links_join_customers_that_no_sample_joins() -> None:
    answer = consensus([[0, 1, 2, 2]], must_link=[(0, 1), (1, 3)], cannot_link=[(0, 2)])
    assert answer.labels.tolist() == [0, 0, 1, 0]
    assert consensus([[0, 0, 0]], cannot_link=[(0, 1), (0, 2), (1, 2)]).labels.tolist() == [0, 1, 2]


@both_losses
def test_consensus_is_never_worse_than_the_best_sample(loss: Loss) -> None:
    for case in range(20):
        samples = noisy_samples(case, 30, 12, 0.7)
        best = min(np.mean([DISTANCES[loss](a, b) for b in samples]) for a in samples)
        assert consensus(samples, loss=loss, restarts=0).expected_loss <= best + 1e-9


@both_losses
def test_expected_loss_is_the_weighted_mean_distance(loss: Loss) -> None:
    samples, weights = noisy_samples(1, 12, 6, 0.5), np.array([1, 0, 2, 3, 1, 1.0])
    answer = consensus(samples, weights=weights, loss=loss)
    assert answer.expected_loss == pytest.approx(expected_loss(answer.labels, samples, weights, loss))


@both_losses
def test_consensus_recovers_what_noisy_samples_share(loss: Loss) -> None:
    random = stream(8, "recover")
    truth = np.repeat(np.arange(20), 10)
    noise = random.random((50, 200)) < 0.2
    samples = np.where(noise, random.integers(20, size=(50, 200)), truth)
    assert consensus(samples, loss=loss).labels.tolist() == truth.tolist()


@both_losses
def test_consensus_by_components_reaches_the_loss_of_the_whole(loss: Loss) -> None:
    parts = [noisy_samples(key, 8, 10, 0.4) for key in range(6)]
    samples = np.concatenate([part + 10 * k for k, part in enumerate(parts)], axis=1)
    shuffle = stream(2, "shuffle").permutation(samples.shape[1])
    component = np.repeat(np.arange(6), 8)[shuffle]
    whole = consensus(samples[:, shuffle], loss=loss, restarts=30)
    split = consensus(samples[:, shuffle], loss=loss, component=component)
    threads = consensus(samples[:, shuffle], loss=loss, component=component, jobs=3)
    assert (threads.labels.tolist(), threads.expected_loss) == (split.labels.tolist(), split.expected_loss)
    assert split.expected_loss == pytest.approx(whole.expected_loss)
    assert split.expected_loss == pytest.approx(
        expected_loss(split.labels, samples[:, shuffle], np.ones(10), loss)
    )


def test_consensus_ignores_names_of_labels_and_repeats_of_samples() -> None:
    samples = noisy_samples(4, 15, 8, 0.4)
    plain = consensus(samples)
    renamed = consensus(7 - 2 * samples)
    doubled = consensus(np.concatenate([samples, samples]))
    weighted = consensus(samples, weights=np.full(8, 5.0))
    for other in (renamed, doubled, weighted):
        assert other.labels.tolist() == plain.labels.tolist()
        assert other.expected_loss == pytest.approx(plain.expected_loss)


def test_consensus_is_the_same_for_the_same_seed_and_canonical() -> None:
    samples = noisy_samples(9, 40, 20, 0.6)
    one, two = consensus(samples, seed=3), consensus(samples, seed=3)
    assert one.labels.tolist() == two.labels.tolist() == canonical(one.labels).tolist()


def test_consensus_ends_on_large_costs_that_round() -> None:
    random = stream(6, "rounding")
    samples = np.where(
        random.random((30, 1500)) < 0.1, random.integers(3, size=(30, 1500)), np.arange(1500) % 3
    )
    assert len(set(consensus(samples, loss="binder", restarts=2).labels.tolist())) == 3


def test_consensus_of_one_sample_or_no_customers_is_itself() -> None:
    assert consensus([[4, 4, 2]]).labels.tolist() == [0, 0, 1]
    assert consensus(np.zeros((3, 0), int)).labels.tolist() == []
    assert consensus([[0], [0]]).expected_loss == 0


def test_consensus_rejects_invalid_arguments() -> None:
    with pytest.raises(DataError, match="at least one row"):
        consensus(np.zeros((0, 3), int))
    with pytest.raises(DataError, match="one finite weight"):
        consensus([[0, 1]], weights=[float("nan")])
    with pytest.raises(DataError, match="sample 1 joins customers of different components"):
        consensus([[0, 1], [0, 0]], component=[0, 1])
    with pytest.raises(DataError, match="one for each of 2"):
        consensus([[0, 1]], component=[0])
    with pytest.raises(UsageError, match="no loss 'rand'"):
        consensus([[0, 1]], loss="rand")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="restarts"):
        consensus([[0, 1]], restarts=-1)
    with pytest.raises(DataError, match="'must_link' joins them: 0 - 2 - 1"):
        consensus([[0, 1, 2]], must_link=[(0, 2), (2, 1)], cannot_link=[(0, 1)])
    with pytest.raises(DataError, match="'cannot_link' names customer 2"):
        consensus([[0, 1]], cannot_link=[(0, 2)])
