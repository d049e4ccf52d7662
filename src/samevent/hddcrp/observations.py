"""What the customers of a Chinese restaurant franchise show: one or several channels of counted values.

Given the cluster, channels are independent, and each is Dirichlet-multinomial. A plain channel has one
distribution per cluster. In a structured channel each value depends on a parent value, and a cluster has one
distribution per parent: with n_pv values v under p, out of V possible ones,

    log p = sum_p (sum_v A[n_pv] - B[n_p])        A, B as in `likelihood`

Both become sums over features. A pair (p, v) is a feature with the table A, a parent is a feature with the table -B,
so two clusters that share neither do not affect each other; only a plain channel's B[N] concerns every cluster.

Synonyms of a rare head are shown by the same customers, and many values by one customer alone. After the first channel,
features of one table that the same customers show equally often are one feature, which counts several times, and a
feature of one customer is a constant: it adds the same to every cluster that the customer joins.

Structured channels are our reading of HDP-struct: its features depend on each other, as a role filler depends on the
predicate, so a channel is conditioned on the value of another one instead of being independent of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samevent.errors import DataError
from samevent.hddcrp.likelihood import tabulated
from samevent.hddcrp.problem import LEAST, MOST, MOST_WEIGHT, Floats, Integers, Problem, Rows

SMALL_JOINING, SMALL_TOTAL = 8, 1024
"""Ratios are tabulated for fewer than SMALL_JOINING values that join fewer than SMALL_TOTAL."""


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """Counted values of each customer, out of a vocabulary, with a symmetric Dirichlet prior.

    `parent`, if any, is the parent of each value; a value that occurs under two parents has two numbers, and
    `vocabulary` is then how many values one parent can have.
    """

    values: Rows
    vocabulary: int
    dirichlet: float = 1e-7
    parent: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        counts = self.values.values
        if not ((counts >= 1) & (counts == np.floor(counts))).all():
            raise DataError("a channel counts a value less than once", expected="whole counts above 0")
        if not LEAST <= self.dirichlet <= MOST:
            raise DataError(f"a channel's 'dirichlet' is {self.dirichlet}", expected=f"{LEAST:g} to {MOST:g}")
        columns = self.values.columns
        if columns.min(initial=0) < 0:
            raise DataError(f"a channel counts the value {columns.min()}", expected="values numbered from 0")
        if self.parent is None:
            needed = int(columns.max(initial=-1)) + 1
        else:
            if len(self.parent) <= columns.max(initial=-1) or np.min(self.parent, initial=0) < 0:
                raise DataError(
                    f"a channel with the value {columns.max()} has {len(self.parent)} parents",
                    expected="a parent, numbered from 0, for each value",
                )
            needed = int(np.bincount(np.asarray(self.parent)[np.unique(columns)]).max(initial=0))
        if self.vocabulary < max(needed, 1):
            raise DataError(
                f"a channel's 'vocabulary' is {self.vocabulary}", expected=f"{max(needed, 1)} at least"
            )

    @classmethod
    def conditioned(
        cls, values: Rows, parents: ArrayLike, vocabulary: int, dirichlet: float = 1e-7
    ) -> Channel:
        """Condition the values of each customer on the customer's value in another channel, a number from 0.

        >>> Channel.conditioned(Rows.counted([[4], [4], [7]]), [2, 0, 2], vocabulary=8).parent.tolist()
        [0, 2, 2]
        """
        parent = np.asarray(parents)
        if parent.shape != (len(values),) or parent.dtype.kind not in "iu" or (parent < 0).any():
            raise DataError(
                f"parents of the shape {parent.shape}, type {parent.dtype}",
                expected=f"one number from 0 for each of {len(values)} customers",
            )
        width = int(values.columns.max(initial=0)) + 1
        keys, pair = np.unique(parent[values.rows] * width + values.columns, return_inverse=True)
        pairs = Rows(values.starts, pair.astype(np.int32), values.values)
        return cls(pairs, vocabulary, dirichlet, parent=keys // width)


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Channels as features: customer i shows `counts[s:t]` of `features[s:t]`, where s, t = starts[i], starts[i+1].

    `times[f] * feature_logs[table[f]]` are the log marginals of feature f by its count, `constant` is that of features
    of one customer, `totals[i, c]` counts the values of customer i in plain channel c, and `total_logs[c]` is that
    channel's B. `total_ratios[c, s, N]` is exp(B[s] + B[N] - B[s+N]) for small s and N. All logs are multiplied by the
    likelihood weight. `channel_of` is the channel of each row of `feature_logs`, -1 if it is structured.
    """

    starts: NDArray[np.int64]
    features: Integers
    counts: Integers
    table: Integers
    times: Integers
    feature_logs: Floats
    constant: float
    totals: Integers
    total_logs: Floats
    total_ratios: Floats = field(repr=False)
    channel_of: Integers

    @classmethod
    def of_problem(cls, problem: Problem) -> Observations:
        """Take the words of a problem as the only channel."""
        channel = Channel(problem.words, max(problem.vocabulary, 1), problem.dirichlet)
        return cls.of_channels([channel], problem.customers, likelihood_weight=problem.likelihood_weight)

    @classmethod
    def of_channels(
        cls, channels: Sequence[Channel], customers: int, *, likelihood_weight: float = 1.0
    ) -> Observations:
        """Number the features of all channels consecutively."""
        if not 0 <= likelihood_weight <= MOST_WEIGHT:
            raise DataError(
                f"the parameter 'likelihood_weight' is {likelihood_weight}",
                expected=f"a number from 0 to {MOST_WEIGHT:g}",
            )
        parts: list[tuple[Rows, Floats]] = []
        channel_of = []
        totals = np.zeros((customers, max(len(channels), 1)), np.int32)
        total_logs = [np.zeros(1)] * totals.shape[1]
        for number, channel in enumerate(channels):
            values = channel.values
            if len(values) != customers:
                raise DataError(
                    f"channel {number} has {len(values)} rows", expected=f"{customers}, one per customer"
                )
            tokens = int(values.values.sum())
            logs = tabulated(channel.dirichlet * channel.vocabulary, tokens, likelihood_weight)
            parts.append((values, tabulated(channel.dirichlet, tokens, likelihood_weight)))
            channel_of.append(number if channel.parent is None else -1)
            if channel.parent is None:
                totals[:, number] = np.bincount(values.rows, weights=values.values, minlength=customers)
                total_logs[number] = logs
            else:
                parts.append((_parents(values, np.asarray(channel.parent)), -logs))
                channel_of.append(-1)
        feature_logs = _stacked([logs for _, logs in parts] or [np.zeros(1)])
        constant, distinct = 0.0, [(part, np.ones(_width(part), np.int64)) for part, _ in parts[:1]]
        for (part, _), logs in zip(parts[1:], feature_logs[1:], strict=True):
            shared, times, single = _distinct(part)
            distinct.append((shared, times))
            constant += float(logs[single].sum())
        sizes = [len(times) for _, times in distinct]
        rows = np.concatenate([np.zeros(0, np.int64), *(part.rows for part, _ in distinct)])
        features = np.concatenate([np.zeros(0, np.int64), *(part.columns for part, _ in distinct)])
        features += np.repeat(np.cumsum([0, *sizes])[:-1], [len(part.columns) for part, _ in distinct])
        counts = np.concatenate([np.zeros(0), *(part.values for part, _ in distinct)])
        order = np.argsort(rows, kind="stable")
        return cls(
            starts=np.concatenate([[0], np.bincount(rows, minlength=customers).cumsum()]).astype(np.int64),
            features=features[order].astype(np.int32),
            counts=counts[order].astype(np.int32),
            table=np.repeat(np.arange(len(parts)), sizes).astype(np.int32),
            times=np.concatenate([np.zeros(0), *(times for _, times in distinct)]).astype(np.int32),
            feature_logs=feature_logs,
            constant=constant,
            totals=totals,
            total_logs=_stacked(total_logs),
            total_ratios=_ratios(total_logs),
            channel_of=np.array(channel_of or [-1], np.int32),
        )

    def log_likelihood(self, labels: NDArray[np.integer]) -> float:
        """Return log p(observations | partition), times the likelihood weight."""
        customer = np.repeat(np.arange(len(labels)), np.diff(self.starts))
        width = len(self.table)
        cells, cell = np.unique(
            labels[customer].astype(np.int64) * width + self.features, return_inverse=True
        )
        counts = np.bincount(cell, weights=self.counts, minlength=len(cells)).astype(np.int64)
        shown = cells % width if width else cells
        log_likelihood = (
            self.constant + (self.times[shown] * self.feature_logs[self.table[shown], counts]).sum()
        )
        for total, logs in zip(self.totals.T, self.total_logs, strict=True):
            log_likelihood -= logs[np.bincount(labels, weights=total).astype(np.int64)].sum()
        return float(log_likelihood)


