"""How the chains behind an integrated posterior went: small, and additive over independent parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp import ComponentPosterior, Mixture
from samevent.hddcrp.chains import MEAN_DIFFERENCE
from samevent.partitions.posterior import Traces

_SHOWN = 3
"""How many components have their traces shown: the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class ComponentTrace:
    """The chains over one component: its size, its first mention, and one row per chain."""

    size: int
    first: int
    log_joint: NDArray[np.float64]
    clusters: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Convergence:
    """Components sampled in all members together, mentions on which chains differ, and the largest components' traces.

    `traces` come from the member in the middle.
    """

    members: int
    sampled: int
    mentions: int
    unsettled: int
    complete: bool
    traces: tuple[ComponentTrace, ...]

    @classmethod
    def of(cls, mixture: Mixture, rows: NDArray[np.integer] | None = None) -> Convergence:
        """Describe a mixture; `rows` are the numbers of its customers in a larger whole."""
        members = mixture.members
        return cls(
            members=len(members),
            sampled=sum(int((~member.components.exact).sum()) for member in members),
            mentions=mixture.customers,
            unsettled=int((mixture.chain_difference > MEAN_DIFFERENCE).sum()),
            complete=mixture.complete,
            traces=largest_traces(members[len(members) // 2], rows),
        )

    @classmethod
    def joined(cls, parts: Sequence[Convergence], *, members: int, mentions: int) -> Convergence:
        """Describe the whole, of which mentions in no part are alone."""
        return cls(
            members=members,
            sampled=sum(part.sampled for part in parts),
            mentions=mentions,
            unsettled=sum(part.unsettled for part in parts),
            complete=all(part.complete for part in parts),
            traces=_largest(trace for part in parts for trace in part.traces),
        )

    @property
    def settled(self) -> bool:
        """Whether chains agree everywhere."""
        return self.unsettled == 0

    @property
    def verdict(self) -> str:
        """How far the posterior can be trusted, in the words of users."""
        text = (
            f"integrated over {self.members} shifts of the similarities; {self.sampled:,} components sampled, "
            "others exact"
        )
        if not self.complete:
            text += ", stopped by the time limit"
        if self.settled:
            return f"{text}; all settled"
        share = self.unsettled / self.mentions
        return f"{text}; {share:.1%} of the mentions have not settled: try more sweeps or runs"


def largest_traces(
    posterior: ComponentPosterior, rows: NDArray[np.integer] | None = None
) -> tuple[ComponentTrace, ...]:
    """Return the traces of the largest components that were sampled, the largest first."""
    components = posterior.components
    return _largest(
        ComponentTrace(
            int(components.size[number]),
            int(components.first[number] if rows is None else rows[components.first[number]]),
            traces["log joint"],
            traces["clusters"],
        )
        for number, traces in posterior.component_traces.items()
    )


def named_traces(traces: Sequence[ComponentTrace]) -> Traces:
    """Return traces under the names that a report shows."""
    named: dict[str, NDArray[np.generic]] = {}
    for number, trace in enumerate(traces, 1):
        name = f"component {number} of {trace.size:,} mentions"
        named[f"log joint, {name}"] = trace.log_joint
        named[f"events, {name}"] = trace.clusters
    return named


def _largest(traces: Iterable[ComponentTrace]) -> tuple[ComponentTrace, ...]:
    return tuple(sorted(traces, key=lambda trace: (-trace.size, trace.first))[:_SHOWN])
