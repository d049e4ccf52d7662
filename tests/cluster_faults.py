"""Faults for the workers of a cluster: installed in every worker process, those that are started again too."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samevent.stages import linking, reading, sampling, writing

distributed = pytest.importorskip(
    "distributed", reason='needs Dask (python -m pip install "samevent[cluster]")'
)

INSIDE = {
    "reading": (reading, "_prepared"),
    "linking": (linking, "score_pairs"),
    "sampling": (sampling, "_solved"),
    "writing": (writing, "_rows"),
}
"""A function that tasks of each stage call, and its module."""


class Fault(distributed.WorkerPlugin):  # type: ignore[misc, name-defined]
    """A plugin of workers that puts something before a function of a stage."""

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self.name = f"{type(self).__name__} in {stage}"

    def strike(self, *arguments: Any) -> None:
        raise NotImplementedError

    def setup(self, worker: Any) -> None:
        module, name = INSIDE[self._stage]
        usual: Callable[..., Any] = getattr(module, name)

        def faulty(*arguments: Any, **options: Any) -> Any:
            self.strike(*arguments)
            return usual(*arguments, **options)

        setattr(module, name, faulty)


class DieOnce(Fault):
    """One worker is killed in the middle of a task, and leaves a file behind."""

    def __init__(self, stage: str, trace: Path) -> None:
        super().__init__(stage)
        self._trace = trace

    def strike(self, *arguments: Any) -> None:
        try:
            os.close(os.open(self._trace, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


class FailOn(Fault):
    """Whatever reads a certain document fails, or dies."""

    def __init__(self, document: str, *, kill: bool = False) -> None:
        super().__init__("reading")
        self._document, self._kill = document, kill

    def strike(self, *arguments: Any) -> None:
        if any(document.id == self._document for document in arguments[1]):
            if self._kill:
                os.kill(os.getpid(), signal.SIGKILL)
            raise ValueError("no such thing")
