"""The columns of a second look, against loops over all links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from samevent.scratch import IN_MEMORY, Scratch
from samevent.seeds import stream
from samevent.similarity import graph
from samevent.similarity.bags import Floats, Indices
from samevent.similarity.graph import GRAPH_COLUMNS, LinkGraph, graph_columns, near_links
from samevent.similarity.pairs import Pairs


def random_links(seed: int, mentions: int = 14, documents: int = 4) -> tuple[Indices, Pairs, Floats]:
    random = stream(seed, "graph")
    document = np.sort(random.integers(0, documents, mentions)).astype(np.int32)
    every = [(i, j) for i in range(mentions) for j in range(i) if random.random() < 0.5]
    i, j = np.array(every, np.int32).T
    return document, Pairs(i, j), random.normal(-1, 2, len(every))


def by_hand(document: Indices, pairs: Pairs, score: Floats) -> list[list[float]]:
    f: dict[int, dict[int, float]] = {m: {} for m in range(len(document))}
    for a, b, value in zip(pairs.i.tolist(), pairs.j.tolist(), score.tolist(), strict=True):
        f[a][b] = f[b][a] = float(expit(value))
    rows = []
    for a, b, value in zip(pairs.i.tolist(), pairs.j.tolist(), score.tolist(), strict=True):
        common = sum(f[a][k] * f[b][k] for k in f[a] if k in f[b])
        squares = [sum(w * w for w in f[m].values()) for m in (a, b)]
        others = [sum(w for k, w in f[m].items() if k not in (a, b)) for m in (a, b)]
        rivals = [
            max([w for k, w in f[m].items() if k not in (a, b) and document[k] == document[n]], default=0.0)
            for m, n in ((a, b), (b, a))
        ]
        best = [max([w for k, w in f[m].items() if k not in (a, b)], default=0.0) for m in (a, b)]
        between = sum(
            f[k][m]
            for k in f
            for m in f[k]
            if document[k] == document[a] and document[m] == document[b] and k != a and m != b
        )
        sizes = [int((document == document[m]).sum()) for m in (a, b)]
        rest = between / np.sqrt(sizes[0] * sizes[1]) if document[a] != document[b] else np.nan
        agreeing = min(1.5, common / max(min(others), 0.05))
        cosine = common / np.sqrt(squares[0] * squares[1])
        rows.append(
            [
                *(value, common, cosine, agreeing, max(rivals), min(rivals), rest),
                *(min(others), max(others), min(best), max(best)),
            ]
        )
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_columns_are_those_of_loops_over_all_links(seed: int) -> None:
    links = random_links(seed)
    found = graph_columns(*links)
    assert found.shape == (len(links[2]), len(GRAPH_COLUMNS))
    np.testing.assert_allclose(found, by_hand(*links), rtol=1e-5, atol=1e-6)


def test_long_runs_are_sorted_like_short_ones() -> None:
    document, pairs, score = random_links(7, mentions=200, documents=2)
    rows = by_hand(document, pairs[:400], score[:400])
    np.testing.assert_allclose(graph_columns(document, pairs[:400], score[:400]), rows, rtol=1e-5, atol=1e-6)
    # Each mention is linked to about 100 others; NumPy's sort for all runs is the reference.
    usual = graph_columns(document, pairs, score)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph, "_sort_short_runs", lambda *_: None)
        patch.setattr(graph, "_LONG_RUN", 1)
        assert graph_columns(document, pairs, score).tobytes() == usual.tobytes()


def test_order_and_direction_of_pairs_leave_no_trace() -> None:
    document, pairs, score = random_links(5)
    order = stream(1, "order").permutation(len(score))
    turned = Pairs(pairs.j[order], pairs.i[order])
    assert (
        graph_columns(document, turned, score[order]).tobytes()
        == graph_columns(document, pairs, score)[order].tobytes()
    )


def test_links_have_the_same_columns_alone() -> None:
    document, pairs, score = random_links(6)
    whole, graph = graph_columns(document, pairs, score), LinkGraph(document, pairs, score)
    for link in range(len(score)):
        alone = graph.columns(slice(link, link + 1))
        assert alone.tobytes() == whole[graph.order[link]].tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_columns_depend_on_near_links_alone(seed: int) -> None:
    random = stream(seed, "near")
    document = np.sort(random.integers(0, 30, 90)).astype(np.int32)
    every = [(i, j) for i in range(90) for j in range(i) if random.random() < 0.04]
    i, j = np.array(every, np.int32).T
    pairs, score = Pairs(i, j), random.normal(-1, 2, len(every))
    which = random.permutation(len(pairs))[:3]
    near = near_links(document, pairs, which)
    assert near[which].all()
    assert near.sum() < 0.6 * len(pairs)
    alone = graph_columns(document, pairs[near], score[near])[np.cumsum(near)[which] - 1]
    np.testing.assert_array_equal(alone, graph_columns(document, pairs, score)[which])


def test_links_that_are_sorted_some_at_a_time_have_the_same_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, pairs, score = random_links(8, mentions=60, documents=7)
    order = stream(2, "order").permutation(len(score))
    pairs, score = Pairs(pairs.i[order], pairs.j[order]), score[order]
    whole = graph_columns(document, pairs, score)
    for size in (1, 50):
        monkeypatch.setattr(graph, "_PIECE", size)
        monkeypatch.setattr(graph, "_SORTED", size)
        for scratch in (IN_MEMORY, Scratch(tmp_path, least=1)):
            links = LinkGraph(document, pairs, score, scratch=scratch)
            columns = links.columns(slice(0, len(score)))
            assert columns.tobytes() == whole[links.order].tobytes()


def test_no_links_have_no_columns() -> None:
    none = np.empty(0, np.int32)
    assert graph_columns(np.zeros(3, np.int32), Pairs(none, none), np.empty(0)).shape == (
        0,
        len(GRAPH_COLUMNS),
    )
