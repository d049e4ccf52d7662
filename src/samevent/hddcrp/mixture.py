"""Many problems on one graph: the same customers, words and candidate links, with several sets of weights.

Where affinities are uncertain, each set of weights is one guess at them, and the mean of the posteriors is the answer.
All chains run as one batch; index arrays and words are shared. Weights of 0 take links away, so components may fall
apart: each problem is split by itself.

    posteriors = fit_many(problem, within=[f, g], across=[h, k], settings=FitSettings(sweeps=400))
    posterior = average(posteriors)

`fit_uncertain` does so for affinities that are odds, whose logarithms are all off by the same unknown amount.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri

from samevent.errors import DataError, UsageError
from samevent.hddcrp.chains import MEAN_DIFFERENCE
from samevent.hddcrp.fit import FitSettings, PathLike, fit_all, warn_unless_settled
from samevent.hddcrp.problem import LEAST, MOST, Floats, Problem, Rows
from samevent.hddcrp.result import ComponentPosterior
from samevent.hddcrp.runner import Countdown, Pace, Progress
from samevent.partitions.constraints import Constraints
from samevent.partitions.labels import canonical
from samevent.partitions.posterior import Posterior, Traces
from samevent.seeds import stream

_TOGETHER = 1 << 18
"""Members with more candidate pairs than this are fitted one after the other."""
_SHOWN = 3
"""How many components have their traces shown: the largest."""
LARGEST_LOG_ODDS = 50.0
"""Beyond this, odds are as good as certain; their products stay inside floating point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertainty:
    """What is not known about the log-odds of all pairs together: they are off by a normal variable.

    Its mean is `shift`, its standard deviation `spread`. Without any, log-odds are taken as they are.
    """

    shift: float = 0.0
    spread: float = 0.0

    def __post_init__(self) -> None:
        if not (abs(self.shift) <= LARGEST_LOG_ODDS and 0 <= self.spread <= LARGEST_LOG_ODDS):
            raise DataError(
                f"log-odds are off by {self.shift} on average, with a spread of {self.spread}",
                expected=f"numbers up to {LARGEST_LOG_ODDS:g}, and a spread of 0 or more",
            )

    def shifts(self, draws: int) -> Floats:
        """Return the medians of as many equally probable intervals of the variable, in ascending order.

        >>> Uncertainty(shift=1, spread=2).shifts(4).round(2).tolist()
        [-1.3, 0.36, 1.64, 3.3]
        """
        quantiles: Floats = self.shift + self.spread * ndtri((np.arange(draws) + 0.5) / draws)
        return quantiles


