"""The input of the models: customers in restaurants, their words, who may link to whom, and constraints.

Everything is an array. Customers are numbered in one order; of two customers of the same restaurant (document),
the one with the smaller number came first. Inputs are checked once, here, so that code with a `Problem` can rely
on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from samevent.errors import DataError
from samevent.partitions.constraints import check_consistent, checked_pairs

Integers = NDArray[np.int32]
Floats = NDArray[np.float64]

MOST_TOKENS = 2**26
"""The likelihood looks up logarithms in a table with one entry per token: half a gigabyte at this size."""

LEAST, MOST = 1e-50, 1e50
"""The range of affinities and parameters, which keeps their products inside floating point."""
MOST_WEIGHT = 1000
"""Above this likelihood weight, sums of logarithms would soon no longer be exact."""
_IN_RANGE = f"a number from {LEAST:g} to {MOST:g}"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A sparse matrix by rows: row `i` holds `values[s:t]` in `columns[s:t]`, where s, t = starts[i], starts[i+1]."""

    starts: NDArray[np.int64]
    columns: Integers
    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @classmethod
    def from_triples(cls, count: int, rows: ArrayLike, columns: ArrayLike, values: ArrayLike) -> Rows:
        """Build `count` rows from entries in any order.

        >>> links = Rows.from_triples(3, rows=[2, 1, 2], columns=[1, 0, 0], values=[0.9, 0.7, 0.8])
        >>> links.starts.tolist(), links.columns.tolist(), links.values.tolist()
        ([0, 0, 1, 3], [0, 0, 1], [0.7, 0.8, 0.9])
        """
        row, column = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
        if len(row) and (row.min() < 0 or row.max() >= count):
            raise DataError(
                f"an entry lies in row {int(row.min() if row.min() < 0 else row.max())}",
                expected=f"rows 0 to {count - 1}",
            )
        order = np.lexsort((column, row))
        starts = np.concatenate([[0], np.bincount(row, minlength=count).cumsum()]).astype(np.int64)
        return cls(starts, _narrow(column[order], "a column"), np.asarray(values)[order])

    @classmethod
    def counted(cls, lists: Iterable[Sequence[int]]) -> Rows:
        """Count how often each number occurs in each list.

        >>> Rows.counted([[4, 4, 1], []]).values.tolist()
        [1, 2]
        """
        counts = [Counter(numbers) for numbers in lists]
        triples = [(row, word, count) for row, words in enumerate(counts) for word, count in words.items()]
        return cls.from_triples(len(counts), *np.array(triples, np.int64).reshape(-1, 3).T)

    def take(self, rows: Integers) -> Rows:
        """Return some rows, in this order.

        >>> Rows.counted([[4, 4, 1], [2], []]).take(np.array([1, 0])).columns.tolist()
        [2, 1, 4]
        """
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        pick = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], lengths)
        return Rows(starts, self.columns[pick], self.values[pick])

    @classmethod
    def empty(cls, count: int) -> Rows:
        """Return rows that hold nothing."""
        return cls(np.zeros(count + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))


