"""Sampling: components become answers with explanations, by groups of components."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np

from samevent.clusterers import Evidence
from samevent.hddcrp.checkpoint import fingerprint
from samevent.hddcrp.runner import chains_elsewhere
from samevent.model import Watch, batch_runtime
from samevent.packing import pack
from samevent.partitions.constraints import PairConstraints
from samevent.results.parts import PartAnswer, grouped, links_of_groups, part_evidence, solve_part
from samevent.scratch import Scratch
from samevent.similarity.bags import Indices
from samevent.similarity.links import MentionLinks
from samevent.stages.tasks import (
    Executor,
    Job,
    Parts,
    check_found,
    links_of,
    model_of,
    outcomes,
    table_of,
    write_named,
)

BIG = 200_000
"""Groups with so many links are one component whose chains are tasks of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers to groups of mentions, by the names of their parts; each is read when it is asked for."""

    parts: Parts
    names: tuple[str, ...]
    groups: tuple[Indices, ...]

    def __iter__(self) -> Iterator[PartAnswer]:
        return (PartAnswer.from_bytes(self.parts.read(name) or b"") for name in self.names)

    def locate(self, mentions: int) -> Indices:
        """Return the number of the answer that each mention is in, -1 for none."""
        place = np.full(mentions, -1, np.int32)
        for number, rows in enumerate(self.groups):
            place[rows] = number
        return place


@batch_runtime()
def answer_part(
    job: Job, name: str, table_name: str, links_name: str, rows: Indices, constraints: PairConstraints
) -> int:
    """Solve a group of components; return the number of its mentions."""
    if job.parts.read(name) is None:
        model, links = model_of(job.model), links_of(job, links_name)
        evidence = Evidence(
            table_of(job, table_name), model.pair_models, model.resources.lexicon, constraints=constraints
        )
        job.parts.write(name, _solved(job, evidence, links, rows).to_bytes())
    return len(rows)


def _solved(job: Job, evidence: Evidence, links: MentionLinks, rows: Indices, *, jobs: int = 1) -> PartAnswer:
    part = part_evidence(evidence, job.system, links, rows)
    return solve_part(
        part, job.system, seed=job.options.seed, min_probability=job.options.min_probability, jobs=jobs
    )


def answers_of(
    job: Job, evidence: Evidence, table_name: str, links: MentionLinks, executor: Executor, show: Watch
) -> Answers:
    """Solve all groups, the largest first; the chains of very large components are tasks of their own."""
    links_name = write_named(job, "links", pack(replace(links, looks=None)))
    held = evidence.constraints
    groups = grouped(links, len(evidence), held.must_link)
    names = [f"answer-to-{links_name}-{number:06}" for number in range(len(groups))]
    load = np.bincount(links.pairs.i, minlength=len(evidence))
    big = [executor.starmap is not None and int(load[rows].sum()) >= BIG for rows in groups]
    rest = [number for number in range(len(groups)) if not big[number]]
    calls = [(job, names[number], table_name, links_name, groups[number], held) for number in rest]
    ends = outcomes(executor, answer_part, calls)
    done = 0
    for number in np.flatnonzero(big).tolist():
        if job.parts.read(names[number]) is None:
            with chains_elsewhere(executor.starmap) if executor.starmap else nullcontext():
                answer = _solved(job, evidence, links, groups[number])
            job.parts.write(names[number], answer.to_bytes())
        done += len(groups[number])
        show("sampling", done, sum(map(len, groups)), "")
    for number, outcome in ends:
        check_found(outcome, names[rest[number]])
        done += outcome
        show("sampling", done, sum(map(len, groups)), "")
    return Answers(job.parts, tuple(names), tuple(groups))


def answers_here(
    job: Job, evidence: Evidence, links: MentionLinks, show: Watch, *, jobs: int, scratch: Scratch
) -> Answers:
    """Solve all groups in this process, one after the other; no answer stays in memory."""
    groups = grouped(links, len(evidence), evidence.constraints.must_link)
    name = fingerprint(links.pairs.i, links.pairs.j, links.similarity)
    names = [f"answer-to-{name}-{number:06}" for number in range(len(groups))]
    numbers = links_of_groups(links, groups, len(evidence))
    done, total = 0, sum(map(len, groups))
    for name, rows, own in zip(names, groups, numbers, strict=True):
        if job.parts.read(name) is None:
            answer = _solved(job, evidence, links.take(own), rows, jobs=jobs)
            job.parts.write(name, answer.to_bytes())
            scratch.release()
        done += len(rows)
        show("sampling", done, total, "")
    return Answers(job.parts, tuple(names), tuple(groups))
