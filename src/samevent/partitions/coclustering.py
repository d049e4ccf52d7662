"""How probable it is that two customers belong together: counted in samples, or known exactly.

Only candidate pairs are counted (those that a link may join directly), so the work is linear in the links.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from samevent.errors import DataError
from samevent.partitions.labels import Booleans, Floats, Integers, integers


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Candidate pairs of customers: `left[p] < right[p]`, sorted, each pair once."""

    left: Integers
    right: Integers

    @classmethod
    def from_links(cls, source: ArrayLike, target: ArrayLike) -> Pairs:
        """Collect the pairs behind links of either direction; a link to oneself makes no pair.

        >>> pairs = Pairs.from_links([2, 0, 1, 1], [0, 2, 1, 0])
        >>> list(zip(pairs.left.tolist(), pairs.right.tolist()))
        [(0, 1), (0, 2)]
        """
        a, b = integers(source, "links"), integers(target, "links")
        if a.ndim != 1 or a.shape != b.shape:
            raise DataError(
                f"links have {a.shape} sources and {b.shape} targets", expected="one of each a link"
            )
        if min(a.min(initial=0), b.min(initial=0)) < 0:
            raise DataError("a link names a negative customer", expected="customers numbered from 0")
        low, high = np.minimum(a, b), np.maximum(a, b)
        width = int(high.max(initial=0)) + 1
        keys = np.unique((low * width + high)[low < high])
        return cls(keys // width, keys % width)

    def __len__(self) -> int:
        return len(self.left)


def count_together(samples: ArrayLike, pairs: Pairs) -> Integers:
    """Count the samples (rows of labels) in which each pair shares a cluster. Counts of batches add up.

    >>> count_together([[0, 0, 1], [0, 0, 0]], Pairs.from_links([1, 2], [0, 1])).tolist()
    [2, 1]
    """
    rows = np.atleast_2d(integers(samples, "labels"))
    if len(pairs) and rows.shape[1] <= int(pairs.right.max()):
        raise DataError(
            f"a pair names customer {int(pairs.right.max())}", expected=f"customers below {rows.shape[1]}"
        )
    counts = np.zeros(len(pairs), dtype=np.int64)
    for labels in rows:
        counts += labels[pairs.left] == labels[pairs.right]
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class Coclustering:
    """P(same cluster) of every candidate pair, and how many samples say so: 0 where it is exact."""

    pairs: Pairs
    probability: Floats
    samples: Integers

    @classmethod
    def from_counts(cls, pairs: Pairs, together: ArrayLike, samples: ArrayLike) -> Coclustering:
        """Divide counts by the number of samples, one for all pairs or one a pair."""
        counts = integers(together, "counts")
        drawn = np.broadcast_to(integers(samples, "numbers of samples"), counts.shape).copy()
        if len(counts) != len(pairs):
            raise DataError(f"{len(counts)} counts for {len(pairs)} pairs", expected="one count a pair")
        if (drawn < 1).any() or (counts < 0).any() or (counts > drawn).any():
            raise DataError(
                "a pair is together more often than it was sampled", expected="0 <= together <= samples"
            )
        return cls(pairs, counts / drawn, drawn)

    @property
    def exact(self) -> Booleans:
        """Whether each probability is known rather than counted."""
        known: Booleans = self.samples == 0
        return known

    @property
    def standard_error(self) -> Floats:
        """The Monte Carlo error of each probability, as if the samples were independent; 0 where it is exact."""
        # One success and one failure more keep the error of an event never seen above zero.
        smoothed = (self.probability * self.samples + 1) / (self.samples + 2)
        return np.where(self.exact, 0.0, np.sqrt(smoothed * (1 - smoothed) / np.maximum(self.samples, 1)))

    def with_exact(self, which: ArrayLike, probability: ArrayLike) -> Coclustering:
        """Put exact probabilities in the place of counted ones, for the pairs that `which` indexes or masks.

        >>> counted = Coclustering.from_counts(Pairs.from_links([1, 2], [0, 1]), [3, 1], 4)
        >>> known = counted.with_exact([1], [0.2])
        >>> known.probability.tolist(), known.exact.tolist()
        ([0.75, 0.2], [False, True])
        """
        given = np.asarray(probability, dtype=np.float64)
        if not ((given >= 0) & (given <= 1)).all():
            raise DataError("an exact probability is not between 0 and 1")
        mixed, samples = self.probability.copy(), self.samples.copy()
        mixed[np.asarray(which)] = given
        samples[np.asarray(which)] = 0
        return Coclustering(self.pairs, mixed, samples)
