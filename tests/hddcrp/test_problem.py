from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

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


def test_problem_counts_customers_documents_and_words() -> None:
    problem = build(vocabulary=7, documents=5)
    assert (problem.customers, problem.documents, problem.vocabulary) == (3, 5, 7)
    assert problem.tokens.tolist() == [1, 1, 2]
    assert (build().documents, build().vocabulary) == (2, 2)


def test_defaults_are_the_values_of_the_paper() -> None:
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
        ({"across": links(2, 0, 0.0)}, "leave out impossible links"),
        ({"within": links(0, 1)}, "links to customers that came earlier"),
        ({"within": links(1, 1)}, "links to customers that came earlier"),
        ({"within": links(2, 0)}, "links inside one document"),
        ({"across": links(1, 0)}, "links to other documents"),
        ({"across": links(2, 2)}, "links to other documents"),
        ({"across": links(2, 3)}, "customers 0 to 2"),
        ({"across": Rows.from_triples(3, [2, 2], [0, 0], [0.5, 0.6])}, "lists 0 twice for customer 2"),
        ({"within": Rows.empty(2)}, "'within' has 2 rows; expected 3, one per customer"),
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
        ({"documents": 1}, "'documents' is 1, but 1 occurs; expected at least 2"),
        ({"vocabulary": 1}, "'vocabulary' is 1, but 1 occurs"),
        ({"words": Rows.from_triples(3, [0], [0], [1.5])}, "counts that are whole and above 0"),
        ({"words": Rows.from_triples(3, [0], [0], [0])}, "counts that are whole and above 0"),
        ({"words": Rows.from_triples(3, [0], [0], [np.nan])}, "counts that are whole and above 0"),
        ({"words": Rows.from_triples(3, [0], [0], [MOST_TOKENS + 1])}, "words; expected"),
        ({"words": np.zeros(3)}, "'words' is an array of the shape (3,) and type float64; expected a matrix"),
        ({"words": np.array([["a"], ["b"], ["c"]])}, "type <U1; expected a matrix of numbers"),
        ({"words": -np.ones((3, 2))}, "'words' has the value -1.0 in row 0, column 0"),
        ({"words": sparse.csr_array((2, 4))}, "'words' has 2 rows; expected 3, one per customer"),
        ({"words": np.ones((3, 4), int), "vocabulary": 3}, "'vocabulary' is 3, but 3 occurs"),
        ({"within": sparse.csr_array((3, 4))}, "'within' has 4 columns; expected 3, one per customer"),
        ({"likelihood_weight": -0.5}, "'likelihood_weight' of Problem is -0.5; expected a number from 0"),
        ({"likelihood_weight": np.nan}, "'likelihood_weight' of Problem is nan"),
        ({"must_link": [0, 1]}, "'must_link' has the shape (2,); expected one row of two customers per pair"),
        ({"must_link": [(0, 3)]}, "'must_link' names customer 3; expected customers 0 to 2"),
        ({"cannot_link": [(0, -1)]}, "'cannot_link' names customer -1"),
        ({"cannot_link": [(1, 1)]}, "'cannot_link' pairs customer 1 with itself"),
        ({"must_link": [(0.0, 1.0)]}, "'must_link' holds values of type float64"),
    ],
)
def test_problem_rejects_inconsistent_input(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        build(**fields)
    assert message in str(caught.value)


def test_rows_reject_entries_outside() -> None:
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


FORMATS = [f"{name}_{kind}" for name in ("csr", "csc", "coo", "lil", "dok") for kind in ("array", "matrix")]


@pytest.mark.parametrize("form", [*FORMATS, "dense", "lists"])
def test_problem_takes_matrices_in_any_format(form: str) -> None:
    expected = build(vocabulary=4)

    def matrix(rows: Rows, width: int) -> Any:
        dense = np.zeros((3, width))
        dense[rows.rows, rows.columns] = rows.values
        return (
            dense.tolist() if form == "lists" else dense if form == "dense" else getattr(sparse, form)(dense)
        )

    problem = build(
        words=matrix(expected.words, 4), within=matrix(expected.within, 3), across=matrix(expected.across, 3)
    )
    assert problem.vocabulary == 4  # the width of the matrix, although the last words do not occur
    for name in ("words", "within", "across"):
        ours, theirs = getattr(problem, name), getattr(expected, name)
        for part in ("starts", "columns", "values"):
            assert getattr(ours, part).dtype == getattr(theirs, part).dtype
            assert getattr(ours, part).tolist() == getattr(theirs, part).tolist()


def test_matrices_add_duplicates_and_drop_zeros_without_being_changed() -> None:
    words = sparse.csr_array(
        (np.array([1, 2, 0, 1]), np.array([1, 1, 0, 0]), np.array([0, 2, 3, 4])), shape=(3, 2)
    )
    problem = build(words=words)
    assert problem.words.columns.tolist() == [1, 0]
    assert problem.words.values.tolist() == [3, 1]
    assert words.data.tolist() == [1, 2, 0, 1]
    assert build(words=sparse.csr_array([[True, False], [False, False], [True, True]])).tokens.tolist() == [
        1,
        0,
        2,
    ]


def test_constraints_are_sorted_pairs() -> None:
    problem = build(must_link=np.array([[1, 0], [0, 1]], np.uint8), cannot_link=[(2, 1), (0, 2)])
    assert problem.must_link.tolist() == [[0, 1]]
    assert problem.cannot_link.tolist() == [[0, 2], [1, 2]]
    assert build().must_link.shape == build(cannot_link=[]).cannot_link.shape == (0, 2)


def test_contradictory_constraints_name_the_shortest_chain_of_must_links() -> None:
    nothing = Rows.empty(9)
    chain = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (5, 6), (6, 7), (7, 8)]

    def problem(cannot_link: list[tuple[int, int]]) -> Problem:
        return Problem(
            document=np.zeros(9, int), words=nothing, within=nothing, across=nothing, must_link=chain,
            cannot_link=cannot_link,
        )  # fmt: skip

    with pytest.raises(DataError) as caught:
        problem([(8, 5), (3, 0), (0, 5)])
    assert str(caught.value) == (
        "'cannot_link' keeps customers 0 and 3 apart, but 'must_link' joins them: 0 - 4 - 3. "
        "Remove that cannot-link, or one of these must-links"
    )
    assert len(problem([(0, 5), (3, 8)]).cannot_link) == 2
