from __future__ import annotations

import os
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
