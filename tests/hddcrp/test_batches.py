from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clusterers.small import evidence_of
from samevent.clusterers import linked
from samevent.clusterers.base import Evidence
from samevent.clusterers.linked import Hddcrp
from samevent.hddcrp import Mixture, Uncertainty, batches, fit_uncertain
from samevent.hddcrp.batches import (
    checkpoint_files,
    component_batches,
    join_mixtures,
    remove_checkpoint,
    unsampled,
)
from samevent.hddcrp.fit import FitSettings
from samevent.hddcrp.runner import Countdown
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.labels import canonical
from samevent.similarity.links import MentionLinks
from samevent.similarity.pairs import Pairs
from similarity.tables import random_corpus

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
SYSTEM = Hddcrp(uncertain=True, draws=4, runs=2, sweeps=24, likelihood_weight=0.5, dirichlet=0.5)
UNCERTAIN = Uncertainty(spread=1.0)


def linked_mentions() -> tuple[Evidence, MentionLinks]:
    """Return mentions with random links, so few that they have many components, large and small."""
    evidence = evidence_of(random_corpus(3, documents=14, mentions=9))
    draw, n = np.random.default_rng(2), len(evidence)
    i, j = (rows.astype(np.int32) for rows in np.tril_indices(n, -1))
    kept = draw.random(len(i)) < 0.9 / n
    chain = np.arange(1, 16)  # a component that is sampled
    kept[chain * (chain - 1) // 2 + chain - 1] = True
    pairs = Pairs(i[kept], j[kept])
    return evidence, MentionLinks(pairs, draw.uniform(0.3, 0.9, len(pairs)))


EVIDENCE, LINKS = linked_mentions()


def test_batches_are_whole_components_and_hold_every_link_once() -> None:
    i, j = LINKS.pairs.i, LINKS.pairs.j
    for most in (1, 5, 20, 10**6):
        parts = component_batches(len(EVIDENCE), i, j, most=most)
        assert sorted(np.concatenate([part.links for part in parts]).tolist()) == list(range(len(i)))
        customers = np.concatenate([part.customers for part in parts]).tolist()
        assert sorted(customers) == sorted(set(i.tolist()) | set(j.tolist()))
        for part in parts:
            assert set(np.concatenate([i[part.links], j[part.links]]).tolist()) == set(
                part.customers.tolist()
            )
            assert part.customers.tolist() == sorted(part.customers.tolist())
        assert all(len(part.links) <= most for part in parts[1:] if len(parts[0].links) <= most)
    assert len(component_batches(len(EVIDENCE), i, j, most=10**6)) == 1
    assert component_batches(3, [], []) == []


@pytest.mark.parametrize("together", [1, 3, 10**6])
def test_components_are_those_of_all_links_at_once(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    draw = np.random.default_rng(8)
    monkeypatch.setattr(batches, "_CONNECTED", together)
    for customers, links in ((40, 12), (40, 30), (40, 60), (5, 0)):
        i, j = draw.integers(0, customers, (2, links))
        graph = coo_array((np.ones(links), (i, j)), shape=(customers, customers))
        label = canonical(connected_components(graph, directed=False)[1])
        parts = component_batches(customers, i, j, most=1)
        assert len(parts) == len(np.unique(label[i]))
        for part in parts:
            (own,) = np.unique(label[part.customers])
            assert part.customers.tolist() == np.flatnonzero(label == own).tolist()
            assert part.links.tolist() == np.flatnonzero(label[i] == own).tolist()
        sizes = [(-len(part.links), part.customers[0]) for part in parts]
        assert sizes == sorted(sizes)


def test_batches_and_their_answers_are_joined_in_few_bytes_per_link() -> None:
    pairs, samples = 200_000, 8
    customers = 2 * pairs
    i, j = np.arange(1, customers, 2, dtype=np.int32), np.arange(0, customers, 2, dtype=np.int32)
    settings = FitSettings(keep=1)
    tracemalloc.start()
    parts = component_batches(customers, i, j, most=pairs // 20)
    together = np.full(pairs, 0.5)
    answers = (
        unsampled(part, i[part.links], j[part.links], together[part.links], samples, settings)
        for part in parts
    )
    joined = join_mixtures(customers, parts, answers)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(parts) == 20
    assert joined.left.tolist() == j.tolist()
    assert joined.right.tolist() == i.tolist()
    # Per customer: samples, component, difference, and who is in which batch. Per link: see the module.
    assert peak < customers * (4 * samples + 40) + pairs * 60


def test_parts_without_their_weakest_links_are_joined() -> None:
    i, j = np.array([1, 2, 4], np.int32), np.array([0, 1, 3], np.int32)
    parts = component_batches(5, i, j, most=1)
    full = [
        unsampled(part, i[part.links], j[part.links], np.full(len(part.links), 0.5), 2, FitSettings(keep=1))
        for part in parts
    ]
    cut = [
        replace(each, left=each.left[1:], right=each.right[1:], together=each.together[1:]) for each in full
    ]
    joined = join_mixtures(5, parts, cut)
    assert joined.left.tolist() == [1]
    assert joined.right.tolist() == [2]
    assert len(joined.samples) == len(full[0].samples)


def answers(**options: Any) -> Mixture:
    return SYSTEM.mixture(
        EVIDENCE, LINKS, UNCERTAIN, model="hddcrp", document_weight=1.0, seed=5, alpha_within=0.5, alpha_across=0.01,
        **options,
    )  # fmt: skip


def same(first: Mixture, second: Mixture) -> bool:
    """Compare all but the names of clusters and components."""
    assert np.array_equal(
        [canonical(row) for row in first.samples], [canonical(row) for row in second.samples]
    )
    assert first.component is not None
    assert second.component is not None
    assert np.array_equal(canonical(first.component), canonical(second.component))
    for name in ("left", "right", "together", "chain_difference"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name
    assert (first.settled, first.draws, first.sampled) == (second.settled, second.draws, second.sampled)
    assert [(t.size, t.first) for t in first.largest] == [(t.size, t.first) for t in second.largest]
    assert [t.log_joint.tobytes() + t.clusters.tobytes() for t in first.largest] == [
        t.log_joint.tobytes() + t.clusters.tobytes() for t in second.largest
    ]
    return True


@pytest.mark.parametrize("most", [1, 6, 25])
def test_batches_give_the_answer_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, most: int, tmp_path: Path
) -> None:
    whole = answers()
    assert whole.sampled > 0
    monkeypatch.setattr(batches, "MOST_LINKS", most)
    assert same(whole, answers())
    assert same(whole, answers(jobs=2, checkpoint=tmp_path / "checkpoint.npz"))


def test_an_interrupted_run_continues_with_the_batch_it_was_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = answers()
    monkeypatch.setattr(batches, "MOST_LINKS", 6)
    path = tmp_path / "checkpoint.npz"
    calls: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Mixture:
        calls.append(len(calls))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fit_uncertain(*arguments, **options)

    monkeypatch.setattr(linked, "fit_uncertain", counted)
    with pytest.raises(KeyboardInterrupt):
        answers(checkpoint=path)
    assert len(list(tmp_path.glob("checkpoint-*.values"))) == 2
    assert same(whole, answers(checkpoint=path))
    assert len(calls) == 1 + len(component_batches(len(EVIDENCE), LINKS.pairs.i, LINKS.pairs.j))
    # A file of another run, or a damaged one, is not taken.
    for file in tmp_path.glob("checkpoint-*.values"):
        file.write_bytes(file.read_bytes()[:-1])
    assert same(whole, answers(checkpoint=path))
    assert checkpoint_files(path)
    (tmp_path / "other-1.values").touch()
    remove_checkpoint(path)
    assert [file.name for file in tmp_path.iterdir()] == ["other-1.values"]


def test_time_is_shared_by_size() -> None:
    clock = Countdown(10.0, total=4.0)
    assert clock.share(1.0) == pytest.approx(2.5, abs=0.1)
    clock.done = 3.0
    assert clock.share(1.0) == pytest.approx(10.0, abs=0.1)
    assert Countdown(None, 4.0).share(1.0) is None
    assert Countdown(0.0, 4.0).share(1.0) == 0.0


def test_without_time_events_are_those_of_the_pair_model() -> None:
    hurried = replace(SYSTEM, time_limit=1e-9)
    mixture = hurried.mixture(
        EVIDENCE, LINKS, UNCERTAIN, model="hddcrp", document_weight=1.0, alpha_within=0.5, alpha_across=0.01
    )
    assert not mixture.complete
    assert not mixture.settled
    i, j = LINKS.pairs.i.tolist(), LINKS.pairs.j.tolist()
    wanted = sorted(zip(j, i, LINKS.similarity.tolist(), strict=True))
    found = zip(mixture.left.tolist(), mixture.right.tolist(), mixture.together.tolist(), strict=True)
    assert list(found) == wanted
    assert mixture.samples.shape == answers().samples.shape
