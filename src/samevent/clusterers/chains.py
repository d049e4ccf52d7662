"""Chains of the models with a CRP over tables: run side by side, sampled on the way, resumable run by run.

Everything is coupled in these models, so there is nothing to split: a run is the smallest piece of work. A checkpoint
holds the runs that ended; an interrupted one begins anew, with the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers.base import Floats, Labels, Progress
from samevent.hddcrp import checkpoint as files
from samevent.hddcrp.crp_runs import Chain
from samevent.hddcrp.problem import Rows

AnyChain = TypeVar("AnyChain", bound=Chain)

_SECONDS_A_LOOK = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What chains told, a row each: kept samples, the last sweep's among them as the last, and two traces."""

    samples: Labels
    log_joint: Floats
    clusters: Floats

    @classmethod
    def stacked(cls, parts: Sequence[Drawn]) -> Drawn:
        """Put single chains under each other."""
        return cls(
            np.stack([part.samples for part in parts]),
            np.stack([part.log_joint for part in parts]),
            np.stack([part.clusters for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class Store:
    """The file of a run's checkpoints, and a digest of all that its draws depend on."""

    path: Path
    mark: str

    @classmethod
    def of(cls, path: Path, settings: object, given: Iterable[Rows | NDArray[Any]]) -> Store:
        """Make the digest; `settings` are told apart by their `repr`."""
        digest = blake2b(repr(settings).encode(), digest_size=16)
        for part in given:
            arrays = (part.starts, part.columns, part.values) if isinstance(part, Rows) else (part,)
            for array in arrays:
                digest.update(repr((array.dtype.str, array.shape)).encode())
                digest.update(np.ascontiguousarray(array).tobytes())
        return cls(path, digest.hexdigest())

    def save(self, ended: dict[int, Drawn]) -> None:
        """Write down the chains that ended."""
        names = Drawn.__slots__
        arrays = {f"{name} {run}": getattr(ended[run], name) for run in ended for name in names}
        files.save(self.path, self.mark, arrays)

    def load(self) -> dict[int, Drawn]:
        """Read the chains that ended."""
        saved = files.load(self.path, self.mark) or {}
        runs = {int(name.split()[1]) for name in saved}
        return {run: Drawn(*(saved[f"{name} {run}"] for name in Drawn.__slots__)) for run in sorted(runs)}


def run_chains(
    start: Callable[[int], AnyChain],
    sweep: Callable[[AnyChain], None],
    *,
    runs: int,
    sweeps: int,
    keep: int,
    jobs: int = 1,
    progress: Progress | None = None,
    store: Store | None = None,
) -> Drawn:
    """Run chains, each from what `start` makes of its number, `jobs` at a time.

    Each keeps up to `keep` samples, evenly from the second half of its sweeps.
    """
    ended = store.load() if store else {}
    if store:
        store.save(ended)  # a file that cannot be written should be known now, not after an hour
    done = [sweeps if run in ended else 0 for run in range(runs)]
    stop = Event()

    def chain(run: int) -> Drawn | None:
        state = start(run)
        log_joint, clusters = np.zeros(sweeps), np.zeros(sweeps)
        kept = []
        for at in range(sweeps):
            if stop.is_set():
                return None
            sweep(state)
            log_joint[at], clusters[at] = state.log_joint(), state.clusters
            if at in wanted:
                kept.append(state.labels)
            done[run] = at + 1
        return Drawn(np.stack(kept), log_joint, clusters)

    wanted = _evenly(sweeps, keep)
    pool = ThreadPoolExecutor(jobs)
    try:
        waiting = {pool.submit(chain, run): run for run in range(runs) if run not in ended}
        while waiting:
            for future in wait(waiting, timeout=_SECONDS_A_LOOK, return_when=FIRST_COMPLETED).done:
                run, drawn = waiting.pop(future), future.result()
                if drawn is not None:
                    ended[run] = drawn
                    if store:
                        store.save(ended)
            if progress:
                progress(sum(done), runs * sweeps)
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    return Drawn.stacked([ended[run] for run in range(runs)])


def _evenly(sweeps: int, keep: int) -> frozenset[int]:
    """Return the sweeps whose samples are kept, counted from 0.

    >>> sorted(_evenly(20, 3))
    [13, 16, 19]
    """
    half = (sweeps + 1) // 2
    every = max(1, half // keep)
    return frozenset(sweeps - 1 - every * k for k in range(min(keep, half)))
