"""Threads and processes that leave no trace in results: work is handed out and collected in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

Starmap = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""Applies a function to tuples of arguments and lists the results in the order of the tuples."""


_In = TypeVar("_In")
_Out = TypeVar("_Out")


def map_ahead(function: Callable[[_In], _Out], items: Iterable[_In], jobs: int) -> Iterator[_Out]:
    """Yield the function of each item, in order, while threads work on up to `jobs` items after it.

    >>> list(map_ahead(str.upper, "abc", jobs=2))
    ['A', 'B', 'C']
    """
    if jobs == 1:
        yield from map(function, items)
        return
    waiting: deque[Future[_Out]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def thread_pool(jobs: int) -> Iterator[Starmap]:
    """Yield an order-preserving threaded starmap; one job runs in the calling thread.

    >>> with thread_pool(2) as starmap:
    ...     starmap(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    if jobs == 1:
        yield lambda function, calls: [function(*arguments) for arguments in calls]
        return
    pool = ThreadPoolExecutor(jobs)
    try:
        yield lambda function, calls: list(pool.map(lambda arguments: function(*arguments), calls))
    finally:
        pool.shutdown(cancel_futures=True)


class WorkerPool(ProcessPoolExecutor):
    """Processes that leave Ctrl-C to the one that started them, and end with it however it ends."""

    def __init__(self, jobs: int) -> None:
        # Forked processes would inherit the locks of threads that they do not have.
        super().__init__(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)

    def submit(self, fn: Callable[..., _Out], /, *arguments: Any, **options: Any) -> Future[_Out]:
        """Hand out a call; processes are started here, with interrupts blocked, which they inherit."""
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(fn, *arguments, **options)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            return super().submit(fn, *arguments, **options)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
