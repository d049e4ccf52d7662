"""What the models are given: customers in restaurants, their words, and who may link to whom.

Everything is an array. Customers are numbered in one order; of two customers of the same restaurant (document),
the one with the smaller number came first. Checked once, here: whatever holds a `Problem` can rely on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samevent.errors import DataError

Integers = NDArray[np.int32]
Floats = NDArray[np.float64]

MOST_TOKENS = 2**26
"""The likelihood looks logarithms up in a table with an entry a token: half a gigabyte at this many."""

LEAST, MOST = 1e-50, 1e50
"""Affinities and parameters stay in here, so that no product of them leaves floating point."""
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
        """Count how often each number stands in each list.

        >>> Rows.counted([[4, 4, 1], []]).values.tolist()
        [1, 2]
        """
        counts = [Counter(numbers) for numbers in lists]
        triples = [(row, word, count) for row, words in enumerate(counts) for word, count in words.items()]
        return cls.from_triples(len(counts), *np.array(triples, np.int64).reshape(-1, 3).T)

    @classmethod
    def empty(cls, count: int) -> Rows:
        """Return rows that hold nothing."""
        return cls(np.zeros(count + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Problem:
    """Customers, observations and affinities; the defaults are the paper's values.

    `document[i]` is the restaurant of customer i. `words` counts the words of each customer, out of a vocabulary
    of size `vocabulary` (the largest word and 1 if not given). `within` holds F_d(i, j) for earlier j of the same
    document, `across` F_0(i, k) for k of other documents; a link that is not listed is impossible.

    >>> problem = Problem(
    ...     document=[0, 0, 1],
    ...     words=Rows.counted([[0], [0], [0, 1]]),
    ...     within=Rows.from_triples(3, [1], [0], [0.9]),
    ...     across=Rows.from_triples(3, [2], [0], [0.8]),
    ... )
    >>> problem.customers, problem.documents, problem.vocabulary
    (3, 2, 2)
    """

    document: NDArray[Any]
    words: Rows
    within: Rows
    across: Rows
    documents: int = -1
    vocabulary: int = -1
    alpha_within: float = 0.5
    alpha_across: float = 0.001
    alpha_flat: float = 0.1
    dirichlet: float = 1e-7
    tokens: Integers = field(init=False)
    """How many words each customer has, repeats counted."""

    def __post_init__(self) -> None:
        document = _narrow(np.asarray(self.document), "the document of a customer")
        count = len(document)
        self._set("document", document)
        for name in ("words", "within", "across"):
            self._set(name, _checked_rows(name, getattr(self, name), count))
        self._set("documents", _size("documents", self.documents, document))
        self._set("vocabulary", _size("vocabulary", self.vocabulary, self.words.columns))
        for name in ("alpha_within", "alpha_across", "alpha_flat", "dirichlet"):
            value = getattr(self, name)
            if not LEAST <= value <= MOST:
                raise DataError(f"the parameter {name!r} of Problem is {value}", expected=_IN_RANGE)
        self._set("words", _checked_counts(self.words))
        for name in ("within", "across"):
            self._set(name, _checked_links(name, getattr(self, name), document))
        tokens = np.bincount(self.words.rows, weights=self.words.values, minlength=count)
        self._set("tokens", tokens.astype(np.int32))

    @property
    def customers(self) -> int:
        """How many customers there are."""
        return len(self.document)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


def _checked_rows(name: str, rows: Rows, count: int) -> Rows:
    """Return rows with sorted columns and the array types that the kernels expect."""
    if len(rows) != count:
        raise DataError(f"{name!r} has {len(rows)} rows", expected=f"{count}, one a customer")
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
    _refuse(
        "words", words, ~((counts >= 1) & (counts == np.floor(counts))), "counts that are whole and above 0"
    )
    if counts.sum() > MOST_TOKENS:
        raise DataError(f"the customers have {counts.sum():.0f} words", expected=f"{MOST_TOKENS} at most")
    return Rows(words.starts, words.columns, counts.astype(np.int32))


def _checked_links(name: str, links: Rows, document: Integers) -> Rows:
    _refuse(name, links, links.columns >= len(document), f"customers 0 to {len(document) - 1}")
    _refuse(
        name,
        links,
        ~((links.values >= LEAST) & (links.values <= MOST)),
        f"{_IN_RANGE}; leave out the links that cannot be",
    )
    row, target = links.rows, links.columns
    same = document[row] == document[target]
    if name == "within":
        _refuse(name, links, ~same, "links inside one document; links to others belong to 'across'")
        _refuse(name, links, target >= row, "links to customers that came earlier")
    else:
        _refuse(name, links, same, "links to other documents; links inside one belong to 'within'")
    return Rows(links.starts, links.columns, links.values.astype(np.float64))


def _refuse(name: str, rows: Rows, bad: NDArray[np.bool_], expected: str) -> None:
    """Name the first entry that is not as it should be."""
    if bad.any():
        at = int(np.argmax(bad))
        raise DataError(
            f"{name!r} has the value {rows.values[at]} in row {rows.rows[at]}, column {rows.columns[at]}",
            expected=expected,
        )


def _size(name: str, given: int, used: Integers) -> int:
    needed = int(used.max(initial=-1)) + 1
    if given == -1:
        return needed
    if given < needed:
        raise DataError(f"{name!r} is {given}, but {needed - 1} occurs", expected=f"{needed} at least")
    return given


def _narrow(values: NDArray[Any], what: str) -> Integers:
    """Return whole numbers that are 0 or more in 32 bits."""
    if values.ndim != 1:
        raise DataError(f"{what} stands in an array of {values.ndim} dimensions", expected="one dimension")
    if values.size == 0:
        return np.zeros(0, np.int32)
    if not np.issubdtype(values.dtype, np.integer):
        raise DataError(f"{what} has type {values.dtype}", expected="whole numbers")
    if values.min() < 0 or values.max() >= 2**31:
        wrong = values.min() if values.min() < 0 else values.max()
        raise DataError(f"{what} is {wrong}", expected="0 or more, and less than 2**31")
    return values.astype(np.int32)
