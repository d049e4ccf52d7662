"""What decisions say about the log-odds of a pair model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from samevent.partitions.constraints import FREE, PairConstraints
from samevent.seeds import stream
from samevent.similarity.boosted import BoostedModel, SecondLook
from samevent.similarity.boosting import train_second_look
from samevent.similarity.judged import JudgedPairs, corrected
from samevent.similarity.links import LinkSettings, MentionLinks, find_links
from samevent.similarity.pairs import Pairs
from similarity.tables import compiled, random_corpus
from similarity.test_boosted import SMALL, random_boosted
from training.test_uncertainty import labelled

ALL = [(i, j) for i in range(6) for j in range(i)]
LINKS = MentionLinks(Pairs(*np.array(ALL, np.int32).T), np.linspace(0.05, 0.95, len(ALL)))


def judged(must: list[tuple[int, int]], cannot: list[tuple[int, int]]) -> dict[tuple[int, int], Any]:
    found = JudgedPairs.of(LINKS, PairConstraints.reduced(must, cannot, 6), 6)
    rows = zip(found.pairs.i.tolist(), found.pairs.j.tolist(), strict=True)
    return {pair: (bool(s), float(w)) for pair, s, w in zip(rows, found.same, found.weight, strict=True)}


def test_decided_pairs_are_those_that_follow_from_decisions_and_no_others() -> None:
    assert judged([(0, 1), (1, 2)], [(2, 3)]) == {
        **{pair: (True, pytest.approx(2 / 3)) for pair in [(1, 0), (2, 0), (2, 1)]},
        **{pair: (False, pytest.approx(1 / 3)) for pair in [(3, 0), (3, 1), (3, 2)]},
    }
    assert judged([], []) == {}
    assert judged([], [(4, 5)]) == {(5, 4): (False, 1.0)}


def test_a_decision_counts_as_much_as_the_pairs_that_it_takes_however_large_its_events_are() -> None:
    found = judged([(0, 1), (1, 2), (3, 4)], [(0, 3)])
    assert sum(weight for same, weight in found.values() if same) == pytest.approx(2 + 1)
    assert sum(weight for same, weight in found.values() if not same) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_offset_is_the_most_probable_one(seed: int) -> None:
    draw = stream(seed, "judged")
    odds, weight = draw.normal(0, 2, 40), draw.random(40)
    same = draw.random(40) < expit(odds - 1)
    found = JudgedPairs(Pairs(*np.zeros((2, 40), np.int32)), odds, same, weight)

    def loss(offset: float) -> float:
        fit = np.logaddexp(0, odds + offset) - same * (odds + offset)
        return float(weight @ fit + offset**2 / (2 * 1.5**2))

    assert found.offset(1.5) == pytest.approx(minimize_scalar(loss).x, abs=2e-3)
    assert abs(found.offset(0.1)) < abs(found.offset(1.5))


def with_second_look(model: BoostedModel) -> BoostedModel:
    data = labelled(8)
    links = find_links(data.table, model, settings=LinkSettings(minimum_similarity=0.01))
    everything = np.ones(len(links.pairs), np.bool_)
    second: SecondLook = train_second_look(data, links, SMALL, everything)
    return replace(model, second=second)


@pytest.mark.parametrize("looks", [1, 2])
def test_corrected_model_moves_all_log_odds_alike(looks: int) -> None:
    table = compiled(random_corpus(5, documents=8))
    model = random_boosted(5) if looks == 1 else with_second_look(random_boosted(5))
    settings = LinkSettings(minimum_similarity=0.001)
    before = find_links(table, model, settings=settings)
    constraints = PairConstraints.reduced(
        [], [(int(before.pairs.j[n]), int(before.pairs.i[n])) for n in range(9)], len(table)
    )
    decisions = JudgedPairs.of(before, constraints, len(table))
    offset = decisions.offset(model.uncertainty.spread)
    assert offset < 0
    after = find_links(table, corrected(model, decisions), settings=settings)
    known = dict(
        zip(
            zip(before.pairs.i.tolist(), before.pairs.j.tolist(), strict=True), before.similarity, strict=True
        )
    )
    moved = [
        logit(f) - logit(known[i, j])
        for i, j, f in zip(after.pairs.i.tolist(), after.pairs.j.tolist(), after.similarity, strict=True)
        if 1e-6 < known[i, j] < 1 - 1e-6
    ]
    assert moved
    np.testing.assert_allclose(moved, offset, atol=1e-6)


def test_model_without_decisions_stays_and_says_what_it_learned_from() -> None:
    model = random_boosted(1)
    none = JudgedPairs.of(LINKS, FREE, 6)
    same = corrected(model, none, ["abc"])
    assert same.intercept == model.intercept
    assert same.about["corrections"] == [{"sha256": ["abc"], "pairs": 0, "same": 0, "offset": 0.0}]
    assert len(corrected(same, none).about["corrections"]) == 2
