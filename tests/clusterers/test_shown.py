"""Probabilities that are shown: looked up among the links pair by pair, and the same whoever asks."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from scipy.special import expit, logit

from clusterers.small import evidence_of
from samevent.clusterers import clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.clusterers.shown import UNLINKED, as_shown, learn_shown, log_odds_of
from samevent.hddcrp import Uncertainty
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.similarity.links import MentionLinks
from samevent.similarity.pairs import Pairs
from samevent.similarity.shown import THE_POSTERIOR, Shown
from similarity.tables import random_corpus

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")


def test_log_odds_are_those_of_the_link_in_either_direction() -> None:
    links = MentionLinks(
        Pairs(np.array([3, 1], np.int32), np.array([0, 2], np.int32)), np.array([0.8, 0.001])
    )
    left, right = np.array([0, 0, 1, 2], np.int32), np.array([1, 3, 2, 3], np.int32)
    expected = [UNLINKED, logit(0.8), UNLINKED, UNLINKED]
    assert log_odds_of(links, left, right, 4) == pytest.approx(expected)
    assert log_odds_of(links[np.zeros(2, np.bool_)], left, right, 4) == pytest.approx([UNLINKED] * 4)


def test_every_question_gets_the_shown_probability() -> None:
    evidence = evidence_of(random_corpus(5, documents=12, mentions=14))
    system = cast(Hddcrp, clusterer("hddcrp", {"sweeps": 16, "draws": 8}, preset="standard"))
    links = evidence.links(0.05, pair_model="light")
    links = links[np.arange(len(links.similarity)) % 3 > 0]  # some mentions are connected by others only
    mixture = system.integrated(evidence, links, Uncertainty(spread=1.0))
    weights = Shown(-0.2, 0.6, 0.5)
    shown = as_shown(mixture, links, weights)
    f = {
        frozenset(pair): value
        for *pair, value in zip(
            links.pairs.i.tolist(), links.pairs.j.tolist(), links.similarity.tolist(), strict=True
        )
    }
    left, right = shown.possible()
    counted = 0
    for i, j in zip(left.tolist(), right.tolist(), strict=True):
        before = mixture.probability(i, j)
        alone = max(UNLINKED, logit(f.get(frozenset((i, j)), 0.02)))
        counted += frozenset((i, j)) not in f
        line = -0.2 + 0.6 * logit(np.clip(before, 0.005, 0.995)) + 0.5 * np.clip(alone, -6, 6)
        assert shown.probability(i, j) == pytest.approx(expit(line) if before else 0)
    assert counted
    labels = mixture.samples[0].astype(np.int64)
    group = np.flatnonzero(labels == np.bincount(labels).argmax())
    between = np.array([[shown.probability(i, j) for j in group.tolist()] for i in group.tolist()])
    assert shown.matrix(group) == pytest.approx(between)
    assert shown.mean_with(labels)[group] == pytest.approx((between.sum(axis=1) - 1) / (len(group) - 1))
    assert as_shown(mixture, links, THE_POSTERIOR) is mixture
    assert replace(shown, counted=mixture.counted).probabilities(left, right) != pytest.approx(
        shown.probabilities(left, right)
    )


def test_weights_are_learned_from_pairs_whose_events_are_known() -> None:
    evidence = evidence_of(random_corpus(5, documents=12, mentions=14))
    system = cast(Hddcrp, clusterer("hddcrp", {"sweeps": 16, "draws": 8}, preset="standard"))
    links = evidence.links(0.05, pair_model="light")
    mixture = system.integrated(evidence, links, Uncertainty(spread=1.0))
    left, right = mixture.possible()
    wrong = learn_shown(mixture, links, np.arange(len(evidence), dtype=np.int32))
    right_ones = learn_shown(mixture, links, np.zeros(len(evidence), np.int32))
    assert as_shown(mixture, links, wrong).probabilities(left, right).mean() < 0.05
    assert as_shown(mixture, links, right_ones).probabilities(left, right).mean() > 0.5
