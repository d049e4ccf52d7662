"""From a problem to its posterior: split it, solve what is small, sample the rest."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samevent.errors import UsageError
from samevent.hddcrp import reference, weights
from samevent.hddcrp.assembly import posterior_of, runs_of
from samevent.hddcrp.chains import STARTS, Initial, LinkChain, settled, start
from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.components import Block, Split, split
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.problem import Floats, Problem, Rows
from samevent.hddcrp.reference import Exact
from samevent.hddcrp.result import ComponentPosterior
from samevent.hddcrp.runner import Pace, Plan, Progress, Store, Task, run
from samevent.parallel import thread_pool
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.partitions.posterior import Posterior
from samevent.seeds import stream

Model = Literal["hddcrp", "ddcrp"]
Sampler = Literal["collapsed", "paper"]
PathLike = str | os.PathLike[str]

_BATCH = 4096
"""Plain runs sweep small components together until there are so many customers."""
_CUSTOMERS_A_WAY = 32
"""A block counts as small only if going through it takes no more than so many steps for each way allowed."""
_COMPILE_THRESHOLD = 100_000
"""Steps of plain Python that take about as long as loading compiled code; below, nobody waits for a compiler."""


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
    """Find who belongs together, and how sure that is.

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
    _check_least(seed=(seed, 0), chains=(chains, 2), sweeps=(sweeps, 8), keep=(keep, 1), jobs=(jobs, 1))
    _check_least(exact_limit=(exact_limit, 0), time_limit=(0 if time_limit is None else time_limit, 0))
    _check_start(initial)
    settings = {
        "model": model, "sampler": sampler, "seed": seed, "chains": chains, "sweeps": sweeps, "initial": initial,
        "exact_limit": exact_limit, "keep": keep,
    }  # fmt: skip
    logs = Logs.of(problem)
    parts = _split(problem, model, "collapsed")
    # Both kinds of links join the same customers, so blocks have the same numbers in both splits.
    blocks = parts if sampler == "collapsed" else _split(problem, model, sampler)
    with np.errstate(over="ignore"):  # infinitely many are too many, too
        small = parts.configurations() <= exact_limit
        small &= parts.configurations() * parts.sizes <= _CUSTOMERS_A_WAY * exact_limit
    several = parts.sizes > 1
    solved = _solved(parts, np.flatnonzero(small & several), logs, seed=seed, keep=keep, jobs=jobs)

    plan = Plan(_rounds(sweeps), settled)
    sampled = np.flatnonzero(~small & several)
    compiled = check or _worth_compiling(parts.sizes[sampled], chains * sweeps)

    def task(number: int) -> Task[LinkChain]:
        block = blocks.block(number)
        how = {
            "seed": seed,
            "initial": initial,
            "keep": -(-keep // chains),
            "compiled": compiled,
            "check": check,
        }
        return Task.of(start(block, logs, chain=chain, **how) for chain in range(chains))  # type: ignore[arg-type]

    tasks = {number: task(number) for number in sampled.tolist()}
    complete = run(
        list(tasks.values()),
        plan,
        jobs=jobs,
        time_limit=time_limit,
        store=_store(checkpoint, problem, settings),
        progress=progress,
        pace=pace,
    )
    posterior = posterior_of(
        problem, parts, logs, solved, tasks, plan, chains=chains, keep=keep, complete=complete, seed=seed
    )
    if not posterior.settled:
        warnings.warn(
            f"{posterior.verdict}: probabilities there may depend on where chains started. Try more sweeps; more "
            "chains, to average over what they disagree on; or fewer candidate links, which breaks large "
            "components into small ones.",
            ConvergenceWarning,
            stacklevel=2,
        )
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
    """Sample everything for exactly so many sweeps, `runs` times from random links, as the paper does."""
    _check_least(seed=(seed, 0), runs=(runs, 1), sweeps=(sweeps, 1), jobs=(jobs, 1))
    _check_start(initial)
    settings = {
        "model": model,
        "sampler": sampler,
        "seed": seed,
        "runs": runs,
        "sweeps": sweeps,
        "initial": initial,
    }
    parts = _split(problem, model, sampler, smallest=_BATCH)
    logs, compiled = Logs.of(problem), _worth_compiling(parts.sizes, runs * sweeps)
    tasks = [
        Task.of(
            start(parts.block(number), logs, seed=seed, chain=chain, initial=initial, compiled=compiled)
            for chain in range(runs)
        )
        for number in range(len(parts))
    ]
    plan: Plan[LinkChain] = Plan((sweeps,))
    run(
        tasks,
        plan,
        jobs=jobs,
        store=_store(checkpoint, problem, settings),
        progress=progress,
        pace=pace,
    )
    return runs_of(problem, parts, tasks, runs=runs, sweeps=sweeps, seed=seed)


def _split(problem: Problem, model: Model, sampler: Sampler, *, smallest: int = 1) -> Split:
    return split(
        problem.words,
        *_links(problem, model, sampler),
        must_link=problem.must_link,
        cannot_link=problem.cannot_link,
        smallest=smallest,
    )


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


def _solved(
    parts: Split, numbers: NDArray[np.int64], logs: Logs, *, seed: int, keep: int, jobs: int
) -> dict[int, Exact]:
    """Enumerate the blocks of these numbers."""
    exact: Callable[[Block, Logs, Floats], Exact] = reference.exact
    if (parts.configurations()[numbers] * parts.sizes[numbers]).sum() > _COMPILE_THRESHOLD / 10:
        from samevent.hddcrp import enumeration

        exact = enumeration.exact

    def solve(number: int) -> Exact:
        block = parts.block(number)
        return exact(block, logs, stream(seed, "exact", int(block.customers[0])).random(keep))

    with thread_pool(jobs) as starmap:
        return dict(zip(numbers.tolist(), starmap(solve, [(n,) for n in numbers.tolist()]), strict=True))


def _rounds(sweeps: int) -> tuple[int, ...]:
    eighth, quarter = sweeps // 8, sweeps // 4
    return eighth, eighth, quarter, sweeps - 2 * eighth - quarter


def _worth_compiling(sizes: NDArray[np.int64], sweeps: int) -> bool:
    return bool((sizes.astype(np.float64) ** 2).sum() * sweeps > _COMPILE_THRESHOLD)


def _store(path: PathLike | None, problem: Problem, settings: Mapping[str, object]) -> Store | None:
    return Store(Path(path), fingerprint(problem, settings)) if path is not None else None


def _check_least(**parameters: tuple[float, float]) -> None:
    for name, (value, least) in parameters.items():
        if not value >= least:
            raise UsageError(f"the parameter {name!r} is {value}", expected=f"{least} or more")


def _check_start(initial: Initial) -> None:
    if initial not in STARTS:
        raise UsageError(f"there is no start {initial!r}", expected=" or ".join(map(repr, STARTS)))
