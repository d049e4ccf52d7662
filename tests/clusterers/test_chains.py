"""Runs that are interrupted go on, and end with the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusterers.small import cluster, evidence_of, in_a_hurry
from samevent.clusterers import CLUSTERERS
from samevent.clusterers.chains import Drawn, Store, run_chains
from samevent.errors import UsageError
from similarity.tables import random_corpus

samplers = pytest.mark.parametrize("name", [name for name, system in CLUSTERERS.items() if system.sampled])


class Counting:
    """A chain that counts its sweeps, and can be told to break at one."""

    def __init__(self, run: int, breaks: tuple[int, int] | None = None) -> None:
        self.run, self.breaks, self.clusters = run, breaks, 0

    @property
    def labels(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        return np.array([self.run, self.clusters], np.int32)

    def log_joint(self) -> float:
        return -1.0 / self.clusters

    def check(self) -> None: ...

    def sweep(self) -> None:
        self.clusters += 1
        if self.breaks == (self.run, self.clusters):
            raise KeyboardInterrupt


def counted(**how: Any) -> Drawn:
    return run_chains(Counting, Counting.sweep, **how)


def test_chains_keep_samples_evenly_from_their_second_half() -> None:
    drawn = counted(runs=2, sweeps=20, keep=3)
    assert drawn.samples[1].tolist() == [[1, 14], [1, 17], [1, 20]]
    assert drawn.clusters.tolist() == [list(range(1, 21))] * 2
    assert counted(runs=1, sweeps=20, keep=1).samples[0].tolist() == [[0, 20]]
    assert counted(runs=1, sweeps=3, keep=9).samples[0].tolist() == [[0, 2], [0, 3]]


def test_an_interruption_ends_all_chains() -> None:
    def start(run: int) -> Counting:
        return Counting(run, breaks=(1, 5))

    with pytest.raises(KeyboardInterrupt):
        run_chains(start, Counting.sweep, runs=4, sweeps=10**9, keep=1, jobs=2)


@samplers
@pytest.mark.parametrize("preset", ["light", "paper"])
def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(
    name: str, preset: str, tmp_path: Path
) -> None:
    system, evidence = in_a_hurry(name, preset=preset, runs=3), evidence_of(random_corpus(5))
    whole = cluster(system, evidence, seed=4)
    path = tmp_path / "run.npz"

    def interrupt(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    try:
        cluster(system, evidence, seed=4, checkpoint=path, progress=interrupt)
    except KeyboardInterrupt:
        assert path.exists()
    resumed = cluster(system, evidence, seed=4, checkpoint=path)
    assert resumed.labels.tobytes() == whole.labels.tobytes()
    assert resumed.posterior.samples.tobytes() == whole.posterior.samples.tobytes()
    assert {n: t.tobytes() for n, t in resumed.posterior.traces.items()} == {
        n: t.tobytes() for n, t in whole.posterior.traces.items()
    }


@samplers
def test_checkpoints_of_other_runs_are_refused(name: str, tmp_path: Path) -> None:
    path, corpus = tmp_path / "run.npz", random_corpus(5)
    system = in_a_hurry(name)
    cluster(system, evidence_of(corpus), checkpoint=path)
    for other, texts, seed in (
        (system, corpus, 1),
        (in_a_hurry(name, sweeps=13), corpus, 0),
        (system, random_corpus(6), 0),
    ):
        with pytest.raises(UsageError, match="another problem or other settings"):
            cluster(other, evidence_of(texts), seed=seed, checkpoint=path)


def test_runs_that_ended_are_not_run_again(tmp_path: Path) -> None:
    store = Store.of(tmp_path / "run.npz", "settings", [np.arange(3)])
    first = counted(runs=2, sweeps=10, keep=2, store=store)

    def start(run: int) -> Counting:
        raise AssertionError(f"run {run} was begun")

    again = run_chains(start, Counting.sweep, runs=2, sweeps=10, keep=2, store=store)
    assert again.samples.tobytes() == first.samples.tobytes()
    assert again.log_joint.tobytes() == first.log_joint.tobytes()
