"""Reliability on pairs few enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from samevent.experiments.reliability import (
    JudgedPairs,
    event_reliability,
    inside_clusters,
    judged,
    possible_pairs,
    reliability,
)
from samevent.partitions.posterior import Posterior

SAMPLES = [[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 2, 1], [0, 1, 2, 2]]
POSTERIOR = Posterior(samples=np.array(SAMPLES, np.int32))
"""P(0, 1) = .75, P(0, 2) = .25, P(1, 2) = .25, P(2, 3) = .5; the others are never together."""


def pairs(probability: list[float], same: list[bool], groups: list[tuple[int, int]]) -> JudgedPairs:
    first, second = np.array(groups).T
    return JudgedPairs(np.array(probability), np.array(same), first, second)


def test_possible_pairs_are_those_together_in_some_sample_or_known_to_be() -> None:
    low, high = possible_pairs(POSTERIOR)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2), (2, 3)]
    left, right = np.array([0, 0], np.int32), np.array([1, 3], np.int32)
    known = Posterior(samples=POSTERIOR.samples, left=left, right=right, together=np.array([0.0, 0.1]))
    low, high = possible_pairs(known)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(0, 2), (0, 3), (1, 2), (2, 3)]


def test_pairs_inside_clusters_have_their_probabilities() -> None:
    low, high, probability = inside_clusters(POSTERIOR, np.array([0, 0, 1, 1]))
    assert (low.tolist(), high.tolist(), probability.tolist()) == ([0, 2], [1, 3], [0.75, 0.5])


def test_mentions_without_gold_event_are_not_judged() -> None:
    low, high = possible_pairs(POSTERIOR)
    gold, group = np.array([7, 7, -1, 5]), np.array([0, 1, 1, 0])
    found = judged(low, high, POSTERIOR.probabilities(low, high), gold, group)
    assert (found.probability.tolist(), found.same.tolist()) == ([0.75], [True])
    assert (found.first.tolist(), found.second.tolist()) == ([0], [1])


def test_pairs_of_which_no_mention_is_chained_can_be_left_out() -> None:
    low, high, gold = np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([7, 8, 9])
    chained = np.array([True, False, False])
    found = judged(low, high, np.array([0.9, 0.8, 0.7]), gold, np.zeros(3, np.int64), chained)
    assert found.probability.tolist() == [0.9, 0.8]


def test_reliability_matches_a_table_made_by_hand() -> None:
    given = pairs([0.96, 0.98, 1.0, 0.52, 0.58, 0.1], [True, True, False, True, False, False], [(0, 0)] * 6)
    found = reliability(given, groups=1)
    assert [(b["low"], b["pairs"]) for b in found["bins"]] == [(0.1, 1), (0.5, 2), (0.9, 3)]
    assert [b["said"] for b in found["bins"]] == pytest.approx([0.1, 0.55, 0.98])
    assert [b["true"] for b in found["bins"]] == pytest.approx([0, 0.5, 2 / 3])
    assert found["ece"] == pytest.approx((0.1 + 2 * 0.05 + 3 * (0.98 - 2 / 3)) / 6)
    assert (found["above_95"]["pairs"], found["above_95"]["same"]) == (3, 2)
    assert found["above_95"]["true"] == pytest.approx(2 / 3)
    assert found["ece_interval"] is None


def test_truth_is_the_share_of_each_probability_in_the_long_run() -> None:
    random = np.random.default_rng(3)
    probability = random.random(20_000)
    zeros = np.zeros(20_000, np.int64)
    found = reliability(JudgedPairs(probability, random.random(20_000) < probability, zeros, zeros), groups=1)
    assert found["ece"] < 0.012  # 10 intervals of 2,000: the standard error of each is at most .011


def test_interval_draws_groups_and_counts_pairs_across_them_by_both() -> None:
    # Two groups: each draw has one of them twice, or both once. With group 0 alone all sure pairs are true, with
    # group 1 alone none is; the pair across counts only in draws of both.
    given = pairs([0.99, 0.99, 0.99], [True, False, True], [(0, 0), (1, 1), (0, 1)])
    found = reliability(given, groups=2)
    assert found["above_95"]["true"] == pytest.approx(2 / 3)
    assert found["above_95"]["interval"] == {"low": 0.0, "high": 1.0}
    assert reliability(given, groups=2, seed=1)["pairs"] == 3
    assert reliability(given, groups=2) == found


def test_no_pairs_make_an_empty_table() -> None:
    nothing = JudgedPairs(np.empty(0), np.empty(0, np.bool_), np.empty(0, np.int64), np.empty(0, np.int64))
    found = reliability(nothing, groups=3)
    assert (found["pairs"], found["ece"], found["bins"]) == (0, 0.0, [])
    assert found["above_95"] == {"pairs": 0, "same": 0, "true": None, "interval": None}


def test_event_is_pure_if_its_judged_mentions_are_one() -> None:
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 3])
    gold = np.array([5, 5, -1, 6, 7, 8, -1, 9])
    shown = np.array([0.9, 0.9, 0.9, 0.92, 0.92, 0.4, 0.4, 1.0])
    found = event_reliability(labels, shown, gold)
    assert (found["events"], found["pure"]) == (
        2,
        0.5,
    )  # the third has one judged mention, the fourth is alone
    assert found["bins"] == [{"low": 0.9, "high": 1.0, "events": 2, "said": pytest.approx(0.91), "pure": 0.5}]
    assert found["ece"] == pytest.approx(0.41)
    chained = event_reliability(labels, shown, gold, np.array([False] * 3 + [True] + [False] * 4))
    assert (chained["events"], chained["pure"]) == (1, 0.0)
