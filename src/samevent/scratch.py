"""Arrays in files without names, for what does not fit into memory.

    scratch = Scratch(folder)
    links = scratch.kept(links)      # equal values, whose large arrays are memory-mapped
    scratch.release()                # from here on, only what is looked at again is in memory

The files lie in a folder with room for them and are gone with the arrays, however the program ends. `IN_MEMORY` has the
same methods for arrays that fit.
"""

from __future__ import annotations

import io
import math
import mmap
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import fields, is_dataclass
from pathlib import Path
from threading import Lock
from typing import IO, Any, TypeVar
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
        self._lock = Lock()  # another thread may ask for memory

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array to be filled, which is 0 so far."""
        kind = np.dtype(dtype)
        size = math.prod(shape if isinstance(shape, tuple) else (shape,)) * kind.itemsize
        if size < max(1, self._least):
            return np.zeros(shape, kind)
        with writing(self.folder), tempfile.TemporaryFile(dir=self.folder) as file:
            file.truncate(size)
            return self._mapped(file, kind).reshape(shape)

    def joined(
        self, rows: Iterable[Sequence[NDArray[Any]]], dtypes: Sequence[DTypeLike]
    ) -> list[NDArray[Any]]:
        """Concatenate columns that come in rows of arrays, one per column, and are not held meanwhile."""
        with writing(self.folder), ExitStack() as stack:
            files = [stack.enter_context(tempfile.TemporaryFile(dir=self.folder)) for _ in dtypes]
            for row in rows:
                for file, array, dtype in zip(files, row, dtypes, strict=True):
                    np.ascontiguousarray(array, dtype).tofile(file)
            return [self._mapped(file, np.dtype(dtype)) for file, dtype in zip(files, dtypes, strict=True)]

    def kept(self, value: _Value) -> _Value:
        """Return a value of arrays, dataclasses and mappings whose large arrays lie in the folder."""
        return self._kept(value)  # type: ignore[no-any-return]

    def release(self) -> None:
        """Let all pages leave the memory of this process."""
        with self._lock:
            maps = list(self._maps)
        for pages in maps:
            if hasattr(pages, "madvise"):
                pages.madvise(mmap.MADV_DONTNEED)  # of a shared map: what was written stays

    def _mapped(self, file: IO[bytes], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the content of a file, which may be closed then."""
        size = file.seek(0, io.SEEK_END)
        if not size:
            return np.empty(0, dtype)
        file.flush()
        pages = mmap.mmap(file.fileno(), size)
        with self._lock:
            self._maps.add(pages)
        return np.frombuffer(pages, dtype)

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


class _InMemory(Scratch):
    """Keeps arrays in memory."""

    def __init__(self) -> None:
        Scratch.__init__(self, Path())

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        return np.zeros(shape, dtype)

    def joined(
        self, rows: Iterable[Sequence[NDArray[Any]]], dtypes: Sequence[DTypeLike]
    ) -> list[NDArray[Any]]:
        columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in dtypes]
        for number, dtype in enumerate(dtypes):  # the parts of a column go when it is whole
            columns[number] = [np.concatenate([np.empty(0, dtype), *columns[number]])]
        return [array for (array,) in columns]

    def kept(self, value: _Value) -> _Value:
        return value


IN_MEMORY = _InMemory()


def _is_mapped(array: NDArray[Any]) -> bool:
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(getattr(base, "obj", base), mmap.mmap)
