"""The metrics as their papers write them, over plain sets: slow, obvious, and nothing shared with the code under test.

Each takes lists of sets of mentions and returns (recall, precision, F1).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

Clusters = list[set[int]]
Result = tuple[float, float, float]


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def _f1(recall: float, precision: float) -> float:
    return _ratio(2 * recall * precision, recall + precision)


def _both_ways(one_way: Callable[[Clusters, Clusters], float], gold: Clusters, system: Clusters) -> Result:
    recall, precision = one_way(gold, system), one_way(system, gold)
    return recall, precision, _f1(recall, precision)


def muc(gold: Clusters, system: Clusters) -> Result:
    def one_way(a: Clusters, b: Clusters) -> float:
        found = 0
        for cluster in a:
            parts = sum(1 for other in b if cluster & other)
            parts += sum(1 for m in cluster if not any(m in other for other in b))
            found += len(cluster) - parts
        return _ratio(found, sum(len(cluster) - 1 for cluster in a))

    return _both_ways(one_way, gold, system)


def bcubed(gold: Clusters, system: Clusters) -> Result:
    def one_way(a: Clusters, b: Clusters) -> float:
        total = 0.0
        for cluster in a:
            for m in cluster:
                mine = next((other for other in b if m in other), set())
                total += len(cluster & mine) / len(cluster)
        return _ratio(total, sum(map(len, a)))

    return _both_ways(one_way, gold, system)


def _ceaf(gold: Clusters, system: Clusters, phi: Callable[[set[int], set[int]], float]) -> Result:
    small, large = sorted([gold, system], key=len)
    best = max(
        sum(phi(a, b) for a, b in zip(small, chosen, strict=True))
        for chosen in permutations(large, len(small))
    )
    recall = _ratio(best, sum(phi(c, c) for c in gold))
    precision = _ratio(best, sum(phi(c, c) for c in system))
    return recall, precision, _f1(recall, precision)


def ceafe(gold: Clusters, system: Clusters) -> Result:
    return _ceaf(gold, system, lambda a, b: 2 * len(a & b) / (len(a) + len(b)))


def ceafm(gold: Clusters, system: Clusters) -> Result:
    return _ceaf(gold, system, lambda a, b: float(len(a & b)))


def lea(gold: Clusters, system: Clusters) -> Result:
    def links(cluster: set[int]) -> set[tuple[int, int]]:
        return set(combinations(sorted(cluster), 2)) if len(cluster) > 1 else {(m, m) for m in cluster}

    def one_way(a: Clusters, b: Clusters) -> float:
        resolved = sum(
            len(cluster) * sum(len(links(cluster) & links(other)) for other in b) / len(links(cluster))
            for cluster in a
        )
        return _ratio(resolved, sum(map(len, a)))

    return _both_ways(one_way, gold, system)


def blanc(gold: Clusters, system: Clusters) -> Result:
    def links(clusters: Clusters) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        everything = set(combinations(sorted(m for c in clusters for m in c), 2))
        together = {pair for c in clusters for pair in combinations(sorted(c), 2)}
        return together, everything - together

    results = []
    for mine, theirs in zip(links(gold), links(system), strict=True):
        if mine:
            recall, precision = _ratio(len(mine & theirs), len(mine)), _ratio(len(mine & theirs), len(theirs))
            results.append((recall, precision, _f1(recall, precision)))
    if not results:
        return 0.0, 0.0, 0.0
    recall, precision, f1 = (sum(values) / len(results) for values in zip(*results, strict=True))
    return recall, precision, f1


def mentions(gold: Clusters, system: Clusters) -> Result:
    def one_way(a: Clusters, b: Clusters) -> float:
        mine = {m for c in a for m in c}
        return _ratio(len(mine & {m for c in b for m in c}), len(mine))

    return _both_ways(one_way, gold, system)


REFERENCES = {f.__name__: f for f in (muc, bcubed, ceafe, ceafm, lea, blanc, mentions)}
