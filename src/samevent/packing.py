"""Values in one file: frozen dataclasses of arrays, strings and numbers, without pickle.

    data = pack(table)
    table = unpack(data, TABLE_CLASSES)

Arrays are members of an uncompressed `.npz`; everything else is JSON, in which a dataclass appears under its name. Only
the named classes are ever built, and a checksum comes first, so what was cut short or changed counts as damaged. Large
values go to a file as they are, without a copy in memory; there the checksums are those of the archive.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, located
from samevent.storage import atomic_path, member

_MAGIC = b"samevent values 1\n"
_DIGEST = 16
_TREE = "tree"


def pack(value: object) -> bytes:
    """Return a value as bytes.

    >>> unpack(pack({"rows": np.arange(2), "names": ("a", "b")}))
    {'rows': array([0, 1]), 'names': ('a', 'b')}
    """
    stream = io.BytesIO()
    _write(stream, value)
    content = stream.getvalue()
    return _MAGIC + blake2b(content, digest_size=_DIGEST).digest() + content


def unpack(data: bytes, classes: Iterable[type] = ()) -> Any:
    """Return the value that was packed; `classes` are the dataclasses that it may contain."""
    head = len(_MAGIC) + _DIGEST
    content = data[head:]
    if data[:head] != _MAGIC + blake2b(content, digest_size=_DIGEST).digest():
        raise FormatError("the values are damaged, or were never written to their end")
    return _read(io.BytesIO(content), classes)


def pack_file(path: Path, value: object) -> None:
    """Write a value to a file."""
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        _write(stream, value)


def unpack_file(path: Path, classes: Iterable[type] = ()) -> Any:
    """Return the value that was written to a file."""
    with located(path), path.open("rb") as stream:
        return _read(stream, classes)


def _write(stream: BinaryIO, value: object) -> None:
    arrays: list[NDArray[Any]] = []
    tree = json.dumps(_plain(value, arrays), ensure_ascii=False).encode("utf-8", "surrogatepass")
    named = {_TREE: np.frombuffer(tree, np.uint8)} | {str(i): array for i, array in enumerate(arrays)}
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in named.items():
            with archive.open(member(f"{name}.npy", zipfile.ZIP_STORED), "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)


def _read(stream: BinaryIO, classes: Iterable[type]) -> Any:
    try:
        with np.load(stream, allow_pickle=False) as archive:
            tree = json.loads(archive[_TREE].tobytes().decode("utf-8", "surrogatepass"))
            arrays = {name: archive[name] for name in archive.files if name != _TREE}
    except (AttributeError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise FormatError(f"the values cannot be read ({error})") from error
    return _built(tree, arrays, {cls.__name__: cls for cls in classes})


def _plain(value: object, arrays: list[NDArray[Any]]) -> Any:
    """Return a value as JSON: a list [kind, content] for everything but strings, numbers, booleans and None."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return ["array", len(arrays) - 1]
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        own = {
            field.name: _plain(getattr(value, field.name), arrays) for field in fields(value) if field.init
        }
        return [type(value).__name__, own]
    if isinstance(value, Mapping):
        return ["map", [[_plain(key, arrays), _plain(each, arrays)] for key, each in value.items()]]
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        strings = all(type(each) is str for each in value)
        return [kind, list(value) if strings else [_plain(each, arrays) for each in value]]
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"cannot pack {type(value).__name__}")


def _built(tree: Any, arrays: Mapping[str, NDArray[Any]], classes: Mapping[str, type]) -> Any:
    if not isinstance(tree, list):
        return tree
    kind, content = tree
    if kind == "array":
        return arrays[str(content)]
    if kind == "map":
        return {_built(key, arrays, classes): _built(each, arrays, classes) for key, each in content}
    if kind in ("tuple", "list"):
        built = (_built(each, arrays, classes) for each in content)
        return tuple(built) if kind == "tuple" else list(built)
    if kind not in classes:
        raise FormatError(f"the values contain {kind!r}", expected=" or ".join(classes) or "plain values")
    values = {name: _built(each, arrays, classes) for name, each in content.items()}
    try:
        return classes[kind](**values)
    except TypeError as error:
        raise FormatError(f"the values of {kind!r} were written by another version") from error
