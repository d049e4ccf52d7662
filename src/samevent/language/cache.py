"""Results kept on disk under a hash of what they were computed from.

One small file an entry. A file is written under a temporary name and renamed, so two runs can share a folder
without locks: both write the same bytes. Every file carries a checksum; what is cut short, damaged or filed
under the wrong name counts as absent. The folder may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import secrets
import warnings
import zlib
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

Plain = str | int | float | bool | None | Sequence["Plain"] | Mapping[str, "Plain"]
"""What a key can be made of: anything that JSON can say."""

_MAGIC = b"samevent cache 1\n"
_DIGEST = 16


class CacheWarning(UserWarning):
    """Results cannot be kept; the work goes on without."""


class Cache:
    """A folder of results; `folder` defaults to the user's cache folder.

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
        """Return the name of the result that was computed from these values, and only from these."""
        data = json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()
        return blake2b(data, digest_size=_DIGEST).hexdigest()

    def get(self, key: str) -> bytes | None:
        """Return what was put under a key, or None if there is nothing that can be trusted."""
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
        """Keep data under a key. If the folder cannot be written, warn once and keep nothing from then on."""
        if not self._writable:
            return
        path = self._path(key)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        packed = zlib.compress(data, level=6)
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
                f"{self.folder}: results cannot be kept here ({error.strerror or error}), so the next run will "
                "compute them again. Free some space, or name another cache folder",
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


def _checksum(key: str, packed: bytes) -> bytes:
    return blake2b(packed, digest_size=_DIGEST, key=key.encode()).digest()
