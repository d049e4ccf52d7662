from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from builders import needs_data
from parses import needs_model
from real_data import ecbplus_release
from samevent.corpus import Corpus
from samevent.errors import DataError
from samevent.experiments.pairs import PAPER_WEIGHTS, measure_pairs, quality
from samevent.experiments.protocols import Split, load_split
from samevent.language.cache import Cache
from samevent.language.resources import resources
from samevent.similarity.features import FEATURES
from samevent.similarity.training import PairTrainingSettings

KINDS = {"within", "across_similar", "across_topic", "same_lemma", "other_lemma"}


def test_quality_agrees_with_scikit_learn() -> None:
    draw = np.random.default_rng(1)
    same = draw.random(300) < 0.3
    probability = np.clip(same * 0.2 + draw.random(300) * 0.7, 0, 1)
    found = quality(probability, same, 0.5)
    expected = precision_recall_fscore_support(same, probability >= 0.5, average="binary")[:3]
    assert [found[name] for name in ("precision", "recall", "f1")] == pytest.approx(expected)
    higher = [a > b for a in probability[same] for b in probability[~same]]
    assert found["auc"] == pytest.approx(np.mean(higher))


def test_quality_without_pairs_of_both_kinds_has_no_auc() -> None:
    found = quality(np.array([0.7, 0.2]), np.array([False, False]), 0.5)
    assert (found["auc"], found["precision"], found["recall"], found["f1"]) == (None, 0, 0, 0)


def test_paper_weights_are_of_features_that_exist() -> None:
    assert set(PAPER_WEIGHTS) < {feature.name for feature in FEATURES}


@cache
def small() -> dict[str, Any]:
    """Measure on a few topics, which is enough to see how the parts hang together."""
    split = Split("small", "", train=("1", "3"), dev=("24",), test=())
    topics = (*split.train, *split.dev)
    corpus = Corpus(document for document in ecbplus_release() if document.topic in topics)
    settings = PairTrainingSettings(penalties=(0.01, 0.1), folds=2)
    return measure_pairs(corpus, resources(), split=split, parts=("dev",), settings=settings, cache=Cache())


@pytest.mark.slow
@needs_model
@needs_data("ecbplus")
def test_pairs_are_measured_by_kind() -> None:
    found = small()["dev"]
    assert set(found) == KINDS
    lemmas = found["same_lemma"]["pairs"] + found["other_lemma"]["pairs"]
    assert found["within"]["pairs"] + found["across_topic"]["pairs"] == lemmas
    assert found["same_lemma"]["recall"] > found["other_lemma"]["recall"]
    assert found["across_topic"]["auc"] > 0.75


@needs_model
@needs_data("ecbplus")
def test_pair_measurement_describes_the_model() -> None:
    found = small()
    assert set(found["weights"]) == {feature.name for feature in FEATURES}
    assert found["C"] in (0.01, 0.1)
    assert found["weights"]["head_vector"] > 0.5
    assert found["intercept"] < 0
    assert 0 < found["calibration"]["brier"] < 0.15


def test_pairs_of_a_split_without_its_documents_are_refused() -> None:
    with pytest.raises(DataError, match="no documents"):
        measure_pairs(Corpus([]), resources(), split=load_split("yang2015"))
