"""HDDCRP* and the HDP again, in plain Python, slow and obvious: what the compiled sweeps must draw.

Weights are computed for one cluster after another, from counts of everything in it. Options come in the order in
which the compiled sampler goes through them, so that equal random numbers draw equal states.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.crp_observations import Observations
from samevent.hddcrp.problem import Rows
from samevent.hddcrp.randoms import RandomState, uniform

Totals = tuple[int, ...]


class Menu:
    """Clusters with their tables and counts; S is a list of customers between two clusters."""

    def __init__(self, seen: Observations) -> None:
        self.seen = seen
        self.tables: dict[int, int] = {}
        self.counts: dict[int, Counter[int]] = {}
        self.totals: dict[int, Totals] = {}
        self.sharing: dict[int, list[int]] = {}
        self.groups: dict[Totals, list[int]] = {}
        self.active: list[Totals] = []
        self._numbers = count()

    def put(self, s: list[int], cluster: int | None, tables: int) -> int:
        """Put S, which is so many tables, to a cluster or a new one."""
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
        """Take S, which is so many tables, off a cluster."""
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

    def weigh(self, s: list[int], alpha: float) -> tuple[list[tuple[int | None, float]], dict[int, float]]:
        """Return the options of a new table of S with their weights, and the log likelihood ratio a cluster."""
        shown, _ = self._observed(s)
        shared = list(dict.fromkeys(k for f in shown for k in self.sharing.get(f, [])))
        others = [k for totals in self.active for k in self.groups[totals] if k not in shared]
        fits = {k: self._fit(s, k) for k in [*shared, *others]}
        all_tables = sum(self.tables.values()) + alpha
        options: list[tuple[int | None, float]] = [(None, alpha / all_tables)]
        options += [(k, self.tables[k] / all_tables * math.exp(fit)) for k, fit in fits.items()]
        return options, fits

    def _fit(self, s: list[int], k: int) -> float:
        """Return log p(S | cluster k) - log p(S)."""
        shown, totals = self._observed(s)
        change = 0.0
        for f, n in shown.items():
            table, held = self.seen.rise[self.seen.row[f]], self.counts[k][f]
            change += float(table[n + held] - table[n] - table[held])
        for fall, n, held in zip(self.seen.fall, totals, self.totals[k], strict=True):
            change += float(fall[n] + fall[held] - fall[n + held])
        return change

    def _observed(self, s: list[int]) -> tuple[dict[int, int], Totals]:
        seen = self.seen
        shown: Counter[int] = Counter()
        for i in s:
            row = slice(seen.starts[i], seen.starts[i + 1])
            shown.update(dict(zip(seen.features[row].tolist(), seen.counts[row].tolist(), strict=True)))
        return shown, tuple(seen.totals[s].sum(axis=0).tolist())

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
    """HDDCRP*: a link to an earlier customer of the document each, and a cluster for every table."""

    def __init__(self, links: Rows, seen: Observations, choices: list[int], alpha: float) -> None:
        self.rows = links
        self.alpha = alpha
        self.choices = choices
        self.targets = [int(links.columns[e]) for e in choices]
        self.led: list[list[int]] = [[] for _ in choices]
        self.cluster: list[int] = []
        self.menu = Menu(seen)
        for i, j in enumerate(self.targets):
            if i != j:
                self.led[j].insert(0, i)
            self.cluster.append(self.menu.put([i], None if i == j else self.cluster[j], int(i == j)))

    def sweep(self, random: RandomState) -> None:
        """Draw every link in turn."""
        starts, columns, values = self.rows.starts, self.rows.columns, self.rows.values
        for i, j in enumerate(list(self.targets)):
            if i != j:
                self.led[j].remove(i)
            s = list(self._leading_to(i))
            self.menu.take(s, self.cluster[i], int(i == j))
            own = int(starts[i])
            news, fits = self.menu.weigh(s, self.alpha)
            options = [(own, k, float(values[own]) * weight) for k, weight in news]
            for e in range(own + 1, int(starts[i + 1])):
                k = self.cluster[columns[e]]
                options.append((e, k, float(values[e]) * math.exp(fits[k])))
            e, chosen, _ = options[_picked([weight for *_, weight in options], random)]
            self.choices[i], self.targets[i] = e, int(columns[e])
            if e != own:
                self.led[self.targets[i]].insert(0, i)
            k = self.menu.put(s, chosen, int(e == own))
            for member in s:
                self.cluster[member] = k

    def _leading_to(self, i: int) -> Iterator[int]:
        yield i
        for j in self.led[i]:
            yield from self._leading_to(j)


class Tables:
    """The HDP: a table each, and a cluster for every table. Tables in use stand first among a document's seats."""

    def __init__(
        self, document: NDArray[np.integer], seen: Observations, alpha_within: float, alpha: float
    ) -> None:
        self.document = document.tolist()
        self.alpha_within, self.alpha = alpha_within, alpha
        self.menu = Menu(seen)
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
    """Take an item out and put the last one in its place."""
    at = items.index(item)
    last = items.pop()
    if at < len(items):
        items[at] = last
