"""ArviZ: the traces of a sampler as a DataTree, for its diagnostics and plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import UsageError
from samevent.partitions.posterior import Posterior, Traces

if TYPE_CHECKING:
    from xarray import DataTree


def to_arviz(posterior: Posterior) -> DataTree:
    """Return the traces of a posterior as a DataTree with dimensions `chain` and `draw`.

    Traces of whole runs are in the group `posterior`. Where components were sampled on their own, those of component
    k are in `component_k/posterior`, because chains of different components have different lengths.
    """
    by_component: Mapping[int, Traces] = getattr(posterior, "component_traces", {})
    groups = {"posterior": _variables(posterior.traces)} if posterior.traces else {}
    groups |= {f"component_{k}/posterior": _variables(traces) for k, traces in by_component.items()}
    if not groups:
        raise UsageError(
            "this posterior has no traces to show in ArviZ",
            hint="components that are solved exactly leave none",
        )
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise UsageError(
            "to_arviz needs ArviZ, which is not installed",
            hint="install it with: python -m pip install 'samevent[arviz]'",
        ) from error
    attributes = {"/": {"seed": posterior.seed, "verdict": posterior.verdict}}
    tree: DataTree = from_dict(groups, attrs=attributes)
    return tree


def _variables(traces: Traces) -> dict[str, NDArray[Any]]:
    return {name.replace(" ", "_"): np.asarray(trace) for name, trace in traces.items()}
