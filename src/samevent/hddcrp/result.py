"""What `fit` returns: the posterior of a problem, put together from its independent components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.problem import Floats, Integers
from samevent.partitions.posterior import Posterior, Traces

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """One row per component, in the order of their first customers.

    Components with few `configurations` are `exact`. The others were sampled: `sweeps` of each chain, and how far
    chains differed on candidate pairs in the last round. They are `settled` if this was close enough.
    """

    first: Integers
    size: NDArray[np.int64]
    configurations: Floats
    exact: Flags
    sweeps: NDArray[np.int64]
    mean_difference: Floats
    in_different_modes: Floats
    settled: Flags

    def __len__(self) -> int:
        return len(self.first)

    @property
    def verdict(self) -> str:
        """How many components are exact, sampled and settled, in words."""
        several = self.size > 1
        exact, sampled = several & self.exact, ~self.exact
        text = (
            f"{len(self)} components, {int((~several).sum())} of them single customers; "
            f"{int(exact.sum())} solved exactly, {int(sampled.sum())} sampled"
        )
        if not (unsettled := sampled & ~self.settled).any():
            return f"{text}, all settled" if sampled.any() else text
        share = self.size[unsettled].sum() / max(1, self.size.sum())
        return f"{text}, {int(unsettled.sum())} not settled ({share:.1%} of the customers)"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ComponentPosterior(Posterior):
    """A posterior that is the product of its components' posteriors.

    `left` and `right` are the candidate pairs. `best` is the partition of the most probable links, assembled by
    component; rows of `last` are the partitions where each chain ended. Clusters are numbered by their first
    customers. Chains of different components have different lengths, so traces of the last round are kept by
    component, in `component_traces`, and `traces` is empty. `complete` is False if a time limit ended the run.
    """

    component: Integers
    best: Integers
    best_log_joint: float
    last: Integers
    components: Components
    component_traces: Mapping[int, Traces]
    complete: bool = True
