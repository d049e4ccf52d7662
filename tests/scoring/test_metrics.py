from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import REFERENCES

from samevent.scoring import METRICS
from samevent.scoring.table import ABSENT, Floats, Integers, Metric, Table

LABELS = st.lists(st.tuples(st.integers(ABSENT, 3), st.integers(ABSENT, 4)), max_size=12)
"""One (gold, system) label a mention; at most five clusters a side so that CEAF can be enumerated."""
TOGETHER = st.lists(st.integers(0, 4), min_size=2, max_size=12).filter(
    lambda labels: len(set(labels)) < len(labels)
)
"""Labels of a clustering that has at least one link."""

every_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)


def scored(metric: Metric, gold: Integers, system: Integers, unit: Integers | None = None) -> Floats:
    unit = np.zeros_like(gold) if unit is None else unit
    return metric.score(metric.tally(Table.from_labels(unit, gold, system)).sum(axis=0))


def arrays(labels: list[tuple[int, int]]) -> tuple[Integers, Integers]:
    both = np.array(labels, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def clusters(labels: Integers) -> list[set[int]]:
    return [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels) if label != ABSENT]


@every_metric
@given(LABELS)
def test_metric_equals_its_definition(metric: Metric, labels: list[tuple[int, int]]) -> None:
    gold, system = arrays(labels)
    expected = REFERENCES[metric.name](clusters(gold), clusters(system))
    assert scored(metric, gold, system) == pytest.approx(expected, abs=1e-12)


@every_metric
@given(LABELS, st.permutations(range(4)), st.permutations(range(5)), st.randoms(use_true_random=False))
def test_metric_ignores_names_and_order(
    metric: Metric, labels: list[tuple[int, int]], g: list[int], s: list[int], random: np.random.Generator
) -> None:
    renamed = [(ABSENT if a == ABSENT else g[a], ABSENT if b == ABSENT else s[b]) for a, b in labels]
    random.shuffle(renamed)
    assert scored(metric, *arrays(renamed)) == pytest.approx(scored(metric, *arrays(labels)), abs=1e-12)


@every_metric
@given(labels=LABELS)
def test_exchanging_sides_exchanges_recall_and_precision(
    metric: Metric, labels: list[tuple[int, int]]
) -> None:
    gold, system = arrays(labels)
    if metric.name == "blanc" and not _has_both_kinds_of_links(gold, system):
        return  # BLANC leaves out a kind of link by what the gold has, so it is not symmetric then
    recall, precision, f1 = scored(metric, gold, system)
    assert scored(metric, system, gold) == pytest.approx((precision, recall, f1), abs=1e-12)


def _has_both_kinds_of_links(*sides: Integers) -> bool:
    return all(
        len({*c}) > 1 and len(c) > len({*c}) for c in (side[side != ABSENT].tolist() for side in sides)
    )


@every_metric
@given(TOGETHER)
def test_perfect_answer_scores_one(metric: Metric, labels: list[int]) -> None:
    gold = np.array(labels, dtype=np.int64)
    assert scored(metric, gold, gold) == pytest.approx((1, 1, 1))


@pytest.mark.parametrize("name", ["muc", "bcubed", "lea"])
@given(labels=TOGETHER)
def test_merging_costs_precision_only_and_splitting_recall_only(name: str, labels: list[int]) -> None:
    metric = next(m for m in METRICS if m.name == name)
    gold = np.array([0, 0, 1, 1, *(label + 2 for label in labels)], dtype=np.int64)
    merged, split = np.where(gold == 1, 0, gold), np.arange(len(gold))
    recall, precision, _ = scored(metric, gold, merged)
    assert recall == pytest.approx(1)
    assert precision < 1
    recall, precision, _ = scored(metric, gold, split)
    assert recall < 1
    assert precision == pytest.approx(0 if name == "muc" else _singleton_precision(name, gold))


def _singleton_precision(name: str, gold: Integers) -> float:
    alone = float(np.mean([np.sum(gold == label) == 1 for label in gold]))
    return 1.0 if name == "bcubed" else alone  # LEA: a system singleton is right if gold has it alone too


@every_metric
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(ABSENT, 2), st.integers(ABSENT, 2)), max_size=14))
def test_units_add_up_as_if_scored_one_by_one(metric: Metric, rows: list[tuple[int, int, int]]) -> None:
    unit, gold, system = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    together = metric.tally(Table.from_labels(unit, gold, system, units=3))
    for u in range(3):
        mine = unit == u
        alone = metric.tally(
            Table.from_labels(np.zeros(mine.sum(), np.int64), gold[mine], system[mine], units=1)
        )
        assert together[u] == pytest.approx(alone[0], abs=1e-12)


@every_metric
def test_nothing_to_score_is_zero(metric: Metric) -> None:
    nothing = np.array([], dtype=np.int64)
    assert scored(metric, nothing, nothing).tolist() == [0, 0, 0]


def test_worse_answers_score_lower() -> None:
    gold = np.repeat(np.arange(5), 4)
    answers = [gold, gold // 2, np.zeros_like(gold)]
    for metric in METRICS:
        if metric.name != "mentions":
            scores = [scored(metric, gold, answer)[2] for answer in answers]
            assert all(better > worse for better, worse in pairwise(scores)), (metric.name, scores)
