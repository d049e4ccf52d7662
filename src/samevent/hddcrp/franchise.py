"""Runs of the samplers with a CRP over tables (HDDCRP* and the HDP): chains as the runner wants them.

The top level couples everything, so there are no components: all chains of a run form one task.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from samevent.errors import UsageError
from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.problem import Floats, Integers
from samevent.hddcrp.runner import Pace, Plan, Progress, Store, Task, run
from samevent.partitions.constraints import Constraints

PathLike = str | os.PathLike[str]

PACE = Pace(updates_per_step=4_000)
"""An update takes 2 to 50 microseconds, by the number of channels: interruptions take effect at once."""


class State(Protocol):
    """What a chain needs of a sampler's state."""

    @property
    def labels(self) -> Integers:
        """The cluster of each customer, numbered by first customers."""

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Everything that changes."""

    def check(self) -> None:
        """Raise if counts have drifted away from the state."""


class Info(Protocol):
    """What a chain needs of a sampler's description of its state."""

    @property
    def log_joint(self) -> float:
        """The log probability of the state and the observations."""

    @property
    def clusters(self) -> int:
        """How many clusters there are."""


AnyState = TypeVar("AnyState", bound=State)


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """What chains recorded, one row per run: kept samples, the last sweep's as the last, and two traces.

    `must_link` and `cannot_link` are the constraints that all samples satisfy.
    """

    samples: NDArray[np.int32]
    log_joint: Floats
    clusters: Floats
    must_link: Constraints = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    cannot_link: Constraints = field(default_factory=lambda: np.zeros((0, 2), np.int32))

    @property
    def traces(self) -> dict[str, Floats]:
        """The traces by name."""
        return {"log joint": self.log_joint, "clusters": self.clusters}


class Chain(Generic[AnyState]):
    """One chain, with the traces and kept samples of its round."""

    def __init__(
        self, state: AnyState, step: Callable[[AnyState], Info], *, keep: int, check: bool = False
    ) -> None:
        self._state, self._step, self._keep, self._check = state, step, keep, check
        self.size = len(state.labels)
        self.begin_round(0)

    def begin_round(self, sweeps: int) -> None:
        """Make room for a round of so many sweeps."""
        self.done = 0
        self._kept = kept_sweeps(sweeps, self._keep)
        self.samples = np.zeros((len(self._kept), self.size), np.int32)
        self.log_joint, self.clusters = np.zeros(sweeps), np.zeros(sweeps)

    def advance(self, sweeps: int) -> None:
        """Sweep and record."""
        for _ in range(sweeps):
            info = self._step(self._state)
            self.log_joint[self.done], self.clusters[self.done] = info.log_joint, info.clusters
            if (row := self._kept.get(self.done)) is not None:
                self.samples[row] = self._state.labels
            if self._check:
                self._state.check()
            self.done += 1

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state and the records."""
        records: dict[str, NDArray[Any]] = {
            "samples": self.samples,
            "trace of log joint": self.log_joint,
            "trace of clusters": self.clusters,
        }
        return {**self._state.arrays, **records}

    def restore(self, done: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a checkpoint."""
        self.done = done
        for name, array in self.arrays().items():
            array[...] = arrays[name].reshape(array.shape)


def sample_runs(
    start: Callable[[int], AnyState],
    step: Callable[[AnyState], Info],
    *,
    runs: int,
    sweeps: int,
    keep: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
    checkpoint: PathLike | None = None,
    depends_on: tuple[object, ...] = (),
    check: bool = False,
) -> Draws:
    """Run chains, each from the state that `start` makes of its number, in `jobs` threads.

    Each keeps up to `keep` samples, evenly spaced over the second half of its sweeps. With a `checkpoint`, an
    interrupted run continues with the same draws; `depends_on` is all that these depend on beside the numbers here.
    With `check`, counts are compared with the state after every sweep.
    """
    for name, value, least in (
        ("runs", runs, 1),
        ("sweeps", sweeps, 1),
        ("keep", keep, 1),
        ("jobs", jobs, 1),
    ):
        if value < least:
            raise UsageError(f"the parameter {name!r} is {value}", expected=f"{least} or more")
    store = (
        Store(Path(checkpoint), fingerprint(runs, sweeps, keep, *depends_on))
        if checkpoint is not None
        else None
    )
    task = Task.of(Chain(start(number), step, keep=keep, check=check) for number in range(runs))
    run([task], Plan((sweeps,)), jobs=jobs, progress=progress, store=store, pace=PACE)
    return Draws(
        np.stack([chain.samples for chain in task.chains]),
        np.stack([chain.log_joint for chain in task.chains]),
        np.stack([chain.clusters for chain in task.chains]),
    )


def kept_sweeps(sweeps: int, keep: int) -> dict[int, int]:
    """Return the sweeps whose samples are kept, counted from 0, with their rows.

    >>> kept_sweeps(20, 3)
    {13: 0, 16: 1, 19: 2}
    """
    half = (sweeps + 1) // 2
    every = max(1, half // keep)
    kept = sorted(sweeps - 1 - every * number for number in range(min(keep, half)))
    return {sweep: row for row, sweep in enumerate(kept)}
