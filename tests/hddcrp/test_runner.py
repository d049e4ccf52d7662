from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.runner import Pace, Plan, Store, Task, chains_elsewhere, run
from samevent.seeds import stream


class Walk:
    """A random walk whose every step depends on all before it: any slip of the runner changes the end."""

    def __init__(self, number: int, size: int = 10) -> None:
        self.number, self.size, self.done = number, size, 0
        self.place, self.steps = np.array([number], np.int64), np.zeros(1, np.int64)
        self.trace = np.zeros(0, np.int64)

    def begin_round(self, sweeps: int) -> None:
        self.done, self.trace = 0, np.zeros(sweeps, np.int64)

    def advance(self, sweeps: int) -> None:
        for _ in range(sweeps):
            self.steps += 1
            self.place += stream(int(self.place[0]), "walk", int(self.steps[0])).integers(100)
            self.trace[self.done] = self.place[0]
            self.done += 1

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"place": self.place, "steps": self.steps, "trace": self.trace}

    def restore(self, done: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.done = done
        for name, array in self.arrays().items():
            array[:] = arrays[name]


def tasks() -> list[Task[Walk]]:
    return [Task.of([Walk(10 * k + c, size=10 + 7 * k) for c in range(2)]) for k in range(3)]


def ends(done: list[Task[Walk]]) -> list[tuple[int, list[int]]]:
    return [(int(chain.place[0]), chain.trace.tolist()) for task in done for chain in task.chains]


PLAN: Plan[Walk] = Plan((3, 4, 6))


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("updates", [1, 150, 10**7])
def test_run_ends_alike_for_any_number_of_threads_and_size_of_steps(jobs: int, updates: int) -> None:
    plain, other = tasks(), tasks()
    assert run(plain, PLAN)
    assert run(other, PLAN, jobs=jobs, pace=Pace(updates_per_step=updates))
    assert ends(plain) == ends(other)
    assert all(chain.steps[0] == 13 and len(chain.trace) == 6 for task in other for chain in task.chains)


@pytest.mark.parametrize("after", range(1, 12, 2))
def test_run_continues_after_an_interruption(tmp_path: Path, after: int) -> None:
    plain = tasks()
    run(plain, PLAN)
    store, pace = Store(tmp_path / "run.npz", fingerprint("walks")), Pace(60, -1.0)
    calls: list[int] = []

    def stop(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tasks(), PLAN, store=store, progress=stop, pace=pace)
    resumed = tasks()
    assert run(resumed, PLAN, store=store, pace=pace)
    assert ends(plain) == ends(resumed)
    assert calls == sorted(calls)


def test_settled_tasks_stop_after_the_second_round_and_the_others_go_on() -> None:
    asked: list[int] = []

    def settled(chains: Sequence[Walk]) -> bool:
        asked.append(chains[0].number)
        return chains[0].number == 10

    done = tasks()
    plan: Plan[Walk] = Plan((3, 4, 6), settled)
    assert run(done, plan)
    assert [task.sweeps(plan) for task in done] == [13, 7, 13]
    assert sorted(asked) == [0, 10, 20]


def test_time_limit_leaves_tasks_where_they_are() -> None:
    cut = tasks()
    assert not run(cut, PLAN, time_limit=0, pace=Pace(updates_per_step=1))
    assert [task.sweeps(PLAN) for task in cut] == [0, 0, 0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_time_limit_is_looked_at_between_chains(jobs: int) -> None:
    class Slow(Walk):
        def advance(self, sweeps: int) -> None:
            time.sleep(0.1)
            super().advance(sweeps)

    slow: list[Task[Walk]] = [Task.of([Slow(10 * k + c) for c in range(2)]) for k in range(20)]
    began = time.monotonic()
    assert not run(slow, PLAN, jobs=jobs, time_limit=0.3)
    assert time.monotonic() - began < 1.5
    done = [int(chain.steps[0]) for task in slow for chain in task.chains]
    assert min(done) == 0 < max(done)


def test_progress_counts_updates_of_all_chains() -> None:
    calls: list[tuple[int, int]] = []
    run(tasks(), PLAN, progress=lambda done, total: calls.append((done, total)), pace=Pace(200))
    total = 13 * 2 * (10 + 17 + 24)
    assert calls == sorted(calls)
    assert calls[-1] == (total, total)


def test_nothing_to_run_is_complete(tmp_path: Path) -> None:
    empty: list[Task[Walk]] = []
    assert run(empty, PLAN, store=Store(tmp_path / "run.npz", "nobody"))
    assert run(empty, PLAN, store=Store(tmp_path / "run.npz", "nobody"))


def test_chains_may_run_elsewhere_and_come_back_as_copies() -> None:
    def elsewhere(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [function(*deepcopy(arguments)) for arguments in calls]

    plan: Plan[Walk] = Plan((3, 4))
    here, there = ([Task.of([Walk(n), Walk(n + 9)]) for n in range(3)] for _ in range(2))
    run(here, plan)
    with chains_elsewhere(elsewhere):
        run(there, plan, pace=Pace(updates_per_step=20))
    assert [[c.trace.tolist() for c in t.chains] for t in here] == [
        [c.trace.tolist() for c in t.chains] for t in there
    ]
