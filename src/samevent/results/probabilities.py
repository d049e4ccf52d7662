"""P(same event) of any two mentions, kept small enough to lie beside a result."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clustered
from samevent.errors import CorpusError, DataError
from samevent.partitions.posterior import Posterior
from samevent.storage import damaged_table, read_table, write_table

KIND = "probabilities"
SCHEMA = 1

Integers = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Probabilities:
    """The posterior of the mentions `ids`, in the order of its customers."""

    ids: tuple[str, ...]
    posterior: Posterior
    _rows: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", {mention: row for row, mention in enumerate(self.ids)})

    @classmethod
    def of(cls, found: Clustered) -> Probabilities:
        """Return what a clusterer knows."""
        return cls(found.ids, found.posterior or Posterior(samples=found.samples))

    def between(self, a: str, b: str) -> float:
        """Return P(same event) of two mentions."""
        for mention in (a, b):
            if mention not in self._rows:
                raise CorpusError(
                    f"there is no event mention {mention!r} in the result",
                    hint="ids are in mentions.csv and result.jsonl",
                )
        return self.posterior.probability(self._rows[a], self._rows[b])

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write them to a file."""
        arrays: dict[str, NDArray[Any]] = {
            "samples": _by_first_member(self.posterior.samples),
            "left": self.posterior.left,
            "right": self.posterior.right,
            "together": self.posterior.together,
        }
        about = {"ids": list(self.ids)}
        write_table(path, KIND, SCHEMA, about, arrays, compression=zipfile.ZIP_DEFLATED, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path) -> Probabilities:
        """Read what `save` wrote."""
        table = read_table(path, KIND, SCHEMA)
        try:
            samples, left, right, together = (
                table.arrays[name] for name in ("samples", "left", "right", "together")
            )
            posterior = Posterior(samples=samples, left=left, right=right, together=together)
            return cls(tuple(table.manifest["ids"]), posterior)
        except (KeyError, ValueError, TypeError, DataError) as error:
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
