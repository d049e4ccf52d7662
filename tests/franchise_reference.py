"""HDDCRP* and the HDP in plain Python, slow and obvious: what the compiled sweeps must draw.

Weights are computed for one cluster after another, from counts of everything in it. Options come in the order of the
compiled sampler, so that equal random numbers draw equal states.
"""

from __future__ import annotations

import copy
import itertools
import math
from bisect import insort
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.hdp import CUSTOMERS_PER_PART, CUSTOMERS_PER_SPLIT, FEATURES_PER_MOVE
from samevent.hddcrp.observations import Observations
from samevent.hddcrp.problem import Problem
from samevent.hddcrp.randoms import RandomState, uniform
from samevent.hddcrp.reference import clusters_of
from samevent.hddcrp.weights import customer_links

Totals = tuple[int, ...]

NEW = -1
"""A cluster that has no number yet."""


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
        self._free = list(range(len(observations.totals)))[::-1]

    def put(self, s: list[int], cluster: int | None, tables: int) -> int:
        """Put S, which is this many tables, into a cluster or a new one."""
        shown, totals = self.observed(s)
        k = self._free.pop() if cluster is None else cluster
        if cluster is None:
            self.counts[k], self.tables[k] = Counter(), 0
            self._enter(k, totals)
        elif any(totals):
            self._move(k, tuple(a + b for a, b in zip(self.totals[k], totals, strict=True)))
        self.tables[k] += tables
        for f, n in shown.items():
            if self.counts[k][f] == 0:
                insort(self.sharing.setdefault(f, []), k)
            self.counts[k][f] += n
        return k

    def take(self, s: list[int], k: int, tables: int) -> None:
        """Remove S, which is this many tables, from a cluster."""
        shown, totals = self.observed(s)
        for f, n in shown.items():
            self.counts[k][f] -= n
            if self.counts[k][f] == 0:
                self.sharing[f].remove(k)
        self.tables[k] -= tables
        if self.tables[k] == 0:
            self._leave(k)
            del self.tables[k], self.counts[k], self.totals[k]
            self._free.append(k)
        elif any(totals):
            self._move(k, tuple(a - b for a, b in zip(self.totals[k], totals, strict=True)))

    def weigh(
        self, s: list[int], alpha: float, forbidden: Iterable[int] = ()
    ) -> tuple[list[tuple[int | None, float]], dict[int, float]]:
        """Return the options of S as a new table with their weights, and the log likelihood ratio of each cluster."""
        shown, _ = self.observed(s)
        shared = list(dict.fromkeys([*forbidden, *(k for f in shown for k in self.sharing.get(f, []))]))
        others = [k for totals in self.active for k in self.groups[totals] if k not in shared]
        fits = {k: -math.inf if k in forbidden else self.fit(s, k) for k in [*shared, *others]}
        all_tables = sum(self.tables.values()) + alpha
        options: list[tuple[int | None, float]] = [(None, alpha / all_tables)]
        options += [(k, self.tables[k] / all_tables * math.exp(fit)) for k, fit in fits.items()]
        return options, fits

    def fit(self, s: list[int], k: int) -> float:
        """Return log p(S | cluster k) - log p(S)."""
        shown, totals = self.observed(s)
        change = 0.0
        for f, n in shown.items():
            table, held = self.observations.feature_logs[self.observations.table[f]], self.counts[k][f]
            change += float(table[n + held] - table[n] - table[held]) * int(self.observations.times[f])
        for fall, n, held in zip(self.observations.total_logs, totals, self.totals[k], strict=True):
            change += float(fall[n] + fall[held] - fall[n + held])
        return change

    def shown(self, s: list[int]) -> dict[int, int]:
        """Return the features of customers with their counts."""
        return self.observed(s)[0]

    def observed(self, s: list[int]) -> tuple[dict[int, int], Totals]:
        """Return the features of customers with their counts, and their totals."""
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
        self,
        document: NDArray[np.integer],
        observations: Observations,
        alpha_within: float,
        alpha: float,
        *,
        merges: int = 0,
    ) -> None:
        self.document = document.tolist()
        self.merges = merges
        self.alpha_within, self.alpha = alpha_within, alpha
        self.menu = Menu(observations)
        self.table = list(range(len(document)))
        self.members = [[i] for i in self.table]
        self.cluster = [self.menu.put([i], None, 1) for i in self.table]
        documents = range(int(np.max(document, initial=0)) + 1)
        self.seats = [[i for i in self.table if self.document[i] == d] for d in documents]
        self.used = [len(seats) for seats in self.seats]
        shown = [self.menu.shown([i]) for i in self.table]
        shown_by = [
            sorted((i for i in self.table if f in shown[i]), key=lambda i: (self.document[i], i))
            for f in range(len(observations.table))
        ]
        words = int((observations.table == 0).sum())
        self.showing = shown_by[:words]
        self.others = [
            customers
            for f, customers in enumerate(shown_by)
            if f >= words and len(customers) > 1 and customers not in shown_by[:f]
        ]

    def sweep(self, random: RandomState) -> None:
        """Split and merge, draw every customer's table, then the cluster of every table of several, move blocks."""
        words = sum(map(len, self.showing))
        self.split_and_merge(words // CUSTOMERS_PER_SPLIT, random)
        self.split_and_merge_clusters(self.merges, random)
        for i, d in enumerate(self.document):
            k, seats = self.cluster[self.table[i]], self.seats[d]
            self.menu.take([i], k, self._stand_up(i))
            news, fits = self.menu.weigh([i], self.alpha)
            options: list[tuple[int | None, int | None, float]] = [
                (None, k, self.alpha_within * weight) for k, weight in news
            ]
            for t in seats[: self.used[d]]:
                weight = len(self.members[t]) * math.exp(fits[self.cluster[t]])
                options.append((t, self.cluster[t], weight))
            old, chosen, _ = options[_picked([weight for *_, weight in options], random)]
            k = self.menu.put([i], chosen, int(old is None))
            self._sit_down(i, seats[self.used[d]] if old is None else old, k)
        for t, s in enumerate(self.members):
            if len(s) > 1:
                self.menu.take(s, self.cluster[t], 1)
                news, _ = self.menu.weigh(s, self.alpha)
                self.cluster[t] = self.menu.put(
                    s, news[_picked([weight for _, weight in news], random)][0], 1
                )
        self.move_blocks(random)
        self.move_parts(words // CUSTOMERS_PER_PART, random)
        self.move_other_blocks(math.ceil(len(self.others) / FEATURES_PER_MOVE), random)

    def move_blocks(self, random: RandomState) -> None:
        """Move all customers of a cluster that show the same feature together, one block after another."""
        for customers in self.showing:
            self._move_blocks_of(customers, random)

    def move_other_blocks(self, count: int, random: RandomState) -> None:
        """Draw features of other channels and move the customers of a cluster that show one together."""
        for _ in range(count):
            self._move_blocks_of(self.others[int(uniform(random) * len(self.others))], random)

    def _move_blocks_of(self, customers: list[int], random: RandomState) -> None:
        blocks: dict[int, list[int]] = {}
        for i in reversed(customers):
            blocks.setdefault(self.cluster[self.table[i]], []).insert(0, i)
        for s in blocks.values():
            self._move(s, [i for i in customers if i not in s], random)

    def move_parts(self, count: int, random: RandomState) -> None:
        """Move the customers of a cluster that show one feature, in the documents where another one occurs."""
        pairs = [(f, i) for f, customers in enumerate(self.showing) for i in customers]
        pairs.sort(key=lambda pair: self.document[pair[1]])
        for _ in range(count):
            f, i = pairs[int(uniform(random) * len(pairs))]
            near = [g for g, j in pairs if self.document[j] == self.document[i]]
            other = near[int(uniform(random) * len(near))]
            documents = {self.document[j] for j in self.showing[other]}
            customers = [j for j in self.showing[f] if self.document[j] in documents]
            k = self.cluster[self.table[i]]
            s = [j for j in customers if self.cluster[self.table[j]] == k]
            self._move(s, [j for j in customers if j not in s], random)

    def _move(self, s: list[int], others: list[int], random: RandomState) -> None:
        """Move S, but not to a cluster of others."""
        if len(s) < 2:
            return
        cluster, seats = self.cluster[self.table[s[0]]], [self.table[i] for i in s]
        emptied = sum(self._stand_up(i) for i in s)
        self.menu.take(s, cluster, emptied)
        old = cluster if cluster in self.menu.tables else NEW
        shared = [k for f in self.menu.shown(s) for k in self.menu.sharing.get(f, [])]
        present = [self.cluster[t] for d in sorted({self.document[i] for i in s}) for t in self._used(d)]
        conflicts = {self.cluster[self.table[i]] for i in others}
        options = [NEW, *(k for k in dict.fromkeys([*shared, *present]) if k not in conflicts)]
        new = old
        if old in options:
            logs = [self._simplified(s, k) + (0.0 if k == NEW else self.menu.fit(s, k)) for k in options]
            new = options[_picked([math.exp(weight - max(logs)) for weight in logs], random)]
        if new != old:
            excess = -self._simplified(s, new)
            probability, made = self._seated(s, new, random=random)
            excess += self._log_prior() - probability
            if uniform(random) < math.exp(min(0.0, excess - self._excess_of_old(s, old, seats))):
                k = self.menu.put(s, None if new == NEW else new, made)
                for i in s:
                    self.cluster[self.table[i]] = k
                return
            for i in s:
                self._stand_up(i)
        k = self.menu.put(s, None if old == NEW else old, emptied)
        for i, t in zip(s, seats, strict=True):
            self._sit_down(i, t, k)

    def split_and_merge(self, count: int, random: RandomState) -> None:
        """Draw two customers with the same feature; join their blocks or split the one that both are in."""
        pairs = [(f, n) for f, customers in enumerate(self.showing) for n in range(len(customers))]
        for _ in range(count):
            f, n = pairs[int(uniform(random) * len(pairs))]
            customers = self.showing[f]
            if len(customers) < 2:
                continue
            i = customers[n]
            j = [*customers[:n], *customers[n + 1 :]][int(uniform(random) * (len(customers) - 1))]
            stay, go = self.cluster[self.table[i]], self.cluster[self.table[j]]
            near = [m for t in self._used(self.document[j]) for m in self.members[t] if m not in customers]
            merge = stay != go
            if not merge:
                if uniform(random) < 0.5:
                    go = NEW
                else:
                    number = int(uniform(random) * len(near))
                    if not near:
                        continue
                    go = self.cluster[self.table[near[number]]]
                    if go in {self.cluster[self.table[m]] for m in customers}:
                        continue
            block = [m for m in customers if self.cluster[self.table[m]] in (stay, go)]
            rest = {
                k: [m for m, t in enumerate(self.table) if self.cluster[t] == k and m not in block]
                for k in (stay, go)
            }
            there = sum(m in rest[go] for m in near)
            if rest[go] and not there:
                continue
            log_split = math.log(0.5 * (there / len(near) if rest[go] else 1.0))
            goes = {m: self.cluster[self.table[m]] == go for m in block} if merge else {}
            log_split += self._decide(i, j, block, rest, (stay, go), goes, random)
            s = [m for m in block if goes[m]]
            self._exchange(s, stay if merge else go, log_split if merge else -log_split, random)

    def split_and_merge_clusters(self, count: int, random: RandomState) -> None:
        """Draw two customers that share a feature; join their clusters or split the one that both are in."""
        starts, features = self.menu.observations.starts, self.menu.observations.features
        shown = [features[s:t].tolist() for s, t in itertools.pairwise(starts.tolist())]
        for _ in range(count):
            i = int(uniform(random) * len(shown))
            if not shown[i]:
                continue
            f = shown[i][int(uniform(random) * len(shown[i]))]
            customers = [m for m, fs in enumerate(shown) if f in fs]
            customers.sort(key=lambda m: self.document[m])
            if len(customers) < 2:
                continue
            j = customers[int(uniform(random) * len(customers))]
            if i == j:
                continue
            stay, go = self.cluster[self.table[i]], self.cluster[self.table[j]]
            merge = stay != go
            if not merge:
                go = NEW
            block = [m for m, t in enumerate(self.table) if self.cluster[t] in (stay, go)]
            block.sort(key=lambda m: self.document[m])
            goes = {m: self.cluster[self.table[m]] == go for m in block} if merge else {}
            log_split = self._decide(i, j, block, {stay: [], go: []}, (stay, go), goes, random)
            s = [m for m in block if goes[m]]
            self._exchange(s, stay if merge else go, log_split if merge else -log_split, random)

    def _decide(
        self,
        i: int,
        j: int,
        block: list[int],
        rest: dict[int, list[int]],
        sides: tuple[int, int],
        goes: dict[int, bool],
        random: RandomState,
    ) -> float:
        """Let customers stay or go unless that is known; return the log probability."""
        stay, go = sides
        tables = {t for t in self.table if any(m not in block for m in self.members[t])}
        counts = {k: sum(self.cluster[t] == k for t in tables) for k in sides}
        joined = {stay: list(rest[stay]), go: list(rest[go])}
        total = len(tables)

        def join(m: int, k: int) -> None:
            nonlocal total
            if all(self.document[o] != self.document[m] for o in joined[k]):
                counts[k] += 1
                total += 1
            joined[k].append(m)

        def log_weight(m: int, k: int) -> float:
            seated = sum(self.document[o] == self.document[m] for o in joined[k])
            prior = seated or self.alpha_within * counts[k] / (total + self.alpha)
            return math.log(prior) + self._marginal([*joined[k], m]) - self._marginal(joined[k])

        join(i, stay)
        join(j, go)
        order, log_probability, decided = list(block), 0.0, bool(goes)
        for n in range(len(order)):
            other = n + int(uniform(random) * (len(order) - n))
            order[n], order[other] = order[other], order[n]
            m = order[n]
            if m in (i, j):
                goes[m] = m == j
                continue
            odds = math.exp(log_weight(m, go) - log_weight(m, stay))
            if not decided:
                goes[m] = uniform(random) < odds / (1 + odds)
            log_probability += math.log((odds if goes[m] else 1.0) / (1 + odds))
            join(m, go if goes[m] else stay)
        return log_probability

    def _exchange(self, s: list[int], new: int, log_ratio: float, random: RandomState) -> None:
        """Move S to a cluster, given the log ratio of the proposals, or leave it."""
        cluster, seats = self.cluster[self.table[s[0]]], [self.table[i] for i in s]
        before = self._log_prior()
        emptied = sum(self._stand_up(i) for i in s)
        self.menu.take(s, cluster, emptied)
        old = cluster if cluster in self.menu.tables else NEW
        other = copy.deepcopy(self)
        lost = before - other._seated(s, old, seats=seats)[0] + (0.0 if old == NEW else self.menu.fit(s, old))
        probability, made = self._seated(s, new, random=random)
        won = self._log_prior() - probability + (0.0 if new == NEW else self.menu.fit(s, new))
        if uniform(random) < math.exp(min(0.0, log_ratio + won - lost)):
            k = self.menu.put(s, None if new == NEW else new, made)
            for i in s:
                self.cluster[self.table[i]] = k
            return
        for i in s:
            self._stand_up(i)
        k = self.menu.put(s, None if old == NEW else old, emptied)
        for i, t in zip(s, seats, strict=True):
            self._sit_down(i, t, k)

    def _marginal(self, s: list[int]) -> float:
        """Return the log marginal likelihood of what customers show together."""
        shown, totals = self.menu.observed(s)
        observations = self.menu.observations
        log_marginal = sum(
            float(observations.feature_logs[observations.table[f]][n]) * int(observations.times[f])
            for f, n in shown.items()
        )
        return log_marginal - sum(
            float(logs[n]) for logs, n in zip(observations.total_logs, totals, strict=True)
        )

    def _used(self, d: int) -> list[int]:
        return self.seats[d][: self.used[d]]

    def _excess_of_old(self, s: list[int], old: int, seats: list[int]) -> float:
        """Return the log of the prior over the proposal at the former seats, in a copy of the restaurants."""
        other = copy.deepcopy(self)
        for i in s:
            other._stand_up(i)
        excess = -other._simplified(s, old)
        probability, _ = other._seated(s, old, seats=seats)
        return excess + other._log_prior() - probability

    def _simplified(self, s: list[int], k: int) -> float:
        """Return the log prior of cluster `k` for S as if every document had one table for each of its clusters."""
        made, log_prior = 0, 0.0
        for d, joining in Counter(self.document[i] for i in s).items():
            there = self._customers(d, k)
            made += there == 0
            log_prior += math.lgamma(there + joining) - (math.lgamma(there) if there else 0.0)
        has, there = self.menu.tables.get(k, 0), sum(self.menu.tables.values())
        log_prior += made * math.log(self.alpha_within) - math.lgamma(self.alpha + there + made)
        return log_prior + math.lgamma(has + made) - (math.lgamma(has) if has else -math.log(self.alpha))

    def _seated(
        self,
        s: list[int],
        k: int,
        *,
        random: RandomState | None = None,
        seats: list[int] | None = None,
    ) -> tuple[float, int]:
        """Seat S at random or at given seats; return the log probability of the seats, and how many tables are new."""
        expected = sum(self._customers(d, k) == 0 for d in {self.document[i] for i in s})
        all_tables = sum(self.menu.tables.values()) + expected + self.alpha
        theta = self.alpha_within * (self.menu.tables.get(k, 0) + expected) / all_tables
        log_probability, made = 0.0, 0
        for n, i in enumerate(s):
            d = self.document[i]
            mine = [t for t in self.seats[d][: self.used[d]] if self.cluster[t] == k]
            weights = [theta, *(float(len(self.members[t])) for t in mine)]
            if seats is None:
                assert random is not None
                number = _picked(weights, random)
            else:
                number = mine.index(seats[n]) + 1 if seats[n] in mine else 0
            log_probability += math.log(weights[number] / sum(weights))
            t = mine[number - 1] if number else self.seats[d][self.used[d]] if seats is None else seats[n]
            made += number == 0
            self._sit_down(i, t, k)
        return log_probability, made

    def _log_prior(self) -> float:
        """Return the log prior of all seats and clusters, up to a constant."""
        used = [t for d, seats in enumerate(self.seats) for t in seats[: self.used[d]]]
        clusters = Counter(self.cluster[t] for t in used)
        within = sum(math.log(self.alpha_within) + math.lgamma(len(self.members[t])) for t in used)
        across = sum(math.log(self.alpha) + math.lgamma(tables) for tables in clusters.values())
        return within + across - math.lgamma(self.alpha + len(used))

    def _customers(self, d: int, k: int) -> int:
        return sum(len(self.members[t]) for t in self.seats[d][: self.used[d]] if self.cluster[t] == k)

    def _sit_down(self, i: int, t: int, k: int) -> None:
        """Seat a customer at a table of cluster `k`, which comes into use if it was free."""
        d = self.document[i]
        if not self.members[t]:
            self._swap(t, self.used[d], d)
            self.used[d] += 1
        self.members[t].insert(0, i)
        self.table[i], self.cluster[t] = t, k

    def _stand_up(self, i: int) -> int:
        """Remove a customer; return 1 if its table is now empty, and free, 0 otherwise."""
        t, d = self.table[i], self.document[i]
        self.members[t].remove(i)
        if self.members[t]:
            return 0
        self.used[d] -= 1
        self._swap(t, self.used[d], d)
        return 1

    def _swap(self, t: int, place: int, d: int) -> None:
        seats = self.seats[d]
        at = seats.index(t)
        seats[at], seats[place] = seats[place], t


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
