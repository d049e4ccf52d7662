"""Questions by expected change: against brute force over all answers on small posteriors that are enumerated."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from problems import random_problem
from samevent.hddcrp import fit
from samevent.partitions.labels import canonical, members
from samevent.partitions.linkage import average_link
from samevent.partitions.posterior import Posterior
from samevent.partitions.questions import Question, _between, _inside, expected_change, questions

Labels = NDArray[np.integer[Any]]


def sampled(
    samples: ArrayLike, left: ArrayLike, right: ArrayLike, together: ArrayLike, **held: Any
) -> Posterior:
    known: dict[str, Any] = {"left": left, "right": right, "together": together}
    arrays = {name: np.asarray(each) for name, each in known.items()}
    return Posterior(samples=np.asarray(samples), **{**held, **arrays})


def enumerated(seed: int, customers: int = 6) -> Posterior:
    """Return the posterior of a small problem, known exactly, with samples that are nearly all of it."""
    posterior = fit(random_problem(seed, customers=customers, documents=3, density=0.5), keep=4000)
    assert posterior.components.exact.all()
    left, right = np.triu_indices(customers, 1)
    shares = (posterior.samples[:, left] == posterior.samples[:, right]).mean(axis=0)
    return sampled(samples=posterior.samples, left=left, right=right, together=shares)


def pairs(labels: Labels) -> set[tuple[int, int]]:
    return {(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]}


def brute_force(posterior: Posterior, labels: Labels, i: int, j: int, cut: float) -> float:
    """Enumerate both answers: condition on each, cluster anew, count the pairs that change."""
    same = posterior.samples[:, i] == posterior.samples[:, j]
    total = 0.0
    for answer in (True, False):
        chosen = posterior.samples[same == answer]
        if answer == (labels[i] == labels[j]) or not len(chosen):
            continue
        shares = [
            [np.mean(chosen[:, a] == chosen[:, b]) for b in range(len(labels))] for a in range(len(labels))
        ]
        left, right = np.triu_indices(len(labels), 1)
        given = sampled(samples=chosen, left=left, right=right, together=np.array(shares)[left, right])
        new = average_link(given, cut)
        reach = np.flatnonzero((labels == labels[i]) | (labels == labels[j]))
        old_pairs, new_pairs = (
            {pair for pair in pairs(partition) if set(pair) <= set(reach.tolist())}
            for partition in (labels, new)
        )
        total += len(chosen) / len(same) * len(old_pairs ^ new_pairs)
    return total


def test_expected_change_is_that_of_enumerating_both_answers() -> None:
    compared = 0
    for seed in range(8):
        posterior = enumerated(seed)
        labels = average_link(posterior, 0.5)
        for i, j in combinations(range(6), 2):
            # Clusters outside those of the two may attract their members, so compare where there are none.
            if set(labels.tolist()) == {labels[i], labels[j]}:
                change = expected_change(posterior, labels, i, j)
                assert change == pytest.approx(brute_force(posterior, labels, i, j, 0.5))
                compared += change > 0
    assert compared > 10


def test_blocks_change_by_the_product_of_their_sizes() -> None:
    """Two groups of 3 and 2 that are whole in every sample, one event in a quarter of them."""
    samples = np.array([[0, 0, 0, 1, 1, 2]] * 3 + [[0, 0, 0, 0, 0, 1]])
    posterior = sampled(samples=samples, left=[2], right=[3], together=[0.25])
    assert expected_change(posterior, samples[0], 0, 4) == pytest.approx(0.25 * 6)
    assert expected_change(posterior, samples[3], 0, 4) == pytest.approx(0.75 * 6)
    assert questions(posterior, samples[0]) == [Question(2, 3, 0.25, 1.5)]


def test_the_first_question_is_unsure_and_consequential() -> None:
    rng = np.random.default_rng(3)
    # Customers 0-3 and 4-7 may be one event, 8 and 9 may be, and 10 and 11 surely are.
    merged, small = rng.random(200) < 0.4, rng.random(200) < 0.5
    samples = np.array(
        [[0] * 4 + [0 if m else 1] * 4 + [2, 2 if s else 3, 4, 4] for m, s in zip(merged, small, strict=True)]
    )
    left, right = np.array([3, 8, 10]), np.array([4, 9, 11])
    together = [merged.mean(), small.mean(), 1.0]
    posterior = sampled(samples=samples, left=left, right=right, together=together)
    labels = [0] * 4 + [1] * 4 + [2, 3, 4, 4]
    asked = questions(posterior, labels)
    assert [(q.left, q.right) for q in asked] == [(3, 4), (8, 9)]
    assert asked[0].change == pytest.approx(16 * merged.mean(), abs=1e-3)
    assert asked[1].change == pytest.approx(small.mean(), abs=1e-3)


def test_what_a_person_decided_is_not_asked_again() -> None:
    samples = np.array([[0, 0, 1, 1], [0, 0, 0, 0]] * 10)
    free = sampled(samples=samples[::2], left=[1], right=[2], together=[0.5])
    held = sampled(
        samples=samples[::2],
        left=[1],
        right=[2],
        together=[0.5],
        cannot_link=[(0, 3), (1, 2)],
        must_link=[(0, 1)],
    )
    assert [(q.left, q.right) for q in questions(free, samples[0])] == [(1, 2)]
    assert questions(held, samples[0]) == []


def test_large_clusters_are_judged_by_some_members() -> None:
    halves = np.repeat([0, 1], 400)
    samples = np.stack([halves, np.zeros(800, np.int64)])
    posterior = sampled(samples=samples, left=[399], right=[400], together=[0.5])
    assert expected_change(posterior, halves, 399, 400) == pytest.approx(0.5 * 400 * 400, rel=0.05)


def test_without_events_there_are_no_questions() -> None:
    assert questions(Posterior(samples=np.zeros((1, 0), np.int32)), []) == []


def all_judged(posterior: Posterior, labels: Labels, most: int) -> list[Question]:
    """Judge every candidate, and sort afterwards."""
    own = canonical(labels).astype(np.int64)
    asked = [*_between(posterior, own, 4 * most), *_inside(posterior, members(own), 4 * most)]
    judged = [
        Question(left, right, round(probability, 4), round(change, 4))
        for left, right, probability in asked
        if (change := expected_change(posterior, own, left, right)) > 0
    ]
    return sorted(judged, key=lambda question: (-question.change, question.left, question.right))[:most]


@pytest.mark.parametrize("most", [1, 3, 10])
def test_candidates_that_are_not_judged_would_not_be_asked(most: int) -> None:
    rng = np.random.default_rng(most)
    found = 0
    for _ in range(20):
        # Blocks of unequal size that samples join and split at random, so that many candidates have equal changes.
        block = np.sort(rng.integers(0, 25, 60))
        samples = rng.integers(0, 12, (15, 25))[:, block]
        left, right = np.triu_indices(60, 1)
        shares = (samples[:, left] == samples[:, right]).mean(axis=0)
        listed = shares > 0
        posterior = sampled(samples, left[listed], right[listed], shares[listed])
        labels = samples[0]
        asked = questions(posterior, labels, most=most)
        assert asked == all_judged(posterior, labels, most)
        found += len(asked)
    assert found > 15
