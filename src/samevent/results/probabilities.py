"""The posterior of a result's mentions in a file, small enough to lie beside the result."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clustered
from samevent.corpus import Clustering
from samevent.errors import DataError
from samevent.partitions.posterior import Line, Posterior
from samevent.storage import damaged_table, read_table, write_table

KIND = "probabilities"
SCHEMA = 1
_ARRAYS = ("samples", "left", "right", "together")


def save_probabilities(clustered: Clustered, path: Path, *, overwrite: bool = False) -> None:
    """Write what P(same event) is computed from."""
    arrays = {name: getattr(clustered.posterior, name) for name in _ARRAYS}
    arrays["samples"] = _numbered_by_first_member(clustered.posterior.samples)
    about = {"ids": list(clustered.ids), "counted": asdict(clustered.posterior.counted)}
    write_table(path, KIND, SCHEMA, about, arrays, overwrite=overwrite)


def load_probabilities(path: Path, events: Clustering) -> Clustered:
    """Read what `save_probabilities` wrote; `events` are the answer that was found."""
    table = read_table(path, KIND, SCHEMA)
    try:
        ids = tuple(table.manifest["ids"])
        samples, left, right, together = (table.arrays[name] for name in _ARRAYS)
        posterior = Posterior(
            samples=samples,
            left=left,
            right=right,
            together=together,
            counted=Line(**table.manifest.get("counted", {})),
        )
    except (KeyError, ValueError, TypeError, DataError) as error:
        raise damaged_table(path, error) from error
    return Clustered(ids, _labels(ids, events), posterior)


def _labels(ids: tuple[str, ...], events: Clustering) -> NDArray[np.int32]:
    """Return one label per mention, numbered by first mentions; a mention without event is alone."""
    event_of = {mention: number for number, cluster in enumerate(events) for mention in cluster}
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(event_of.get(id, id), len(numbers)) for id in ids], np.int32)


def _numbered_by_first_member(samples: NDArray[np.int32]) -> NDArray[Any]:
    """Name the clusters of each sample after their first members: then samples hardly differ, and compress well."""
    backwards = np.arange(samples.shape[1])[::-1]
    named = np.empty(samples.shape, np.min_scalar_type(samples.shape[1]))
    first = np.empty(int(samples.max(initial=0)) + 1, named.dtype)
    for row, sample in enumerate(samples):
        first[sample[::-1]] = backwards  # of several members the one assigned last stays: the first
        named[row] = first[sample]
    return named
