"""ArviZ: traces as a DataTree, for its diagnostics and plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import UsageError

if TYPE_CHECKING:
    from xarray import DataTree


def data_tree(groups: Mapping[str, Mapping[str, NDArray[Any]]], attributes: Mapping[str, Any]) -> DataTree:
    """Return groups of traces as a DataTree with dimensions `chain` and `draw`."""
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
    variables = {
        group: {name.replace(" ", "_"): np.asarray(trace) for name, trace in traces.items()}
        for group, traces in groups.items()
    }
    tree: DataTree = from_dict(variables, attrs={"/": dict(attributes)})
    return tree
