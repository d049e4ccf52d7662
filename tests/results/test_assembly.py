"""Events put on documents: who is with whom, how sure, why, and what the options leave out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from clusterers.small import evidence_of, told
from samevent.clusterers import Clustered, Evidence
from samevent.corpus import Corpus
from samevent.results import Result
from samevent.results.assembly import with_events
from samevent.results.diagnostics import Diagnostics
from samevent.results.probabilities import Probabilities

ANNOTATED = [
    told("a", "plane bomb camp raid", 1, 3),
    told("b", "plane bomb camp", 1),
    told("c", "cat raid", 1),
]
CORPUS = Corpus(document for document, _ in ANNOTATED)
BOMB_A, RAID_A, BOMB_B, RAID_C = (m.id for m in CORPUS.mentions("action"))


def found(evidence: Evidence, labels: list[int], samples: list[list[int]]) -> tuple[Clustered, Probabilities]:
    drawn = np.array(samples, np.int32)
    clustered = Clustered(ids=evidence.table.ids, labels=np.array(labels, np.int32), samples=drawn)
    return clustered, Probabilities.of(clustered)


def resolved(labels: list[int], samples: list[list[int]], **options: Any) -> Result:
    evidence = evidence_of(ANNOTATED)
    if options.pop("explained", False):
        options |= {"links": evidence.links(0.3, pair_model="paper"), "model": evidence.pair_model("paper")}
    return Result(with_events(CORPUS, evidence, *found(evidence, labels, samples), **options))


def test_with_events_numbers_events_by_first_mention_and_leaves_single_ones_without() -> None:
    result = resolved([5, 2, 5, 9], [[0, 1, 0, 2], [0, 1, 0, 1]])
    assert [[m.id for m in event.mentions] for event in result.events] == [[BOMB_A, BOMB_B]]
    assert result.events["e1"].documents == ("a", "b")
    kept = resolved([5, 2, 5, 9], [[0, 1, 0, 2], [0, 1, 0, 1]], keep_singletons=True)
    assert [event.id for event in kept.events] == ["e1", "e2", "e3"]
    assert [len(event) for event in kept.events] == [2, 1, 1]
    assert result.clustering == kept.clustering


def test_with_events_says_how_sure_each_member_is() -> None:
    event = resolved([0, 0, 0, 1], [[0, 0, 0, 1], [0, 1, 0, 1]]).events["e1"]
    assert [member.probability for member in event.members] == [0.75, 0.5, 0.75]
    assert event.probability == pytest.approx(2 / 3)
    assert event.doubtful[0].mention.id == RAID_A


def test_with_events_takes_doubtful_members_out() -> None:
    samples = [[0, 0, 0, 1], [0, 1, 0, 1]]
    result = resolved([0, 0, 0, 1], samples, least_probability=0.6)
    assert [[m.id for m in event.mentions] for event in result.events] == [[BOMB_A, BOMB_B]]
    assert [member.probability for member in result.events[0].members] == [1.0, 1.0]


def test_with_events_gives_the_closest_member_and_reasons() -> None:
    result = resolved([0, 1, 0, 1], [[0, 1, 0, 1]], explained=True)
    members = {member.mention.id: member for event in result.events for member in event.members}
    why = members[BOMB_A].why
    assert why is not None
    assert (why.mention, why.probability) == (BOMB_B, 1.0)
    assert why.reasons[0].added >= why.reasons[-1].added > 0
    assert any("same head lemma" in reason.about for reason in why.reasons)
    without = resolved([0, 1, 0, 1], [[0, 1, 0, 1]])
    assert all(member.why is None for event in without.events for member in event.members)


def test_with_events_forgets_what_an_earlier_run_knew() -> None:
    once = resolved([0, 1, 0, 1], [[0, 1, 0, 1]], explained=True).corpus
    evidence = evidence_of(ANNOTATED)
    alone = with_events(once, evidence, *found(evidence, [0, 1, 2, 3], [[0, 1, 2, 3]]))
    assert all(m.event is None and not m.extra for m in alone.mentions("action"))


def test_diagnostics_thin_long_traces_and_survive_json() -> None:
    rows = np.arange(2 * 1000, dtype=np.float64).reshape(2, 1000)
    clustered = Clustered(ids=("a",), labels=np.zeros(1, np.int32), samples=np.zeros((1, 1), np.int32),
                          verdict="fine", traces={"log joint": rows})  # fmt: skip
    told_of = Diagnostics.of(clustered)
    assert told_of.every["log joint"] == 5
    assert told_of.traces["log joint"][1][2] == rows[1, 10]
    assert Diagnostics.from_plain(told_of.plain()) == told_of
