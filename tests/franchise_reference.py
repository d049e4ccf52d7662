"""HDDCRP* and the HDP in plain Python, slow and obvious: what the compiled sweeps must draw.

Weights are computed for one cluster after another, from counts of everything in it. Options come in the order of the
compiled sampler, so that equal random numbers draw equal states.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.observations import Observations
from samevent.hddcrp.problem import Problem
from samevent.hddcrp.randoms import RandomState, uniform
from samevent.hddcrp.reference import clusters_of
from samevent.hddcrp.weights import customer_links

Totals = tuple[int, ...]


class Menu:
    """Clusters with their tables and counts; S is a list of customers between two clusters."""

    def __init__(self, observations: Observations) -> None:
        self.observations = observations
        self.tables: dict[int, int] = {}
        self.counts: dict[int, Counter[int]] = {}
        self.totals: dict[int, Totals] = {}
        self.sharing: dict[int, list[int]] = {}
        self.groups: dict[Totals, list[int]] = {}
        self.active: list[Totals] = []
        self._numbers = count()

    def put(self, s: list[int], cluster: int | None, tables: int) -> int:
        """Put S, which is this many tables, into a cluster or a new one."""
        shown, totals = self._observed(s)
        k = next(self._numbers) if cluster is None else cluster
        if cluster is None:
            self.counts[k], self.tables[k] = Counter(), 0
            self._enter(k, totals)
        elif any(totals):
            self._move(k, tuple(a + b for a, b in zip(self.totals[k], totals, strict=True)))
        self.tables[k] += tables
        for f, n in shown.items():
            if self.counts[k][f] == 0:
                self.sharing.setdefault(f, []).append(k)
            self.counts[k][f] += n
        return k

    def take(self, s: list[int], k: int, tables: int) -> None:
        """Remove S, which is this many tables, from a cluster."""
        shown, totals = self._observed(s)
        for f, n in shown.items():
            self.counts[k][f] -= n
            if self.counts[k][f] == 0:
                _swap_out(self.sharing[f], k)
        self.tables[k] -= tables
        if self.tables[k] == 0:
            self._leave(k)
            del self.tables[k], self.counts[k], self.totals[k]
        elif any(totals):
            self._move(k, tuple(a - b for a, b in zip(self.totals[k], totals, strict=True)))

    def weigh(
        self, s: list[int], alpha: float, forbidden: Iterable[int] = ()
    ) -> tuple[list[tuple[int | None, float]], dict[int, float]]:
        """Return the options of S as a new table with their weights, and the log likelihood ratio of each cluster."""
        shown, _ = self._observed(s)
        shared = list(dict.fromkeys([*forbidden, *(k for f in shown for k in self.sharing.get(f, []))]))
        others = [k for totals in self.active for k in self.groups[totals] if k not in shared]
        fits = {k: -math.inf if k in forbidden else self._fit(s, k) for k in [*shared, *others]}
        all_tables = sum(self.tables.values()) + alpha
        options: list[tuple[int | None, float]] = [(None, alpha / all_tables)]
        options += [(k, self.tables[k] / all_tables * math.exp(fit)) for k, fit in fits.items()]
        return options, fits

    def _fit(self, s: list[int], k: int) -> float:
        """Return log p(S | cluster k) - log p(S)."""
        shown, totals = self._observed(s)
        change = 0.0
        for f, n in shown.items():
            table, held = self.observations.feature_logs[self.observations.table[f]], self.counts[k][f]
            change += float(table[n + held] - table[n] - table[held])
        for fall, n, held in zip(self.observations.total_logs, totals, self.totals[k], strict=True):
            change += float(fall[n] + fall[held] - fall[n + held])
        return change

    def _observed(self, s: list[int]) -> tuple[dict[int, int], Totals]:
        observed = self.observations
        shown: Counter[int] = Counter()
        for i in s:
            row = slice(observed.starts[i], observed.starts[i + 1])
            shown.update(
                dict(zip(observed.features[row].tolist(), observed.counts[row].tolist(), strict=True))
            )
        return shown, tuple(observed.totals[s].sum(axis=0).tolist())

    def _move(self, k: int, totals: Totals) -> None:
        self._leave(k)
        self._enter(k, totals)

    def _enter(self, k: int, totals: Totals) -> None:
        if totals not in self.groups:
            self.groups[totals] = []
            self.active.append(totals)
        self.groups[totals].insert(0, k)
        self.totals[k] = totals

    def _leave(self, k: int) -> None:
        totals = self.totals[k]
        self.groups[totals].remove(k)
        if not self.groups[totals]:
            del self.groups[totals]
            _swap_out(self.active, totals)


class Links:
    """HDDCRP*: each customer links to an earlier one of its document or itself, and every table has a cluster."""

    def __init__(self, problem: Problem, choices: list[int], alpha: float) -> None:
        self.rows = customer_links(problem)
        self.alpha = alpha
        self.choices = choices
        self.targets = [int(self.rows.columns[e]) for e in choices]
        self.must_link = problem.must_link.tolist()
        labels = clusters_of(range(problem.customers), self.must_link)
        self.groups = [[i for i, label in enumerate(labels) if label == k] for k in sorted(set(labels))]
        self.cannot_link = problem.cannot_link.tolist()
        self.led: list[list[int]] = [[] for _ in choices]
        self.cluster: list[int] = []
        self.menu = Menu(Observations.of_problem(problem))
        for i, j in enumerate(self.targets):
            if i != j:
                self.led[j].insert(0, i)
            known = [m for m in self._connected_with(i) if m < i]
            self.cluster.append(self.menu.put([i], self.cluster[known[0]] if known else None, int(not known)))

    def sweep(self, random: RandomState) -> None:
        """Draw every link in turn."""
        starts, columns, values = self.rows.starts, self.rows.columns, self.rows.values
        for i, old in enumerate(list(self.targets)):
            if i != old:
                self.led[old].remove(i)
                self.targets[i] = i
            s = self._connected_with(i) if self.must_link else self._leading_to(i)
            self.menu.take(s, self.cluster[i], int(old in s))
            forbidden = [self.cluster[b] for a, b in self._kept_apart() if a in s]
            own = int(starts[i])
            news, fits = self.menu.weigh(s, self.alpha, forbidden)
            options: list[tuple[int, int | None, float]] = []
            for e in range(own, int(starts[i + 1])):
                j, prior = int(columns[e]), float(values[e])
                if j in s:
                    options += [(e, k, prior * weight) for k, weight in news]
                else:
                    options.append((e, self.cluster[j], prior * math.exp(fits[self.cluster[j]])))
            e, chosen, _ = options[_picked([weight for *_, weight in options], random)]
            self.choices[i], self.targets[i] = e, int(columns[e])
            if e != own:
                self.led[self.targets[i]].insert(0, i)
            k = self.menu.put(s, chosen, int(self.targets[i] in s))
            for member in s:
                self.cluster[member] = k

    def _leading_to(self, i: int) -> list[int]:
        """Return `i` and the customers whose links lead there, depth first."""
        return [i, *(m for j in self.led[i] for m in self._leading_to(j))]

    def _connected_with(self, i: int) -> list[int]:
        """Return the customers that links and must-links connect with `i`, breadth first."""
        members = [i]
        for m in members:
            group = next(group for group in self.groups if m in group)
            near = [group[(group.index(m) + 1) % len(group)], self.targets[m], *self.led[m]]
            members += [j for j in dict.fromkeys(near) if j not in members]
        return members

    def _kept_apart(self) -> list[tuple[int, int]]:
        return [pair for a, b in self.cannot_link for pair in ((a, b), (b, a))]


class Tables:
    """The HDP: each customer has a table, each table a cluster. Tables in use stand first among a document's seats."""

    def __init__(
        self, document: NDArray[np.integer], observations: Observations, alpha_within: float, alpha: float
    ) -> None:
        self.document = document.tolist()
        self.alpha_within, self.alpha = alpha_within, alpha
        self.menu = Menu(observations)
        self.table = list(range(len(document)))
        self.members = [[i] for i in self.table]
        self.cluster = [self.menu.put([i], None, 1) for i in self.table]
        documents = range(int(np.max(document, initial=0)) + 1)
        self.seats = [[i for i in self.table if self.document[i] == d] for d in documents]
        self.used = [len(seats) for seats in self.seats]

    def sweep(self, random: RandomState) -> None:
        """Draw every customer's table, then the cluster of every table of several."""
        for i, d in enumerate(self.document):
            t, seats = self.table[i], self.seats[d]
            self.members[t].remove(i)
            self.menu.take([i], self.cluster[t], int(not self.members[t]))
            if not self.members[t]:
                self.used[d] -= 1
                at, last = seats.index(t), self.used[d]
                seats[at], seats[last] = seats[last], seats[at]
            news, fits = self.menu.weigh([i], self.alpha)
            options = [(None, k, self.alpha_within * weight) for k, weight in news]
            for t in seats[: self.used[d]]:
                weight = len(self.members[t]) * math.exp(fits[self.cluster[t]])
                options.append((t, self.cluster[t], weight))
            old, k, _ = options[_picked([weight for *_, weight in options], random)]
            t = seats[self.used[d]] if old is None else old
            self.used[d] += old is None
            self.cluster[t] = self.menu.put([i], k, int(old is None))
            self.members[t].insert(0, i)
            self.table[i] = t
        for t, s in enumerate(self.members):
            if len(s) > 1:
                self.menu.take(s, self.cluster[t], 1)
                options_of_table, _ = self.menu.weigh(s, self.alpha)
                chosen = _picked([weight for _, weight in options_of_table], random)
                self.cluster[t] = self.menu.put(s, options_of_table[chosen][0], 1)


def _picked(weights: list[float], random: RandomState) -> int:
    left = uniform(random) * math.fsum(weights)
    for number, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return number
    return len(weights) - 1


def _swap_out(items: list[Any], item: Any) -> None:
    """Remove an item and put the last one in its place."""
    at = items.index(item)
    last = items.pop()
    if at < len(items):
        items[at] = last
