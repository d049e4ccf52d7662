"""Learning: steps against plain AdaGrad, batches against the whole objective."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from extraction_builders import best_segments, random_features, random_weights
from samevent.extraction.gold import Segment
from samevent.extraction.learning import Cost, LearningSettings, gold_arrays, learn, loss
from samevent.extraction.semicrf import Floats
from samevent.extraction.weights import Weights, potentials

ROWS = (6, 5, 2, 2, 2)
SIZES = [4, 0, 3, 1, 5, 2, 4]
LIMITS = np.array([2, 3], np.int64)
PATH: list[Segment] = [(0, 1, 1), (1, 4, 2), (5, 7, 1), (8, 10, 2), (12, 13, 1), (13, 15, 2), (18, 19, 1)]
FEATURES = random_features(1, SIZES, 3, ROWS)
WHOLE = LearningSettings(rounds=4, rate=0.2, batch=len(SIZES), regularisation=0.3)


def copied(weights: Weights) -> Weights:
    return Weights(*(part.copy() for part in weights))


def objective(flat: Floats, settings: LearningSettings) -> tuple[float, Floats]:
    """Return the objective on all sentences at once."""
    right = gold_arrays(FEATURES.borders, PATH, 3, 2, settings.cost)
    strength = np.full(flat.size, settings.regularisation)
    return loss(flat, Weights.zeros(*ROWS, 2), FEATURES, right, LIMITS, strength)


def learned(settings: LearningSettings, start: Weights | None = None) -> tuple[Weights, list[str]]:
    weights = copied(start or Weights.zeros(*ROWS, 2))
    told: list[str] = []
    learn(weights, FEATURES, PATH, LIMITS, settings, told.append)
    return weights, told


def test_every_feature_is_seen_in_these_sentences() -> None:
    assert set(FEATURES.token_features.tolist()) == set(range(-1, 6))
    assert set(FEATURES.segment_features.ravel().tolist()) == set(range(-1, 5))


@pytest.mark.parametrize("cost", [Cost(), Cost(0, 0, 0, 0)], ids=["margin", "likelihood"])
def test_one_batch_of_everything_takes_the_steps_of_adagrad(cost: Cost) -> None:
    settings = replace(WHOLE, cost=cost)
    flat = random_weights(2, ROWS, 2).flat()
    found, _ = learned(settings, random_weights(2, ROWS, 2))
    squares = np.full(flat.size, 1e-8)
    for rate in np.linspace(1, 0.1, settings.rounds) * settings.rate:
        _, gradient = objective(flat, settings)
        squares += gradient**2
        flat = flat - rate * gradient / np.sqrt(squares)
    np.testing.assert_allclose(found.flat(), flat, atol=1e-9)


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_batches_add_up_to_the_whole_objective(batch: int) -> None:
    start = random_weights(3, ROWS, 2)
    settings = LearningSettings(rounds=1, rate=0, batch=batch, regularisation=1000)
    still, told = learned(settings, start)
    np.testing.assert_array_equal(still.flat(), start.flat())
    value, _ = objective(start.flat(), settings)
    assert told == [f"round 1 of 1: loss {value:,.0f}"]


@pytest.mark.parametrize("batch", [1, 3])
def test_small_batches_come_close_to_the_minimum(batch: int) -> None:
    settings = LearningSettings(rounds=150, rate=0.3, batch=batch, regularisation=0.5)
    found, _ = learned(settings)
    best, _ = learned(replace(settings, rounds=1500, batch=100))
    lowest, slope = objective(best.flat(), settings)
    assert np.abs(slope).max() < 0.01
    start, _ = objective(np.zeros(found.flat().size), settings)
    value, _ = objective(found.flat(), settings)
    assert value - lowest < 0.01 * (start - lowest)


def test_the_gold_path_becomes_the_best() -> None:
    weights, _ = learned(LearningSettings(rounds=200, rate=0.5, batch=2, regularisation=0.001))
    assert best_segments(potentials(FEATURES, weights, LIMITS), FEATURES.borders) == PATH


def test_weights_of_features_that_no_sentence_has_stay_as_they_are() -> None:
    unseen = FEATURES._replace(
        token_features=np.where(FEATURES.token_features == 3, -1, FEATURES.token_features),
        segment_features=np.where(FEATURES.segment_features == 0, -1, FEATURES.segment_features),
    )
    start = random_weights(4, ROWS, 2)
    weights = copied(start)
    learn(weights, unseen, PATH, LIMITS, LearningSettings(batch=2))
    np.testing.assert_array_equal(weights.token[3], start.token[3])
    np.testing.assert_array_equal(weights.segment[0], start.segment[0])
    for row in (0, 1, 2, 4, 5):
        assert (weights.token[row] != start.token[row]).all()


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    first, again, other = (
        learned(LearningSettings(batch=2, rounds=3, seed=seed))[0].flat().tobytes() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
