"""The uncertainty of similarities: what they were distorted with is found again, and counts come out right."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from scipy.special import expit

from clusterers.small import evidence_of
from samevent.clusterers import clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.clusterers.uncertainty import (
    estimate_spread,
    estimate_uncertainty,
    would_be_events,
)
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.seeds import stream
from samevent.similarity.links import MentionLinks
from samevent.similarity.pairs import Pairs
from similarity.tables import random_corpus

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")


@pytest.mark.parametrize("spread", [0.3, 1.0, 2.0])
def test_spread_of_a_shared_error_is_found(spread: float) -> None:
    random = stream(1, "groups")
    group = np.repeat(np.arange(500, dtype=np.int32), 12)
    scores = random.normal(0, 1.5, len(group))
    error = 0.4 + spread * random.standard_normal(500)
    same = random.random(len(group)) < expit(scores + error[group])
    assert estimate_spread(scores, same, group) == pytest.approx(spread, rel=0.15, abs=0.1)


def test_spread_of_groups_of_one_kind_is_none() -> None:
    assert estimate_spread(np.zeros(3), np.ones(3, np.bool_), np.zeros(3, np.int32)) == 0.0


def test_would_be_events_are_connected_by_similar_pairs() -> None:
    links = MentionLinks(
        Pairs(np.array([1, 2, 3], np.int32), np.array([0, 1, 2], np.int32)), np.array([0.6, 0.4, 0.5])
    )
    assert would_be_events(links, 5, 0.5).tolist() == [0, 0, 1, 1, 2]


def test_learned_shift_makes_the_expected_number_of_pairs_right() -> None:
    evidence = evidence_of(random_corpus(5, documents=12, mentions=14))
    system = cast(Hddcrp, clusterer("hddcrp", {"sweeps": 16, "draws": 8}, preset="standard"))
    links = evidence.links(0.05, pair_model="light")
    event = evidence.table.heads.lemma[evidence.table.head]
    uncertainty = estimate_uncertainty(evidence, links, event, system)
    true = int(links.pairs.equal(event).sum())

    def expected(shift: float) -> float:
        samples = system.integrated(evidence, links, replace(uncertainty, shift=shift)).samples
        return float(np.mean([(np.bincount(z) * (np.bincount(z) - 1) / 2).sum() for z in samples]))

    assert uncertainty.spread > 0
    off = abs(np.log(expected(uncertainty.shift) / true))
    assert off <= min(abs(np.log(expected(shift) / true)) for shift in (-0.4, -0.8)) + 1e-9
