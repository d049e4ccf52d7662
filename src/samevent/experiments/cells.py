"""One cell of a table: one system on one set of mentions, stored on disk when it finishes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samevent.clusterers import Clusterer, Evidence
from samevent.clusterers.base import Clustered, Floats, Labels
from samevent.corpus import Clustering
from samevent.experiments.work import Work
from samevent.hddcrp import checkpoint as files
from samevent.hddcrp.batches import remove_checkpoint
from samevent.partitions.diagnostics import ConvergenceWarning

_TRACE = "trace "


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The answer of a system.

    Rows of `answers` are partitions whose scores are averaged: the last sample of each run, or one consensus.
    `reported` is the partition that a user would get.
    """

    ids: tuple[str, ...]
    answers: Labels
    reported: Labels
    traces: Mapping[str, Floats]
    verdict: str
    seconds: float

    @property
    def clusterings(self) -> tuple[Clustering, ...]:
        """The answers as partitions of mention ids."""
        rows = self.answers.tolist()
        return tuple(Clustering.from_labels(dict(zip(self.ids, row, strict=True))) for row in rows)


def run_cell(
    name: str, system: Clusterer, evidence: Evidence, *, depends_on: str, seed: int, work: Work
) -> Cell:
    """Run a system on mentions, or read its stored answer; `depends_on` identifies mentions and model."""
    mark = f"{name} {system!r} {seed} {depends_on}"
    file = work.path_for(name, mark).with_suffix(".npz")
    if work.is_done(file):
        return _loaded(evidence.table.ids, file, mark)
    checkpoint = file.with_suffix(".checkpoint.npz")
    if not work.resume:
        remove_checkpoint(checkpoint)
    started = time.perf_counter()
    size = system.total_sweeps
    with work.progress(name, size) as done:
        found = _clustered(
            system,
            evidence,
            seed=seed,
            jobs=work.jobs,
            progress=lambda part, whole: done(size * part // max(1, whole)),
            checkpoint=checkpoint,
        )
    seconds = round(time.perf_counter() - started, 1)
    cell = Cell(
        found.ids,
        _answers(system, found),
        found.labels,
        found.posterior.traces,
        found.posterior.verdict,
        seconds,
    )
    _save(cell, file, mark)
    remove_checkpoint(checkpoint)
    work.log(f"{name}: {cell.seconds:.0f} s")
    return cell


def answers_of(system: Clusterer, evidence: Evidence, *, seed: int, jobs: int) -> Labels:
    """Run a system and return the partitions whose scores are averaged, without storing anything."""
    return _answers(system, _clustered(system, evidence, seed=seed, jobs=jobs))


def _clustered(system: Clusterer, evidence: Evidence, **how: Any) -> Clustered:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the verdict says it
        return system.cluster(evidence, **how)


def _answers(system: Clusterer, found: Clustered) -> Labels:
    return found.posterior.samples if system.answer == "last" else found.labels[np.newaxis]


def _save(cell: Cell, file: Path, mark: str) -> None:
    traces = {f"{_TRACE}{name}": values for name, values in cell.traces.items()}
    about = {"verdict": np.array(cell.verdict), "seconds": np.array(cell.seconds)}
    files.save(file, mark, {"answers": cell.answers, "reported": cell.reported, **about, **traces})


def _loaded(ids: tuple[str, ...], file: Path, mark: str) -> Cell:
    arrays = files.load(file, mark) or {}
    return Cell(
        ids=ids,
        answers=arrays["answers"],
        reported=arrays["reported"],
        traces={name.removeprefix(_TRACE): a for name, a in arrays.items() if name.startswith(_TRACE)},
        verdict=str(arrays["verdict"]),
        seconds=float(arrays["seconds"]),
    )
