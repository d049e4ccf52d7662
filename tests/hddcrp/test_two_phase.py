from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from problems import random_problem, whole, without_words
from samevent.hddcrp import reference, two_phase
from samevent.hddcrp.chains import Info
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.randoms import seeded
from samevent.hddcrp.weights import Choices


def pair_of_documents() -> Problem:
    """Two customers of one document and one of another; the second may follow the first or go across."""
    return Problem(
        document=np.array([0, 0, 1]),
        words=Rows.empty(3),
        within=Rows.from_triples(3, [1], [0], [1.0]),
        across=Rows.from_triples(3, [1], [2], [1.0]),
        alpha_within=1.0,
        alpha_across=1.0,
    )


def chain_of(problem: Problem, sweeps: int) -> list[Choices]:
    block, logs, random = whole(problem, "paper"), Logs.of(problem), seeded(0, "test")
    choices = tuple(reference.prior_draw(rows, random) for rows in block.links)
    state, kept = two_phase.init(block, choices, random, logs), []
    for _ in range(sweeps):
        two_phase.sweep(block, state, Info.planned(block, 1), logs)
        kept.append(tuple(links.copy() for links in state.choices))
    return kept


def test_sitting_alone_follows_the_stored_table_link() -> None:
    problem = pair_of_documents()
    block, logs = whole(problem, "paper"), Logs.of(problem)
    customer, table = block.links
    across = int(table.starts[1]) + 1
    second, sat_alone = np.array([0, 1, 0]), 0
    for seed in range(200):
        choices = customer.starts[:-1] + second, table.starts[:-1] + second
        random = seeded(seed, "test")
        state = two_phase.init(block, choices, random, logs)
        assert state.seating.labels.tolist() == [0, 0, 1]
        two_phase.sweep(block, state, Info.planned(block, 1), logs)
        state.check(block, logs)
        if choices[0][1] == customer.starts[1] and choices[1][1] == across:
            sat_alone += 1
            assert state.seating.labels.tolist() == [0, 1, 1]
    assert sat_alone > 20


def test_inactive_table_links_come_from_their_prior() -> None:
    problem = random_problem(4, customers=8, documents=2, density=0.6)
    block = whole(problem, "paper")
    customer, table = block.links
    kept = chain_of(problem, 6000)
    tested = 0
    for i in range(8):
        inactive = Counter(int(c[i] - table.starts[i]) for a, c in kept if a[i] != customer.starts[i])
        weights = table.values[table.starts[i] : table.starts[i + 1]]
        if inactive.total() > 500 and len(weights) > 1:
            tested += 1
            observed = [inactive[k] for k in range(len(weights))]
            assert chisquare(observed, weights * inactive.total()).pvalue > 1e-3
    assert tested >= 2


def test_without_words_every_link_comes_from_its_prior() -> None:
    problem = without_words(random_problem(3, customers=5, documents=2, density=0.8))
    block = whole(problem, "paper")
    kept = chain_of(problem, 6000)
    for kind, rows in enumerate(block.links):
        for i in range(5):
            weights = rows.values[rows.starts[i] : rows.starts[i + 1]]
            seen = Counter(int(choices[kind][i] - rows.starts[i]) for choices in kept)
            shares = [seen[k] / len(kept) for k in range(len(weights))]
            assert shares == pytest.approx(weights, abs=0.03)
