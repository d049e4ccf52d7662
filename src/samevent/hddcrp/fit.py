"""From a problem to its posterior: split it, solve what is small, sample the rest."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from samevent.errors import UsageError, check_type
from samevent.hddcrp import reference, weights
from samevent.hddcrp.chains import STARTS, Initial, LinkChain, settled, start
from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.components import Block, Split, split
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Floats, Problem, Rows
from samevent.hddcrp.reference import Exact
from samevent.hddcrp.result import ComponentPosterior, posterior_of, runs_of
from samevent.hddcrp.runner import Pace, Plan, Progress, Store, Task, run
from samevent.parallel import thread_pool
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.posterior import Posterior
from samevent.seeds import stream

Model = Literal["hddcrp", "ddcrp"]
Sampler = Literal["collapsed", "paper"]
PathLike = str | os.PathLike[str]

_BATCH = 4096
"""Plain runs combine small components into blocks of at least so many customers."""
_CUSTOMERS_PER_WAY = 32
"""Enumerating a block may take so many steps per configuration that `exact_limit` allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """Everything but the problem that the draws of `fit` depend on; `fit` explains the fields."""

    seed: int = 0
    model: Model = "hddcrp"
    sampler: Sampler = "collapsed"
    chains: int = 4
    sweeps: int = 800
    initial: Initial = "spread"
    exact_limit: float = 1e5
    keep: int = 100

    def __post_init__(self) -> None:
        _check_least(
            seed=(self.seed, 0), chains=(self.chains, 2), sweeps=(self.sweeps, 8), keep=(self.keep, 1),
            exact_limit=(self.exact_limit, 0),
        )  # fmt: skip
        _check_start(self.initial)

    @property
    def plan(self) -> Plan[LinkChain]:
        """Rounds of 1/8, 1/8, 1/4 and 1/2 of the sweeps, until chains agree."""
        eighth, quarter = self.sweeps // 8, self.sweeps // 4
        return Plan((eighth, eighth, quarter, self.sweeps - 2 * eighth - quarter), settled)


def fit(
    problem: Problem,
    *,
    seed: int = 0,
    model: Model = "hddcrp",
    sampler: Sampler = "collapsed",
    chains: int = 4,
    sweeps: int = 800,
    initial: Initial = "spread",
    exact_limit: float = 1e5,
    keep: int = 100,
    jobs: int = 1,
    time_limit: float | None = None,
    checkpoint: PathLike | None = None,
    progress: Progress | None = None,
    pace: Pace | None = None,
    check: bool = False,
) -> ComponentPosterior:
    """Return the posterior over partitions: which customers share a cluster, and how probable that is.

    Components with at most `exact_limit` ways to link are solved exactly. For each of the others `chains` run up
    to `sweeps` sweeps, in rounds of 1/8, 1/8, 1/4 and 1/2 of them, and end after any round but the first if they
    agree. `keep` is the number of samples in the result.

    The same seed gives the same bytes for any number of `jobs` (threads), and with a `checkpoint` (an `.npz` file,
    written every half minute) also after an interruption. A `time_limit` in seconds is the exception: it ends
    the run where it is. `check` verifies the sampler's bookkeeping after every sweep, which is slow.

    >>> problem = Problem(
    ...     document=[0, 1, 1],
    ...     words=Rows.counted([[0], [0], [1]]),
    ...     within=Rows.from_triples(3, [2], [1], [0.6]),
    ...     across=Rows.from_triples(3, [0, 1], [1, 0], [0.9, 0.9]),
    ... )
    >>> posterior = fit(problem)
    >>> posterior.best.tolist(), round(posterior.probability(0, 1), 3)
    ([0, 0, 1], 1.0)
    """
    check_type(problem, Problem, "a problem (samevent.hddcrp.Problem)")
    settings = FitSettings(
        seed=seed, model=model, sampler=sampler, chains=chains, sweeps=sweeps, initial=initial,
        exact_limit=exact_limit, keep=keep,
    )  # fmt: skip
    (posterior,) = fit_all(
        [(problem, settings)], jobs=jobs, time_limit=time_limit, checkpoint=checkpoint, progress=progress, pace=pace,
        check=check,
    )  # fmt: skip
    warn_unless_settled([posterior], stacklevel=3)
    return posterior


