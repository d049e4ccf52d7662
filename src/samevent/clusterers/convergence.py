"""How the chains behind an integrated posterior went: small, and additive over independent parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.chains import MEAN_DIFFERENCE
from samevent.hddcrp.mixture import ComponentTrace, Mixture, largest_of


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
        traces = mixture.largest
        if rows is not None:
            traces = tuple(replace(trace, first=int(rows[trace.first])) for trace in traces)
        return cls(
            members=mixture.draws,
            sampled=mixture.sampled,
            mentions=mixture.customers,
            unsettled=int((mixture.chain_difference > MEAN_DIFFERENCE).sum()),
            complete=mixture.complete,
            traces=traces,
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
            traces=largest_of(trace for part in parts for trace in part.traces),
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
