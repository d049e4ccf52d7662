"""Events put on documents: who is with whom, how sure, why, and what the options leave out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from builders import annotated
from clusterers.small import evidence_of, sentence
from samevent.clusterers import Clustered, Clusterer
from samevent.clusterers.rules import Agglomerative, Lemma
from samevent.corpus import Clustering, Corpus
from samevent.errors import UsageError
from samevent.events import Alternative, Belief
from samevent.partitions.posterior import Posterior
from samevent.results import Diagnostics, Result
from samevent.results.assembly import assemble, with_events

ANNOTATED = [
    sentence("a", "plane bomb camp raid", 1, 3),
    sentence("b", "plane bomb camp", 1),
    sentence("c", "cat raid", 1),
]
CORPUS = Corpus(document for document, _ in ANNOTATED)
BOMB_A, RAID_A, BOMB_B, RAID_C = (m.id for m in CORPUS.mentions("action"))


def answer(labels: list[int], samples: list[list[int]]) -> Clustered:
    ids = evidence_of(ANNOTATED).table.ids
    return Clustered(ids, np.array(labels, np.int32), Posterior(samples=np.array(samples, np.int32)))


def resolved(
    labels: list[int],
    samples: list[list[int]],
    system: Clusterer | None = None,
    corpus: Corpus = CORPUS,
    **options: Any,
) -> Result:
    return assemble(corpus, evidence_of(ANNOTATED), system or Lemma(), answer(labels, samples), **options)


def test_result_numbers_events_by_first_mention_and_leaves_single_ones_out() -> None:
    result = resolved([5, 2, 5, 9], [[0, 1, 0, 2], [0, 1, 0, 1]])
    assert [[m.id for m in event.mentions] for event in result.events] == [[BOMB_A, BOMB_B]]
    assert result.events["e1"].documents == ("a", "b")
    kept = resolved([5, 2, 5, 9], [[0, 1, 0, 2], [0, 1, 0, 1]], keep_singletons=True)
    assert [event.id for event in kept.events] == ["e1", "e2", "e3"]
    assert [len(event) for event in kept.events] == [2, 1, 1]
    assert result.clustering == kept.clustering


def test_result_has_the_probability_of_each_member() -> None:
    event = resolved([0, 0, 0, 1], [[0, 0, 0, 1], [0, 1, 0, 1]]).events["e1"]
    assert [member.probability for member in event.members] == [0.75, 0.5, 0.75]
    assert event.doubtful[0].mention.id == RAID_A


def test_result_has_the_probability_that_an_event_is_one() -> None:
    samples = [[0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1]]
    result = resolved([0, 0, 0, 1], samples)
    assert result.events["e1"].probability == 0.5
    assert result.events["e1"].belief == Belief(0.5, Alternative((RAID_A,), 0.5), 3)
    sure = resolved([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2, 3]])
    for event in sure.events:  # of two mentions, all say the same
        assert {event.probability, *(m.probability for m in event.members)} == {
            sure.probability(event.mentions[0].id, event.mentions[1].id)
        }


def test_result_has_how_many_mentions_are_likely_to_be_one_event() -> None:
    event = resolved([0, 0, 0, 1], [[0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1]]).events["e1"]
    assert (event.probability, event.likely, event.in_words) == (0.3333, 2, "2 of 3 likely")
    whole = resolved([0, 0, 0, 1], [[0, 0, 0, 1]] * 2 + [[0, 1, 0, 1]]).events["e1"]
    assert (whole.probability, whole.likely, whole.in_words) == (0.6667, 3, "likely")
    two = resolved([0, 1, 0, 2], [[0, 1, 0, 2], [0, 1, 2, 3], [0, 1, 2, 3]]).events["e1"]
    assert (two.probability, two.likely, two.in_words) == (0.3333, 0, "unsure")


def test_result_has_the_probability_of_an_event_for_any_order_of_documents() -> None:
    corpus = Corpus(reversed(CORPUS.documents))
    result = resolved([0, 1, 0, 2], [[0, 1, 0, 2], [0, 1, 2, 3]], corpus=corpus)
    assert [m.id for m in result.events["e1"].mentions] == [BOMB_B, BOMB_A]
    assert result.events["e1"].probability == 0.5


def test_result_shows_no_alternative_that_is_improbable_or_trivial() -> None:
    sure = resolved([0, 0, 0, 1], [[0, 0, 0, 1]] * 9 + [[0, 1, 0, 1]])
    assert sure.events["e1"].belief == Belief(0.9, None, 3)
    two = resolved([0, 1, 0, 2], [[0, 1, 0, 2], [0, 1, 2, 3]])
    assert two.events["e1"].belief == Belief(0.5, None, 2)


def test_result_takes_doubtful_members_out() -> None:
    samples = [[0, 0, 0, 1], [0, 1, 0, 1]]
    result = resolved([0, 0, 0, 1], samples, min_probability=0.6)
    assert [[m.id for m in event.mentions] for event in result.events] == [[BOMB_A, BOMB_B]]
    assert [member.probability for member in result.events[0].members] == [1.0, 1.0]


def test_result_has_the_closest_member_and_reasons() -> None:
    result = resolved([0, 1, 0, 1], [[0, 1, 0, 1]], Agglomerative(within=0.3, across=0.3))
    members = {member.mention.id: member for event in result.events for member in event.members}
    why = members[BOMB_A].why
    assert why is not None
    assert (why.mention, why.probability) == (BOMB_B, 1.0)
    assert why.reasons[0].added >= why.reasons[-1].added > 0
    assert any("same head lemma" in reason.about for reason in why.reasons)
    without = resolved([0, 1, 0, 1], [[0, 1, 0, 1]])
    assert all(member.why is None for event in without.events for member in event.members)


def test_result_forgets_what_an_earlier_run_wrote_on_mentions() -> None:
    once = resolved([0, 1, 0, 1], [[0, 1, 0, 1]], Agglomerative(within=0.3, across=0.3)).to_corpus()
    assert any(m.extra for m in once.mentions("action"))
    alone = resolved([0, 1, 2, 3], [[0, 1, 2, 3]], corpus=once)
    assert all(m.event is None and not m.extra for m in alone.to_corpus().mentions("action"))


def test_result_survives_its_corpus() -> None:
    result = resolved([0, 1, 0, 1], [[0, 1, 0, 1], [0, 1, 2, 1]], Agglomerative(within=0.3, across=0.3))
    assert not any(m.extra for m in result.corpus.mentions())
    again = Result.from_corpus(result.to_corpus())
    assert (again.corpus, again.whys) == (result.corpus, result.whys)
    assert again.member_probability == result.member_probability
    assert again.beliefs == result.beliefs
    assert len(again.beliefs) == 2
    assert [event.members for event in again.events] == [event.members for event in result.events]


def test_result_knows_the_events_that_it_reports() -> None:
    samples = [[0, 0, 0, 1], [0, 1, 0, 1]]
    result = resolved([0, 0, 0, 1], samples, min_probability=0.6)
    assert result.clustered is not None
    assert result.clustered.labels.tolist() == [0, 1, 0, 2]
    assert result.probability(BOMB_A, RAID_A) == 0.5


def test_explain_needs_a_clusterer_that_compares_pairs() -> None:
    with pytest.raises(UsageError, match="no pair model"):
        resolved([0, 1, 0, 1], [[0, 1, 0, 1]]).explain(BOMB_A, BOMB_B)
    result = resolved([0, 1, 0, 1], [[0, 1, 0, 1]], Agglomerative())
    assert result.explain(BOMB_A, BOMB_B).probability > 0.5


def test_other_mentions_keep_their_clusters_but_not_the_names_of_events() -> None:
    given = Corpus([annotated("a")])
    [sudan] = given.mentions("participant")
    mine = given.mapped(
        lambda d: d.with_mentions(
            d.mention(m.kind, m.start, m.end, tokens=m.anchors, event="e1") if m.id == sudan.id else m
            for m in d.mentions
        )
    )
    events = Clustering([m.id] for m in given.mentions("action"))
    assert [m.event for m in with_events(given, events).mentions("participant")] == ["sudan"]
    assert [m.event for m in with_events(mine, events).mentions("participant")] == ["participant-e1"]


def test_diagnostics_thin_long_traces_and_survive_json() -> None:
    rows = np.arange(2 * 1000, dtype=np.float64).reshape(2, 1000)
    posterior = Posterior(samples=np.zeros((1, 1), np.int32), verdict="fine", traces={"log joint": rows})
    diagnostics = Diagnostics.of(posterior)
    assert diagnostics.every["log joint"] == 5
    assert diagnostics.traces["log joint"][1][2] == rows[1, 10]
    assert Diagnostics.from_json(diagnostics.to_json()) == diagnostics
