"""The posterior of a result's mentions in a file, small enough to lie beside the result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clustered
from samevent.corpus import Clustering
from samevent.errors import DataError
from samevent.partitions.constraints import FREE, NO_PAIRS, PairConstraints
from samevent.partitions.posterior import Line, Posterior
from samevent.storage import damaged_table, read_table, write_table

KIND = "probabilities"
SCHEMA = 1
_ARRAYS = ("samples", "left", "right", "together")
_CONSTRAINTS = ("must_link", "cannot_link")


@dataclass(frozen=True, slots=True, eq=False)
class SavedProbabilities:
    """What P(same event) is computed from: clusters of samples by their first members, known pairs and constraints."""

    ids: tuple[str, ...]
    samples: NDArray[Any]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    together: NDArray[np.float64]
    counted: Line
    constraints: PairConstraints = FREE

    @classmethod
    def of(cls, clustered: Clustered) -> SavedProbabilities:
        """Return those of an answer."""
        posterior = clustered.posterior
        return cls(
            clustered.ids,
            numbered_by_first_member(posterior.samples),
            posterior.left,
            posterior.right,
            posterior.together,
            posterior.counted,
            PairConstraints(posterior.must_link, posterior.cannot_link),
        )

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write them to a file."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        if self.constraints:
            arrays |= {name: getattr(self.constraints, name) for name in _CONSTRAINTS}
        about = {"ids": list(self.ids), "counted": asdict(self.counted)}
        write_table(path, KIND, SCHEMA, about, arrays, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path) -> SavedProbabilities:
        """Read what `save` wrote."""
        table = read_table(path, KIND, SCHEMA)
        try:
            samples, left, right, together = (table.arrays[name] for name in _ARRAYS)
            counted = Line(**table.manifest.get("counted", {}))
            held = (table.arrays.get(name, NO_PAIRS) for name in _CONSTRAINTS)
            constraints = PairConstraints(*held)
            return cls(tuple(table.manifest["ids"]), samples, left, right, together, counted, constraints)
        except (KeyError, TypeError) as error:
            raise damaged_table(path, error) from error


def save_probabilities(clustered: Clustered, path: Path, *, overwrite: bool = False) -> None:
    """Write what P(same event) is computed from."""
    SavedProbabilities.of(clustered).save(path, overwrite=overwrite)


def load_probabilities(path: Path, events: Clustering) -> Clustered:
    """Read what `save_probabilities` wrote; `events` are the answer that was found."""
    saved = SavedProbabilities.load(path)
    try:
        posterior = Posterior(
            samples=saved.samples,
            left=saved.left,
            right=saved.right,
            together=saved.together,
            counted=saved.counted,
            must_link=saved.constraints.must_link,
            cannot_link=saved.constraints.cannot_link,
        )
    except (ValueError, TypeError, DataError) as error:
        raise damaged_table(path, error) from error
    return Clustered(saved.ids, _labels(saved.ids, events), posterior)


def _labels(ids: tuple[str, ...], events: Clustering) -> NDArray[np.int32]:
    """Return one label per mention, numbered by first mentions; a mention without event is alone."""
    event_of = {mention: number for number, cluster in enumerate(events) for mention in cluster}
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(event_of.get(id, id), len(numbers)) for id in ids], np.int32)


def numbered_by_first_member(samples: NDArray[np.int32]) -> NDArray[Any]:
    """Name the clusters of each sample after their first members: then samples hardly differ, and compress well."""
    backwards = np.arange(samples.shape[1])[::-1]
    named = np.empty(samples.shape, np.min_scalar_type(samples.shape[1]))
    first = np.empty(int(samples.max(initial=0)) + 1, named.dtype)
    for row, sample in enumerate(samples):
        first[sample[::-1]] = backwards  # of several members the one assigned last stays: the first
        named[row] = first[sample]
    return named
