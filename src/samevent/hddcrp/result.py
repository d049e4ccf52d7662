"""What `fit` returns: the posterior of a problem, assembled from its exact and its sampled components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.chains import LinkChain, agree, agreement
from samevent.hddcrp.components import Split
from samevent.hddcrp.likelihood import Logs, log_likelihood
from samevent.hddcrp.problem import Floats, Integers, Problem, Rows
from samevent.hddcrp.reference import Exact
from samevent.hddcrp.runner import Plan, Task
from samevent.partitions.labels import canonical
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

    def _trace_groups(self) -> dict[str, Traces]:
        """Return the traces of component k as the group `component_k/posterior`."""
        return {f"component_{k}/posterior": traces for k, traces in self.component_traces.items()}


def posterior_of(
    problem: Problem, parts: Split, logs: Logs, solved: Mapping[int, Exact], tasks: Mapping[int, Task[LinkChain]],
    plan: Plan[LinkChain], *, chains: int, keep: int, complete: bool, seed: int,
) -> ComponentPosterior:  # fmt: skip
    """Assemble a posterior; components in neither `solved` nor `tasks` are single customers."""
    count = len(parts.order)
    best = np.zeros(count, np.int64)
    samples, last = np.zeros((keep, count), np.int64), np.zeros((chains, count), np.int64)
    together = np.zeros(len(parts.left))
    log_joint = _alone(parts, logs)
    for number in range(len(parts)):
        here = slice(int(parts.starts[number]), int(parts.starts[number + 1]))
        pairs = slice(int(parts.pair_starts[number]), int(parts.pair_starts[number + 1]))
        if number in solved:
            exact = solved[number]
            best[here], together[pairs] = exact.best_labels, exact.together
            samples[:, here], last[:, here] = exact.draws, exact.draws[np.arange(chains) % keep]
            log_joint += exact.best_log_joint
        elif number in tasks:
            chains_here = tasks[number].chains
            top = max((chain.info for chain in chains_here), key=lambda info: float(info.best_log_joint[0]))
            best[here] = canonical(top.best_labels)
            together[pairs] = np.mean([chain.together for chain in chains_here], axis=0)
            samples[:, here], last[:, here] = _kept(tasks[number], keep), _ends(tasks[number])
            log_joint += float(top.best_log_joint[0])
    component = np.empty(count, np.int32)
    component[parts.order] = np.repeat(np.arange(len(parts)), parts.sizes)
    left, right, order = _sorted_pairs(parts)
    components = _table(parts, tasks, plan)
    return ComponentPosterior(
        best=_whole(best, parts),
        best_log_joint=log_joint,
        left=left[order],
        right=right[order],
        together=together[order],
        samples=_whole(samples, parts),
        last=_whole(last, parts),
        component=component,
        components=components,
        component_traces={number: _traces(task) for number, task in tasks.items() if _swept(task)},
        verdict=components.verdict,
        settled=bool(components.settled.all()),
        complete=complete,
        seed=seed,
        must_link=problem.must_link,
        cannot_link=problem.cannot_link,
    )


def runs_of(
    problem: Problem, parts: Split, tasks: Sequence[Task[LinkChain]], *, runs: int, sweeps: int, seed: int
) -> Posterior:
    """Assemble plain runs: the last links of each chain, and the sums of the blocks' traces."""
    ends = [_ends(task) for task in tasks]
    traces = [_traces(task) for task in tasks]
    shape = runs, sweeps
    empty = np.zeros((runs, 0), np.int32)
    return Posterior(
        samples=_whole(np.concatenate([empty, *ends], axis=1), parts),
        traces={
            "log joint": sum((trace["log joint"] for trace in traces), np.zeros(shape)),
            "clusters": sum((trace["clusters"] for trace in traces), np.zeros(shape, np.int32)),
        },
        seed=seed,
        must_link=problem.must_link,
        cannot_link=problem.cannot_link,
    )


def _table(parts: Split, tasks: Mapping[int, Task[LinkChain]], plan: Plan[LinkChain]) -> Components:
    count = len(parts)
    sweeps = np.zeros(count, np.int64)
    mean, modes = np.zeros(count), np.zeros(count)
    settled = np.ones(count, np.bool_)
    for number, task in tasks.items():
        distance = agreement(task.chains)
        mean[number], modes[number] = distance.mean_difference, distance.in_different_modes
        settled[number] = agree(distance)
        sweeps[number] = task.sweeps(plan)
    return Components(
        first=parts.order[parts.starts[:-1]],
        size=parts.sizes,
        configurations=parts.configurations(),
        exact=np.array([number not in tasks for number in range(count)], np.bool_),
        sweeps=sweeps,
        mean_difference=mean,
        in_different_modes=modes,
        settled=settled,
    )


def _alone(parts: Split, logs: Logs) -> float:
    """Return log p of the words of all single customers; their links are certain."""
    single = np.repeat(parts.sizes == 1, parts.sizes)
    inside = single[parts.words.rows]
    words = Rows.from_triples(
        len(single), parts.words.rows[inside], parts.words.columns[inside], parts.words.values[inside]
    )
    return log_likelihood(words, np.arange(len(single)), logs)


def _kept(task: Task[LinkChain], keep: int) -> Integers:
    """Return `keep` samples, chains by turns; those of a round cut short are repeated."""
    rows = []
    for chain in task.chains:
        filled = min(len(chain.info.samples), chain.info.done // chain.info.every)
        rows.append(chain.info.samples[:filled] if filled else chain.labels[None])
    chains = len(rows)
    picked = [rows[at % chains][(at // chains) % len(rows[at % chains])] for at in range(keep)]
    return np.stack(picked)


def _ends(task: Task[LinkChain]) -> Integers:
    return np.stack([chain.labels for chain in task.chains])


def _traces(task: Task[LinkChain]) -> Traces:
    infos, done = [chain.info for chain in task.chains], _swept(task)
    return {
        "log joint": np.stack([info.log_joint[:done] for info in infos]),
        "clusters": np.stack([info.clusters[:done] for info in infos]),
    }


def _swept(task: Task[LinkChain]) -> int:
    """Return how many sweeps of the round all chains have done; a time limit may leave some behind."""
    return min(chain.done for chain in task.chains)


def _whole(labels: NDArray[np.integer], parts: Split) -> Integers:
    """Turn labels within blocks, in the order of the split, into labels of all customers in their own order."""
    shift = np.repeat(parts.starts[:-1], parts.sizes)
    own = np.empty_like(labels)
    own[..., parts.order] = labels + shift
    return canonical(own).astype(np.int32)


def _sorted_pairs(parts: Split) -> tuple[Integers, Integers, NDArray[np.int64]]:
    """Return the customers of the pairs of a split, and the order that sorts them."""
    begin = np.repeat(parts.starts[:-1], np.diff(parts.pair_starts))
    order = np.empty_like(parts.pair_order)
    order[parts.pair_order] = np.arange(len(order))
    return parts.order[parts.left + begin], parts.order[parts.right + begin], order
