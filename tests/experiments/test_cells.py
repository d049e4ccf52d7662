from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clusterers.small import evidence_of, sentence
from experiments.reports import work_in
from samevent.clusterers import Clustered, Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.experiments.cells import answers_of, run_cell


def evidence() -> Evidence:
    return evidence_of([sentence("a", "bomb town raid", 0, 2), sentence("b", "bomb raid bomb", 0, 1, 2)])


def hddcrp() -> Hddcrp:
    system = clusterer("hddcrp", {"runs": 3, "sweeps": 10}, preset="paper")
    assert isinstance(system, Hddcrp)
    return system


def test_cell_has_the_last_sample_of_every_run(tmp_path: Path) -> None:
    cell = run_cell("hddcrp", hddcrp(), evidence(), depends_on="x", seed=1, work=work_in(tmp_path))
    assert cell.answers.shape == (3, 5)
    assert cell.traces["log joint"].shape == (3, 10)
    assert np.array_equal(cell.answers, answers_of(hddcrp(), evidence(), seed=1, jobs=1))
    assert len(cell.clusterings) == 3


def test_finished_cell_leaves_nothing_but_its_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Hddcrp.cluster

    def in_batches(self: Hddcrp, *args: Any, checkpoint: Path, **options: Any) -> Clustered:
        checkpoint.with_name(f"{checkpoint.stem}-0.values").touch()
        return cluster(self, *args, checkpoint=checkpoint, **options)

    monkeypatch.setattr(Hddcrp, "cluster", in_batches)
    work = work_in(tmp_path)
    run_cell("hddcrp", hddcrp(), evidence(), depends_on="x", seed=1, work=work)
    assert [path.suffixes for path in work.folder.iterdir()] == [[".npz"]]


def test_consensus_is_one_answer() -> None:
    system = clusterer("hddcrp", {"answer": "consensus", "runs": 2, "sweeps": 16})
    assert len(answers_of(system, evidence(), seed=1, jobs=1)) == 1


def test_finished_cell_is_read_when_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system, how = hddcrp(), {"depends_on": "x", "seed": 1}
    once = run_cell("hddcrp", system, evidence(), **how, work=work_in(tmp_path))  # type: ignore[arg-type]
    monkeypatch.setattr(Hddcrp, "cluster", None)
    again = run_cell("hddcrp", system, evidence(), **how, work=work_in(tmp_path, resume=True))  # type: ignore[arg-type]
    assert np.array_equal(once.answers, again.answers)
    assert np.array_equal(once.traces["events"], again.traces["events"])
    assert (once.ids, once.verdict, once.seconds) == (again.ids, again.verdict, again.seconds)


@pytest.mark.parametrize("what", ["settings", "seed", "mentions"])
def test_cell_of_another_experiment_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    run_cell("hddcrp", hddcrp(), evidence(), depends_on="x", seed=1, work=work_in(tmp_path))
    system = replace(hddcrp(), sweeps=11) if what == "settings" else hddcrp()
    monkeypatch.setattr(Hddcrp, "cluster", None)
    seed, depends_on = 2 if what == "seed" else 1, "y" if what == "mentions" else "x"
    work = work_in(tmp_path, resume=True)
    with pytest.raises(TypeError, match="not callable"):
        run_cell("hddcrp", system, evidence(), depends_on=depends_on, seed=seed, work=work)
