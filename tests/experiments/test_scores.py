from __future__ import annotations

import numpy as np
import pytest

from samevent.experiments.scores import DRAWS, DRAWS_ACROSS, scored
from samevent.scoring import Pairing, differences, intervals, scores_of


def answer(seed: int, *, by_topic: bool = True) -> Pairing:
    """Return 200 mentions of 8 topics, and a system that is right about most of them."""
    draw = np.random.default_rng(7)
    topic = draw.integers(8, size=200)
    gold = topic * 10 + draw.integers(4, size=200)
    wrong = np.random.default_rng(seed).random(200) < 0.3
    topics = tuple(map(str, range(8)))
    unit = topic if by_topic else np.zeros(200, np.int64)
    units = topics if by_topic else ("corpus",)
    return Pairing(unit, topic, gold, np.where(wrong, 1000 + topic, gold), units, topics)


def test_one_answer_has_the_interval_of_the_scorer() -> None:
    found, expected = scored([answer(1)]), intervals(answer(1), samples=DRAWS)["conll"]
    interval = found.to_json()["conll_interval"]
    assert (interval["low"], interval["high"]) == pytest.approx((expected.low, expected.high))


def test_unit_across_topics_has_the_spread_of_the_scorer_around_its_score() -> None:
    pairing = answer(1, by_topic=False)
    expected = intervals(pairing, samples=DRAWS_ACROSS)["conll"]
    found = scored([pairing])
    interval = found.to_json()["conll_interval"]
    assert interval["high"] - interval["low"] == pytest.approx(expected.high - expected.low)
    assert found.draws.mean() == pytest.approx(found.conll)


def test_confusing_topics_does_not_put_a_score_outside_its_interval() -> None:
    right = answer(1, by_topic=False)
    merged = Pairing(right.unit, right.group, right.gold, right.gold % 10, right.units, right.groups)
    found = scored([merged])
    interval = found.to_json()["conll_interval"]
    assert interval["low"] < found.conll < interval["high"]
    plain = intervals(merged, samples=DRAWS_ACROSS)["conll"]
    assert (plain.low, plain.high) == pytest.approx((interval["low"], interval["high"]))


def test_two_systems_are_compared_as_the_scorer_does() -> None:
    found = scored([answer(1)]).minus(scored([answer(2)]))
    expected = differences(answer(1), answer(2), samples=DRAWS)["conll"]
    assert found["conll"] == pytest.approx(expected.difference)
    assert found["interval"]["low"] == pytest.approx(expected.interval.low)
    assert found["p_value"] == pytest.approx(expected.p_value)


def test_scores_of_runs_are_averaged() -> None:
    runs = [answer(seed) for seed in (1, 2, 3)]
    found, single = scored(runs), [scores_of(run) for run in runs]
    assert found.conll == pytest.approx(np.mean([each.conll for each in single]))
    assert found.scores["lea"].recall == pytest.approx(np.mean([each.lea.recall for each in single]))
    assert found.by_answer == pytest.approx([each.conll for each in single])
