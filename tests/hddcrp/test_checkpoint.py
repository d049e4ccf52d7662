from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from problems import random_problem, with_fields
from samevent.errors import FormatError, UsageError
from samevent.hddcrp import Problem, fit, sample
from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.runner import Pace
from samevent.partitions.diagnostics import ConvergenceWarning

PACE = Pace(updates_per_step=500, seconds_per_checkpoint=-1.0)
SETTINGS: dict[str, Any] = {"exact_limit": 50, "sweeps": 40, "seed": 5, "pace": PACE}

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")


def problem() -> Problem:
    return random_problem(4, customers=40, documents=8, density=0.03, vocabulary=8)


class _Stop:
    """Interrupts a run after so many steps, as Ctrl-C would."""

    def __init__(self, after: int) -> None:
        self.after = after

    def __call__(self, done: int, total: int) -> None:
        self.after -= 1
        if self.after == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("options", [{}, {"sampler": "paper"}])
@pytest.mark.parametrize("after", [1, 3, 7])
def test_interrupted_run_ends_with_the_same_bytes(
    tmp_path: Path, options: dict[str, Any], after: int
) -> None:
    whole = fit(problem(), **SETTINGS, **options)
    path = tmp_path / "run.npz"
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            fit(problem(), checkpoint=path, progress=_Stop(after), **SETTINGS, **options)
    resumed = fit(problem(), checkpoint=path, **SETTINGS, **options)
    for name in ("best", "together", "samples", "last"):
        assert getattr(whole, name).tobytes() == getattr(resumed, name).tobytes()
    assert whole.best_log_joint == resumed.best_log_joint
    assert all(
        np.array_equal(traces["log joint"], resumed.component_traces[number]["log joint"])
        for number, traces in whole.component_traces.items()
    )
    assert [file.name for file in tmp_path.iterdir()] == ["run.npz"]


def test_interrupted_plain_runs_end_with_the_same_bytes(tmp_path: Path) -> None:
    whole = sample(problem(), runs=2, sweeps=30)
    path = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        sample(problem(), runs=2, sweeps=30, checkpoint=path, progress=_Stop(2), pace=PACE)
    resumed = sample(problem(), runs=2, sweeps=30, checkpoint=path)
    assert whole.samples.tobytes() == resumed.samples.tobytes()
    assert whole.traces["log joint"].tobytes() == resumed.traces["log joint"].tobytes()


def test_finished_run_is_not_run_again(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    first = fit(problem(), checkpoint=path, **SETTINGS)
    content = path.read_bytes()
    again = fit(problem(), checkpoint=path, progress=_Stop(1), **SETTINGS)
    assert first.samples.tobytes() == again.samples.tobytes()
    assert path.read_bytes() == content


def test_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    fit(problem(), checkpoint=path, **SETTINGS)
    with pytest.raises(UsageError, match=r"run\.npz: is the checkpoint of a run with another problem"):
        fit(problem(), checkpoint=path, **{**SETTINGS, "seed": 6})
    with pytest.raises(UsageError, match="another problem"):
        fit(with_fields(problem(), alpha_within=0.6), checkpoint=path, **SETTINGS)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 cut short"])
def test_damaged_checkpoint_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"cannot be read as a checkpoint .* Remove it to start again"):
        fit(problem(), checkpoint=path, **SETTINGS)


def test_unwritable_checkpoint_is_reported_before_sampling(tmp_path: Path) -> None:
    calls: list[int] = []
    with pytest.raises(UsageError, match="cannot be written"):
        fit(
            problem(),
            checkpoint=tmp_path / "missing" / "run.npz",
            progress=lambda done, total: calls.append(done),
            **SETTINGS,
        )
    assert calls == []


def test_fingerprint_covers_every_part_of_a_problem() -> None:
    base = problem()
    words = random_problem(5, customers=40, documents=8, density=0.03, vocabulary=8).words
    changed = [
        with_fields(base, **fields)
        for fields in ({"dirichlet": 0.25}, {"vocabulary": 9}, {"alpha_flat": 3.0}, {"words": words})
    ]
    marks = {fingerprint(one, {"seed": 1}) for one in (base, *changed)} | {fingerprint(base, {"seed": 2})}
    assert len(marks) == len(changed) + 2
    assert fingerprint(base, {"seed": 1}) == fingerprint(problem(), {"seed": 1})
