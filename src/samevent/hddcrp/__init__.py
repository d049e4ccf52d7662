"""The hierarchical distance-dependent Chinese restaurant process on arrays: a problem in, partitions out.

    problem = Problem(document=..., words=..., within=..., across=...)
    posterior = fit(problem, seed=7)

Knows nothing of text.
"""

from __future__ import annotations

from samevent.hddcrp.fit import fit, sample
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.result import ComponentPosterior, Components
from samevent.partitions.posterior import Posterior

__all__ = ["ComponentPosterior", "Components", "Posterior", "Problem", "Rows", "fit", "sample"]
