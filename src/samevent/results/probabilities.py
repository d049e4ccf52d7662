"""P(same event) of any two mentions, kept small enough to lie beside a result."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clustered
from samevent.errors import CorpusError
from samevent.storage import damaged_table, read_table, write_table

KIND = "probabilities"
SCHEMA = 1

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Probabilities:
    """Rows of `samples` are partitions of the mentions `ids`; of some pairs (left < right) P is known better.

    What is known better comes from models that solve small groups of mentions exactly.
    """

    ids: tuple[str, ...]
    samples: Integers
    left: Integers
    right: Integers
    together: Floats
    _rows: dict[str, int] = field(init=False, repr=False)
    _known: NDArray[np.int64] = field(init=False, repr=False)
    """A number for each pair that is known better, ascending, and one beyond all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", {mention: row for row, mention in enumerate(self.ids)})
        known = np.append(self._numbers(self.left, self.right), np.iinfo(np.int64).max)
        object.__setattr__(self, "_known", known)

    @classmethod
    def of(cls, found: Clustered) -> Probabilities:
        """Return what a clusterer knows."""
        none = np.empty(0, np.int32)
        if found.posterior is None:
            return cls(found.ids, found.samples, none, none, np.empty(0))
        pairs = found.posterior.pairs
        left, right = pairs.left.astype(np.int32), pairs.right.astype(np.int32)
        samples = found.posterior.samples.astype(np.int32)
        return cls(found.ids, samples, left, right, found.posterior.together)

    def between(self, a: str, b: str) -> float:
        """Return P(same event) of two mentions."""
        for mention in (a, b):
            if mention not in self._rows:
                raise CorpusError(
                    f"there is no event mention {mention!r} in the result",
                    hint="ids are in mentions.csv and result.jsonl",
                )
        rows = np.array([[self._rows[a]], [self._rows[b]]], np.int32)
        return float(self.of_pairs(*rows)[0])

    def of_pairs(self, i: Integers, j: Integers) -> Floats:
        """Return P(same event) of pairs of mentions, by their places among `ids`."""
        wanted = self._numbers(np.minimum(i, j), np.maximum(i, j))
        found: Floats = (self.samples[:, i] == self.samples[:, j]).mean(axis=0)
        at = np.searchsorted(self._known, wanted)
        better = np.flatnonzero(self._known[at] == wanted)
        found[better] = self.together[at[better]]
        return found

    def _numbers(self, left: Integers, right: Integers) -> NDArray[np.int64]:
        numbers: NDArray[np.int64] = left.astype(np.int64) * len(self.ids) + right
        return numbers

    def of_members(self, labels: Integers) -> Floats:
        """Return P(same event) of each mention with the others of its event on average; NaN for one alone.

        Counted in time linear in mentions, samples and known pairs: of a sample, only how many members of an event
        share a label matters.
        """
        n, size = len(labels), np.bincount(labels, minlength=1)[labels] - 1
        total = np.zeros(n)
        for sample in self.samples:
            cell = labels.astype(np.int64) * (int(sample.max(initial=0)) + 1) + sample
            _, where, count = np.unique(cell, return_inverse=True, return_counts=True)
            total += count[where] - 1
        total /= max(1, len(self.samples))
        inside = labels[self.left] == labels[self.right]
        left, right = self.left[inside], self.right[inside]
        shares = np.zeros(len(left))
        for sample in self.samples:
            shares += sample[left] == sample[right]
        better = self.together[inside] - shares / max(1, len(self.samples))
        np.add.at(total, left, better)
        np.add.at(total, right, better)
        mean = np.full(n, np.nan)
        np.divide(total, size, out=mean, where=size > 0)
        clipped: Floats = np.clip(mean, 0, 1)
        return clipped

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write them to a file."""
        arrays: dict[str, NDArray[Any]] = {
            "samples": _by_first_member(self.samples),
            "left": self.left,
            "right": self.right,
            "together": self.together,
        }
        about = {"ids": list(self.ids)}
        write_table(path, KIND, SCHEMA, about, arrays, compression=zipfile.ZIP_DEFLATED, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path) -> Probabilities:
        """Read what `save` wrote."""
        table = read_table(path, KIND, SCHEMA)
        try:
            samples, *pairs = (table.arrays[name] for name in ("samples", "left", "right", "together"))
            return cls(tuple(table.manifest["ids"]), samples.astype(np.int32), *pairs)
        except (KeyError, ValueError, TypeError) as error:
            raise damaged_table(path, error) from error


def _by_first_member(samples: Integers) -> NDArray[Any]:
    """Number the events of each sample by their first mentions: then samples hardly differ, and pack well."""
    backwards = np.arange(samples.shape[1])[::-1]
    named = np.empty(samples.shape, np.min_scalar_type(samples.shape[1]))
    first = np.empty(int(samples.max(initial=0)) + 1, named.dtype)
    for row, sample in enumerate(samples):
        first[sample[::-1]] = backwards  # of several members the one assigned last stays: the first
        named[row] = first[sample]
    return named