Matrix = Rows | sparse.sparray | sparse.spmatrix | ArrayLike
"""A matrix with one row per customer: scipy.sparse in any format, or dense. Entries that are 0 are absent."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, init=False)
class Problem:
    """Customers, observations, affinities and constraints; the defaults are the paper's values.

    `document[i]` is the restaurant of customer i. `words` counts the words of each customer, one column per word of
    the vocabulary. `within` holds F_d(i, j) for earlier customers j of the same document, `across` F_0(i, k) for
    customers k of other documents; a link without an affinity is impossible. `vocabulary` and `documents` are
    numbers; they may exceed what occurs.

    The likelihood p(x | z) counts with the exponent `likelihood_weight`: 1 is the paper's model, 0 leaves the prior
    alone. Pairs of customers in `must_link` share a cluster with certainty, those in `cannot_link` never do. P(same
    cluster) of pairs that a link may join, and of those in `watch`, is known better than by counting samples.

    Random streams belong to the `names` of customers, by default their numbers. So part of a problem, under the names
    that its customers have in the whole, draws what the whole draws there.

    >>> problem = Problem(
    ...     document=[0, 0, 1],
    ...     words=[[1, 0], [1, 0], [1, 1]],
    ...     within=sparse.coo_array(([0.9], ([1], [0])), shape=(3, 3)),
    ...     across=sparse.coo_array(([0.8], ([2], [0])), shape=(3, 3)),
    ...     cannot_link=[(0, 1)],
    ... )
    >>> problem.customers, problem.documents, problem.vocabulary
    (3, 2, 2)
    """

    document: Integers
    words: Rows
    within: Rows
    across: Rows
    documents: int
    vocabulary: int
    alpha_within: float
    alpha_across: float
    alpha_flat: float
    dirichlet: float
    likelihood_weight: float
    must_link: Integers
    """Sorted pairs, one row each, the smaller customer first; the same holds for `cannot_link` and `watch`."""
    cannot_link: Integers
    watch: Integers
    names: NDArray[np.int64]
    tokens: Integers = field(init=False)
    """The number of words of each customer, repeats counted."""

    def __init__(
        self,
        *,
        document: ArrayLike,
        words: Matrix,
        within: Matrix,
        across: Matrix,
        documents: int = -1,
        vocabulary: int = -1,
        alpha_within: float = 0.5,
        alpha_across: float = 0.001,
        alpha_flat: float = 0.1,
        dirichlet: float = 1e-7,
        likelihood_weight: float = 1.0,
        must_link: ArrayLike = (),
        cannot_link: ArrayLike = (),
        watch: ArrayLike = (),
        names: ArrayLike | None = None,
    ) -> None:
        restaurant = _narrow(np.asarray(document), "the document of a customer")
        count = len(restaurant)
        self._set("document", restaurant)
        self._set("documents", _size("documents", documents, restaurant))
        observed, width = _rows("words", words)
        counts = _checked_counts(_checked_rows("words", observed, count))
        self._set("words", counts)
        self._set(
            "vocabulary", _size("vocabulary", width if vocabulary == -1 else vocabulary, counts.columns)
        )
        parameters = {
            "alpha_within": alpha_within,
            "alpha_across": alpha_across,
            "alpha_flat": alpha_flat,
            "dirichlet": dirichlet,
        }
        for name, value in parameters.items():
            if not LEAST <= value <= MOST:
                raise DataError(f"the parameter {name!r} of Problem is {value}", expected=_IN_RANGE)
            self._set(name, value)
        if not 0 <= likelihood_weight <= MOST_WEIGHT:
            raise DataError(
                f"the parameter 'likelihood_weight' of Problem is {likelihood_weight}",
                expected=f"a number from 0 to {MOST_WEIGHT}",
            )
        self._set("likelihood_weight", likelihood_weight)
        for name, matrix in (("within", within), ("across", across)):
            rows, width = _rows(name, matrix)
            if width not in (-1, count):
                raise DataError(f"{name!r} has {width} columns", expected=f"{count}, one per customer")
            self._set(name, _checked_links(name, _checked_rows(name, rows, count), restaurant))
        self._set("must_link", checked_pairs("must_link", must_link, count))
        self._set("cannot_link", checked_pairs("cannot_link", cannot_link, count))
        check_consistent(self.must_link, self.cannot_link, count)
        self._set("watch", checked_pairs("watch", watch, count))
        known = np.arange(count) if names is None else np.asarray(names, np.int64)
        if known.shape != (count,) or len(np.unique(known)) < count:
            raise DataError(f"'names' has the shape {known.shape}", expected=f"{count} different numbers")
        self._set("names", known)
        tokens = np.bincount(counts.rows, weights=counts.values, minlength=count)
        self._set("tokens", tokens.astype(np.int32))

    @property
    def customers(self) -> int:
        """The number of customers."""
        return len(self.document)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


def _rows(name: str, matrix: Matrix) -> tuple[Rows, int]:
    """Return a matrix as rows, and its number of columns: -1 for rows, which have no width of their own."""
    if isinstance(matrix, Rows):
        return matrix, -1
    array: Any = matrix if sparse.issparse(matrix) else np.asarray(matrix)
    if array.size == 0 and array.ndim < 2:
        array = np.zeros((0, 0))
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise DataError(
            f"{name!r} is an array of the shape {array.shape} and type {array.dtype}",
            expected="a matrix of numbers with one row per customer",
        )
    csr = sparse.csr_array(array)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    count, width = csr.shape
    values = csr.data.astype(np.int8) if csr.dtype == np.bool_ else csr.data
    rows, kept = np.repeat(np.arange(count), np.diff(csr.indptr)), values != 0
    return Rows.from_triples(count, rows[kept], csr.indices[kept], values[kept]), int(width)


def _checked_rows(name: str, rows: Rows, count: int) -> Rows:
    """Return rows with sorted columns and the array types that the kernels expect."""
    if len(rows) != count:
        raise DataError(f"{name!r} has {len(rows)} rows", expected=f"{count}, one per customer")
    starts = _narrow(np.asarray(rows.starts), f"a start of {name!r}").astype(np.int64)
    entries = len(rows.columns)
    if starts[0] != 0 or starts[-1] != entries or (np.diff(starts) < 0).any() or len(rows.values) != entries:
        raise DataError(
            f"{name!r} has {entries} columns and {len(rows.values)} values, and its starts do not fit them",
            expected="starts that rise from 0 to the number of columns and values",
            hint="Rows.from_triples builds rows that fit",
        )
    row = np.repeat(np.arange(count), np.diff(starts))
    columns = _narrow(np.asarray(rows.columns), f"a column of {name!r}")
    values = np.asarray(rows.values)
    if not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        raise DataError(f"{name!r} holds values of type {values.dtype}", expected="real numbers")
    order = np.lexsort((columns, row))
    columns, values = columns[order], values[order]
    twice = np.flatnonzero((np.diff(columns) == 0) & (np.diff(row) == 0))
    if len(twice):
        at = twice[0]
        raise DataError(
            f"{name!r} lists {columns[at]} twice for customer {row[at]}", hint="add the values up beforehand"
        )
    return Rows(starts, columns, values)


def _checked_counts(words: Rows) -> Rows:
    counts = words.values.astype(np.float64)
    _check(
        "words", words, ~((counts >= 1) & (counts == np.floor(counts))), "counts that are whole and above 0"
    )
    if counts.sum() > MOST_TOKENS:
        raise DataError(f"the customers have {counts.sum():.0f} words", expected=f"at most {MOST_TOKENS}")
    return Rows(words.starts, words.columns, counts.astype(np.int32))


def _checked_links(name: str, links: Rows, document: Integers) -> Rows:
    _check(name, links, links.columns >= len(document), f"customers 0 to {len(document) - 1}")
    _check(
        name,
        links,
        ~((links.values >= LEAST) & (links.values <= MOST)),
        f"{_IN_RANGE}; leave out impossible links",
    )
    row, target = links.rows, links.columns
    same = document[row] == document[target]
    if name == "within":
        _check(name, links, ~same, "links inside one document; links to others belong to 'across'")
        _check(name, links, target >= row, "links to customers that came earlier")
    else:
        _check(name, links, same, "links to other documents; links inside one belong to 'within'")
    return Rows(links.starts, links.columns, links.values.astype(np.float64))


def _check(name: str, rows: Rows, bad: NDArray[np.bool_], expected: str) -> None:
    """Raise a `DataError` that names the first bad entry, if there is one."""
    if bad.any():
        at = int(np.argmax(bad))
        raise DataError(
            f"{name!r} has the value {rows.values[at]} in row {rows.rows[at]}, column {rows.columns[at]}",
            expected=expected,
        )


def _size(name: str, size: int, used: Integers) -> int:
    needed = int(used.max(initial=-1)) + 1
    if size == -1:
        return needed
    if size < needed:
        raise DataError(f"{name!r} is {size}, but {needed - 1} occurs", expected=f"at least {needed}")
    return size


def _narrow(values: NDArray[Any], what: str) -> Integers:
    """Return whole numbers that are 0 or more in 32 bits."""
    if values.ndim != 1:
        raise DataError(f"{what} comes from an array of {values.ndim} dimensions", expected="one dimension")
    if values.size == 0:
        return np.zeros(0, np.int32)
    if not np.issubdtype(values.dtype, np.integer):
        raise DataError(f"{what} has type {values.dtype}", expected="whole numbers")
    if values.min() < 0 or values.max() >= 2**31:
        wrong = values.min() if values.min() < 0 else values.max()
        raise DataError(f"{what} is {wrong}", expected="0 or more, and less than 2**31")
    return values.astype(np.int32)
