"""Answers by parts: independent components solved apart, and put together to the answer of the whole.

A cluster never leaves a connected component of the links. So components are solved in groups, anywhere and in any
order; what is drawn depends on a component and its rows in the whole alone, and the joined answer has the same bytes
as if everything had been solved at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from samevent.clusterers import Clustered, Clusterer, Evidence
from samevent.clusterers.base import Part
from samevent.clusterers.convergence import Convergence
from samevent.clusterers.features import observed
from samevent.clusterers.linked import Factorised
from samevent.clusterers.sampling import KEPT
from samevent.clusterers.shown import counted_as
from samevent.events import Alternative, Belief, Reason, Why
from samevent.hddcrp import Mixture
from samevent.hddcrp.mixture import ComponentTrace, named_traces
from samevent.packing import pack, unpack
from samevent.partitions.constraints import NO_PAIRS, Constraints
from samevent.partitions.labels import canonical
from samevent.partitions.posterior import Posterior
from samevent.results.assembly import Judgement, judge
from samevent.results.stored import values_in
from samevent.scratch import Scratch
from samevent.similarity.bags import Booleans, Indices
from samevent.similarity.links import MentionLinks
from samevent.similarity.pairs import Pairs
from samevent.similarity.tables import part_of

_LINKS_PER_GROUP = 20_000
"""Small components are solved together until their links are so many."""


@dataclass(frozen=True, slots=True, eq=False)
class PartAnswer:
    """The answer for the mentions `rows` of a whole, which are numbered from 0 here."""

    rows: Indices
    labels: Indices
    samples: Indices
    left: Indices
    right: Indices
    together: NDArray[np.float64]
    sure: NDArray[np.float64]
    whys: dict[str, Why]
    beliefs: dict[str, Belief]
    convergence: Convergence

    def to_bytes(self) -> bytes:
        """Return the answer as bytes."""
        return pack(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> PartAnswer:
        """Read what `to_bytes` returned."""
        known = (cls, Why, Reason, Belief, Alternative, Convergence, ComponentTrace)
        answer: PartAnswer = unpack(data, known)
        return answer


def divisible(system: Clusterer) -> bool:
    """Return whether the answer of a clusterer falls into independent parts."""
    return isinstance(system, Factorised) and system.uncertain and not system.time_limit


def grouped(links: MentionLinks, mentions: int, must_link: Constraints = NO_PAIRS) -> list[Indices]:
    """Return the rows of all components of two or more mentions in groups, large components first.

    The groups depend on links and must-links alone.
    """
    i, j = links.pairs.i, links.pairs.j
    if len(must_link):
        i, j = np.append(i, must_link[:, 0]), np.append(j, must_link[:, 1])
    graph = coo_array((np.ones(len(i), np.int8), (i, j)), shape=(mentions, mentions))
    component = connected_components(graph, directed=False)[1] if mentions else np.zeros(0, np.int32)
    load = np.bincount(component[i], minlength=int(component.max(initial=-1)) + 1)
    # Small components come in the order of their first mentions, so that a document's are in few groups.
    order = np.lexsort((np.arange(len(load)), -np.where(load >= _LINKS_PER_GROUP, load, load > 0)))
    order = order[: int((load > 0).sum())]
    before = np.cumsum(load[order]) - load[order]
    group = np.full(len(load), -1, np.int64)
    # A component that fills a group alone has one of its own.
    large = load[order] >= _LINKS_PER_GROUP
    first = before[large.sum()] if large.sum() < len(order) else 0
    number = np.where(large, np.arange(len(order)), large.sum() + (before - first) // _LINKS_PER_GROUP)
    group[order] = np.unique(number, return_inverse=True)[1]
    of_row = group[component]
    rows = np.argsort(of_row, kind="stable").astype(np.int32)
    starts = np.searchsorted(of_row[rows], np.arange(int(group.max(initial=-1)) + 2))
    return [rows[start:stop] for start, stop in pairwise(starts.tolist())]


def links_of_groups(links: MentionLinks, groups: Sequence[Indices], mentions: int) -> list[NDArray[np.int64]]:
    """Return the numbers of the links of each group, so that no group has to look at all links.

    >>> links = MentionLinks(Pairs(np.array([1, 4, 3]), np.array([0, 3, 2])), np.ones(3))
    >>> [numbers.tolist() for numbers in links_of_groups(links, [np.array([2, 3, 4]), np.array([0, 1])], 5)]
    [[1, 2], [0]]
    """
    group = np.full(mentions, len(groups), np.int32)
    for number, rows in enumerate(groups):
        group[rows] = number
    of_link = group[links.pairs.i]
    order = np.argsort(of_link, kind="stable")
    starts = np.searchsorted(of_link[order], np.arange(len(groups) + 1))
    return [order[start:stop] for start, stop in pairwise(starts.tolist())]


def part_evidence(evidence: Evidence, system: Clusterer, links: MentionLinks, rows: Indices) -> Evidence:
    """Return some mentions, which no link connects with others, as evidence of its own; `links` are those of all."""
    local = np.full(len(evidence), -1, np.int32)
    local[rows] = np.arange(len(rows), dtype=np.int32)
    inside: Booleans = local[links.pairs.i] >= 0
    pairs = links.pairs[inside]
    own = MentionLinks(Pairs(local[pairs.i], local[pairs.j]), links.similarity[inside], len(pairs))
    features = [system.observe] if isinstance(system, Factorised) and system.likelihood_weight else []
    vocabulary = {str(name): observed(evidence, name)[1] for name in features}
    part = Part(evidence.table, rows, rows.astype(np.int64), own, vocabulary)
    return Evidence(
        part_of(evidence.table, rows),
        evidence.models,
        evidence.lexicon,
        part=part,
        constraints=evidence.constraints.inside(rows),
    )


def solve_part(
    evidence: Evidence, system: Clusterer, *, seed: int, min_probability: float = 0.0, jobs: int = 1
) -> PartAnswer:
    """Solve a part and judge its answer."""
    clustered = system.cluster(evidence, seed=seed, jobs=jobs)
    judged = judge(evidence, system, clustered, min_probability=min_probability, jobs=jobs)
    posterior, part = clustered.posterior, evidence.part
    if not isinstance(posterior, Mixture) or part is None:
        raise TypeError("only parts of an integrated posterior can be solved apart")
    return PartAnswer(
        part.rows, judged.labels, posterior.samples, posterior.left, posterior.right, posterior.together,
        judged.sure, dict(judged.whys), dict(judged.beliefs),
        Convergence.of(posterior, part.rows),
    )  # fmt: skip


def join_parts(
    answers: Iterable[PartAnswer],
    evidence: Evidence,
    system: Clusterer,
    *,
    seed: int,
    scratch: Scratch | None = None,
) -> tuple[Clustered, Judgement]:
    """Put the answers of parts together as they come; mentions in no part are alone.

    With a `scratch`, samples, pairs and reasons lie there, and nothing of a part stays in memory.
    """
    if not isinstance(system, Factorised):
        raise TypeError("only the answers of factorised models can be joined")
    mentions, kept = len(evidence), system.draws * -(-KEPT // system.draws)
    empty = scratch.empty if scratch else np.empty
    samples = empty((kept, mentions), np.int32)
    samples[:] = np.arange(mentions, dtype=np.int32)
    labels, sure = np.arange(mentions), np.full(mentions, np.nan)
    whys, beliefs = values_in(scratch, Why.from_json), values_in(scratch, Belief.from_json)
    pairs: list[tuple[Indices, Indices, NDArray[np.float64]]] = []
    convergences = []
    for answer in answers:
        # Labels of a part are less than its size, so its rows are names enough.
        labels[answer.rows] = answer.rows[answer.labels]
        samples[:, answer.rows] = answer.rows[answer.samples]
        sure[answer.rows] = answer.sure
        pairs.append((answer.rows[answer.left], answer.rows[answer.right], answer.together))
        whys.add(answer.whys)
        beliefs.add(answer.beliefs)
        convergences.append(answer.convergence)
    for sample in samples:  # all at once would take several times their memory
        sample[:] = canonical(sample)
    convergence = Convergence.joined(convergences, members=system.draws, mentions=mentions)
    left, right, together = _sorted_pairs(pairs)
    pairs.clear()
    if scratch:
        left, right, together = scratch.kept(left), scratch.kept(right), scratch.kept(together)
    posterior = Posterior(
        samples=samples,
        left=left,
        right=right,
        together=together,
        counted=counted_as(system.shown(evidence)),
        traces=named_traces(convergence.traces),
        verdict=convergence.verdict,
        settled=convergence.settled,
        seed=seed,
        must_link=evidence.constraints.must_link,
        cannot_link=evidence.constraints.cannot_link,
    )
    judgement = Judgement(canonical(labels).astype(np.int32), sure, whys, beliefs)
    return Clustered(evidence.table.ids, judgement.labels, posterior), judgement


def _sorted_pairs(
    parts: Sequence[tuple[Indices, Indices, NDArray[np.float64]]],
) -> tuple[Indices, Indices, NDArray[np.float64]]:
    left, right = (np.concatenate([np.empty(0, np.int32), *(part[at] for part in parts)]) for at in (0, 1))
    together = np.concatenate([np.empty(0), *(part[2] for part in parts)])
    order = np.lexsort((right, left))
    return left[order], right[order], together[order]
