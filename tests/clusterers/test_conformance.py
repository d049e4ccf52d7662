"""What holds for every clusterer, whatever it does inside."""

from __future__ import annotations

import numpy as np
import pytest

from clusterers.small import cluster, evidence_of, in_a_hurry, told
from samevent.clusterers import CLUSTERERS, PRESETS, Clustered
from samevent.clusterers.sampling import Sampling
from samevent.errors import UsageError
from similarity.tables import random_corpus

everyone = pytest.mark.parametrize(
    ("name", "preset"), [(name, preset) for name in CLUSTERERS for preset in PRESETS]
)


def assert_same(a: Clustered, b: Clustered) -> None:
    assert a.ids == b.ids
    assert a.labels.tobytes() == b.labels.tobytes()
    assert a.samples.tobytes() == b.samples.tobytes()
    assert a.verdict == b.verdict


@everyone
def test_corpora_with_hardly_anything_in_them_are_clustered(name: str, preset: str) -> None:
    system = in_a_hurry(name, preset=preset)
    for corpus, events in (
        ([], 0),
        ([told("a", "nothing happened")], 0),
        ([told("a", "one raid", 1)], 1),
        ([told("a", "one raid", 1), told("b", "nothing happened")], 1),
    ):
        found = cluster(system, evidence_of(corpus))
        assert len(found.clustering) == events
        assert found.samples.shape[1:] == found.labels.shape


@everyone
def test_every_mention_is_in_one_event_numbered_by_first_mentions(name: str, preset: str) -> None:
    evidence = evidence_of(random_corpus(1))
    found = cluster(in_a_hurry(name, preset=preset), evidence)
    assert sorted(found.clustering.mentions) == sorted(evidence.table.ids)
    for labels in (found.labels, *found.samples):
        firsts = [labels.tolist().index(k) for k in range(labels.max() + 1)]
        assert firsts == sorted(firsts)
    assert 1 < len(found.clustering) < len(evidence)
    assert bool(found.verdict) == (len(found.traces) > 0 or found.posterior is not None)


@everyone
def test_same_seed_gives_the_same_answer_for_any_number_of_jobs(name: str, preset: str) -> None:
    system, corpus = in_a_hurry(name, preset=preset), random_corpus(2)
    first = cluster(system, evidence_of(corpus), seed=3)
    assert_same(first, cluster(system, evidence_of(corpus), seed=3))
    assert_same(first, cluster(system, evidence_of(corpus), seed=3, jobs=3))


@everyone
@pytest.mark.parametrize("how", [{"seed": -1}, {"jobs": 0}])
def test_seeds_and_jobs_that_make_no_sense_are_refused(name: str, preset: str, how: dict[str, int]) -> None:
    system = in_a_hurry(name, preset=preset)
    if isinstance(system, Sampling):
        [parameter] = how
        with pytest.raises(UsageError, match=f"the parameter '{parameter}' is"):
            cluster(system, evidence_of(random_corpus(1)), **how)


@everyone
def test_order_of_documents_does_not_matter(name: str, preset: str) -> None:
    system, corpus = in_a_hurry(name, preset=preset), random_corpus(3)
    assert_same(cluster(system, evidence_of(corpus)), cluster(system, evidence_of(corpus[::-1])))


@everyone
def test_duplicate_documents_and_bare_mentions_are_clustered(name: str, preset: str) -> None:
    words = "raid zzz bomb ... raid"
    evidence = evidence_of([told(id, words, 0, 1, 2, 3, 4) for id in "abc"])
    found = cluster(in_a_hurry(name, preset=preset), evidence, seed=1)
    assert len(found.labels) == 15


@everyone
def test_probabilities_are_shares_of_samples_or_better(name: str, preset: str) -> None:
    evidence = evidence_of(random_corpus(4))
    found = cluster(in_a_hurry(name, preset=preset), evidence)
    a, b = evidence.table.ids[:2]
    assert found.probability(a, a) == 1.0
    assert 0.0 <= found.probability(a, b) == found.probability(b, a) <= 1.0
    assert len(found.sampled) == len(found.samples)
    if found.posterior is None:
        together = np.mean([clustering.same(a, b) for clustering in found.sampled])
        assert found.probability(a, b) == together


@everyone
def test_progress_ends_where_there_is_no_more(name: str, preset: str) -> None:
    seen: list[tuple[int, int]] = []
    cluster(
        in_a_hurry(name, preset=preset),
        evidence_of(random_corpus(1)),
        progress=lambda *told: seen.append(told),
    )
    assert all(0 <= done <= whole for done, whole in seen)
    assert not seen or seen[-1][0] == seen[-1][1]
