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
    customer, table = customer_links(problem), table_links(problem)
    starts_table = customer.values[customer.starts[:-1]]
    inner, outer = _without_self(customer), _without_self(table)
    return _with_self(
        starts_table * table.values[table.starts[:-1]],
        np.concatenate([inner.rows, outer.rows]),
        np.concatenate([inner.columns, outer.columns]),
        np.concatenate([inner.values, starts_table[outer.rows] * outer.values]),
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
    sums = np.bincount(affinities.rows, weights=affinities.values, minlength=len(affinities))
    total = alpha + sums.astype(np.float64)
    share = affinities.values / total[affinities.rows]
    return _with_self(alpha / total, affinities.rows, affinities.columns, share)


def _with_self(own: Floats, rows: NDArray[np.integer], columns: NDArray[np.integer], values: Floats) -> Rows:
    count = len(own)
    order = np.lexsort((columns, rows))
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


def _without_self(links: Rows) -> Rows:
    return Rows(
        links.starts - np.arange(len(links) + 1),
        np.delete(links.columns, links.starts[:-1]),
        np.delete(links.values, links.starts[:-1]),
    )
