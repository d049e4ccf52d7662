"""What holds for every clusterer under every preset, whatever it does inside."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TypeGuard

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clusterers.small import cluster, evidence_of, in_a_hurry, sentence
from samevent.clusterers import CLUSTERERS, PRESETS, Clustered, Clusterer, clusterer
from samevent.clusterers.linked import Factorised, Linked
from samevent.errors import UsageError
from samevent.partitions.labels import canonical
from similarity.tables import random_corpus

every_clusterer = pytest.mark.parametrize(
    ("name", "preset"), [(name, preset) for name in CLUSTERERS for preset in PRESETS]
)


def is_uncertain(system: Clusterer) -> TypeGuard[Factorised]:
    return isinstance(system, Factorised) and system.uncertain


def assert_same(a: Clustered, b: Clustered) -> None:
    assert a.ids == b.ids
    assert a.labels.tobytes() == b.labels.tobytes()
    assert a.posterior.samples.tobytes() == b.posterior.samples.tobytes()
    assert a.posterior.together.tobytes() == b.posterior.together.tobytes()
    assert a.posterior.verdict == b.posterior.verdict


@every_clusterer
def test_clusterer_takes_corpora_with_hardly_any_mentions(name: str, preset: str) -> None:
    system = in_a_hurry(name, preset=preset)
    for corpus, events in (
        ([], 0),
        ([sentence("a", "nothing happened")], 0),
        ([sentence("a", "one raid", 1)], 1),
        ([sentence("a", "one raid", 1), sentence("b", "nothing happened")], 1),
    ):
        found = cluster(system, evidence_of(corpus))
        assert len(found.clustering) == events
        assert found.posterior.samples.shape[1:] == found.labels.shape


@every_clusterer
def test_clusterer_puts_every_mention_into_one_event_with_canonical_labels(name: str, preset: str) -> None:
    evidence = evidence_of(random_corpus(5))
    found = cluster(in_a_hurry(name, preset=preset), evidence)
    assert found.ids == evidence.table.ids
    assert sorted(found.clustering.mentions) == sorted(evidence.table.ids)
    for labels in (found.labels, *found.posterior.samples):
        assert labels.dtype == np.int32
        assert labels.tolist() == canonical(labels).tolist()
    assert 1 < len(found.clustering) < len(evidence)


@every_clusterer
def test_clusterer_gives_the_same_answer_for_the_same_seed_and_any_number_of_jobs(
    name: str, preset: str
) -> None:
    system, corpus = in_a_hurry(name, preset=preset), random_corpus(2)
    first = cluster(system, evidence_of(corpus), seed=3)
    assert_same(first, cluster(system, evidence_of(corpus), seed=3))
    assert_same(first, cluster(system, evidence_of(corpus), seed=3, jobs=3))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", ["lemma", "agglomerative", "hdp-lex", "ddcrp", "hddcrp-star", "hddcrp"])
def test_clusterer_depends_on_the_seed_exactly_if_it_samples(name: str, preset: str) -> None:
    system = in_a_hurry(name, preset=preset)
    evidence = evidence_of(random_corpus(5, documents=8, mentions=14))
    drawn = {cluster(system, evidence, seed=seed).posterior.samples.tobytes() for seed in range(3)}
    assert (len(drawn) > 1) == system.sampled


@every_clusterer
def test_clusterer_does_not_depend_on_the_order_of_documents(name: str, preset: str) -> None:
    system, corpus = in_a_hurry(name, preset=preset), random_corpus(3)
    first = cluster(system, evidence_of(corpus))
    for order in (corpus[::-1], corpus[1:] + corpus[:1]):
        assert_same(first, cluster(system, evidence_of(order)))


@every_clusterer
@pytest.mark.parametrize("how", [{"seed": -1}, {"jobs": 0}])
def test_clusterer_refuses_impossible_seeds_and_jobs(name: str, preset: str, how: dict[str, int]) -> None:
    [parameter] = how
    with pytest.raises(UsageError, match=f"the parameter '{parameter}' is"):
        cluster(in_a_hurry(name, preset=preset), evidence_of(random_corpus(1)), **how)


@every_clusterer
def test_clusterer_treats_duplicate_documents_alike(name: str, preset: str) -> None:
    words = "raid zzz bomb ... raid"
    evidence = evidence_of([sentence(id, words, 0, 1, 2, 3, 4) for id in "abc"])
    found = cluster(in_a_hurry(name, preset=preset), evidence, seed=1)
    assert len(found.labels) == 15
    if not CLUSTERERS[name].sampled:
        a, b, c = (canonical(labels).tolist() for labels in found.labels.reshape(3, 5))
        assert a == b == c


@every_clusterer
def test_probability_is_the_share_of_samples_unless_the_posterior_knows_it_better(
    name: str, preset: str
) -> None:
    evidence = evidence_of(random_corpus(4, documents=4, mentions=6))
    found = cluster(in_a_hurry(name, preset=preset), evidence)
    posterior = found.posterior
    known = dict(
        zip(
            zip(posterior.left.tolist(), posterior.right.tolist(), strict=True),
            posterior.together,
            strict=True,
        )
    )
    for i, j in combinations(range(len(evidence)), 2):
        a, b = found.ids[i], found.ids[j]
        share = (posterior.samples[:, i] == posterior.samples[:, j]).mean()
        assert found.probability(a, b) == found.probability(b, a) == known.get((i, j), share)
        if not CLUSTERERS[name].sampled:
            assert found.probability(a, b) == found.clustering.same(a, b)
    assert all(found.probability(id, id) == 1 for id in found.ids)
    mean = posterior.mean_with(found.labels)
    for i, id in enumerate(found.ids):
        others = [other for other in found.clustering.cluster_of(id) if other != id]
        by_hand = np.mean([found.probability(id, other) for other in others]) if others else np.nan
        assert mean[i] == pytest.approx(by_hand, nan_ok=True)


@every_clusterer
def test_answer_is_the_rule_a_consensus_or_the_last_sample_of_a_run(name: str, preset: str) -> None:
    system = in_a_hurry(name, preset=preset)
    found = cluster(system, evidence_of(random_corpus(1)))
    rows = found.posterior.samples.tolist()
    assert system.sampled == (system.answer != "rule") == bool(found.posterior.verdict)
    match system.answer:
        case "rule":
            assert system.total_sweeps == 1
            assert rows == [found.labels.tolist()]
        case "last":
            assert system.total_sweeps == 2 * 12
            assert len(rows) == 2
            assert found.labels.tolist() in rows
            assert found.posterior.traces["log joint"].shape == (2, 12)
        case "consensus":
            assert system.total_sweeps == 2 * 12 * (system.draws if is_uncertain(system) else 1)
            assert len(rows) > 2


@every_clusterer
def test_links_follow_the_pair_model_that_the_clusterer_names(name: str, preset: str) -> None:
    system, evidence = clusterer(name, preset=preset), evidence_of(random_corpus(5))
    links = system.links(evidence)
    if system.pair_model is None:
        assert links is None
        assert system.minimum_similarity is None
        assert "similarity" not in system.needs
        cluster(in_a_hurry(name, preset=preset), evidence_of(random_corpus(5), model=None))
        return
    assert system.pair_model == preset
    assert links is not None
    assert system.minimum_similarity is not None
    assert {"similarity", "arguments"} <= system.needs
    assert len(links.pairs) > 0
    assert (links.similarity >= system.minimum_similarity).all() != is_uncertain(system)
    f = evidence.pair_model(system.pair_model).probability(evidence.table, links.pairs.i, links.pairs.j)
    if isinstance(system, Linked) and system.identical_words:
        f = np.where(f >= system.minimum_similarity, f, 1.0)
    assert links.similarity == pytest.approx(f)
    assert len(set(zip(links.pairs.i.tolist(), links.pairs.j.tolist(), strict=True))) == len(links.pairs)
    with pytest.raises(UsageError, match=f"no pair model '{preset}'.*train similarity --preset {preset}"):
        cluster(system, evidence_of(random_corpus(5), model=None))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", ["agglomerative", "ddcrp", "hddcrp"])
def test_events_stay_within_the_components_of_the_links(name: str, preset: str) -> None:
    system, evidence = in_a_hurry(name, preset=preset), evidence_of(random_corpus(5))
    links = system.links(evidence)
    assert links is not None
    graph = coo_array((np.ones(len(links.pairs)), (links.pairs.i, links.pairs.j)), shape=(len(evidence),) * 2)
    component = connected_components(graph, directed=False)[1]
    found = cluster(system, evidence)
    for labels in (found.labels, *found.posterior.samples):
        assert len(set(zip(labels.tolist(), component.tolist(), strict=True))) == len(set(labels.tolist()))


@every_clusterer
def test_progress_rises_to_its_total(name: str, preset: str) -> None:
    seen: list[tuple[int, int]] = []
    cluster(
        in_a_hurry(name, preset=preset),
        evidence_of(random_corpus(1)),
        progress=lambda *step: seen.append(step),
    )
    assert seen
    assert all(0 <= done <= total for done, total in seen)
    assert seen[-1][0] == seen[-1][1]


@every_clusterer
def test_checkpoint_changes_no_answer(name: str, preset: str, tmp_path: Path) -> None:
    system, evidence, file = (
        in_a_hurry(name, preset=preset),
        evidence_of(random_corpus(2)),
        tmp_path / "c.npz",
    )
    plain = cluster(system, evidence, seed=3)
    assert_same(plain, cluster(system, evidence, seed=3, checkpoint=file))
    assert file.exists() == system.sampled
    assert_same(plain, cluster(system, evidence, seed=3, checkpoint=file))
