"""Columns of the extractor from the scores of a tagger."""

from __future__ import annotations

import numpy as np

from samevent.corpus import EVENT_CLASSES, KINDS
from samevent.extraction.contextual import CONTEXT_COLUMNS, context_columns
from samevent.language.encoder.tagging import TAGS
from samevent.seeds import stream

BORDERS = np.array([0, 3, 3, 5])
SCORES = stream(1, "tags").normal(size=(5, len(TAGS))).astype(np.float32)
COLUMNS = context_columns(SCORES, BORDERS)
OWN = len(KINDS) + 1
UNIT = 1.5


def probability(token: int, *names: str) -> float:
    exclusive = np.exp(SCORES[token, :12].astype(np.float64))
    return float(sum(exclusive[TAGS.index(name)] for name in names) / exclusive.sum())


def test_columns_are_log_odds_of_kinds_and_of_a_start() -> None:
    assert COLUMNS.shape == (5, CONTEXT_COLUMNS)
    tags = {"action": EVENT_CLASSES, "participant": ("human", "non-human")}
    for token in range(5):
        for column, kind in enumerate(KINDS):
            p = probability(token, *tags.get(kind, (kind,)))
            np.testing.assert_allclose(UNIT * COLUMNS[token, column], np.log(p / (1 - p)), rtol=1e-5)
        np.testing.assert_allclose(UNIT * COLUMNS[token, len(KINDS)], SCORES[token, TAGS.index("start")])


def test_columns_of_classes_are_those_of_an_action() -> None:
    action = probability(2, *EVENT_CLASSES)
    shares = np.array([probability(2, name) / action for name in EVENT_CLASSES])
    np.testing.assert_allclose(UNIT * COLUMNS[2, 3 * OWN :], np.log(shares / (1 - shares)), rtol=1e-4)


def test_neighbours_end_at_the_sentence() -> None:
    own, before, after = (COLUMNS[:, i * OWN : (i + 1) * OWN] for i in range(3))
    np.testing.assert_array_equal(before[[1, 2, 4]], own[[0, 1, 3]])
    np.testing.assert_array_equal(after[[0, 1, 3]], own[[1, 2, 4]])
    edge = [-8 / UNIT] * len(KINDS) + [0.0]
    for beyond in (before[[0, 3]], after[[2, 4]]):
        np.testing.assert_allclose(beyond, [edge, edge], rtol=1e-6)


def test_certain_scores_stay_finite() -> None:
    certain = np.full((2, len(TAGS)), -1e4, np.float32)
    certain[:, 0] = 1e4
    columns = context_columns(certain, np.array([0, 2]))
    assert np.isfinite(columns).all()
    assert np.abs(columns).max() <= 8 / UNIT


def test_empty_document_has_no_rows() -> None:
    assert context_columns(np.zeros((0, len(TAGS)), np.float32), np.array([0, 0])).shape == (
        0,
        CONTEXT_COLUMNS,
    )
