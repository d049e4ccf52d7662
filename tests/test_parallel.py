from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from samevent.errors import OutputExistsError
from samevent.locks import FolderLock
from samevent.parallel import WorkerPool, thread_pool


@pytest.mark.parametrize("jobs", [1, 3])
def test_thread_pool_keeps_the_order_of_calls(jobs: int) -> None:
    def slow_first(number: int, seconds: float) -> int:
        time.sleep(seconds)
        return number

    with thread_pool(jobs) as starmap:
        assert starmap(slow_first, [(0, 0.05), (1, 0.0), (2, 0.0)]) == [0, 1, 2]


@pytest.mark.parametrize("jobs", [1, 2])
def test_thread_pool_raises_what_a_call_raises(jobs: int) -> None:
    with pytest.raises(ZeroDivisionError), thread_pool(jobs) as starmap:
        starmap(divmod, [(1, 1), (1, 0)])


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent_however_it_ends(tmp_path: Path, how: signal.Signals) -> None:
    code = f"""
from pathlib import Path
from samevent.parallel import WorkerPool
from test_parallel import hold
if __name__ == "__main__":
    WorkerPool(1).submit(hold, Path({str(tmp_path)!r})).result()
"""
    script = tmp_path / "script.py"
    script.write_text(code)
    (tmp_path / "held").mkdir()
    where = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent)])}
    with subprocess.Popen([sys.executable, script], env=where) as parent:
        wait_for((tmp_path / "started").exists)
        with pytest.raises(OutputExistsError):
            FolderLock(tmp_path / "held")
        parent.send_signal(how)
    wait_for(lambda: is_free(tmp_path / "held"))


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_workers_leave_interrupts_to_their_parent() -> None:
    with WorkerPool(1) as pool:
        pool.submit(signal.raise_signal, signal.SIGINT).result()
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def hold(folder: Path) -> None:
    """Lock a folder, say so, and hold it for longer than any test."""
    lock = FolderLock(folder / "held")
    (folder / "started").touch()
    time.sleep(600)
    lock.release()


def is_free(folder: Path) -> bool:
    try:
        FolderLock(folder).release()
    except OutputExistsError:
        return False
    return True


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
