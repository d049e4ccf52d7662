from __future__ import annotations

import time

import pytest

from samevent.parallel import thread_pool


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
