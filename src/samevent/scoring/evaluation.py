"""An evaluation: the scores of a system with counts, and on request intervals and a comparison with another system."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from samevent.scoring.bootstrap import Difference, Interval, differences, intervals
from samevent.scoring.pairing import Pairing
from samevent.scoring.scores import Scores, scores_of
from samevent.scoring.table import ABSENT

SAMPLES = 1000
"""Bootstrap draws of a comparison, unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a system; `other` and `differences` are those of the system it is compared with."""

    scores: Scores
    counts: dict[str, int]
    intervals: dict[str, Interval] = field(default_factory=dict)
    other: Scores | None = None
    differences: dict[str, Difference] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the scores, with everything else as further fields."""
        data: dict[str, Any] = self.scores.to_json() | {"counts": self.counts}
        if self.intervals:
            data["intervals"] = {name: asdict(interval) for name, interval in self.intervals.items()}
        if self.other is not None:
            compared = {name: asdict(difference) for name, difference in self.differences.items()}
            data["versus"] = {"scores": self.other.to_json(), "differences": compared}
        return data


def evaluate(
    system: Pairing, other: Pairing | None = None, *, samples: int | None = None, seed: int = 0
) -> Evaluation:
    """Score a system, with intervals from `samples` draws, and compare it with another system if there is one."""
    table = system.table()
    counts = {
        "units": len(system.units),
        "gold_mentions": int((system.gold != ABSENT).sum()),
        "system_mentions": int((system.system != ABSENT).sum()),
        "gold_clusters": len(table.gold_sizes),
        "system_clusters": len(table.system_sizes),
    }
    samples = SAMPLES if samples is None and other is not None else samples
    return Evaluation(
        scores=scores_of(system),
        counts=counts,
        intervals=intervals(system, samples=samples, seed=seed) if samples else {},
        other=None if other is None else scores_of(other),
        differences={}
        if other is None
        else differences(system, other, samples=samples or SAMPLES, seed=seed),
    )
