"""How far to trust a result: a verdict in words, and what the sampler's runs went through, to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.clusterers import Clustered

Trace = Sequence[Sequence[float]]
"""A row a run, a column a sweep."""

_GROUPS = 3
"""Of models that fall into groups of mentions, the largest groups are shown."""
_COLUMNS = 200
"""More sweeps than this are not seen in a plot."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Traces are named by what they show, such as `log joint` or `events`; `every` sweeps there is a column."""

    verdict: str = ""
    traces: Mapping[str, Trace] = field(default_factory=dict)
    every: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Clustered) -> Diagnostics:
        """Return what a clusterer tells of itself."""
        traces: dict[str, NDArray[Any]] = dict(found.traces)
        if found.posterior is not None:
            sizes = found.posterior.components.size
            largest = sorted(found.posterior.component_traces, key=lambda group: (-sizes[group], group))[
                :_GROUPS
            ]
            for number, group in enumerate(largest, 1):
                group_traces = found.posterior.component_traces[group]
                name = f"group {number} of {sizes[group]:,} mentions"
                traces[f"log joint, {name}"] = group_traces["log joint"]
                traces[f"events, {name}"] = group_traces["clusters"]
        every = {name: -(-rows.shape[1] // _COLUMNS) for name, rows in traces.items()}
        thinned = {
            name: np.round(rows[:, :: every[name]].astype(np.float64), 3).tolist()
            for name, rows in traces.items()
        }
        return cls(found.verdict, thinned, every)

    def plain(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {"verdict": self.verdict, "traces": dict(self.traces), "every": dict(self.every)}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Diagnostics:
        """Read what `plain` wrote."""
        return cls(str(data["verdict"]), dict(data["traces"]), dict(data["every"]))
