"""Large problems in batches: groups of independent components that are solved one after the other.

A posterior is the product of its components' posteriors, and random streams belong to the names of customers. So a
problem may be cut into batches of whole components, and the answers joined, without changing a single draw; only one
batch at a time needs the memory of a sampler.

    batches = component_batches(customers, i, j)
    mixtures = (fit_uncertain(part_of(problem, batch), ...) for batch in batches)
    mixture = join_mixtures(customers, batches, mixtures)

Answers are joined as they come, and links are numbered and connected in as few bytes as they need: what grows with the
whole problem is one row per sample and 32 bytes per link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from glob import escape
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.errors import FormatError
from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.fit import FitSettings
from samevent.hddcrp.mixture import ComponentTrace, Mixture, largest_of
from samevent.hddcrp.problem import Floats, Integers
from samevent.packing import pack, unpack
from samevent.partitions.constraints import FREE, NO_PAIRS, Constraints, PairConstraints, must_link_groups
from samevent.partitions.labels import canonical
from samevent.partitions.posterior import Line

MOST_LINKS = 1 << 18
"""Candidate links of a batch: a mixture of 16 members takes about 300 MB for them."""
_CONNECTED = 1 << 22
"""Links that are connected at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Customers of whole components, in ascending order, and the numbers of the candidate links among them."""

    customers: Integers
    links: Integers


def component_batches(
    customers: int,
    i: ArrayLike,
    j: ArrayLike,
    *,
    most: int | None = None,
    must_link: Constraints = NO_PAIRS,
) -> list[Batch]:
    """Return batches of the connected components of the links (`i`, `j`) and must-links, those with most first.

    Batches have at most `most` links (`MOST_LINKS`) unless a component has more. Customers without any are in none.

    >>> [batch.customers.tolist() for batch in component_batches(5, [1, 3, 4], [0, 2, 3], most=2)]
    [[2, 3, 4], [0, 1]]
    """
    rows, columns = np.asarray(i, np.int32), np.asarray(j, np.int32)
    links = len(rows)
    if len(must_link):
        rows, columns = np.append(rows, must_link[:, 0]), np.append(columns, must_link[:, 1])
    label = _components(customers, rows, columns)
    component = label[rows]
    sizes = np.bincount(component, minlength=int(label.max(initial=-1)) + 1)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    number = np.full(len(sizes), -1, np.int32)
    number[order] = _packed(sizes[order], most or MOST_LINKS)
    batches = int(number.max(initial=-1)) + 1
    members = (_by_number(each, batches) for each in (number[label], number[component[:links]]))
    return [Batch(*both) for both in zip(*members, strict=True)]


def _by_number(numbers: Integers, count: int) -> list[Integers]:
    """Return the places of each number from 0 on, in ascending order."""
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    ends = np.searchsorted(numbers[order], np.arange(count + 1))
    return [order[begin:end] for begin, end in pairwise(ends.tolist())]


def _components(customers: int, rows: Integers, columns: Integers) -> Integers:
    """Number the connected components of links by their first customers, some links at a time."""
    count, label = customers, np.arange(customers, dtype=np.int32)
    for start in range(0, len(rows), _CONNECTED):
        ends = label[rows[start : start + _CONNECTED]], label[columns[start : start + _CONNECTED]]
        graph = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(count, count))
        count, joined = connected_components(graph, directed=False)
        label = joined[label]
    return label


def _packed(sizes: NDArray[np.integer], most: int) -> NDArray[np.int64]:
    """Number consecutive sizes so that those with one number add up to at most `most`, if any two fit."""
    numbers, number, room = np.empty(len(sizes), np.int64), 0, most
    for at, size in enumerate(sizes.tolist()):
        if size > room and room < most:
            number, room = number + 1, most
        numbers[at] = number
        room -= size
    return numbers


def join_mixtures(
    customers: int,
    batches: Sequence[Batch],
    parts: Iterable[Mixture],
    constraints: PairConstraints = FREE,
) -> Mixture:
    """Return the mixture of a whole problem from those of its batches, one after the other; others are alone.

    A part has a pair for each link of its batch that is strong enough to be one at some shift, and for its must-links.
    """
    most = sum(len(batch.links) for batch in batches) + len(constraints.must_link)
    left, right, together = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most)
    component, difference = np.arange(customers, dtype=np.int32), np.zeros(customers)
    samples = np.empty((0, customers), np.int32)
    traces: list[ComponentTrace] = []
    verdicts: dict[str, None] = {}
    seed, draws, sampled, settled, complete, done = 0, 0, 0, True, True, 0
    for number, (batch, part) in enumerate(zip(batches, parts, strict=True)):
        if number == 0:
            samples = np.tile(np.arange(customers, dtype=np.int32), (len(part.samples), 1))
            seed, draws = part.seed, part.draws
        for row, sample in enumerate(part.samples):
            samples[row, batch.customers] = batch.customers[_first_of(sample)[sample]]
        if part.component is not None:
            component[batch.customers] = batch.customers[_first_of(part.component)[part.component]]
        difference[batch.customers] = part.chain_difference
        pairs = slice(done, done + len(part.left))
        left[pairs], right[pairs] = batch.customers[part.left], batch.customers[part.right]
        together[pairs] = part.together
        traces += (replace(trace, first=int(batch.customers[trace.first])) for trace in part.largest)
        verdicts[part.verdict] = None
        sampled += part.sampled
        settled &= part.settled
        complete &= part.complete
        done = pairs.stop
    order = np.argsort(left[:done].astype(np.int64) * customers + right[:done])
    return Mixture(
        samples=samples,
        left=left[order],
        right=right[order],
        together=together[order],
        component=component,
        verdict="; ".join(verdicts),
        settled=settled,
        seed=seed,
        draws=draws,
        sampled=sampled,
        chain_difference=difference,
        complete=complete,
        largest=largest_of(traces),
        must_link=constraints.must_link,
        cannot_link=constraints.cannot_link,
    )


def unsampled(
    batch: Batch,
    i: Integers,
    j: Integers,
    similarity: Floats,
    draws: int,
    settings: FitSettings,
    constraints: PairConstraints = FREE,
) -> Mixture:
    """Return the answer to a batch for which no time is left: P(same cluster) of a link is its similarity.

    The `constraints` are on the customers of the batch, numbered from 0.
    """
    left, right = np.searchsorted(batch.customers, j), np.searchsorted(batch.customers, i)
    left, right = np.minimum(left, right), np.maximum(left, right)
    order, count = np.lexsort((right, left)), len(batch.customers)
    alone = canonical(must_link_groups(constraints.must_link, count)).astype(np.int32)
    return Mixture(
        samples=np.tile(alone, (draws * settings.keep, 1)),
        left=left[order].astype(np.int32),
        right=right[order].astype(np.int32),
        together=similarity[order],
        component=np.zeros(count, np.int32),
        settled=False,
        seed=settings.seed,
        draws=draws,
        sampled=0,
        chain_difference=np.ones(count),
        complete=False,
        must_link=constraints.must_link,
        cannot_link=constraints.cannot_link,
    )


def _first_of(labels: NDArray[np.integer]) -> Integers:
    """Return the first customer with each label."""
    first = np.empty(int(labels.max(initial=-1)) + 1, np.int32)
    first[labels[::-1]] = np.arange(len(labels), dtype=np.int32)[::-1]
    return first


@dataclass(frozen=True, slots=True)
class BatchStore:
    """Finished batches on disk beside the checkpoint of a run, so that a run that is resumed keeps them."""

    checkpoint: Path | None
    settings: str
    """A fingerprint of all that the answers depend on."""

    def solve(self, number: int, batch: Batch, solve: Callable[[Path | None], Mixture]) -> Mixture:
        """Return the answer to a batch: the stored one, or that of `solve`, which takes its own checkpoint."""
        if self.checkpoint is None:
            return solve(None)
        path = self.checkpoint
        done, running = (path.with_name(f"{path.stem}-{number}{end}") for end in (".values", path.suffix))
        mark = fingerprint(self.settings, batch)
        if (known := _stored(done, mark)) is not None:
            remove_checkpoint(running)
            return known
        mixture = solve(running)
        if mixture.complete:
            temporary = done.with_name(f".{done.name}.tmp")
            temporary.write_bytes(pack((mark, replace(mixture, members=()))))
            temporary.replace(done)
        remove_checkpoint(running)
        return mixture


def checkpoint_files(checkpoint: Path) -> list[Path]:
    """Return the files that a run with this checkpoint has left: its own, and those of batches."""
    batches = checkpoint.parent.glob(f"{escape(checkpoint.stem)}-*")
    return [path for path in (checkpoint, *sorted(batches)) if path.exists()]


def remove_checkpoint(checkpoint: Path) -> None:
    """Remove what a finished run no longer needs."""
    for path in checkpoint_files(checkpoint):
        path.unlink()


def _stored(path: Path, mark: str) -> Mixture | None:
    try:
        known, mixture = unpack(path.read_bytes(), (Mixture, ComponentTrace, Line))
    except (OSError, FormatError):
        return None
    return mixture if known == mark and isinstance(mixture, Mixture) else None
