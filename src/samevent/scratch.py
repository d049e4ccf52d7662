"""Arrays in files without names, for what does not fit into memory.

    scratch = Scratch(folder)
    links = scratch.kept(links)      # equal values, whose large arrays are memory-mapped
    scratch.release()                # from here on, only what is looked at again is in memory

The files lie in a folder with room for them and are gone with the arrays, however the program ends.
"""

from __future__ import annotations

import math
import mmap
import tempfile
from collections.abc import Mapping
from copy import copy
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import DTypeLike, NDArray

from samevent.formats.files import writing

LEAST = 1 << 20
"""Smaller arrays stay in memory, in bytes."""

_Value = TypeVar("_Value")


class Scratch:
    """Keeps arrays of at least `least` bytes (`LEAST`) in a folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     scratch = Scratch(Path(folder), least=8)
    ...     kept = scratch.kept({"rows": np.arange(3)})
    ...     scratch.release()
    ...     kept["rows"].tolist()
    [0, 1, 2]
    """

    def __init__(self, folder: Path, *, least: int | None = None) -> None:
        self.folder, self._least = folder, LEAST if least is None else least
        self._maps: WeakSet[mmap.mmap] = WeakSet()

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array to be filled, which is 0 so far."""
        kind = np.dtype(dtype)
        size = math.prod(shape if isinstance(shape, tuple) else (shape,)) * kind.itemsize
        if size < max(1, self._least):
            return np.zeros(shape, kind)
        with writing(self.folder), tempfile.TemporaryFile(dir=self.folder) as file:
            file.truncate(size)
            pages = mmap.mmap(file.fileno(), size)
        self._maps.add(pages)
        return np.frombuffer(pages, kind).reshape(shape)

    def kept(self, value: _Value) -> _Value:
        """Return a value of arrays, dataclasses and mappings whose large arrays lie in the folder."""
        return self._kept(value)  # type: ignore[no-any-return]

    def release(self) -> None:
        """Let all pages leave the memory of this process."""
        for pages in list(self._maps):
            if hasattr(pages, "madvise"):
                pages.madvise(mmap.MADV_DONTNEED)  # of a shared map: what was written stays

    def _kept(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._copied(value)
        if isinstance(value, Mapping):
            return {name: self._kept(each) for name, each in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            twin = copy(value)
            for field in fields(value):
                object.__setattr__(twin, field.name, self._kept(getattr(value, field.name)))
            return twin
        return value

    def _copied(self, array: NDArray[Any]) -> NDArray[Any]:
        if array.nbytes < max(1, self._least) or _is_mapped(array):
            return array
        room = self.empty(array.shape, array.dtype)
        room[...] = array
        self.release()
        return room


def _is_mapped(array: NDArray[Any]) -> bool:
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(getattr(base, "obj", base), mmap.mmap)
