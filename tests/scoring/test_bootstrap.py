from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samevent.errors import DataError
from samevent.scoring import Pairing, differences, intervals, scores_of
from samevent.scoring.bootstrap import replicate, resampled


def pairing(*, units_across_groups: bool = False, seed: int = 3, noise: float = 0.3) -> Pairing:
    """Ninety mentions in nine documents of three topics; the system errs at random."""
    random = np.random.default_rng(seed)
    unit = np.repeat(np.arange(9), 10)
    gold = random.integers(0, 4, size=90) + 10 * unit
    system = np.where(random.random(90) < noise, gold + random.integers(1, 3, size=90), gold)
    system[::13] = -1
    return Pairing(
        unit=np.zeros_like(unit) if units_across_groups else unit,
        group=unit // 3,
        gold=gold,
        system=system,
        units=("corpus",) if units_across_groups else tuple(f"d{i}" for i in range(9)),
        groups=("1", "2", "3"),
    )


@pytest.mark.parametrize("units_across_groups", [False, True])
def test_drawing_every_group_once_is_the_score_itself(units_across_groups: bool) -> None:
    p = pairing(units_across_groups=units_across_groups)
    once = resampled(p, np.ones((1, 3), dtype=np.int64))
    scores = scores_of(p)
    assert once["conll"][0] == pytest.approx(scores.conll)
    assert once["blanc"][0] == pytest.approx(scores.blanc.f1)


def test_adding_sums_equals_scoring_the_replicated_corpus() -> None:
    p = pairing()
    weights = np.array([[2, 0, 1], [0, 3, 0], [1, 1, 1]])
    fast = resampled(p, weights)
    for row, times in enumerate(weights):
        slow = scores_of(replicate(p, times)).to_json()
        for name, values in fast.items():
            expected = slow[name]
            assert values[row] == pytest.approx(expected["f1"] if isinstance(expected, dict) else expected)


def test_a_topic_drawn_twice_is_not_merged_with_itself() -> None:
    twice = replicate(pairing(units_across_groups=True), np.array([2, 0, 0]))
    assert len(twice.gold) == 60
    assert len(np.unique(twice.gold)) == 2 * len(np.unique(pairing().gold[:30]))


def test_interval_holds_the_score_and_follows_the_seed() -> None:
    p = pairing()
    found = intervals(p, samples=200, seed=1)
    assert found["conll"].low <= scores_of(p).conll <= found["conll"].high
    assert found["conll"].low < found["conll"].high
    assert found == intervals(p, samples=200, seed=1)
    assert found != intervals(p, samples=200, seed=2)


def confusing(topics: int = 8, seed: int = 1) -> Pairing:
    """One unit of topics that a system confuses with each other: the fewer of them, the better it looks."""
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(topics), 6)
    return Pairing(
        unit=np.zeros_like(group),
        group=group,
        gold=2 * group + np.tile([0, 0, 0, 1, 1, 1], topics),
        system=random.integers(0, 4, size=len(group)),
        units=("corpus",),
        groups=tuple(map(str, range(topics))),
    )


def test_intervals_hold_scores_and_differences_where_units_span_topics() -> None:
    good, bad = confusing(), confusing(seed=2)
    scores = {name: values[0] for name, values in resampled(good, np.ones((1, 8), np.int64)).items()}
    draws = resampled(good, np.random.default_rng(0).multinomial(8, [1 / 8] * 8, size=100))
    assert np.quantile(draws["bcubed"], 0.025) > scores["bcubed"]  # which is why draws are shifted
    for name, interval in intervals(good, samples=100).items():
        assert interval.low <= scores[name] <= interval.high, name
    good = replace(good, system=np.where(np.arange(48) % 4, good.gold, good.system))
    for name, difference in differences(good, bad, samples=100).items():
        assert difference.interval.low <= difference.difference <= difference.interval.high, name


def test_equal_systems_do_not_differ() -> None:
    result = differences(pairing(), pairing(), samples=100)["conll"]
    assert (result.difference, result.interval.low, result.interval.high, result.p_value) == (0, 0, 0, 1)


def test_difference_is_antisymmetric_and_finds_a_better_system() -> None:
    good, bad = pairing(noise=0.05), replace(pairing(noise=0.05), system=pairing(noise=0.6).system)
    ab, ba = (differences(a, b, samples=200, seed=4)["conll"] for a, b in [(good, bad), (bad, good)])
    assert ab.difference == pytest.approx(-ba.difference)
    assert ab.p_value == ba.p_value == pytest.approx(2 / 201)
    assert ab.interval.low > 0 > ba.interval.high


def test_one_group_cannot_be_resampled() -> None:
    with pytest.raises(DataError, match="only one"):
        intervals(replace(pairing(units_across_groups=True), group=np.zeros(90, np.int64), groups=("1",)))


def test_systems_of_different_gold_standards_cannot_be_compared() -> None:
    with pytest.raises(DataError, match="different gold"):
        differences(pairing(), replace(pairing(), groups=("1", "2", "4")))
