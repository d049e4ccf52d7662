"""Mentions from probabilities, against a plain reading of what the module says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from extraction_builders import borders_of, random_potentials
from samevent.extraction.decoding import FLOOR, Candidates, decode
from samevent.extraction.semicrf import Floats, Indices, marginals
from samevent.seeds import stream

Mention = tuple[int, int, int, float]


def reference(segments: Floats, heads: NDArray[np.int8], limit: int, borders: Indices) -> list[Mention]:
    """Decode by lists: pool, then best first among the spans whose tokens are all free."""
    longest = segments.shape[1]
    found: list[Mention] = []
    for first, last in pairwise(borders.tolist()):
        spans = [(a, b) for a in range(first, last) for b in range(a + 1, min(last, a + limit) + 1)]
        headed: dict[int, list[tuple[int, int]]] = {h: [] for h in range(first, last)}
        for a, b in spans:
            headed[a + int(heads[a * longest + b - a - 1])].append((a, b))
        pooled = {h: sum(float(segments[a, b - a - 1]) for a, b in own) for h, own in headed.items()}
        free = set(range(first, last))
        for h in sorted(pooled, key=lambda h: (-pooled[h], h)):
            left = [(a, b) for a, b in headed[h] if set(range(a, b)) <= free and segments[a, b - a - 1] > 0]
            if pooled[h] >= FLOOR and left:
                a, b = max(left, key=lambda span: segments[span[0], span[1] - span[0] - 1])
                free -= set(range(a, b))
                found.append((a, b, h, min(1.0, pooled[h])))
    return sorted(found)


def listed(found: Candidates) -> list[Mention]:
    probability = [round(p, 9) for p in found.probability.tolist()]
    return list(zip(found.start.tolist(), found.end.tolist(), found.head.tolist(), probability, strict=True))


def random_case(seed: int, sizes: list[int], limit: int) -> tuple[Floats, NDArray[np.int8], Indices]:
    """Return true probabilities, from a random model, and heads of which neighbours share some."""
    longest, borders = limit + 2, borders_of(sizes)
    p = random_potentials(seed, sum(sizes), (limit, longest), scale=2)
    _, found = marginals(p, borders)
    random = stream(seed, "heads")
    rank = random.permutation(sum(sizes))
    heads = [
        int(np.argmin(rank[a : a + length])) for a in range(len(rank)) for length in range(1, longest + 1)
    ]
    return found.segments[:, :, 0], np.array(heads, np.int8), borders


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 100_000),
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=3),
    limit=st.integers(1, 5),
)
def test_candidates_equal_a_plain_reference(seed: int, sizes: list[int], limit: int) -> None:
    segments, heads, borders = random_case(seed, sizes, limit)
    found = listed(decode(segments, heads, limit, borders))
    expected = reference(segments, heads, limit, borders)
    assert [mention[:3] for mention in found] == [mention[:3] for mention in expected]
    assert [mention[3] for mention in found] == pytest.approx([mention[3] for mention in expected], abs=1e-8)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 100_000), size=st.integers(1, 30), limit=st.integers(1, 6))
def test_mentions_never_overlap_and_have_their_head_inside(seed: int, size: int, limit: int) -> None:
    segments, heads, borders = random_case(seed, [size, 3], limit)
    found = decode(segments, heads, limit, borders)
    assert (np.diff(found.head) > 0).all()
    assert (found.start[1:] >= found.end[:-1]).all()
    assert ((found.start <= found.head) & (found.head < found.end)).all()
    assert ((found.end - found.start) <= limit).all()
    assert ((found.probability >= FLOOR) & (found.probability <= 1)).all()
    assert not ((found.start < size) & (found.end > size)).any()


def table(
    n: int, longest: int, spans: dict[tuple[int, int], tuple[int, float]]
) -> tuple[Floats, NDArray[np.int8]]:
    """Return probabilities and heads of a sentence, given as span: head, probability; others head themselves last."""
    segments = np.zeros((n, longest))
    heads = np.array([length - 1 for _ in range(n) for length in range(1, longest + 1)], np.int8)
    for (a, b), (h, probability) in spans.items():
        segments[a, b - a - 1] = probability
        heads[a * longest + b - a - 1] = h - a
    return segments, heads


def test_spans_with_one_head_are_one_mention_with_all_their_probability() -> None:
    spans = {(0, 2): (1, 0.3), (1, 2): (1, 0.4), (0, 3): (1, 0.2)}
    found = listed(decode(*table(3, 3, spans), 3, borders_of([3])))
    assert found == [(1, 2, 1, 0.9)]


def test_a_word_whose_span_is_taken_gets_the_rest() -> None:
    spans = {(0, 2): (0, 0.9), (1, 3): (2, 0.5), (2, 3): (2, 0.1)}
    found = listed(decode(*table(3, 2, spans), 2, borders_of([3])))
    assert found == [(0, 2, 0, 0.9), (2, 3, 2, 0.6)]


def test_a_word_without_free_tokens_gets_no_mention() -> None:
    spans = {(0, 2): (0, 0.9), (1, 3): (2, 0.5), (1, 2): (1, 0.3)}
    assert listed(decode(*table(3, 2, spans), 2, borders_of([3]))) == [(0, 2, 0, 0.9)]


def test_improbable_words_and_too_long_spans_head_nothing() -> None:
    spans = {(0, 1): (0, FLOOR / 2), (1, 3): (2, 0.9)}
    assert listed(decode(*table(3, 2, spans), 1, borders_of([3]))) == []


def test_a_text_without_tokens_has_no_candidates() -> None:
    found = decode(np.zeros((0, 3)), np.zeros(0, np.int8), 3, borders_of([0]))
    assert [len(column) for column in found] == [0, 0, 0, 0]
