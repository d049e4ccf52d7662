from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from samevent.errors import OutputExistsError
from samevent.locks import FolderLock

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nothing is locked elsewhere")


def test_a_folder_is_locked_once_until_it_is_released(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    with pytest.raises(OutputExistsError, match="another run is writing here"):
        FolderLock(tmp_path)
    lock.release()
    lock.release()
    FolderLock(tmp_path).release()


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    process = os.fork()
    if not process:
        FolderLock(tmp_path)
        os._exit(0)
    os.waitpid(process, 0)
    FolderLock(tmp_path).release()


def test_a_lock_ends_where_a_child_has_inherited_it(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    process = os.fork()
    if not process:
        signal.pause()
    try:
        lock.release()
        FolderLock(tmp_path).release()
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def test_a_child_does_not_give_back_the_lock_of_its_parent(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    process = os.fork()
    if not process:
        lock.release()
        os._exit(0)
    os.waitpid(process, 0)
    with pytest.raises(OutputExistsError):
        FolderLock(tmp_path)
    lock.release()
