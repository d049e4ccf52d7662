"""A cache on disk: results under a hash of their inputs.

One small file per entry. A file is written under a temporary name and renamed, so several processes can share a folder
without locks: they write the same bytes. Every file has a checksum; a truncated, damaged or misnamed file counts as
absent. The folder may be deleted at any time.
"""

from __future__ import annotations

import ast
import json
import os
import secrets
import warnings
import zlib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

Plain = str | int | float | bool | None | Sequence["Plain"] | Mapping[str, "Plain"]
"""What a key can be made of: anything that JSON can represent."""

_MAGIC = b"samevent cache 1\n"
_DIGEST = 16


class CacheWarning(UserWarning):
    """Results cannot be cached; the work goes on without a cache."""


class Cache:
    """A folder of cached results; `folder` defaults to the user's cache folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = Cache(Path(folder))
    ...     cache.put(cache.key("parse", "Sudan bombs Yida."), b"NNP VBZ NNP .")
    ...     cache.get(cache.key("parse", "Sudan bombs Yida."))
    b'NNP VBZ NNP .'
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()
        self._writable = True

    @staticmethod
    def key(*parts: Plain) -> str:
        """Return the key of a result that depends on exactly these values."""
        data = json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()
        return blake2b(data, digest_size=_DIGEST).hexdigest()

    def get(self, key: str) -> bytes | None:
        """Return the data of a key, or None if it is absent or damaged."""
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        head = len(_MAGIC) + _DIGEST
        packed = data[head:]
        if data[:head] != _MAGIC + _checksum(key, packed):
            return None
        return zlib.decompress(packed)

    def put(self, key: str, data: bytes) -> None:
        """Store data under a key. If the folder cannot be written, warn once and store nothing from then on."""
        if not self._writable:
            return
        path = self._path(key)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        packed = zlib.compress(data, level=1)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(_MAGIC + _checksum(key, packed) + packed)
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            self._writable = False
            warnings.warn(
                f"{self.folder}: results cannot be cached here ({error.strerror or error}), so the next run will "
                "compute them again. Free some space, or choose another cache folder",
                CacheWarning,
                stacklevel=2,
            )

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]


def default_folder() -> Path:
    """Return the user's cache folder for samevent: under `XDG_CACHE_HOME`, or `~/.cache`."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification: a relative path is invalid and to be ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "samevent"


def code_digest(sources: Iterable[str]) -> str:
    """Return a digest of Python code for a key, without comments, docstrings and layout.

    >>> code_digest(["'Docs.'; x = 1  # one"]) == code_digest(["x = 1"]) != code_digest(["x = 2"])
    True
    """
    trees = (_WithoutDocstrings().visit(ast.parse(source)) for source in sources)
    return blake2b("\n".join(map(ast.dump, trees)).encode(), digest_size=_DIGEST).hexdigest()


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node


def _checksum(key: str, packed: bytes) -> bytes:
    return blake2b(packed, digest_size=_DIGEST, key=key.encode()).digest()