def sample(
    problem: Problem,
    *,
    seed: int = 0,
    model: Model = "hddcrp",
    sampler: Sampler = "collapsed",
    runs: int = 5,
    sweeps: int = 500,
    initial: Initial = "links",
    jobs: int = 1,
    checkpoint: PathLike | None = None,
    progress: Progress | None = None,
    pace: Pace | None = None,
) -> Posterior:
    """Sample everything for exactly so many sweeps, `runs` times from random links, as the paper does.

    The samples are the last ones of each run.
    """
    _check_least(seed=(seed, 0), runs=(runs, 1), sweeps=(sweeps, 1), jobs=(jobs, 1))
    _check_start(initial)
    settings = {
        "model": model, "sampler": sampler, "seed": seed, "runs": runs, "sweeps": sweeps, "initial": initial,
    }  # fmt: skip
    parts = _Layouts().split(problem, model, sampler, smallest=_BATCH)
    pace = pace or Pace()
    logs, compiled = Logs.of(problem), _worth_compiling(parts.sizes, runs * sweeps, pace)
    tasks = [
        Task.of(
            start(parts.block(number), logs, seed=seed, chain=chain, initial=initial, compiled=compiled)
            for chain in range(runs)
        )
        for number in range(len(parts))
    ]
    plan: Plan[LinkChain] = Plan((sweeps,))
    store = _store(checkpoint, problem, settings)
    run(tasks, plan, jobs=jobs, store=store, progress=progress, pace=pace)
    return runs_of(problem, parts, tasks, runs=runs, sweeps=sweeps, seed=seed)


def fit_all(
    problems: Sequence[tuple[Problem, FitSettings]],
    *,
    jobs: int = 1,
    time_limit: float | None = None,
    checkpoint: PathLike | None = None,
    progress: Progress | None = None,
    pace: Pace | None = None,
    check: bool = False,
    covered: bool = False,
) -> list[ComponentPosterior]:
    """Fit several problems as one run; each ends as it would alone. All have the same chains and sweeps.

    If they are `covered`, all pairs that a link may join are among those that problems watch.
    """
    _check_least(jobs=(jobs, 1), time_limit=(0 if time_limit is None else time_limit, 0))
    if not problems:
        return []
    pace = pace or Pace()
    layouts = _Layouts(covered=covered)
    fittings = [_Fitting(problem, settings, layouts) for problem, settings in problems]
    _solve(fittings, jobs, pace)
    sampled = np.concatenate([fitting.parts.sizes[fitting.sampled] for fitting in fittings])
    settings = fittings[0].settings
    compiled = check or _worth_compiling(sampled, settings.chains * settings.sweeps, pace)
    for fitting in fittings:
        fitting.tasks = {
            number: fitting.task(number, compiled=compiled, check=check)
            for number in fitting.sampled.tolist()
        }
    complete = run(
        [task for fitting in fittings for task in fitting.tasks.values()],
        settings.plan,
        jobs=jobs,
        time_limit=time_limit,
        store=_store(checkpoint, list(problems)),
        progress=progress,
        pace=pace,
    )
    return [
        posterior_of(
            fitting.problem, fitting.parts, fitting.logs, fitting.solved, fitting.tasks, settings.plan,
            chains=settings.chains, keep=settings.keep, complete=complete, seed=fitting.settings.seed,
        )
        for fitting in fittings
    ]  # fmt: skip


