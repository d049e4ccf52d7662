from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samevent.errors import DataError
from samevent.hddcrp.problem import MOST_TOKENS, Problem, Rows


def build(**fields: Any) -> Problem:
    return Problem(
        **{
            "document": np.array([0, 0, 1]),
            "words": Rows.counted([[0], [1], [1, 1]]),
            "within": Rows.from_triples(3, [1], [0], [0.9]),
            "across": Rows.from_triples(3, [2, 0], [0, 2], [0.8, 0.7]),
            **fields,
        }
    )


def links(row: int, column: int, value: float = 0.5) -> Rows:
    return Rows.from_triples(3, [row], [column], [value])


def test_problem_counts_what_it_is_given() -> None:
    problem = build(vocabulary=7, documents=5)
    assert (problem.customers, problem.documents, problem.vocabulary) == (3, 5, 7)
    assert problem.tokens.tolist() == [1, 1, 2]
    assert (build().documents, build().vocabulary) == (2, 2)


def test_problem_has_the_values_of_the_paper() -> None:
    problem = build()
    values = problem.alpha_within, problem.alpha_across, problem.alpha_flat, problem.dirichlet
    assert values == (0.5, 0.001, 0.1, 1e-7)


def test_rows_do_not_depend_on_the_order_of_entries() -> None:
    rows = Rows(np.array([0, 0, 0, 2]), np.array([1, 0]), np.array([0.8, 0.7]))
    problem = build(across=rows)
    assert problem.across.columns.tolist() == [0, 1]
    assert problem.across.values.tolist() == [0.7, 0.8]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"within": links(1, 0, np.nan)},
            "'within' has the value nan in row 1, column 0; expected a number from",
        ),
        ({"across": links(2, 0, np.inf)}, "'across' has the value inf"),
        ({"across": links(2, 0, -1.0)}, "'across' has the value -1.0"),
        ({"across": links(2, 0, 0.0)}, "leave out the links that cannot be"),
        ({"within": links(0, 1)}, "links to customers that came earlier"),
        ({"within": links(1, 1)}, "links to customers that came earlier"),
        ({"within": links(2, 0)}, "links inside one document"),
        ({"across": links(1, 0)}, "links to other documents"),
        ({"across": links(2, 2)}, "links to other documents"),
        ({"across": links(2, 3)}, "customers 0 to 2"),
        ({"across": Rows.from_triples(3, [2, 2], [0, 0], [0.5, 0.6])}, "lists 0 twice for customer 2"),
        ({"within": Rows.empty(2)}, "'within' has 2 rows; expected 3, one a customer"),
        ({"within": Rows(np.array([0, 1, 0, 0]), np.zeros(0, int), np.zeros(0))}, "starts do not fit"),
        ({"within": Rows(np.array([0, 0, 0, 1]), np.array([0]), np.zeros(0))}, "1 columns and 0 values"),
        ({"within": Rows(np.array([0, 0, 1, 1]), np.array([0]), np.array(["x"]))}, "real numbers"),
        ({"alpha_within": 0}, "'alpha_within' of Problem is 0"),
        ({"alpha_across": -1}, "'alpha_across' of Problem is -1"),
        ({"alpha_flat": np.nan}, "'alpha_flat' of Problem is nan"),
        ({"dirichlet": np.inf}, "'dirichlet' of Problem is inf"),
        ({"document": np.array([0, 0, -1])}, "the document of a customer is -1"),
        ({"document": np.array([0, 0, 0.5])}, "has type float64"),
        ({"document": np.array([[0, 0, 1]])}, "2 dimensions"),
        ({"document": np.array([0, 0])}, "'words' has 3 rows"),
        ({"documents": 1}, "'documents' is 1, but 1 occurs; expected 2 at least"),
        ({"vocabulary": 1}, "'vocabulary' is 1, but 1 occurs"),
        ({"words": Rows.from_triples(3, [0], [0], [1.5])}, "counts that are whole and above 0"),
        ({"words": Rows.from_triples(3, [0], [0], [0])}, "counts that are whole and above 0"),
        ({"words": Rows.from_triples(3, [0], [0], [np.nan])}, "counts that are whole and above 0"),
        ({"words": Rows.from_triples(3, [0], [0], [MOST_TOKENS + 1])}, "words; expected"),
    ],
)
def test_problem_refuses_what_does_not_hold_together(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        build(**fields)
    assert message in str(caught.value)


def test_rows_refuse_entries_outside() -> None:
    with pytest.raises(DataError, match="row 3; expected rows 0 to 2"):
        Rows.from_triples(3, [3], [0], [1.0])
    with pytest.raises(DataError, match="row -1"):
        Rows.from_triples(3, [-1], [0], [1.0])
    with pytest.raises(DataError, match="a column is -2"):
        Rows.from_triples(3, [0], [-2], [1.0])


def test_problem_may_be_empty() -> None:
    problem = Problem(
        document=np.zeros(0, int), words=Rows.empty(0), within=Rows.empty(0), across=Rows.empty(0)
    )
    assert (problem.customers, problem.documents, problem.vocabulary) == (0, 0, 0)