def _width(rows: Rows) -> int:
    return int(rows.columns.max(initial=-1)) + 1


def _distinct(rows: Rows) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
    """Number features anew: those that the same customers show equally often are one, those of one customer none.

    Return the rows of the rest, how many features each of these stands for, and the counts of features of one customer.
    """
    customer, order = rows.rows, np.argsort(rows.columns, kind="stable")
    bounds = np.bincount(rows.columns, minlength=_width(rows)).cumsum()
    number = np.full(len(bounds), -1)
    times: list[int] = []
    single: list[int] = []
    seen: dict[tuple[bytes, bytes], int] = {}
    for f, shown in enumerate(np.split(order, bounds[:-1])):
        if len(shown) > 1:
            column = customer[shown].tobytes(), rows.values[shown].tobytes()
            number_here = seen.setdefault(column, len(seen))
            if number_here < len(times):
                times[number_here] += 1
            else:
                times.append(1)
                number[f] = number_here
        elif len(shown):
            single.append(int(rows.values[shown[0]]))
    kept = number[rows.columns] >= 0
    starts = np.concatenate([[0], np.cumsum(kept)])[rows.starts]
    return (
        Rows(starts, number[rows.columns[kept]].astype(np.int32), rows.values[kept]),
        np.array(times, np.int64),
        np.array(single, np.int64),
    )


def _parents(values: Rows, parent: NDArray[Any]) -> Rows:
    """Count how often each customer shows each parent."""
    width = int(parent.max(initial=0)) + 1
    keys, where = np.unique(values.rows * width + parent[values.columns], return_inverse=True)
    counts = np.bincount(where, weights=values.values, minlength=len(keys))
    return Rows.from_triples(len(values), keys // width, keys % width, counts)


def _stacked(tables: Sequence[Floats]) -> Floats:
    width = max(len(table) for table in tables)
    return np.stack([np.pad(table, (0, width - len(table))) for table in tables])


def _ratios(tables: Sequence[Floats]) -> Floats:
    ratios = np.zeros((len(tables), SMALL_JOINING, SMALL_TOTAL))
    for c, table in enumerate(tables):
        for s in range(min(SMALL_JOINING, len(table))):
            reach = min(SMALL_TOTAL, len(table) - s)
            logs = table[s] + table[:reach] - table[s : s + reach]
            # math.exp, as in compiled code; numpy's may differ in the last bit.
            ratios[c, s, :reach] = [exp(value) for value in logs]
    return ratios
