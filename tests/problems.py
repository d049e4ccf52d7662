"""Problems for the tests: small random ones to enumerate, larger ones to run, and the model written out by hand."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from samevent.hddcrp.components import Block, split
from samevent.hddcrp.likelihood import Logs, log_likelihood
from samevent.hddcrp.problem import Problem, Rows
from samevent.hddcrp.weights import collapsed, customer_links, flat, table_links
from samevent.seeds import stream

Partition = tuple[int, ...]
LINKS: dict[str, Callable[[Problem], tuple[Rows, ...]]] = {
    "collapsed": lambda problem: (collapsed(problem),),
    "paper": lambda problem: (customer_links(problem), table_links(problem)),
    "ddcrp": lambda problem: (flat(problem),),
}


def random_problem(
    seed: int,
    *,
    customers: int = 6,
    documents: int = 3,
    density: float = 0.6,
    vocabulary: int = 4,
    words: int = 2,
    **fields: Any,
) -> Problem:
    """Draw a problem: links with probability `density`, one-way links too, and up to `words` words per customer."""
    random = stream(seed, "problem", customers, documents)
    document = np.sort(random.integers(documents, size=customers))
    i, j = np.nonzero(random.random((customers, customers)) < density)
    affinity = random.uniform(0.5, 3.0, size=len(i))
    same = document[i] == document[j]
    within, across = same & (j < i), ~same
    return Problem(
        document=document,
        documents=documents,
        words=Rows.counted(
            [random.integers(vocabulary, size=random.integers(words + 1)).tolist() for _ in range(customers)]
        ),
        vocabulary=vocabulary,
        within=Rows.from_triples(customers, i[within], j[within], affinity[within]),
        across=Rows.from_triples(customers, i[across], j[across], affinity[across]),
        **{"alpha_within": 0.5, "alpha_across": 0.4, "alpha_flat": 0.7, "dirichlet": 0.5, **fields},
    )


def without_words(problem: Problem) -> Problem:
    """Return the same customers and links with nothing observed: the posterior is the prior."""
    return with_fields(problem, words=Rows.empty(problem.customers))


def with_fields(problem: Problem, **fields: Any) -> Problem:
    """Return a problem that differs in some fields."""
    kept = {name: getattr(problem, name) for name in Problem.__slots__ if name != "tokens"}
    return Problem(**{**kept, **fields})


def whole(problem: Problem, sampler: str = "collapsed") -> Block:
    """Return everything as one block."""
    return split(
        problem.words,
        *LINKS[sampler](problem),
        must_link=problem.must_link,
        cannot_link=problem.cannot_link,
        smallest=problem.customers + 1,
    ).block(0)


def with_constraints(problem: Problem, seed: int, must: int = 1, cannot: int = 2) -> Problem:
    """Add random must-links and cannot-links that do not contradict them."""
    random = stream(seed, "constraints")
    pairs = random.permutation(np.stack(np.triu_indices(problem.customers, 1), axis=1))
    must_link = pairs[:must]
    group = joined(range(problem.customers), must_link.tolist())
    cannot_link = [(i, j) for i, j in pairs[must:].tolist() if group[i] != group[j]][:cannot]
    return with_fields(problem, must_link=must_link, cannot_link=cannot_link)


def joined(targets: Iterable[int], must_link: Iterable[Sequence[int]]) -> Partition:
    """Return the clusters of links and must-links: spread the smallest number until nothing changes."""
    links = list(enumerate(targets))
    edges, label = [*links, *must_link], [i for i, _ in links]
    before: list[int] = []
    while label != before:
        before = label.copy()
        for i, j in edges:
            label[i] = label[j] = min(label[i], label[j])
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(k, len(numbers)) for k in label)


def posterior_of_partitions(problem: Problem, sampler: str = "collapsed") -> dict[Partition, float]:
    """Add up p(links) by partition, over all links of a model with one link per customer, times p(words)."""
    block, logs = whole(problem, sampler), Logs.of(problem)
    rows = block.links[0]
    priors: dict[Partition, float] = defaultdict(float)
    for way in product(*(range(rows.starts[i], rows.starts[i + 1]) for i in range(len(block)))):
        entries = list(way)
        partition = joined(rows.columns[entries].tolist(), block.must_link.tolist())
        if allowed(partition, problem):
            priors[partition] += math.prod(rows.values[entries].tolist())
    masses = {
        partition: prior * math.exp(log_likelihood(block.words, np.array(partition), logs))
        for partition, prior in priors.items()
    }
    total = sum(masses.values())
    return {partition: mass / total for partition, mass in masses.items()}


def posterior_by_hand(problem: Problem) -> dict[Partition, float]:
    """The same for the HDDCRP, straight from Eqs. 2 and 3: all customer links and all table links, log-gammas."""
    n = problem.customers
    inner = [_options(problem.within, i, problem.alpha_within) for i in range(n)]
    outer = [_options(problem.across, i, problem.alpha_across) for i in range(n)]
    masses: dict[Partition, float] = defaultdict(float)
    for a in product(*inner):
        for c in product(*outer):
            prior = math.prod(p for _, p in (*a, *c))
            targets = [a[i][0] if a[i][0] != i else c[i][0] for i in range(n)]
            partition = joined(targets, problem.must_link.tolist())
            if allowed(partition, problem):
                masses[partition] += prior
    joint = {z: mass * np.exp(log_likelihood_by_hand(problem, z)) for z, mass in masses.items()}
    total = sum(joint.values())
    return {z: float(mass / total) for z, mass in joint.items()}


def allowed(partition: Partition, problem: Problem) -> bool:
    """Return whether a partition keeps cannot-linked customers apart."""
    return all(partition[i] != partition[j] for i, j in problem.cannot_link.tolist())


def log_likelihood_by_hand(problem: Problem, partition: Partition) -> float:
    """Return log p(x | z), times the likelihood's weight, from log-gammas of dense counts."""
    counts = np.zeros((max(partition, default=-1) + 1, problem.vocabulary))
    np.add.at(counts, (np.array(partition)[problem.words.rows], problem.words.columns), problem.words.values)
    a, v = problem.dirichlet, problem.vocabulary
    words = gammaln(a + counts).sum(axis=1) - v * gammaln(a)
    totals = gammaln(v * a) - gammaln(v * a + counts.sum(axis=1))
    return problem.likelihood_weight * float((words + totals).sum())


def _options(affinities: Rows, i: int, alpha: float) -> list[tuple[int, float]]:
    row = slice(affinities.starts[i], affinities.starts[i + 1])
    total = alpha + affinities.values[row].sum()
    links = zip(affinities.columns[row].tolist(), (affinities.values[row] / total).tolist(), strict=True)
    return [(i, alpha / total), *links]


def frequencies(samples: NDArray[Any]) -> dict[Partition, int]:
    """Count partitions given as rows of labels."""
    counts: dict[Partition, int] = defaultdict(int)
    for row in samples:
        numbers: dict[int, int] = {}
        counts[tuple(numbers.setdefault(label, len(numbers)) for label in row.tolist())] += 1
    return counts
