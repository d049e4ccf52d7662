"""Potentials against a plain sum over features, and weights in one row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from extraction_builders import borders_of, random_features, random_weights
from samevent.extraction.features import Features
from samevent.extraction.semicrf import Marginals
from samevent.extraction.weights import Weights, gradient, potentials
from samevent.seeds import stream

ROWS = (7, 6, 3, 3, 2)
KINDS = 3
LIMITS = np.array([4, 1, 2], np.int64)
SIZES = [5, 0, 2, 4]
FEATURES = random_features(3, SIZES, 4, ROWS)
WEIGHTS = random_weights(4, ROWS, KINDS)


def plain_score(f: Features, w: Weights, start: int, end: int, kind: int, longest: int) -> float:
    """Score one segment, features one by one."""

    def token(t: int, place: int) -> float:
        column = place * KINDS + kind
        known = [i for i in f.token_features[f.token_starts[t] : f.token_starts[t + 1]] if i >= 0]
        return float(sum(w.token[i, column] for i in known) + f.vectors[t] @ w.vector[:, column]) + float(
            f.context[t] @ w.context[:, column]
        )

    row = start * longest + end - start - 1
    total = token(start + f.segment_heads[row], 0) + token(start, 2) + token(end - 1, 3)
    total += sum(token(t, 1) for t in range(start, end))
    total += sum(float(w.segment[i, kind]) for i in f.segment_features[row] if i >= 0)
    return total + float(f.vectors[start:end].mean(axis=0) @ w.phrase[:, kind])


def test_potentials_are_the_plain_sum_over_features() -> None:
    p = potentials(FEATURES, WEIGHTS, LIMITS)
    for first, last in pairwise(FEATURES.borders.tolist()):
        for start in range(first, last):
            for end in range(start + 1, min(last, start + 4) + 1):
                expected = [plain_score(FEATURES, WEIGHTS, start, end, k, 4) for k in range(KINDS)]
                np.testing.assert_allclose(p.segments[start, end - start - 1], expected, atol=1e-5)
    assert not p.other.any()
    assert p.transitions is WEIGHTS.transitions


def test_unknown_features_have_no_effect() -> None:
    unknown = FEATURES._replace(
        token_features=np.full_like(FEATURES.token_features, -1),
        segment_features=np.full_like(FEATURES.segment_features, -1),
        vectors=np.zeros_like(FEATURES.vectors),
        context=np.zeros_like(FEATURES.context),
    )
    assert not potentials(unknown, WEIGHTS, LIMITS).segments.any()


def test_potentials_of_a_sentence_do_not_depend_on_the_others() -> None:
    alone = Features(
        borders_of([4]),
        FEATURES.token_starts[7:] - FEATURES.token_starts[7],
        FEATURES.token_features[FEATURES.token_starts[7] :],
        FEATURES.segment_features[7 * 4 :],
        FEATURES.segment_heads[7 * 4 :],
        FEATURES.vectors[7:],
        FEATURES.context[7:],
    )
    expected = potentials(FEATURES, WEIGHTS, LIMITS).segments[7:]
    np.testing.assert_allclose(potentials(alone, WEIGHTS, LIMITS).segments, expected, atol=1e-12)


def test_gradient_is_the_transpose_of_potentials() -> None:
    # Potentials are linear in the weights: <error, potentials(w)> = <gradient(error), w> for any error.
    p = potentials(FEATURES, WEIGHTS, LIMITS)
    random = stream(5, "errors")
    error = Marginals(*(random.normal(size=part.shape) for part in (p.segments, p.other, p.transitions)))
    for first, last in pairwise(FEATURES.borders.tolist()):
        for t in range(first, last):
            error.segments[t, last - t :] = 0
    found = gradient(FEATURES, WEIGHTS, LIMITS, error)
    expected = (error.segments * p.segments).sum() + (error.transitions * p.transitions).sum()
    assert found.flat() @ WEIGHTS.flat() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("dimensions", [(0, 3, 2), (3, 0, 0), (0, 0, 2)], ids=str)
def test_vectors_without_weights_have_no_effect(dimensions: tuple[int, int, int]) -> None:
    parts = dict(zip(("vector", "phrase", "context"), dimensions, strict=True))
    without = WEIGHTS._replace(**{name: getattr(WEIGHTS, name)[:size] for name, size in parts.items()})
    silent = WEIGHTS._replace(**{name: getattr(WEIGHTS, name) * (size > 0) for name, size in parts.items()})
    expected = potentials(FEATURES, silent, LIMITS)
    found = potentials(FEATURES, without, LIMITS)
    np.testing.assert_allclose(found.segments, expected.segments, atol=1e-12)
    error = Marginals(found.segments, found.other, found.transitions)
    assert gradient(FEATURES, without, LIMITS, error).flat().size == without.flat().size


def test_a_text_without_tokens_has_no_potentials() -> None:
    empty = random_features(1, [0, 0], 4, ROWS)
    assert potentials(empty, WEIGHTS, LIMITS).segments.shape[0] == 0


def test_flat_weights_round_trip() -> None:
    back = WEIGHTS.shaped(WEIGHTS.flat())
    assert isinstance(back, Weights)
    for ours, theirs in zip(back, WEIGHTS, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert WEIGHTS.flat().size == 7 * 12 + 6 * 3 + 3 * 12 + 3 * 3 + 2 * 12 + 25
    assert not Weights.zeros(*ROWS, KINDS).flat().any()
