"""The partition to report: the one closest on average to weighted samples of partitions.

Both losses have one form. With G(n) = n(n-1)/2 (Binder) or G(n) = n log n (variation of information, times the
number of customers), the expected loss of a partition with clusters k against samples s with clusters b is

    sum_k G(n_k) + sum_s w_s sum_b G(n_sb) - 2 sum_s w_s sum_kb G(n_ksb)

so that putting one more customer into cluster k costs g(n_k) - 2 sum_s w_s g(n_ksb), where g(n) = G(n+1) - G(n).
`search` minimises it greedily, in the manner of SALSO (Dahl, Johnson & Müller 2022). No cluster of an optimum
joins customers that neither a sample nor a must-link joins, so blocks without such a connection are searched one by
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from samevent.errors import DataError, UsageError
from samevent.partitions.constraints import (
    NO_PAIRS,
    Constraints,
    check_consistent,
    checked_pairs,
    must_link_groups,
)
from samevent.partitions.labels import Floats, Integers, canonical, integers, members
from samevent.seeds import stream

Loss = Literal["variation-of-information", "binder"]
LOSSES: tuple[Loss, ...] = ("variation-of-information", "binder")
RESTARTS = 8
_LARGE = 5000
"""Customers of a block that is searched once only: there, restarts gain little and cost minutes."""


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Customers that only cluster among themselves, and weighted partitions of them, one row each.

    Constraints are pairs of positions in `members`.
    """

    members: Integers
    samples: Integers
    weights: Floats
    must_link: Constraints
    cannot_link: Constraints


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """A partition and its expected loss: nats (variation of information) or pairs (Binder)."""

    labels: Integers
    expected_loss: float
    loss: Loss


def consensus(
    samples: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    component: ArrayLike | None = None,
    must_link: ArrayLike = (),
    cannot_link: ArrayLike = (),
    loss: Loss = "variation-of-information",
    restarts: int = RESTARTS,
    seed: int = 0,
    jobs: int = 1,
) -> Consensus:
    """Return a partition of least expected loss over samples, never worse than the best of them.

    `component` labels customers that may share a cluster at all; no sample may join customers of different
    components. The partition keeps the pairs of `must_link` together and those of `cannot_link` apart, even where
    samples do not. The result is the same for any number of `jobs` (threads).

    >>> samples = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 1, 1]]
    >>> consensus(samples).labels.tolist()
    [0, 0, 1, 1]
    >>> consensus(samples, must_link=[(1, 2)], cannot_link=[(0, 3)]).labels.tolist()
    [0, 0, 0, 1]
    """
    rows = canonical(_checked_samples(samples))
    weight = _checked_weights(weights, len(rows))
    must = checked_pairs("must_link", must_link, rows.shape[1])
    cannot = checked_pairs("cannot_link", cannot_link, rows.shape[1])
    check_consistent(must, cannot, rows.shape[1])
    if loss not in LOSSES:
        raise UsageError(f"there is no loss {loss!r}", expected=" or ".join(LOSSES))
    if restarts < 0:
        raise UsageError(f"{restarts} restarts", expected="0 or more")
    customers = rows.shape[1]
    labels = np.arange(customers, dtype=np.int64)
    total = 0.0
    with ThreadPoolExecutor(jobs) as pool:
        of_block = partial(_consensus_of, loss=loss, restarts=restarts, seed=seed)
        for block, first, expected in pool.map(of_block, _split(rows, weight, component, must, cannot)):
            # A cluster is named after one of its own members, so blocks cannot clash.
            labels[block] = block[first]
            total += expected
    if loss == "variation-of-information":
        total /= max(customers, 1)
    return Consensus(canonical(labels), max(total, 0.0), loss)


