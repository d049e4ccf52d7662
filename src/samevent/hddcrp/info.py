"""What a stretch of sweeps tells: traces, pairs that were together, kept samples, the best links seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.components import Block
from samevent.hddcrp.problem import Floats, Integers


@dataclass(slots=True, eq=False)
class Info:
    """Filled sweep by sweep: `done` of the planned `len(log_joint)`.

    `together` counts the sweeps after which each candidate pair shared a cluster; every `every`-th sweep leaves
    its labels in `samples`. `best_log_joint` has one entry.
    """

    done: int
    every: int
    log_joint: Floats
    clusters: Integers
    changes: Integers
    together: Integers
    samples: Integers
    best_log_joint: Floats
    best_labels: Integers

    @classmethod
    def planned(cls, block: Block, sweeps: int, *, keep: int = 0) -> Info:
        """Make room for so many sweeps and kept samples."""
        keep = min(keep, sweeps)
        return cls(
            done=0,
            every=sweeps // keep if keep else sweeps + 1,
            log_joint=np.zeros(sweeps),
            clusters=np.zeros(sweeps, np.int32),
            changes=np.zeros(sweeps, np.int32),
            together=np.zeros(len(block.left), np.int32),
            samples=np.zeros((keep, len(block)), np.int32),
            best_log_joint=np.full(1, -np.inf),
            best_labels=np.zeros(len(block), np.int32),
        )

    @property
    def by_name(self) -> dict[str, NDArray[Any]]:
        """The arrays, in the order in which kernels take them."""
        names = "log_joint clusters changes together samples best_log_joint best_labels".split()
        return {name: getattr(self, name) for name in names}

    def note(self, block: Block, labels: NDArray[np.integer], log_joint: float, changes: int) -> None:
        """Write down what a sweep led to."""
        self.log_joint[self.done] = log_joint
        self.clusters[self.done] = labels.max() + 1
        self.changes[self.done] = changes
        self.together += labels[block.left] == labels[block.right]
        self.done += 1
        if self.done % self.every == 0 and self.done // self.every <= len(self.samples):
            self.samples[self.done // self.every - 1] = labels
        if log_joint > self.best_log_joint[0]:
            self.best_log_joint[0] = log_joint
            self.best_labels[:] = labels
