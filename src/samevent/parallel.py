"""Threads that leave no trace in results: work is handed out and collected in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

Starmap = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""Applies a function to tuples of arguments and lists the results in the order of the tuples."""


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
