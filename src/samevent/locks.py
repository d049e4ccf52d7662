"""Locks that keep two processes from writing one folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from samevent.errors import OutputExistsError, place

if sys.platform != "win32":
    import fcntl


class FolderLock:
    """Keeps other processes out of a folder until it is released, forgotten, or this process ends, however it ends.

    If there is a lock already, the error says what was `found`. Nothing is locked where the system cannot: on Windows,
    and on file systems without locks.
    """

    def __init__(self, folder: Path, found: str = "another run is writing here") -> None:
        self.release: Callable[[], object] = lambda: None
        if sys.platform != "win32":
            descriptor = os.open(folder, os.O_RDONLY)
            self.release = finalize(
                self, _unlock, descriptor, os.getpid()
            )  # once, however often it is called
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                self.release()
                raise OutputExistsError(
                    found,
                    where=place(folder),
                    hint="wait until it ends, or choose another folder (-o)",
                ) from error
            except OSError:
                self.release()


def _unlock(descriptor: int, owner: int) -> None:
    """Give a lock back, also if a child that was forked meanwhile still has the descriptor; a child cannot do so."""
    if sys.platform != "win32" and os.getpid() == owner:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)
