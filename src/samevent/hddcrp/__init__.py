"""The hierarchical distance-dependent Chinese restaurant process on arrays.

    problem = Problem(document=..., words=..., within=..., across=...)
    posterior = fit(problem, seed=7)

`HDDCRP` offers the same as an estimator in the manner of scikit-learn. Nothing here knows about text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samevent.hddcrp.affinity import affinity_from_distance, split_affinity
from samevent.hddcrp.fit import FitSettings, fit, sample
from samevent.hddcrp.mixture import Mixture, Uncertainty, average, fit_many, fit_uncertain
from samevent.hddcrp.problem import Problem
from samevent.hddcrp.result import ComponentPosterior, Components
from samevent.partitions.posterior import Posterior

if TYPE_CHECKING:
    from samevent.hddcrp.estimator import HDDCRP

__all__ = [
    "HDDCRP",
    "ComponentPosterior",
    "Components",
    "FitSettings",
    "Mixture",
    "Posterior",
    "Problem",
    "Uncertainty",
    "affinity_from_distance",
    "average",
    "fit",
    "fit_many",
    "fit_uncertain",
    "sample",
    "split_affinity",
]


def __getattr__(name: str) -> Any:
    if name == "HDDCRP":  # importing scikit-learn takes a second, and the other names do not need it
        from samevent.hddcrp.estimator import HDDCRP

        return HDDCRP
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
