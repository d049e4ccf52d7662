"""The hierarchical distance-dependent Chinese restaurant process on arrays: a problem in, partitions out.

    problem = Problem(document=..., words=..., within=..., across=...)
    posterior = fit(problem, seed=7)

Knows nothing of text.
"""

from __future__ import annotations

from samevent.hddcrp.fit import fit, sample
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.result import Components, Posterior, Runs, Trace

__all__ = ["Components", "Posterior", "Problem", "Rows", "Runs", "Trace", "fit", "sample"]