def warn_unless_settled(posteriors: Sequence[ComponentPosterior], *, stacklevel: int) -> None:
    """Issue one `ConvergenceWarning` if chains of some component disagree."""
    unsettled = [posterior for posterior in posteriors if not posterior.settled]
    if unsettled:
        several = f" (and {len(unsettled) - 1} more posteriors)" if len(unsettled) > 1 else ""
        warnings.warn(
            f"{unsettled[0].verdict}{several}: probabilities there may depend on where chains started. Try more "
            "sweeps; more chains, to average over what they disagree on; or fewer candidate links, which breaks large "
            "components into small ones.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


class _Layouts:
    """Splits of problems, made once for problems that share their candidate links and differ in weights only."""

    def __init__(self, *, covered: bool = False) -> None:
        self._covered = covered
        self._layouts: dict[object, Split] = {}

    def split(self, problem: Problem, model: Model, sampler: Sampler, *, smallest: int = 1) -> Split:
        links = _links(problem, model, sampler)
        shared = (problem.words, problem.within.columns, problem.across.columns, problem.must_link)
        also = (id(problem.cannot_link), id(problem.watch))
        key = (*(id(array) for array in shared), *also, model, sampler, smallest)
        if key not in self._layouts:
            numbered = [Rows(rows.starts, rows.columns, np.arange(len(rows.columns))) for rows in links]
            self._layouts[key] = split(
                problem.words,
                *numbered,
                must_link=problem.must_link,
                cannot_link=problem.cannot_link,
                watch=problem.watch,
                covered=self._covered,
                smallest=smallest,
                names=problem.names,
            )
        layout = self._layouts[key]
        laid_out = zip(layout.links, links, strict=True)
        values = tuple(
            Rows(order.starts, order.columns, rows.values[order.values]) for order, rows in laid_out
        )
        return replace(layout, links=values)


@dataclass(slots=True, eq=False)
class _Fitting:
    """One problem on its way to a posterior: what is small enough to be `exact`, and what is `sampled`."""

    problem: Problem
    settings: FitSettings
    layouts: _Layouts
    logs: Logs = field(init=False)
    parts: Split = field(init=False)
    blocks: Split = field(init=False)
    exact: NDArray[np.int64] = field(init=False)
    sampled: NDArray[np.int64] = field(init=False)
    solved: dict[int, Exact] = field(init=False, default_factory=dict)
    tasks: dict[int, Task[LinkChain]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        settings = self.settings
        self.logs = Logs.of(self.problem)
        self.parts = parts = self.layouts.split(self.problem, settings.model, "collapsed")
        # Both kinds of links join the same customers, so blocks have the same numbers in both splits.
        self.blocks = (
            parts
            if settings.sampler == "collapsed"
            else self.layouts.split(self.problem, settings.model, settings.sampler)
        )
        with np.errstate(over="ignore"):  # infinity is beyond every limit
            ways = parts.configurations()
            small = (ways <= settings.exact_limit) & (
                ways * parts.sizes <= _CUSTOMERS_PER_WAY * settings.exact_limit
            )
        several = parts.sizes > 1
        self.exact, self.sampled = np.flatnonzero(small & several), np.flatnonzero(~small & several)

    def task(self, number: int, *, compiled: bool, check: bool) -> Task[LinkChain]:
        """Begin the chains of one block."""
        settings, block = self.settings, self.blocks.block(number)
        keep = -(-settings.keep // settings.chains)
        return Task.of(
            start(
                block, self.logs, seed=settings.seed, chain=chain, initial=settings.initial, keep=keep,
                compiled=compiled, check=check,
            )
            for chain in range(settings.chains)
        )  # fmt: skip

    def steps(self) -> float:
        """Return about how many steps enumeration takes."""
        return float((self.parts.configurations()[self.exact] * self.parts.sizes[self.exact]).sum())


def _solve(fittings: Sequence[_Fitting], jobs: int, pace: Pace) -> None:
    """Enumerate the small blocks of all problems."""
    exact: Callable[[Block, Logs, Floats], Exact] = reference.exact
    if sum(fitting.steps() for fitting in fittings) > pace.compile_threshold / 10:
        from samevent.hddcrp import enumeration

        exact = enumeration.exact

    def solve(fitting: _Fitting, number: int) -> None:
        block, settings = fitting.parts.block(number), fitting.settings
        points = stream(settings.seed, "exact", block.name).random(settings.keep)
        fitting.solved[number] = exact(block, fitting.logs, points)

    with thread_pool(jobs) as starmap:
        starmap(solve, [(fitting, number) for fitting in fittings for number in fitting.exact.tolist()])


def _links(problem: Problem, model: Model, sampler: Sampler) -> tuple[Rows, ...]:
    known: Mapping[tuple[str, str], Callable[[], tuple[Rows, ...]]] = {
        ("hddcrp", "collapsed"): lambda: (weights.collapsed(problem),),
        ("hddcrp", "paper"): lambda: (weights.customer_links(problem), weights.table_links(problem)),
        ("ddcrp", "collapsed"): lambda: (weights.flat(problem),),
    }
    if (model, sampler) not in known:
        raise UsageError(
            f"there is no sampler {sampler!r} for the model {model!r}",
            expected=" or ".join(f"{sampler!r} for {model!r}" for model, sampler in known),
        )
    return known[model, sampler]()


def _worth_compiling(sizes: NDArray[np.int64], sweeps: int, pace: Pace) -> bool:
    return bool((sizes.astype(np.float64) ** 2).sum() * sweeps > pace.compile_threshold)


def _store(path: PathLike | None, *parts: Any) -> Store | None:
    return Store(Path(path), fingerprint(*parts)) if path is not None else None


def _check_least(**parameters: tuple[float, float]) -> None:
    for name, (value, least) in parameters.items():
        if not value >= least:
            raise UsageError(f"the parameter {name!r} is {value}", expected=f"{least} or more")


def _check_start(initial: Initial) -> None:
    if initial not in STARTS:
        raise UsageError(f"there is no start {initial!r}", expected=" or ".join(map(repr, STARTS)))
