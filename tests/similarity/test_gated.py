from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from samevent.similarity.bags import Indices
from samevent.similarity.documents import compare_documents, topical_similarity
from samevent.similarity.gated import gated_candidates
from samevent.similarity.links import LinkSettings, find_links
from samevent.similarity.pairs import Pairs
from similarity.tables import all_pairs, compiled, random_corpus, random_model


def listed(pairs: Pairs) -> list[tuple[int, int]]:
    return list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_search_finds_all_pairs_of_neighbours(seed: int) -> None:
    table = compiled(random_corpus(9, documents=8))
    i, j = all_pairs(table)
    d: Indices = np.array([2, 5, 6], np.int32)
    e: Indices = np.array([0, 2, 4], np.int32)
    gate = np.eye(8, dtype=np.bool_)
    gate[d, e] = gate[e, d] = True
    model = random_model(seed, intercept=-1.0)
    wanted = (model.score(table, i, j) >= 0.5) & gate[table.document[i], table.document[j]]
    search = partial(gated_candidates, table, model, 0.5, d, e)
    pairs = Pairs.concatenate(search(block=3))
    found = listed(pairs)
    assert len(set(found)) == len(found)
    assert set(found) >= set(listed(Pairs(i, j)[wanted]))
    assert gate[table.document[pairs.i], table.document[pairs.j]].all()
    assert set(listed(Pairs.concatenate(search(block=64)))) == set(found)
    threads = Pairs.concatenate(search(block=3, jobs=2))
    assert listed(threads) == found


@pytest.mark.parametrize("seed", range(4))
def test_links_behind_a_gate_are_those_of_brute_force(seed: int) -> None:
    table = compiled(random_corpus(seed, documents=8))
    i, j = all_pairs(table)
    about = compare_documents(table, i, j, topical_similarity)
    gate = float(np.median(about))
    model = random_model(seed, intercept=1.0)
    links = find_links(table, model, settings=LinkSettings(minimum_similarity=0.6, gate=gate))
    near = (about >= gate) | (table.document[i] == table.document[j])
    wanted = (model.probability(table, i, j) >= 0.6) & near
    assert set(listed(links.pairs)) == set(listed(Pairs(i, j)[wanted])) != set()
