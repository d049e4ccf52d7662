from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from problems import random_problem
from samevent.errors import UsageError
from samevent.hddcrp import hddcrp_star, hdp
from samevent.hddcrp.franchise import Draws, sample_runs
from samevent.hddcrp.observations import Channel
from samevent.hddcrp.runner import Pace


class Counted(NamedTuple):
    log_joint: float
    clusters: int


class Counting:
    """A state that counts its sweeps, and is interrupted in one of them if asked."""

    def __init__(self, run: int, interrupted: tuple[int, int] | None = None) -> None:
        self.run, self.interrupted, self.swept = run, interrupted, np.zeros(1, np.int32)

    @property
    def labels(self) -> NDArray[np.int32]:
        return np.array([self.run, self.swept[0]], np.int32)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"swept": self.swept}

    def check(self) -> None: ...

    def step(self) -> Counted:
        self.swept += 1
        if self.interrupted == (self.run, self.swept[0]):
            raise KeyboardInterrupt
        return Counted(-1.0 / float(self.swept[0]), int(self.swept[0]))


def counted(**options: Any) -> Draws:
    return sample_runs(Counting, Counting.step, **options)


def assert_same(one: Draws, other: Draws) -> None:
    assert one.samples.tobytes() == other.samples.tobytes()
    assert one.log_joint.tobytes() == other.log_joint.tobytes()
    assert one.clusters.tobytes() == other.clusters.tobytes()


def test_chains_keep_samples_evenly_from_their_second_half() -> None:
    draws = counted(runs=2, sweeps=20, keep=3)
    assert draws.samples[1].tolist() == [[1, 14], [1, 17], [1, 20]]
    assert draws.clusters.tolist() == [list(range(1, 21))] * 2
    assert draws.log_joint[0].tolist() == [-1 / n for n in range(1, 21)]
    assert counted(runs=1, sweeps=20, keep=1).samples[0].tolist() == [[0, 20]]
    assert counted(runs=1, sweeps=3, keep=9).samples[0].tolist() == [[0, 2], [0, 3]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interruption_stops_all_chains(jobs: int) -> None:
    def start(run: int) -> Counting:
        return Counting(run, interrupted=(1, 5))

    with pytest.raises(KeyboardInterrupt):
        sample_runs(start, Counting.step, runs=4, sweeps=10**7, jobs=jobs)


def test_finished_runs_are_not_repeated(tmp_path: Path) -> None:
    options: dict[str, Any] = {"runs": 2, "sweeps": 10, "keep": 2, "checkpoint": tmp_path / "run.npz"}
    first = counted(**options)

    def start(run: int) -> Counting:
        return Counting(run, interrupted=(run, 11))

    assert_same(first, sample_runs(start, Counting.step, **options))


def test_checkpoints_of_other_models_and_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    counted(runs=2, sweeps=10, checkpoint=path, depends_on=("a model", np.arange(3)))
    for other in ({"sweeps": 11}, {"runs": 3}, {"keep": 2}, {"depends_on": ("a model", np.arange(4))}):
        options = {"runs": 2, "sweeps": 10, "depends_on": ("a model", np.arange(3)), **other}
        with pytest.raises(UsageError, match="another problem or other settings"):
            counted(checkpoint=path, **options)


@pytest.mark.parametrize("after", [1, 3])
@pytest.mark.parametrize("model", ["hddcrp-star", "constrained", "hdp"])
def test_interrupted_chains_continue_in_the_middle_of_a_run(
    model: str, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constraints: dict[str, Any] = (
        {"must_link": [(0, 70), (3, 40)], "cannot_link": [(1, 2)]} if model == "constrained" else {}
    )
    problem = random_problem(4, customers=90, documents=5, density=0.2, vocabulary=9, **constraints)
    words = Channel(problem.words, problem.vocabulary, 0.5)

    def sample(**options: Any) -> Draws:
        options |= {"runs": 3, "sweeps": 40, "keep": 4}
        if model == "hdp":
            return hdp.sample(problem.document, [words], **options)
        return hddcrp_star.sample(problem, **options)

    whole = sample()
    monkeypatch.setattr("samevent.hddcrp.franchise.PACE", Pace(1000, seconds_per_checkpoint=-1.0))
    path, calls = tmp_path / "run.npz", list[int]()

    def interrupt(done: int, _: int) -> None:
        calls.append(done)
        if len(calls) > after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample(checkpoint=path, progress=interrupt)
    resumed: list[int] = []
    assert_same(whole, sample(checkpoint=path, progress=lambda done, _: resumed.append(done)))
    assert resumed[0] > calls[0] > 0
