"""Clusterers hold a person's decisions exactly, or refuse them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from clusterers.small import cluster, evidence_of, in_a_hurry, sentence
from samevent.clusterers import CLUSTERERS, Evidence
from samevent.errors import UsageError
from samevent.partitions.constraints import PairConstraints
from samevent.results.assembly import judge
from samevent.results.parts import grouped, join_parts, part_evidence, solve_part

CORPUS = [
    sentence("a", "army bomb camp", 1),
    sentence("b", "army bomb camp kill man", 1, 3),
    sentence("c", "police raid house kill man", 1, 3),
    sentence("d", "army raid camp", 1),
    sentence("e", "storm flood town", 1),
    sentence("f", "bank buy firm", 1),
]
BOMB_A, BOMB_B, KILL_B, RAID_C, KILL_C, RAID_D, FLOOD, BUY = range(8)
HELD = PairConstraints.reduced(
    [(FLOOD, BUY), (BOMB_A, RAID_D), (RAID_D, RAID_C)], [(BOMB_A, BOMB_B), (KILL_B, KILL_C)], 8
)
"""Nothing links a flood with a purchase but a person; bombs and killings of one lemma are kept apart."""

SYSTEMS: list[tuple[str, dict[str, Any]]] = [
    ("hddcrp", {"uncertain": True, "likelihood_weight": 0.0}),
    ("hddcrp", {"uncertain": True, "likelihood_weight": 1.0}),
    ("hddcrp", {"uncertain": True, "time_limit": 1e-9}),
    ("hddcrp", {"uncertain": False}),
    ("hddcrp", {"uncertain": False, "answer": "last", "sampler": "paper"}),
    ("ddcrp", {}),
    ("ddcrp", {"uncertain": True}),
    ("hddcrp-star", {}),
]


def evidence() -> Evidence:
    return evidence_of(CORPUS).constrained(HELD)


def check(labels: np.ndarray, probability: Any) -> None:
    assert len({labels[i] for i in (BOMB_A, RAID_D, RAID_C)}) == 1
    assert labels[FLOOD] == labels[BUY]
    for i, j in ((BOMB_A, BOMB_B), (KILL_B, KILL_C)):
        assert labels[i] != labels[j]
    for i, j in ((BOMB_A, RAID_D), (BOMB_A, RAID_C), (RAID_C, RAID_D), (FLOOD, BUY)):
        assert probability(i, j) == probability(j, i) == 1.0
    # What is joined to one that is kept apart is kept apart as well.
    for i, j in ((BOMB_A, BOMB_B), (RAID_C, BOMB_B), (RAID_D, BOMB_B), (KILL_B, KILL_C)):
        assert probability(i, j) == probability(j, i) == 0.0


@pytest.mark.parametrize(("name", "changes"), SYSTEMS)
@pytest.mark.parametrize("batches", [False, True])
def test_decisions_hold_exactly(
    name: str, changes: dict[str, Any], batches: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if batches:
        monkeypatch.setattr("samevent.hddcrp.batches.MOST_LINKS", 1)
        monkeypatch.setattr("samevent.hddcrp.mixture._TOGETHER", 0)
    system, given = in_a_hurry(name, **changes), evidence()
    clustered = cluster(system, given)
    check(clustered.labels, clustered.posterior.probability)
    matrix = clustered.posterior.matrix(np.arange(8))
    check(clustered.labels, lambda i, j: matrix[i, j])
    for sample in clustered.posterior.samples:
        assert sample[FLOOD] == sample[BUY]
        assert sample[BOMB_A] != sample[BOMB_B]
    for least in (0.0, 0.5, 0.999):
        judged = judge(given, system, clustered, min_probability=least)
        check(judged.labels, clustered.posterior.probability)
        assert judged.sure[FLOOD] == 1.0


def test_a_must_link_takes_its_mentions_out_of_an_event_together() -> None:
    given = evidence_of(CORPUS).constrained(PairConstraints.reduced([(FLOOD, BOMB_A), (KILL_B, BUY)], [], 8))
    system = in_a_hurry("hddcrp", uncertain=True, cut=0.001)
    judged = judge(given, system, cluster(system, given), min_probability=0.95)
    assert judged.labels[FLOOD] == judged.labels[BOMB_A]
    assert judged.labels[KILL_B] == judged.labels[BUY]


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_parts_hold_the_same_decisions_with_the_same_bytes(weight: float) -> None:
    system, given = in_a_hurry("hddcrp", uncertain=True, likelihood_weight=weight), evidence()
    whole = cluster(system, given)
    links = system.links(given)
    assert links is not None
    groups = grouped(links, len(given), HELD.must_link)
    assert any({FLOOD, BUY} <= set(rows.tolist()) for rows in groups)
    answers = [solve_part(part_evidence(given, system, links, rows), system, seed=0) for rows in groups]
    joined, judgement = join_parts(answers, given, system, seed=0)
    check(judgement.labels, joined.posterior.probability)
    assert np.array_equal(joined.posterior.samples, whole.posterior.samples)
    assert np.array_equal(joined.posterior.together, whole.posterior.together)
    assert np.array_equal(judgement.labels, judge(given, system, whole).labels)


def test_without_decisions_nothing_changes() -> None:
    system = in_a_hurry("hddcrp", uncertain=True)
    free = cluster(system, evidence_of(CORPUS))
    held = cluster(system, evidence_of(CORPUS).constrained(PairConstraints()))
    assert np.array_equal(free.posterior.samples, held.posterior.samples)
    assert np.array_equal(free.posterior.together, held.posterior.together)


@pytest.mark.parametrize(
    "name", [name for name in CLUSTERERS if name not in ("hddcrp", "ddcrp", "hddcrp-star")]
)
def test_clusterers_that_cannot_hold_decisions_refuse_them(name: str) -> None:
    with pytest.raises(UsageError, match="cannot hold corrections"):
        cluster(in_a_hurry(name), evidence())
