"""Runs chains of any sampler: in rounds, in threads, with checkpoints, progress and a time limit.

A sampler takes part by implementing `Chain`, one object per chain. Chains that are compared with each other form a
`Task`: for the link models, the chains over one independent component; for the models with a CRP over tables, which
do not fall into components, all chains of the run. A `Plan` gives the sweeps of each round; what earlier rounds
recorded is forgotten, so they are burn-in for later ones, and a task may end early once its chains have settled.

    tasks = [Task.of([MyChain(problem, seed, number) for number in range(runs)])]
    complete = run(tasks, Plan(rounds=(sweeps,)), jobs=2, store=Store(path, fingerprint(settings, problem)))
    samples = [chain.samples for chain in tasks[0].chains]

Draws depend on the chain alone. The number of threads, the size of steps and interruptions leave no trace; only a
time limit does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp import checkpoint
from samevent.parallel import Starmap, thread_pool

Progress = Callable[[int, int], None]
"""Progress callback: (updates done, updates there will be at most)."""


class Chain(Protocol):
    """One chain of a sampler. It records what it finds by itself; the runner never looks inside."""

    @property
    def size(self) -> int:
        """How many updates one sweep makes; steps and progress are measured in updates."""

    @property
    def done(self) -> int:
        """How many sweeps of the current round are done."""

    def begin_round(self, sweeps: int) -> None:
        """Make room for a round of so many sweeps, and forget what earlier rounds recorded.

        Called before the first sweep, too. The state of the chain and its random numbers continue.
        """

    def advance(self, sweeps: int) -> None:
        """Sweep so many times. Called from any thread, but never from two at once."""

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return everything that a checkpoint has to hold, except `done`: state, random numbers, records.

        All chains of a run have the same names and types; shapes may differ.
        """

    def restore(self, done: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a checkpoint; `begin_round` has been called, and the arrays come flattened.

        A chain that cannot continue in the middle of a round may begin the round again, with `done` back at 0.
        """


AnyChain = TypeVar("AnyChain", bound=Chain)


@dataclass(frozen=True, slots=True)
class Plan(Generic[AnyChain]):
    """Sweeps of each round, and a test of whether the chains of a task may stop.

    The test is asked at the end of every round but the first: until then all may still sit where they started.
    """

    rounds: tuple[int, ...]
    settled: Callable[[Sequence[AnyChain]], bool] | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How much work lies between two looks at the clock, and seconds between checkpoints. Changes no draw.

    A sampler that also runs uncompiled does so below `compile_threshold` steps of plain Python; they take about as
    long as loading compiled code.
    """

    updates_per_step: int = 10_000_000
    seconds_per_checkpoint: float = 30.0
    compile_threshold: float = 100_000.0


@dataclass(slots=True, eq=False)
class Task(Generic[AnyChain]):
    """Chains that are compared with each other, and how far they are."""

    chains: tuple[AnyChain, ...]
    round: int = 0
    finished: bool = False

    @classmethod
    def of(cls, chains: Iterable[AnyChain]) -> Task[AnyChain]:
        """Make a task of chains that have not begun."""
        return cls(tuple(chains))

    @property
    def size(self) -> int:
        """How many updates one sweep of all chains makes."""
        return sum(chain.size for chain in self.chains)

    def sweeps(self, plan: Plan[AnyChain]) -> int:
        """Return how many sweeps each chain has done, all rounds together."""
        return sum(plan.rounds[: self.round]) + min(chain.done for chain in self.chains)

    def begin_round(self, number: int, plan: Plan[AnyChain]) -> None:
        """Let all chains begin a round."""
        self.round = number
        for chain in self.chains:
            chain.begin_round(plan.rounds[number])

    def close_round(self, plan: Plan[AnyChain]) -> None:
        """If the round is over, finish or begin the next."""
        if any(chain.done < plan.rounds[self.round] for chain in self.chains):
            return
        last = self.round == len(plan.rounds) - 1
        asked = plan.settled if self.round > 0 else None
        self.finished = last or (asked is not None and asked(self.chains))
        if not self.finished:
            self.begin_round(self.round + 1, plan)


_HURRIED = Pace(updates_per_step=200_000)
"""With a time limit, every chain looks at the clock after so many updates of its own: a fraction of a second."""
_ELSEWHERE: ContextVar[Starmap | None] = ContextVar("where chains run", default=None)


@contextmanager
def chains_elsewhere(starmap: Starmap) -> Iterator[None]:
    """Let `run` advance chains by another starmap, such as that of a cluster, which may return copies of them."""
    token = _ELSEWHERE.set(starmap)
    try:
        yield
    finally:
        _ELSEWHERE.reset(token)


def _advanced(chain: AnyChain, sweeps: int, deadline: float | None) -> AnyChain:
    """Advance a chain, unless there is no time left."""
    if deadline is None or time.monotonic() < deadline:
        chain.advance(sweeps)
    return chain


@dataclass(frozen=True, slots=True)
class Store:
    """The checkpoint file of a run, and the fingerprint of all that its draws depend on."""

    path: Path
    fingerprint: str

    def save(self, tasks: Sequence[Task[Any]]) -> None:
        """Save all chains."""
        chains = [(number, chain) for number, task in enumerate(tasks) for chain in task.chains]
        parts = [chain.arrays() for _, chain in chains]
        arrays: dict[str, NDArray[Any]] = {}
        for name in parts[0] if parts else ():
            arrays[name] = np.concatenate([part[name].reshape(-1) for part in parts])
            arrays[f"size of {name}"] = np.array([part[name].size for part in parts], np.int64)
        progress = np.array([(task.round, task.finished) for task in tasks], np.int64).reshape(-1, 2)
        done = np.array([chain.done for _, chain in chains], np.int64)
        checkpoint.save(self.path, self.fingerprint, {"progress": progress, "done": done, **arrays})

    def restore(self, tasks: Sequence[Task[Any]], plan: Plan[Any]) -> bool:
        """Bring chains to where the last checkpoint saw them; return whether there is one."""
        saved = checkpoint.load(self.path, self.fingerprint)
        if saved is None:
            return False
        names = [name for name in saved if f"size of {name}" in saved]
        ends = {name: np.cumsum(saved[f"size of {name}"]) for name in names}
        at = 0
        for task, (number, finished) in zip(tasks, saved["progress"].tolist(), strict=True):
            task.begin_round(number, plan)
            task.finished = bool(finished)
            for chain in task.chains:
                begins = {name: int(ends[name][at - 1]) if at else 0 for name in names}
                parts = {name: saved[name][begins[name] : int(ends[name][at])] for name in names}
                chain.restore(int(saved["done"][at]), parts)
                at += 1
        return True


@dataclass(slots=True)
class Countdown:
    """Seconds from now on, shared among pieces of work by their size; `done` is the size of those that are over."""

    seconds: float | None
    total: float
    done: float = 0
    began: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.seconds is not None and time.monotonic() - self.began >= self.seconds

    def share(self, size: float) -> float | None:
        """Return the seconds for a piece of work of this size, given what is left of time and work."""
        if self.seconds is None:
            return None
        left = max(0.0, self.seconds - (time.monotonic() - self.began))
        return left * size / max(size, self.total - self.done)

    def part_of(self, progress: Progress, size: float = 1.0) -> Progress:
        """Return what tells `progress`, in thousandths of all work, how a piece of this size is going."""

        def tell(done: int, total: int) -> None:
            share = (self.done + size * done / max(total, 1)) / max(self.total, size)
            progress(int(1000 * share), 1000)

        return tell


def run(
    tasks: Sequence[Task[AnyChain]],
    plan: Plan[AnyChain],
    *,
    jobs: int = 1,
    time_limit: float | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    pace: Pace | None = None,
) -> bool:
    """Run all tasks to their end; return False if the time limit came first."""
    pace = pace or (Pace() if time_limit is None else _HURRIED)
    saved = time.monotonic()
    deadline = None if time_limit is None else saved + time_limit
    if store is None or not store.restore(tasks, plan):
        for task in tasks:
            task.begin_round(0, plan)
    if store:
        store.save(tasks)  # report a file that cannot be written now, not after hours
    with thread_pool(jobs) as here:
        starmap = _ELSEWHERE.get() or here
        while pending := [task for task in tasks if not task.finished]:
            pending.sort(key=lambda task: task.size, reverse=True)  # large ones first keep all threads busy
            together = sum(task.size for task in pending)
            unfinished = [
                (task, number)
                for task in pending
                for number, chain in enumerate(task.chains)
                if chain.done < plan.rounds[task.round]
            ]
            calls = []
            for task, number in unfinished:
                chain = task.chains[number]
                size = together if deadline is None else chain.size
                step = max(1, pace.updates_per_step // max(1, size))
                calls.append((chain, min(step, plan.rounds[task.round] - chain.done), deadline))
            for (task, number), chain in zip(unfinished, starmap(_advanced, calls), strict=True):
                task.chains = (*task.chains[:number], chain, *task.chains[number + 1 :])
            for task in pending:
                task.close_round(plan)
            if progress:
                progress(*_progress(tasks, plan))
            if store and time.monotonic() - saved > pace.seconds_per_checkpoint:
                store.save(tasks)
                saved = time.monotonic()
            if deadline is not None and time.monotonic() >= deadline:
                break
    if store:
        store.save(tasks)
    return not pending


def _progress(tasks: Sequence[Task[AnyChain]], plan: Plan[AnyChain]) -> tuple[int, int]:
    total = sum(plan.rounds)
    swept = [total if task.finished else task.sweeps(plan) for task in tasks]
    sizes = [task.size for task in tasks]
    return sum(n * size for n, size in zip(swept, sizes, strict=True)), total * sum(sizes)
