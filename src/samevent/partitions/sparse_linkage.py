"""Average linkage on a sparse graph: pairs without an edge have similarity 0.

Groups are joined, the closest first, as long as the mean similarity between them is at least the cut. Only groups with
an edge between them are ever compared, so the time grows with the edges and hardly more.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush


def sparse_average_link(count: int, edges: Mapping[tuple[int, int], float], cut: float) -> list[int]:
    """Return one label per item, the number of its group's first member; `edges` are similarities of pairs (i < j).

    >>> sparse_average_link(4, {(0, 1): 0.9, (1, 2): 0.5, (0, 2): 0.3, (2, 3): 0.1}, 0.4)
    [0, 0, 0, 3]
    """
    sums: list[dict[int, float]] = [{} for _ in range(count)]
    for (i, j), similarity in edges.items():
        sums[i][j] = sums[j][i] = similarity
    sizes, first, into = [1] * count, list(range(count)), list(range(count))
    heap = [(-similarity, i, j) for (i, j), similarity in edges.items() if similarity >= cut]
    heapify(heap)
    while heap:
        mean, i, j = heappop(heap)
        if into[i] != i or into[j] != j or -mean != sums[i].get(j, 0.0) / (sizes[i] * sizes[j]):
            continue  # one of the two has been joined since
        if len(sums[i]) < len(sums[j]):
            i, j = j, i
        into[j] = i
        del sums[i][j]
        for other, similarity in sums[j].items():
            if other != i:
                del sums[other][j]
                sums[i][other] = sums[other][i] = sums[i].get(other, 0.0) + similarity
        sums[j].clear()
        sizes[i] += sizes[j]
        first[i] = min(first[i], first[j])
        for other, similarity in sums[i].items():
            closeness = similarity / (sizes[i] * sizes[other])
            if closeness >= cut:
                heappush(heap, (-closeness, min(i, other), max(i, other)))
    return [first[_last(into, item)] for item in range(count)]


def _last(into: list[int], item: int) -> int:
    """Return the group that an item has ended in."""
    while into[item] != item:
        into[item] = into[into[item]]
        item = into[item]
    return item
