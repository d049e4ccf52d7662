"""Pairs that decisions are about, as rows of training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samevent.partitions.constraints import FREE, PairConstraints
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosting import BoostingSettings
from samevent.similarity.decided import DECISION_WEIGHT, DecidedPairs
from samevent.similarity.mentions import MentionTable
from samevent.similarity.pairs import Pairs
from samevent.similarity.tree_features import columns
from similarity.tables import compiled, random_corpus

EVERYTHING = Blocking(documents=0.0, contextual=None)


@pytest.fixture(scope="module")
def table() -> MentionTable:
    return compiled(random_corpus(5, documents=8))


def decided(
    table: MentionTable, must: list[tuple[int, int]], cannot: list[tuple[int, int]]
) -> dict[tuple[int, int], Any]:
    constraints = PairConstraints.reduced(must, cannot, len(table))
    found = DecidedPairs.of(table, EVERYTHING, constraints)
    rows = zip(found.pairs.i.tolist(), found.pairs.j.tolist(), found.same, found.weight, strict=True)
    return {(min(i, j), max(i, j)): (bool(same), float(weight)) for i, j, same, weight in rows}


def test_decided_pairs_are_those_that_follow_from_decisions_and_no_others(table: MentionTable) -> None:
    assert len(Pairs.concatenate(EVERYTHING.pairs(table))) == len(table) * (len(table) - 1) // 2
    assert decided(table, [(0, 1), (1, 2)], [(2, 3)]) == {
        **{pair: (True, pytest.approx(2 / 3)) for pair in [(0, 1), (0, 2), (1, 2)]},
        **{pair: (False, pytest.approx(1 / 3)) for pair in [(0, 3), (1, 3), (2, 3)]},
    }
    assert decided(table, [], [(4, 5)]) == {(4, 5): (False, 1.0)}
    assert not len(DecidedPairs.of(table, EVERYTHING, FREE))


def test_decision_counts_as_much_as_the_pairs_that_it_takes_however_large_its_events_are(
    table: MentionTable,
) -> None:
    found = decided(table, [(0, 1), (1, 2), (3, 4)], [(0, 3)])
    assert sum(weight for same, weight in found.values() if same) == pytest.approx(2 + 1)
    assert sum(weight for same, weight in found.values() if not same) == pytest.approx(1)


def test_rows_are_columns_as_a_model_of_the_background_sees_them(table: MentionTable) -> None:
    settings = BoostingSettings(without=("contextual", "large"))
    background = compiled(random_corpus(6, documents=30)).document_frequencies()
    found = DecidedPairs.of(table, EVERYTHING, PairConstraints.reduced([(0, 9)], [(1, 7)], len(table)))
    rows = found.rows(settings, background)
    seen = table.with_background(background)
    np.testing.assert_array_equal(
        rows.columns, columns(seen, found.pairs.i, found.pairs.j, settings.features)
    )
    own = columns(table, found.pairs.i, found.pairs.j, settings.features)
    assert not np.array_equal(rows.columns, own, equal_nan=True)
    np.testing.assert_array_equal(rows.weight, DECISION_WEIGHT * found.weight)
    np.testing.assert_array_equal(rows.same, found.same)
