"""Checkpoints: a run on disk, so that a killed one goes on and ends with the same bytes.

One `.npz` without pickle, written to a temporary name and renamed. It holds a fingerprint of everything that the
draws depend on, and is refused where the fingerprint differs.
"""

from __future__ import annotations

import secrets
import zipfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, UsageError, place
from samevent.hddcrp.problem import Problem, Rows

Arrays = Mapping[str, NDArray[Any]]

_SCHEMA = 1
_DAMAGE = (EOFError, KeyError, OSError, ValueError, zipfile.BadZipFile)


def fingerprint(problem: Problem, settings: Mapping[str, object]) -> str:
    """Return a digest of all that draws depend on."""
    digest = blake2b(digest_size=16)
    digest.update(repr((_SCHEMA, sorted(settings.items()))).encode())
    for name in Problem.__slots__:
        value = getattr(problem, name)
        arrays = (
            (value.starts, value.columns, value.values) if isinstance(value, Rows) else (np.asarray(value),)
        )
        for array in arrays:
            digest.update(repr((name, array.dtype.str, array.shape)).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def save(path: Path, mark: str, arrays: Arrays) -> None:
    """Write a checkpoint whole or not at all."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as stream:
            np.savez(stream, allow_pickle=False, fingerprint=np.array(mark), **arrays)
        temporary.replace(path)
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror or error})", where=place(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def load(path: Path, mark: str) -> dict[str, NDArray[Any]] | None:
    """Read a checkpoint, or return None if there is none; refuse that of another run."""
    if not path.exists():
        return None
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
            found = str(arrays.pop("fingerprint"))
    except _DAMAGE as error:
        raise FormatError(
            f"cannot be read as a checkpoint ({type(error).__name__}: {error})",
            where=place(path),
            hint="remove it to start anew",
        ) from error
    if found != mark:
        raise UsageError(
            "is the checkpoint of a run with another problem or other settings",
            where=place(path),
            hint="give the problem and the settings of that run, or another file",
        )
    return arrays
