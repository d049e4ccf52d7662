"""Checkpoints: a run on disk, so that a killed run continues and ends with the same bytes.

One `.npz` without pickle, written to a temporary name and renamed. It holds a fingerprint of everything that the
draws depend on, and is refused where the fingerprint differs.
"""

from __future__ import annotations

import secrets
import zipfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, UsageError, place

Arrays = Mapping[str, NDArray[Any]]

_SCHEMA = 2
_DAMAGE = (EOFError, KeyError, OSError, ValueError, zipfile.BadZipFile)


def fingerprint(*parts: object) -> str:
    """Return a digest of everything that draws depend on: arrays, dataclasses of arrays, settings.

    Anything but an array, a dataclass, a mapping or a sequence is known by its `repr`.

    >>> fingerprint({"seed": 1}, np.arange(3)) == fingerprint({"seed": 1}, np.arange(3))
    True
    >>> fingerprint({"seed": 1}, np.arange(3)) == fingerprint({"seed": 1}, np.arange(4))
    False
    """
    digest = blake2b(digest_size=16)

    def add(part: object) -> None:
        if isinstance(part, np.ndarray):
            digest.update(repr((part.dtype.str, part.shape)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        elif is_dataclass(part) and not isinstance(part, type):
            add({field.name: getattr(part, field.name) for field in fields(part)})
        elif isinstance(part, Mapping):
            add([(str(name), part[name]) for name in sorted(part, key=str)])
        elif isinstance(part, tuple | list):
            digest.update(f"{len(part)} parts".encode())
            for inner in part:
                add(inner)
        else:
            digest.update(repr(part).encode() + b"\0")

    add((_SCHEMA, *parts))
    return digest.hexdigest()


def save(path: Path, fingerprint: str, arrays: Arrays) -> None:
    """Write a checkpoint whole or not at all."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as stream:
            np.savez(stream, allow_pickle=False, fingerprint=np.array(fingerprint), **arrays)
        temporary.replace(path)
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror or error})", where=place(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def load(path: Path, fingerprint: str) -> dict[str, NDArray[Any]] | None:
    """Read a checkpoint, or return None if there is none; refuse that of another run."""
    if not path.exists():
        return None
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
            saved = str(arrays.pop("fingerprint"))
    except _DAMAGE as error:
        raise FormatError(
            f"cannot be read as a checkpoint ({type(error).__name__}: {error})",
            where=place(path),
            hint="remove it to start again",
        ) from error
    if saved != fingerprint:
        raise UsageError(
            "is the checkpoint of a run with another problem or other settings",
            where=place(path),
            hint="use the problem and the settings of that run, or another file",
        )
    return arrays
