"""The likelihood of the words: the Dirichlet-multinomial marginal of a cluster, and of a whole partition.

With A[n] = sum_{k<n} log(lambda + k) and B[n] = sum_{k<n} log(V lambda + k), a cluster with n_w words w, N in all, has

    log p = sum_w A[n_w] - B[N]

The entries are rounded to multiples of 2**-30. Sums of such numbers are exact in floating point as long as they
stay below 2**23, so a running sum equals a fresh one and every order of adding gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.problem import Floats, Problem, Rows

_GRID = 2.0**30


@dataclass(frozen=True, slots=True, eq=False)
class Logs:
    """The tables A (`word`) and B (`total`) of the module's docstring, times the likelihood's weight.

    If they are `weightless`, the weight is 0, and all partitions are equally likely.
    """

    word: Floats
    total: Floats
    weightless: bool

    @classmethod
    def of(cls, problem: Problem) -> Logs:
        """Tabulate as far as the words of a problem reach."""
        words, weight = problem.words, problem.likelihood_weight
        tokens = int(problem.tokens.sum(dtype=np.int64))
        most = int(np.bincount(words.columns, weights=words.values).max(initial=0))
        return cls(
            tabulated(problem.dirichlet, most, weight),
            tabulated(problem.dirichlet * problem.vocabulary, tokens, weight),
            weight == 0,
        )


def on_grid(logarithms: Floats) -> Floats:
    """Round to multiples of 2**-30."""
    return np.rint(logarithms * _GRID) / _GRID


def log_likelihood(words: Rows, labels: NDArray[np.integer], logs: Logs) -> float:
    """Return log p(x | z) of a partition given as labels.

    >>> problem = Problem(
    ...     document=[0, 1], words=Rows.counted([[0], [0]]), within=Rows.empty(2), across=Rows.empty(2),
    ...     vocabulary=10, dirichlet=0.5,
    ... )
    >>> logs = Logs.of(problem)
    >>> apart, together = (log_likelihood(problem.words, np.array(z), logs) for z in ([0, 1], [0, 0]))
    >>> bool(np.isclose(apart, 2 * np.log(0.5 / 5))), bool(np.isclose(together, np.log(0.5 / 5 * 1.5 / 6)))
    (True, True)
    """
    if not len(words.columns):
        return 0.0
    cluster = labels[words.rows].astype(np.int64)
    cells, cell = np.unique(cluster * (int(words.columns.max()) + 1) + words.columns, return_inverse=True)
    counts = np.bincount(cell, weights=words.values, minlength=len(cells)).astype(np.int64)
    totals = np.bincount(cluster, weights=words.values).astype(np.int64)
    return float(logs.word[counts].sum() - logs.total[totals].sum())


def merge_change(ours: dict[int, int], theirs: dict[int, int], logs: Logs) -> float:
    """Return how much log p(x | z) changes when two clusters, given as counts of their words, become one."""
    shared = ours.keys() & theirs.keys()
    mine, yours = sum(ours.values()), sum(theirs.values())
    change = logs.total[mine] + logs.total[yours] - logs.total[mine + yours]
    for word in shared:
        change += logs.word[ours[word] + theirs[word]] - logs.word[ours[word]] - logs.word[theirs[word]]
    return float(change)


def tabulated(offset: float, most: int, weight: float = 1.0) -> Floats:
    """Return the sums of weight * log(offset + k) over the first k, for 0 to `most` of them, on the grid."""
    # Rounding the steps, not their sums, keeps the error of a difference of neighbours at one rounding.
    steps = weight * np.log(offset + np.arange(most)) if most else np.zeros(0)
    return np.concatenate([[0.0], np.cumsum(on_grid(steps))])