def _consensus_of(block: _Block, loss: Loss, restarts: int, seed: int) -> tuple[Integers, Integers, float]:
    """Return the members, the position of the first member of each one's cluster, and the summed loss."""
    counted = block.weights > 0
    distinct, which = np.unique(canonical(block.samples[counted]), axis=0, return_inverse=True)
    weights = np.bincount(which.ravel(), weights=block.weights[counted]).astype(np.float64)
    if len(distinct) == 1 and _satisfies(distinct[0], block):
        labels, expected = distinct[0], 0.0
    else:
        size = distinct.shape[1]
        item = canonical(must_link_groups(block.must_link, size))
        items = int(item.max()) + 1
        random = stream(seed, "consensus", int(block.members[0]))
        tries = restarts + 1 if size <= _LARGE else 1
        orders = np.stack([random.permutation(items) for _ in range(tries)])
        from samevent.partitions.search import search  # compiled: most problems need no search

        best, expected = search(
            distinct, weights, _total(loss, size), orders, item, item[block.cannot_link.astype(np.int64)]
        )
        labels = canonical(best[item])
    return block.members, np.unique(labels, return_index=True)[1][labels], expected


def _satisfies(labels: Integers, block: _Block) -> bool:
    """Return whether a partition satisfies the constraints of a block."""
    (a, b), (c, d) = labels[block.must_link.T], labels[block.cannot_link.T]
    return bool((a == b).all() and (c != d).all())


def _split(
    rows: Integers, weights: Floats, component: ArrayLike | None, must: Constraints, cannot: Constraints
) -> Iterator[_Block]:
    """Yield connected blocks of more than one customer, which may be smaller than components. Rows are canonical."""
    if component is not None:
        of = integers(component, "component labels")
        if of.shape != rows.shape[1:]:
            expected = f"one for each of {rows.shape[1]} customers"
            raise DataError(f"{of.shape} component labels", expected=expected)
        _check_crossings(rows, canonical(of))
    label = _connected(rows, must)
    position = np.empty(len(label), np.int32)
    by_block = [_by_block(pairs, label) for pairs in (must, cannot)]
    for number, block in enumerate(members(label)):
        if len(block) > 1:
            position[block] = np.arange(len(block))
            constraints = (position[pairs.get(number, NO_PAIRS)] for pairs in by_block)
            yield _Block(block, rows[:, block], weights, *constraints)


def _by_block(pairs: Constraints, label: Integers) -> dict[int, Constraints]:
    """Group pairs by the block of both customers; pairs across blocks are left out."""
    block = label[pairs]
    inside = pairs[block[:, 0] == block[:, 1]]
    groups = members(label[inside[:, 0]])
    return {int(label[inside[group[0], 0]]): inside[group] for group in groups}


def _connected(rows: Integers, must: Constraints) -> Integers:
    """Label customers so that any two that a sample or a must-link joins, directly or through others, share a label."""
    count, customers = rows.shape
    first = np.stack([np.unique(row, return_index=True)[1][row] for row in rows]).astype(np.int32)
    ends = np.tile(np.arange(customers, dtype=np.int32), count)
    one, other = np.concatenate([first.ravel(), must[:, 0]]), np.concatenate([ends, must[:, 1]])
    joined = sparse.csr_array((np.ones(len(one), np.int8), (one, other)), shape=(customers, customers))
    label: Integers = connected_components(joined, directed=False)[1].astype(np.int64)
    return label


def _check_crossings(rows: Integers, component: Integers) -> None:
    for number, row in enumerate(rows):
        home = np.empty(len(row), dtype=np.int64)
        home[row] = component
        if (home[row] != component).any():
            raise DataError(
                f"sample {number} joins customers of different components",
                expected="clusters inside components",
                hint="pass the components of the candidate links, or none",
            )


def _total(loss: Loss, size: int) -> Floats:
    """Return G(0..size)."""
    n = np.arange(size + 1, dtype=np.float64)
    return n * (n - 1) / 2 if loss == "binder" else n * np.log(np.maximum(n, 1))


def _checked_samples(samples: ArrayLike) -> Integers:
    rows = integers(samples, "samples")
    if rows.ndim != 2 or not len(rows):
        raise DataError(f"samples have the shape {rows.shape}", expected="at least one row of labels")
    return rows


def _checked_weights(weights: ArrayLike | None, samples: int) -> Floats:
    values = np.ones(samples) if weights is None else np.asarray(weights, dtype=np.float64)
    if values.shape != (samples,) or not np.isfinite(values).all() or (values < 0).any() or values.sum() <= 0:
        raise DataError(
            f"weights of the shape {values.shape} for {samples} samples",
            expected="one finite weight per sample, none negative, not all zero",
        )
    normalised: Floats = values / values.sum()
    return normalised
