"""Classes of actions, compared with scikit-learn's logistic regression; negation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from extraction_builders import random_features, text_of
from samevent.corpus import EVENT_CLASSES
from samevent.extraction.classes import (
    ClassWeights,
    LabelledHead,
    class_probabilities,
    fit_classes,
    is_negated,
)
from samevent.seeds import stream

FEATURES = random_features(1, [40], 2, (6, 1, 1, 1, 3))
TOKENS = list(range(40))
NUMBERS = [*range(len(EVENT_CLASSES)), *stream(2, "classes").integers(len(EVENT_CLASSES), size=33).tolist()]
HEADS = [LabelledHead(token, EVENT_CLASSES[number]) for token, number in zip(TOKENS, NUMBERS, strict=True)]


def matrix() -> NDArray[np.float64]:
    rows = np.zeros((len(TOKENS), 6))
    for token in TOKENS:
        start, end = FEATURES.token_starts[token : token + 2]
        for feature in FEATURES.token_features[start:end]:
            if feature >= 0:
                rows[token, feature] += 1
    return np.concatenate([rows, FEATURES.context], axis=1)


def test_probabilities_are_those_of_logistic_regression() -> None:
    found = class_probabilities(FEATURES, TOKENS, fit_classes(FEATURES, HEADS, 6, penalty=0.5))
    expected = LogisticRegression(C=2.0, tol=1e-8, max_iter=2000).fit(matrix(), NUMBERS)
    np.testing.assert_allclose(found, expected.predict_proba(matrix()), atol=2e-3)


def test_nothing_is_learned_from_actions_without_classes() -> None:
    weights = fit_classes(FEATURES, [], 6)
    assert not weights.learned
    assert fit_classes(FEATURES, HEADS, 6).learned
    assert [part.shape for part in weights] == [part.shape for part in ClassWeights.zeros(6, 3)]


@pytest.mark.parametrize(
    ("rows", "head", "negated"),
    [
        ("He PRP nsubj sign\ndid VBD aux sign\nnot RB neg sign\nsign VB ROOT sign", 3, True),
        ("He PRP nsubj sign\ndidn't VBD aux sign\nsign VB ROOT sign", 2, True),
        ("no DT det deal\ndeal NN ROOT deal", 1, True),
        ("was VBD ROOT was\nnot RB neg was\nhappy JJ acomp was", 2, True),
        ("left VBD ROOT left\nwithout IN prep left\na DT det fight\nfight NN pobj without", 3, True),
        ("left VBD ROOT left\nwithout IN prep left\na DT det fight\nfight NN pobj without", 0, False),
        ("He PRP nsubj signed\nsigned VBD ROOT signed", 1, False),
    ],
)
def test_negation_is_read_off_the_parse(rows: str, head: int, negated: bool) -> None:
    text = text_of(rows)
    assert is_negated(text.document, text.annotation, head) == negated
