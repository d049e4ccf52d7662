"""Many problems on one graph: the same customers, words and candidate links, with several sets of weights.

Where affinities are uncertain, each set of weights is one guess at them, and the mean of the posteriors is the answer.
All chains run as one batch; index arrays and words are shared. Weights of 0 take links away, so components may fall
apart: each problem is split by itself.

    posteriors = fit_many(problem, within=[f, g], across=[h, k], settings=FitSettings(sweeps=400))
    posterior = average(posteriors)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.errors import DataError, UsageError
from samevent.hddcrp.fit import FitSettings, PathLike, fit_all, warn_unless_settled
from samevent.hddcrp.problem import LEAST, MOST, Floats, Problem, Rows
from samevent.hddcrp.result import ComponentPosterior
from samevent.hddcrp.runner import Pace, Progress
from samevent.partitions.labels import canonical
from samevent.partitions.posterior import Posterior


def fit_many(
    problem: Problem,
    *,
    within: ArrayLike,
    across: ArrayLike,
    settings: FitSettings | None = None,
    seeds: Sequence[int] | None = None,
    jobs: int = 1,
    time_limit: float | None = None,
    checkpoint: PathLike | None = None,
    progress: Progress | None = None,
    pace: Pace | None = None,
) -> list[ComponentPosterior]:
    """Fit a problem once for each row of `within` and `across`, which replace the values of its affinities.

    A weight of 0 makes a link impossible. Each posterior is that of `fit(reweighted(problem, ...))`, bit for bit, with
    the seed of the settings or its own of `seeds`.
    """
    inner, outer = np.atleast_2d(np.asarray(within)), np.atleast_2d(np.asarray(across))
    settings = settings or FitSettings()
    seeds = [settings.seed] * len(inner) if seeds is None else seeds
    if not len(inner) == len(outer) == len(seeds):
        raise UsageError(
            f"there are {len(inner)} rows of 'within', {len(outer)} rows of 'across' and {len(seeds)} seeds",
            expected="one of each per problem",
        )
    problems = [reweighted(problem, within=f, across=g) for f, g in zip(inner, outer, strict=True)]
    posteriors = fit_all(
        [(one, replace(settings, seed=seed)) for one, seed in zip(problems, seeds, strict=True)],
        jobs=jobs,
        time_limit=time_limit,
        checkpoint=checkpoint,
        progress=progress,
        pace=pace,
    )
    warn_unless_settled(posteriors, stacklevel=3)
    return posteriors


def reweighted(problem: Problem, *, within: ArrayLike, across: ArrayLike) -> Problem:
    """Return a problem with other values for its affinities, in their order; links of weight 0 are left out.

    Everything else is shared with the problem.

    >>> problem = Problem(
    ...     document=[0, 0, 1], words=[[1], [1], [1]], within=Rows.from_triples(3, [1], [0], [0.9]),
    ...     across=Rows.from_triples(3, [2, 2], [0, 1], [0.8, 0.7]),
    ... )
    >>> reweighted(problem, within=[0.5], across=[0.0, 0.6]).across.columns.tolist()
    [1]
    """
    twin = object.__new__(Problem)
    for field in fields(Problem):
        object.__setattr__(twin, field.name, getattr(problem, field.name))
    object.__setattr__(twin, "within", _with_values("within", problem.within, within))
    object.__setattr__(twin, "across", _with_values("across", problem.across, across))
    return twin


def average(posteriors: Sequence[Posterior]) -> Posterior:
    """Return the equal mixture of posteriors over the same customers.

    P(same cluster) of a pair that any of them lists is the mean over all; where one does not list it, its samples are
    counted. Samples of all posteriors come along, one of each in turn, so all must have the same number. Customers that
    some posterior puts into one component are in one component.
    """
    shapes = {posterior.samples.shape for posterior in posteriors}
    if len(shapes) != 1:
        raise DataError(
            f"the samples of {len(posteriors)} posteriors have the shapes {sorted(shapes)}",
            expected="at least one posterior, and the same shape for all",
        )
    first, customers = posteriors[0], posteriors[0].customers
    codes = np.unique(
        np.concatenate([one.left.astype(np.int64) * customers + one.right for one in posteriors])
    )
    left, right = np.divmod(codes, max(1, customers))
    together: Floats = np.mean([one.probabilities(left, right) for one in posteriors], axis=0)
    return Posterior(
        samples=np.stack([one.samples for one in posteriors], axis=1).reshape(-1, customers),
        left=left.astype(np.int32),
        right=right.astype(np.int32),
        together=together,
        component=_joined_components(posteriors),
        verdict="; ".join(dict.fromkeys(one.verdict for one in posteriors)),
        settled=all(one.settled for one in posteriors),
        seed=first.seed,
        must_link=first.must_link,
        cannot_link=first.cannot_link,
    )


def _with_values(name: str, links: Rows, values: ArrayLike) -> Rows:
    weights = np.asarray(values, np.float64)
    if weights.shape != links.values.shape:
        raise DataError(
            f"{name!r} has weights of the shape {weights.shape}",
            expected=f"{links.values.shape}, one per candidate link",
        )
    bad = ~((weights == 0) | ((weights >= LEAST) & (weights <= MOST)))
    if bad.any():
        raise DataError(
            f"{name!r} has the weight {weights[np.argmax(bad)]} at entry {int(np.argmax(bad))}",
            expected=f"0 or a number from {LEAST:g} to {MOST:g}",
        )
    if (weights > 0).all():
        return Rows(links.starts, links.columns, weights)
    kept = weights > 0
    starts = np.concatenate([[0], np.cumsum(kept)])[links.starts]
    return Rows(starts.astype(np.int64), links.columns[kept], weights[kept])


def _joined_components(posteriors: Sequence[Posterior]) -> NDArray[np.int32] | None:
    """Label customers that share a component in some posterior alike, or return None if some have no components."""
    components = [one.component for one in posteriors if one.component is not None]
    if len(components) < len(posteriors):
        return None
    customers = len(components[0])
    firsts = []
    for component in components:
        first = np.full(customers, customers, np.int64)
        np.minimum.at(first, component, np.arange(customers))
        firsts.append(first[component])
    rows, columns = np.tile(np.arange(customers), len(firsts)), np.concatenate(firsts)
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(customers, customers))
    label = connected_components(graph, directed=False)[1] if customers else np.zeros(0, np.int64)
    return canonical(label).astype(np.int32)
