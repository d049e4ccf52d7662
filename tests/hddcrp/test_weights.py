from __future__ import annotations

import numpy as np
import pytest

from problems import LINKS, posterior_by_hand, posterior_of_partitions, random_problem, with_fields
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.weights import Links, active, collapsed, customer_links, flat, log_prior, table_links


def small() -> Problem:
    return Problem(
        document=np.array([0, 0, 1]),
        words=Rows.empty(3),
        within=Rows.from_triples(3, [1], [0], [1.5]),
        across=Rows.from_triples(3, [1, 2], [2, 0], [3.0, 1.0]),
        alpha_within=0.5,
        alpha_across=1.0,
        alpha_flat=2.0,
    )


def dense(rows: Rows) -> list[list[float]]:
    matrix = np.zeros((len(rows), len(rows)))
    matrix[rows.rows, rows.columns] = rows.values
    return matrix.tolist()


def test_collapsed_weights_follow_the_table() -> None:
    assert dense(collapsed(small())) == [[1, 0, 0], [0.75, 0.25 * 0.25, 0.25 * 0.75], [0.5, 0, 0.5]]


def test_flat_links_lead_both_ways() -> None:
    assert dense(flat(small())) == pytest.approx(
        np.array([[2 / 3.5, 1.5 / 3.5, 0], [1.5 / 6.5, 2 / 6.5, 3 / 6.5], [1 / 3, 0, 2 / 3]])
    )


@pytest.mark.parametrize("kind", LINKS)
def test_rows_are_probabilities_and_start_with_oneself(kind: str) -> None:
    for rows in LINKS[kind](random_problem(3, customers=40, documents=5, density=0.2)):
        assert np.add.reduceat(rows.values, rows.starts[:-1]) == pytest.approx(1.0)
        assert rows.columns[rows.starts[:-1]].tolist() == list(range(40))


@pytest.mark.parametrize("seed", range(6))
def test_integrating_inactive_table_links_out_keeps_the_posterior(seed: int) -> None:
    problem = random_problem(seed, customers=5)
    by_hand, ours = posterior_by_hand(problem), posterior_of_partitions(problem)
    assert by_hand.keys() == ours.keys()
    assert max(abs(by_hand[z] - ours[z]) for z in ours) < 1e-8


def test_one_document_is_the_sequential_ddcrp() -> None:
    problem = random_problem(1, customers=6, documents=1)
    assert not len(problem.across.columns)
    links, alpha = collapsed(problem), problem.alpha_within
    for i in range(6):
        earlier = problem.within.values[problem.within.starts[i] : problem.within.starts[i + 1]]
        expected = np.concatenate([[alpha], earlier]) / (alpha + earlier.sum())
        assert links.values[links.starts[i] : links.starts[i + 1]] == pytest.approx(expected)


def test_table_links_count_only_where_customers_sit_alone() -> None:
    problem = small()
    links = Links.of(customer_links(problem)), Links.of(table_links(problem))
    to_the_left = np.array([0, 2, 3]), np.array([0, 2, 4])
    alone = np.array([0, 1, 3]), np.array([0, 2, 4])
    assert active(links, to_the_left).tolist() == [0, 0, 0]
    assert active(links, alone).tolist() == [0, 2, 0]
    assert log_prior(links, to_the_left) == pytest.approx(np.log(0.75 * 0.5))
    assert log_prior(links, alone) == pytest.approx(np.log(0.25 * 0.75 * 0.5))


def test_weights_of_an_empty_problem_are_empty() -> None:
    nobody = with_fields(
        random_problem(0, customers=0), words=Rows.empty(0), within=Rows.empty(0), across=Rows.empty(0)
    )
    assert [len(collapsed(nobody)), len(flat(nobody)), len(collapsed(nobody).columns)] == [0, 0, 0]
