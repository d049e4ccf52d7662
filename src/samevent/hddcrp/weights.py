"""The prior of the links: each customer's link is one categorical variable.

All models here have one link per customer and differ only in these rows. Every row sums to 1 and starts with the
customer itself: entry `e` of row `i` means that customer i links to `columns[e]` with probability `values[e]`, and
entry `starts[i]` is the link to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.likelihood import on_grid
from samevent.hddcrp.problem import Floats, Integers, Problem, Rows

Choices = tuple[NDArray[np.int64], ...]
"""Links as entries of their rows: one array for each set of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Links(Rows):
    """Rows of link probabilities with their logarithms, rounded like those of the likelihood."""

    logs: Floats

    @classmethod
    def of(cls, rows: Rows) -> Links:
        """Add the logarithms to rows."""
        return cls(rows.starts, rows.columns, rows.values, on_grid(np.log(rows.values)))


def active(links: Sequence[Rows], choices: Choices) -> Integers:
    """Return the target of each customer; a table link counts where the customer link leads to the customer itself."""
    targets = links[0].columns[choices[0]]
    if len(links) == 1:
        return targets
    return np.where(choices[0] == links[0].starts[:-1], links[1].columns[choices[1]], targets)


def log_prior(links: Sequence[Links], choices: Choices) -> float:
    """Return the log probability of the links that count."""
    prior = links[0].logs[choices[0]].sum()
    if len(links) == 2:
        prior += links[1].logs[choices[1][choices[0] == links[0].starts[:-1]]].sum()
    return float(prior)


def collapsed(problem: Problem) -> Rows:
    """Return the links of the HDDCRP with inactive table links integrated out.

    A customer links to an earlier one of its document (Eq. 2), or it starts a table whose link leads to another
    document or nowhere (Eq. 3). Only the one link that counts is left:

        within j   F_d(i,j) / Z_d(i)
        across k   alpha_d / Z_d(i) * F_0(i,k) / Z_0(i)
        itself     alpha_d / Z_d(i) * alpha_0 / Z_0(i)
    """
    within, across = problem.within, problem.across
    inner, outer = within.rows, across.rows
    starts_table, inside = _shares(within, problem.alpha_within)
    ends, outside = _shares(across, problem.alpha_across)
    return _with_self(
        starts_table * ends,
        np.concatenate([inner, outer]),
        np.concatenate([within.columns, across.columns]),
        np.concatenate([inside, starts_table[outer] * outside]),
    )


def customer_links(problem: Problem) -> Rows:
    """Return the customer links of the HDDCRP (Eq. 2)."""
    return _normalised(problem.within, problem.alpha_within)


def table_links(problem: Problem) -> Rows:
    """Return the table links of the HDDCRP (Eq. 3)."""
    return _normalised(problem.across, problem.alpha_across)


def flat(problem: Problem) -> Rows:
    """Return the links of the flat DDCRP (Eq. 1), which lead to earlier and later customers of any document."""
    within, across = problem.within, problem.across
    rows = np.concatenate([within.rows, within.columns, across.rows])
    columns = np.concatenate([within.columns, within.rows, across.columns])
    affinities = np.concatenate([within.values, within.values, across.values])
    return _normalised(Rows.from_triples(problem.customers, rows, columns, affinities), problem.alpha_flat)


def _normalised(affinities: Rows, alpha: float) -> Rows:
    own, shares = _shares(affinities, alpha)
    return _with_self(own, affinities.rows, affinities.columns, shares)


def _shares(affinities: Rows, alpha: float) -> tuple[Floats, Floats]:
    """Return the probabilities of links to oneself, and of all others."""
    rows = affinities.rows
    sums = np.bincount(rows, weights=affinities.values, minlength=len(affinities))
    total = alpha + sums.astype(np.float64)
    return alpha / total, affinities.values / total[rows]


def _with_self(own: Floats, rows: NDArray[np.integer], columns: NDArray[np.integer], values: Floats) -> Rows:
    count = len(own)
    # Rows come sorted, perhaps in two parts: a stable sort merges them.
    order = np.argsort(rows.astype(np.int64) * count + columns, kind="stable")
    positions = order + count
    starts = np.bincount(rows, minlength=count).cumsum()
    before = np.concatenate([[0], starts[:-1]]) if count else starts
    pick = np.insert(positions, before, np.arange(count))
    customers = np.arange(count, dtype=np.int32)
    return Rows(
        np.concatenate([[0], starts + np.arange(1, count + 1)]),
        np.concatenate([customers, columns])[pick].astype(np.int32),
        np.concatenate([own, values])[pick],
    )
