"""Low-rank adapters (LoRA): small files that turn an encoder into a tuned one.

The adapter of a matrix is two thin ones: `<layer>.<part>.a` (rank x inputs) and `<layer>.<part>.b` (outputs x rank).
The tuned matrix is W + `ADAPTER_SCALE` * b a.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, place
from samevent.language.encoder.weights import Arrays, Weights
from samevent.storage import read_table, write_table

ADAPTER_SCALE = 2.0
ADAPTER_KIND = "encoder adapter"
ADAPTER_SCHEMA = 1

Adapter = Mapping[str, NDArray[Any]]


def write_adapter(
    path: Path, adapter: Adapter, about: Mapping[str, Any] | None = None, *, overwrite: bool = False
) -> None:
    """Write an adapter in half precision; `about` says what it was trained on."""
    halves = {name: np.asarray(array, np.float16) for name, array in adapter.items()}
    write_table(path, ADAPTER_KIND, ADAPTER_SCHEMA, {"about": dict(about or {})}, halves, overwrite=overwrite)


def read_adapter(path: Path) -> Arrays:
    """Read an adapter in single precision."""
    arrays = read_table(path, ADAPTER_KIND, ADAPTER_SCHEMA).arrays
    alone = sorted(name for name in arrays if name[-2:] not in (".a", ".b") or _other(name) not in arrays)
    if alone:
        raise FormatError(
            f"has the array {alone[0]!r}", where=place(path), expected="pairs <layer>.<part>.a and .b"
        )
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def merged(weights: Weights, adapter: Adapter) -> Weights:
    """Return the tuned encoder; arrays without an adapter are the same objects."""
    tuned: Arrays = {}
    for name in adapter:
        matrix, end = name.rsplit(".", 1)
        if end == "a":
            low, high = (np.asarray(adapter[f"{matrix}.{end}"], np.float32) for end in "ab")
            original = weights.arrays.get(f"{matrix}.weight")
            if original is None or original.shape != (len(high), low.shape[1]) or high.shape[1] != len(low):
                raise FormatError(
                    f"the adapter of {matrix} does not fit this encoder",
                    expected=f"two matrices whose product has the shape {getattr(original, 'shape', None)}",
                )
            tuned[f"{matrix}.weight"] = original + np.float32(ADAPTER_SCALE) * (high @ low)
    return replace(weights, arrays=weights.arrays | tuned)


def stacked(adapters: Sequence[Adapter]) -> Arrays:
    """Return one adapter that adds the mean of what these add; ranks add up."""
    share = np.float32(1 / len(adapters))
    return {
        name: np.concatenate([a[name] for a in adapters])
        if name.endswith(".a")
        else share * np.concatenate([a[name] for a in adapters], axis=1)
        for name in adapters[0]
    }


def _other(name: str) -> str:
    return f"{name[:-1]}{'b' if name[-1] == 'a' else 'a'}"
