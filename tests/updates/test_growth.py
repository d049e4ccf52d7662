"""Documents that come later: the links of a full search, and the law of a full run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from clusterers.small import evidence_of
from samevent import Model
from samevent.clusterers import Evidence, clusterer, linked
from samevent.clusterers.linked import Hddcrp
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.labels import canonical
from samevent.results.parts import grouped, part_evidence, solve_part
from samevent.similarity.boosted import BoostedModel, SecondLook
from samevent.similarity.graph import GRAPH_COLUMNS
from samevent.similarity.links import LinkSettings, MentionLinks, find_links
from samevent.similarity.tables import merged, part_of
from samevent.similarity.trees import Trees
from samevent.updates.growth import NewLinks, grow
from similarity.tables import LEXICON, VECTORS, compiled, random_corpus

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")


def in_two_steps(seed: int, documents: int, later: int, **sizes: int) -> tuple[Evidence, int, int]:
    """Return evidence whose last documents come later, with the weights of all; also the first new row and document."""
    corpus = random_corpus(seed, documents=documents, **sizes)
    first, second = compiled(corpus[:-later]), compiled(corpus[-later:])
    table = merged([first, second], lexicon=LEXICON, vectors=VECTORS, by_id=False)
    models = evidence_of(corpus).models
    return Evidence(table, models, LEXICON), len(first), documents - later


def links_of(evidence: Evidence, system: Hddcrp) -> MentionLinks:
    links = system.links(evidence)
    assert links is not None
    return links


def codes(links: MentionLinks, mentions: int) -> dict[int, float]:
    return dict(zip(links.pairs.codes(mentions).tolist(), links.similarity.tolist(), strict=True))


def second_look() -> SecondLook:
    """Return one tree per column of the graph, each with one question."""
    count = len(GRAPH_COLUMNS)
    nodes = 3 * count
    left, right = np.zeros(nodes, np.int32), np.zeros(nodes, np.int32)
    left[::3], right[::3] = np.arange(1, nodes, 3), np.arange(2, nodes, 3)
    trees = Trees(
        starts=np.arange(0, nodes + 1, 3, dtype=np.int32),
        column=np.repeat(np.arange(count), 3).astype(np.int16),
        threshold=np.full(nodes, 0.02),
        left=left,
        right=right,
        missing_left=np.zeros(nodes, np.bool_),
        value=np.random.default_rng(1).normal(0, 0.5, nodes),
    )
    return SecondLook(trees, -0.1)


@pytest.mark.parametrize("looks", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_old_and_new_links_are_those_of_a_full_search(seed: int, looks: int) -> None:
    evidence, row, document = in_two_steps(seed, documents=9, later=2)
    model = cast(BoostedModel, Model.load().pair_models["light"])
    model = replace(model, second=second_look() if looks == 2 else None)
    settings = LinkSettings(minimum_similarity=0.002)
    everything = find_links(evidence.table, model, settings=settings)
    before = part_of(evidence.table, np.arange(row, dtype=np.int32))
    known = find_links(before, model, settings=settings).looks
    assert known is not None
    search = NewLinks(known, document)
    found = search(evidence.table, model, settings=settings)
    assert codes(found, len(evidence)) == codes(everything, len(evidence))
    assert len(found.pairs) == len(everything.pairs)
    # Whatever differs from before is among the changes.
    earlier = codes(known.links(0.002), len(evidence))
    for code, similarity in codes(found, len(evidence)).items():
        if earlier.get(code) != similarity:
            assert set(divmod(code, len(evidence))) <= set(search.changed.tolist())


SEED = 10


def systems() -> Hddcrp:
    changes = {"draws": 4, "sweeps": 8, "minimum_similarity": 0.6, "alpha_across": 0.05}
    return cast(Hddcrp, clusterer("hddcrp", changes, preset="light"))


def test_untouched_components_are_left_alone() -> None:
    evidence, row, _ = in_two_steps(4, documents=9, later=1)
    system = systems()
    links = links_of(evidence, system)
    kept = links[(links.pairs.i < row) | (links.pairs.j >= row)]  # the new document is linked to itself alone
    growth = grow(evidence, system, kept, new=np.arange(row, len(evidence)), seed=1)
    assert not growth.touched[:row].any()
    assert growth.touched[row:].all()
    assert all((answer.rows >= row).all() for answer in growth.answers)


def sampled(evidence: Evidence, system: Hddcrp, links: MentionLinks, mentions: int, seed: int) -> np.ndarray:
    """Return the samples of a full run, one row each."""
    samples = np.tile(np.arange(mentions), (100, 1))
    for rows in grouped(links, len(evidence)):
        answer = solve_part(part_evidence(evidence, system, links, rows), system, seed=seed)
        samples[:, rows] = rows[answer.samples]
    return samples


@pytest.mark.slow
@pytest.mark.parametrize("exact_limit", [1e4, 0.0], ids=["solved", "sampled"])
def test_an_update_has_the_law_of_a_full_run(exact_limit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked, "_EXACT_LIMIT", exact_limit)
    evidence, row, _ = in_two_steps(SEED, documents=4, later=1, mentions=4)
    system, mentions = systems(), len(evidence)
    links = links_of(evidence, system)
    old = links[(links.pairs.i < row) & (links.pairs.j < row)]
    assert 4 <= row < mentions <= 10
    # Enumerate: with a high limit every component is solved exactly, and pairs are known without error.
    monkeypatch.setattr(linked, "_EXACT_LIMIT", 1e7)
    truth: dict[tuple[int, int], float] = {}
    for rows in grouped(links, mentions):
        answer = solve_part(part_evidence(evidence, system, links, rows), system, seed=0)
        assert answer.convergence.sampled == 0
        pairs = zip(rows[answer.left].tolist(), rows[answer.right].tolist(), strict=True)
        truth |= dict(zip(pairs, answer.together.tolist(), strict=True))
    monkeypatch.setattr(linked, "_EXACT_LIMIT", exact_limit)
    full: Counter[tuple[int, ...]] = Counter()
    updated: Counter[tuple[int, ...]] = Counter()
    runs = 60
    for seed in range(runs):
        full.update(map(tuple, canonical(sampled(evidence, system, links, mentions, seed)).tolist()))
        before = sampled(evidence, system, old, mentions, 1000 + seed)
        growth = grow(evidence, system, links, new=np.arange(row, mentions), seed=2000 + seed)
        before[:, growth.touched] = np.flatnonzero(growth.touched)
        for answer in growth.answers:
            before[:, answer.rows] = answer.rows[answer.samples]
            pairs = zip(answer.rows[answer.left].tolist(), answer.rows[answer.right].tolist(), strict=True)
            for pair, together in zip(pairs, answer.together.tolist(), strict=True):
                error = 1e-9 if exact_limit else 5 / np.sqrt(16 * system.draws)
                assert abs(together - truth[pair]) < error
        updated.update(map(tuple, canonical(before).tolist()))
    # Partitions of updates and of full runs come from one distribution (two samples, same size).
    frequent = [z for z in full | updated if full[z] + updated[z] >= 20]
    assert len(frequent) > 2
    chi = sum((full[z] - updated[z]) ** 2 / (full[z] + updated[z]) for z in frequent)
    # Samples of one run are not independent of each other, but members are: allow for four times the variance.
    assert chi < 4 * (len(frequent) + 4 * np.sqrt(2 * len(frequent)))
