"""Runs chains over blocks, in rounds, in threads, with checkpoints.

A round is a number of sweeps after which what was told so far is forgotten: earlier rounds are burn-in for later
ones. Blocks whose chains agree at the end of a round are done; the others go on. Draws depend on the block and the
chain alone, so the number of threads and interruptions leave no trace. Only a time limit does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp import checkpoint
from samevent.hddcrp.chains import Chain, Initial, advance, agree, agreement, start
from samevent.hddcrp.components import Block
from samevent.hddcrp.info import Info
from samevent.hddcrp.likelihood import Logs

Progress = Callable[[int, int], None]
"""Told how many updates are done, and how many there will be at most."""

_UPDATES_A_STEP = 10_000_000
_SECONDS_A_CHECKPOINT = 30.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How chains run: sweeps a round, samples each chain keeps, and whether agreement ends a block's run."""

    seed: int
    chains: int
    rounds: tuple[int, ...]
    keep: int
    initial: Initial
    until_agreed: bool


@dataclass(slots=True, eq=False)
class Task:
    """The chains of one block."""

    block: Block
    chains: tuple[Chain, ...]
    round: int = 0
    finished: bool = False

    @classmethod
    def begun(cls, block: Block, plan: Plan) -> Task:
        """Start all chains of a block."""
        infos = [Info.planned(block, plan.rounds[0], keep=plan.keep) for _ in range(plan.chains)]
        return cls(
            block,
            tuple(
                start(block, info, seed=plan.seed, chain=number, initial=plan.initial)
                for number, info in enumerate(infos)
            ),
        )

    @property
    def done(self) -> int:
        """Sweeps of each chain in this round."""
        return self.chains[0].info.done

    def close_round(self, plan: Plan) -> None:
        """If the round is over, finish or begin the next."""
        if self.done < plan.rounds[self.round]:
            return
        last = self.round == len(plan.rounds) - 1
        # The first round is burn-in whatever the chains say: all may still sit where they started.
        self.finished = last or (plan.until_agreed and self.round > 0 and agree(agreement(self.chains)))
        if not self.finished:
            self.enter_round(self.round + 1, plan)

    def enter_round(self, number: int, plan: Plan) -> None:
        """Forget what was told, except the best links."""
        self.round = number
        for chain in self.chains:
            best_log_joint, best_labels = chain.info.best_log_joint, chain.info.best_labels
            chain.info = Info.planned(self.block, plan.rounds[number], keep=plan.keep)
            chain.info.best_log_joint, chain.info.best_labels = best_log_joint, best_labels


@dataclass(frozen=True, slots=True)
class Store:
    """The file of a run's checkpoints and the run's fingerprint."""

    path: Path
    mark: str

    def save(self, tasks: Sequence[Task]) -> None:
        """Write all chains down."""
        chains = [_arrays(chain) for task in tasks for chain in task.chains]
        names = chains[0] if chains else ()
        arrays = {name: np.concatenate([chain[name].reshape(-1) for chain in chains]) for name in names}
        progress = [(task.round, task.done, task.finished) for task in tasks]
        checkpoint.save(self.path, self.mark, {"progress": np.array(progress, np.int64), **arrays})

    def restore(self, tasks: Sequence[Task], plan: Plan) -> None:
        """Bring chains to where the last checkpoint saw them, if there is one."""
        saved = checkpoint.load(self.path, self.mark)
        if saved is None:
            return
        at = dict.fromkeys(saved, 0)
        for task, (number, done, finished) in zip(tasks, saved["progress"].tolist(), strict=True):
            task.enter_round(number, plan)
            task.finished = bool(finished)
            for chain in task.chains:
                chain.info.done = done
                for name, array in _arrays(chain).items():
                    flat = array.reshape(-1)
                    flat[:] = saved[name][at[name] : at[name] + len(flat)]
                    at[name] += len(flat)


def run(
    tasks: Sequence[Task],
    logs: Logs,
    plan: Plan,
    *,
    compiled: bool,
    jobs: int,
    time_limit: float | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    check: bool = False,
) -> bool:
    """Run all tasks to their end; return False if the time limit came first."""
    began = saved = time.monotonic()
    if store:
        store.restore(tasks, plan)
        store.save(tasks)  # a file that cannot be written should be known now, not after hours

    def go_on(task: Task, chain: Chain, sweeps: int) -> None:
        advance(task.block, chain, logs, sweeps=sweeps, compiled=compiled, check=check)

    with workers(jobs) as work:
        while pending := [task for task in tasks if not task.finished]:
            pending.sort(
                key=lambda task: len(task.block), reverse=True
            )  # large ones first keep all threads busy
            a_sweep = sum(len(task.block) for task in pending) * plan.chains
            steps = [min(_left(task, plan), max(1, _UPDATES_A_STEP // a_sweep)) for task in pending]
            work(go_on, [(t, chain, n) for t, n in zip(pending, steps, strict=True) for chain in t.chains])
            for task in pending:
                task.close_round(plan)
            if progress:
                progress(*_progress(tasks, plan))
            if store and time.monotonic() - saved > _SECONDS_A_CHECKPOINT:
                store.save(tasks)
                saved = time.monotonic()
            if time_limit is not None and time.monotonic() - began > time_limit:
                break
    if store:
        store.save(tasks)
    return not pending


@contextmanager
def workers(jobs: int) -> Iterator[Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]]:
    """Give what applies a function to tuples of arguments in threads and lists the results in order."""
    if jobs == 1:
        yield lambda function, calls: [function(*arguments) for arguments in calls]
        return
    pool = ThreadPoolExecutor(jobs)
    try:
        yield lambda function, calls: list(pool.map(lambda arguments: function(*arguments), calls))
    finally:
        pool.shutdown(cancel_futures=True)


def _left(task: Task, plan: Plan) -> int:
    return plan.rounds[task.round] - task.done


def _progress(tasks: Sequence[Task], plan: Plan) -> tuple[int, int]:
    total = sum(plan.rounds)
    swept = [total if task.finished else sum(plan.rounds[: task.round]) + task.done for task in tasks]
    sizes = [len(task.block) * plan.chains for task in tasks]
    return sum(n * size for n, size in zip(swept, sizes, strict=True)), total * sum(sizes)


def _arrays(chain: Chain) -> dict[str, NDArray[Any]]:
    """Return all that a chain has to keep, by name."""
    choices = {f"choices{kind}": links for kind, links in enumerate(chain.choices)}
    return {**choices, "random": chain.random, **chain.info.by_name}
