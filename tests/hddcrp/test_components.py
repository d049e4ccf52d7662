from __future__ import annotations

import numpy as np
import pytest

from problems import LINKS, random_problem, whole
from samevent.hddcrp.components import split
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.reference import clusters_of, exact
from samevent.hddcrp.weights import collapsed


@pytest.mark.parametrize("seed", range(5))
def test_split_finds_connected_components(seed: int) -> None:
    problem = random_problem(seed, customers=40, documents=5, density=0.03)
    links = collapsed(problem)
    root = list(range(40))
    for _ in range(40):  # spread the smallest number along all links until nothing changes
        for i, j in zip(links.rows.tolist(), links.columns.tolist(), strict=True):
            root[i] = root[j] = min(root[i], root[j])
    parts = split(problem.words, links)
    blocks = {tuple(parts.block(k).customers.tolist()) for k in range(len(parts))}
    assert blocks == {tuple(i for i in range(40) if root[i] == r) for r in root}
    assert (np.diff(parts.order[parts.starts[:-1]]) > 0).all()


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.parametrize("smallest", [1, 8])
def test_blocks_hold_everything_once(kind: str, smallest: int) -> None:
    problem = random_problem(3, customers=50, documents=5, density=0.02, vocabulary=9)
    rows = LINKS[kind](problem)
    parts = split(problem.words, *rows, smallest=smallest)
    seen: list[set[tuple[int, int, float]]] = [set() for _ in rows]
    words: dict[int, list[int]] = {}
    pairs = set()
    for number in range(len(parts)):
        block = parts.block(number)
        customers = block.customers
        for kept, local in zip(seen, block.links, strict=True):
            kept |= set(
                zip(
                    customers[local.rows].tolist(),
                    customers[local.columns].tolist(),
                    local.values.tolist(),
                    strict=True,
                )
            )
        for i in range(len(block)):
            words[int(customers[i])] = block.words.values[
                block.words.starts[i] : block.words.starts[i + 1]
            ].tolist()
        pairs |= set(zip(customers[block.left].tolist(), customers[block.right].tolist(), strict=True))
    for kept, links in zip(seen, rows, strict=True):
        assert kept == set(
            zip(links.rows.tolist(), links.columns.tolist(), links.values.tolist(), strict=True)
        )
    assert words == {i: problem.words.values[problem.words.rows == i].tolist() for i in range(50)}
    assert pairs == {(min(i, j), max(i, j)) for kept in seen for i, j, _ in kept if i != j}


def test_equal_words_have_equal_numbers_within_a_block() -> None:
    problem = random_problem(3, customers=50, documents=5, density=0.02, vocabulary=9)
    parts = split(problem.words, collapsed(problem))
    for number in range(len(parts)):
        block = parts.block(number)
        inside = np.isin(problem.words.rows, block.customers)
        pairs = set(zip(problem.words.columns[inside].tolist(), block.words.columns.tolist(), strict=True))
        assert len(pairs) == len({word for word, _ in pairs}) == len({local for _, local in pairs})


@pytest.mark.parametrize("seed", range(4))
def test_joint_is_the_product_of_components(seed: int) -> None:
    problem = random_problem(seed, customers=7, density=0.06)
    logs, nothing = Logs.of(problem), np.zeros(0)
    parts = split(problem.words, collapsed(problem))
    assert len(parts) > 1
    joint = exact(whole(problem), logs, nothing)
    solved = [exact(parts.block(number), logs, nothing) for number in range(len(parts))]
    assert joint.log_evidence == pytest.approx(sum(part.log_evidence for part in solved), abs=1e-12)
    assert joint.best_log_joint == sum(part.best_log_joint for part in solved)
    pairs = dict(
        zip(zip(whole(problem).left, whole(problem).right, strict=True), joint.together, strict=True)
    )
    for number, part in enumerate(solved):
        block = parts.block(number)
        for i, j, together in zip(block.left, block.right, part.together, strict=True):
            assert pairs[block.customers[i], block.customers[j]] == pytest.approx(together, abs=1e-12)


def test_must_links_join_components_and_cannot_links_do_not() -> None:
    alone = Rows.from_triples(6, np.arange(6), np.arange(6), np.ones(6))
    parts = split(Rows.empty(6), alone, must_link=[(4, 1), (5, 4)], cannot_link=[(0, 1), (1, 3), (2, 3)])
    assert [parts.block(k).customers.tolist() for k in range(len(parts))] == [[0], [1, 4, 5], [2], [3]]
    block = parts.block(1)
    assert block.must_link.tolist() == [[0, 1], [1, 2]]
    assert list(zip(block.left.tolist(), block.right.tolist(), strict=True)) == [(0, 1), (1, 2)]
    assert not any(len(parts.block(k).cannot_link) for k in range(len(parts)))


def test_constraints_follow_their_customers_into_blocks() -> None:
    problem = random_problem(3, customers=50, documents=5, density=0.02)
    cannot = [(i, j) for i in range(50) for j in range(i)]
    parts = split(problem.words, collapsed(problem), must_link=[(0, 49)], cannot_link=cannot)
    for number in range(len(parts)):
        block = parts.block(number)
        customers = block.customers
        pairs = {(int(customers[i]), int(customers[j])) for i, j in block.cannot_link}
        assert pairs == {(i, j) for j in customers.tolist() for i in customers.tolist() if i < j}
        assert len(block.must_link) == (0 in customers)


def test_configurations_are_counted() -> None:
    links = Rows.from_triples(4, [0, 1, 1, 2, 2, 2, 3], [0, 1, 0, 2, 0, 1, 3], np.ones(7))
    parts = split(Rows.empty(4), links)
    assert parts.configurations().tolist() == [6.0, 1.0]
    chain = Rows.from_triples(3000, np.repeat(np.arange(3000), 2), _both(3000), np.ones(6000))
    assert split(Rows.empty(3000), chain).configurations().tolist() == [np.inf]


def _both(count: int) -> np.ndarray:
    return np.stack([np.arange(count), (np.arange(count) + 1) % count], axis=1).ravel()


def test_clusters_follow_links_in_both_directions() -> None:
    assert clusters_of([1, 2, 0, 3, 3, 1]) == [0, 0, 0, 1, 1, 0]