@dataclass(frozen=True, slots=True, eq=False)
class ComponentTrace:
    """The chains over one component: its size, its first customer, and one row per chain."""

    size: int
    first: int
    log_joint: Floats
    clusters: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Mixture(Posterior):
    """The equal mixture of the posteriors of several problems, its `draws` members.

    `sampled` components were sampled, all members together, the others are exact. `chain_difference` is how far P(same
    cluster) would differ between chains, for each customer: members are independent. The mixture is `settled` if that
    is little, whether each member has settled or not. `largest` are the traces of the member in the middle. `complete`
    is False if a time limit ended the run. `members` are kept unless the problem was solved in batches.
    """

    draws: int
    sampled: int
    chain_difference: Floats
    complete: bool = True
    largest: tuple[ComponentTrace, ...] = ()
    members: tuple[ComponentPosterior, ...] = ()

    @classmethod
    def of(cls, members: Sequence[ComponentPosterior]) -> Mixture:
        """Average posteriors."""
        mean = average(members)
        known = {field.name: getattr(mean, field.name) for field in fields(Posterior) if field.init}
        squares = [member.components.mean_difference[member.component] ** 2 for member in members]
        difference: Floats = np.sqrt(np.sum(squares, axis=0)) / len(members)
        known["settled"] = bool((difference <= MEAN_DIFFERENCE).all())
        return cls(
            **known,
            draws=len(members),
            sampled=sum(int((~member.components.exact).sum()) for member in members),
            chain_difference=difference,
            complete=all(member.complete for member in members),
            largest=largest_traces(members[len(members) // 2]),
            members=tuple(members),
        )


def largest_traces(posterior: ComponentPosterior) -> tuple[ComponentTrace, ...]:
    """Return the traces of the largest components that were sampled, the largest first."""
    components = posterior.components
    return largest_of(
        ComponentTrace(
            int(components.size[number]),
            int(components.first[number]),
            traces["log joint"],
            traces["clusters"],
        )
        for number, traces in posterior.component_traces.items()
    )


def largest_of(traces: Iterable[ComponentTrace]) -> tuple[ComponentTrace, ...]:
    """Return those to show."""
    return tuple(sorted(traces, key=lambda trace: (-trace.size, trace.first))[:_SHOWN])


def named_traces(traces: Sequence[ComponentTrace]) -> Traces:
    """Return traces under the names that a report shows."""
    named: dict[str, NDArray[np.generic]] = {}
    for number, trace in enumerate(traces, 1):
        name = f"component {number} of {trace.size:,} mentions"
        named[f"log joint, {name}"] = trace.log_joint
        named[f"events, {name}"] = trace.clusters
    return named


def fit_uncertain(
    problem: Problem,
    uncertainty: Uncertainty,
    *,
    within: ArrayLike,
    across: ArrayLike,
    draws: int = 16,
    truncation: float = 0.0,
    settings: FitSettings | None = None,
    jobs: int = 1,
    time_limit: float | None = None,
    checkpoint: PathLike | None = None,
    progress: Progress | None = None,
    pace: Pace | None = None,
) -> Mixture:
    """Integrate the posterior over what is not known about the affinities.

    `within` and `across` are the log-odds of the candidate links, in the order of the problem's affinities. Given a
    shift, a link whose shifted log-odds fall below `truncation` is impossible, and that of any other is its odds times
    the affinity of the problem. The result is the equal mixture over `draws` quantiles of the shift: nothing flows back
    from the clusters to it. Members differ in their random streams; P(same cluster) of all candidate pairs is
    known as exactly as each member knows it, whether the pair may link there or not.

    >>> problem = Problem(
    ...     document=[0, 1], words=[[0], [0]], within=Rows.empty(2), across=Rows.from_triples(2, [0], [1], [1.0]),
    ...     alpha_across=0.001, likelihood_weight=0,
    ... )
    >>> sure = fit_uncertain(problem, Uncertainty(), within=[], across=[2.0], draws=1)
    >>> unsure = fit_uncertain(problem, Uncertainty(spread=2), within=[], across=[2.0], draws=16)
    >>> round(sure.probability(0, 1), 2), round(unsure.probability(0, 1), 2)
    (1.0, 0.81)
    """
    shifts = uncertainty.shifts(draws)
    settings = settings or FitSettings()
    watching = _changed(problem, watch=_joined_pairs(problem))
    seeds = [settings.seed, *stream(settings.seed, "members").integers(2**62, size=draws - 1).tolist()]

    def member(number: int) -> tuple[Problem, FitSettings]:
        shift = shifts[number : number + 1]
        (inner,), (outer,) = (
            _odds(rows, scores, shift, truncation)
            for rows, scores in ((problem.within, within), (problem.across, across))
        )
        return reweighted(watching, within=inner, across=outer), replace(settings, seed=seeds[number])

    if len(watching.watch) > _TOGETHER:
        return _one_by_one(
            member, watching, settings.seed, draws, jobs, time_limit, checkpoint, progress, pace
        )
    members = fit_all(
        [member(number) for number in range(draws)],
        jobs=jobs,
        time_limit=time_limit,
        checkpoint=checkpoint,
        progress=progress,
        pace=pace,
        covered=True,
    )
    mixture = Mixture.of(members)
    if not mixture.settled:
        warn_unless_settled(members, stacklevel=3)
    return mixture


def _one_by_one(
    member: Callable[[int], tuple[Problem, FitSettings]],
    problem: Problem,
    seed: int,
    draws: int,
    jobs: int,
    time_limit: float | None,
    checkpoint: PathLike | None,
    progress: Progress | None,
    pace: Pace | None,
) -> Mixture:
    """Fit members one after the other, as they end together, and add them up: only one needs memory at a time."""
    left, right = problem.watch.T
    codes = left.astype(np.int64) * problem.customers + right
    together, squares = np.zeros(len(codes)), np.zeros(problem.customers)
    samples: list[NDArray[np.int32]] = []
    components: list[Posterior] = []
    verdicts: dict[str, None] = {}
    sampled, complete = 0, True
    largest: tuple[ComponentTrace, ...] = ()
    clock = Countdown(time_limit, draws)
    for number in range(draws):
        if number and clock.over:  # the members so far make the mixture
            complete = False
            break
        (one,) = fit_all(
            [member(number)], jobs=jobs, time_limit=clock.share(1), pace=pace, covered=True,
            checkpoint=None if checkpoint is None else _beside(Path(checkpoint), number),
            progress=None if progress is None else clock.part_of(progress),
        )  # fmt: skip
        clock.done += 1
        together[np.searchsorted(codes, one.left.astype(np.int64) * problem.customers + one.right)] += (
            one.together
        )
        squares += one.components.mean_difference[one.component] ** 2
        samples.append(one.samples)
        components.append(Posterior(samples=one.samples[:1], component=one.component))
        verdicts[one.verdict] = None
        sampled += int((~one.components.exact).sum())
        complete &= one.complete
        if number == draws // 2:
            largest = largest_traces(one)
    done = len(samples)
    difference: Floats = np.sqrt(squares) / done
    return Mixture(
        samples=np.stack([samples[at % done] for at in range(draws)], axis=1).reshape(-1, problem.customers),
        left=left,
        right=right,
        together=together / done,
        component=_joined_components(components),
        verdict="; ".join(verdicts),
        settled=bool((difference <= MEAN_DIFFERENCE).all()),
        seed=seed,
        must_link=problem.must_link,
        cannot_link=problem.cannot_link,
        draws=draws,
        sampled=sampled,
        chain_difference=difference,
        complete=complete,
        largest=largest,
    )


def _beside(path: Path, number: int) -> Path:
    """Return the checkpoint of one member."""
    return path.with_name(f"{path.stem}-member{number}{path.suffix}")


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
    return _changed(
        problem,
        within=_with_values("within", problem.within, within),
        across=_with_values("across", problem.across, across),
    )


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
    listed = [one.left.astype(np.int64) * customers + one.right for one in posteriors]
    codes = _union(listed)
    left, right = np.divmod(codes, max(1, customers))
    together = np.zeros(len(codes))
    for one, own in zip(
        posteriors, listed, strict=True
    ):  # a mean of a single column would add in another order
        known = np.searchsorted(codes, own)
        together[known] += one.together
        rest = np.ones(len(codes), np.bool_)
        rest[known] = False
        if one.component is not None:  # pairs across components are never together
            rest &= one.component[left] == one.component[right]
        together[rest] += one.probabilities(left[rest], right[rest])
    together /= len(posteriors)
    return Posterior(
        samples=np.stack([one.samples for one in posteriors], axis=1).reshape(
            len(posteriors) * len(first.samples), customers
        ),
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


def _joined_pairs(problem: Problem) -> Constraints:
    """Return the pairs of customers that a link may join or a must-link does, sorted, the smaller customer first."""
    must = problem.must_link
    rows = np.concatenate([problem.within.rows, problem.across.rows, must[:, 0]])
    columns = np.concatenate([problem.within.columns, problem.across.columns, must[:, 1]])
    codes = np.minimum(rows, columns) * problem.customers + np.maximum(rows, columns)
    codes.sort()
    codes = codes[np.diff(codes, prepend=-1) > 0]
    return np.stack(np.divmod(codes, max(1, problem.customers)), axis=1).astype(np.int32)


def _union(sets: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the numbers that occur in some of several sorted arrays, sorted; quick if one holds most of them."""
    union = max(sets, key=len)
    for numbers in sets:
        place = np.searchsorted(union, numbers)
        absent = place == len(union)
        absent[~absent] = union[place[~absent]] != numbers[~absent]
        if absent.any():
            union = np.union1d(union, numbers[absent])
    return union


def _changed(problem: Problem, **changes: object) -> Problem:
    """Return a problem with other fields that are known to be valid; the others are shared."""
    twin = object.__new__(Problem)
    for field in fields(Problem):
        object.__setattr__(twin, field.name, changes.get(field.name, getattr(problem, field.name)))
    return twin


def _odds(links: Rows, log_odds: ArrayLike, shifts: Floats, truncation: float) -> Floats:
    """Return one row of affinities per shift: weights times odds, 0 below the truncation."""
    scores = np.asarray(log_odds, np.float64)
    if scores.shape != links.values.shape:
        raise DataError(
            f"there are log-odds of the shape {scores.shape}",
            expected=f"{links.values.shape}, one per candidate link",
        )
    shifted = np.clip(scores + shifts[:, np.newaxis], -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)
    odds: Floats = np.where(shifted >= truncation, links.values * np.exp(shifted), 0.0)
    return odds


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
