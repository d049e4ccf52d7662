"""States to draw: of the paper's sampler on a few articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from samevent.clusterers.base import Evidence
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Corpus, Document, Mention
from samevent.hddcrp import Problem, reference, weights
from samevent.hddcrp.components import Block, split
from samevent.hddcrp.likelihood import Logs
from samevent.hddcrp.randoms import seeded


@dataclass(frozen=True, slots=True, eq=False)
class Customer:
    """A mention in its restaurant, with both of its links (numbers of customers) and its event."""

    mention: Mention
    place: int
    follows: int
    table_link: int
    event: int

    def starts(self, number: int) -> bool:
        """Return whether it starts a table, as customer of this number."""
        return self.follows == number


@dataclass(frozen=True, slots=True, eq=False)
class Seating:
    """The customers of a few documents after some sweeps."""

    documents: tuple[Document, ...]
    customers: tuple[Customer, ...]

    def tables(self) -> dict[int, list[int]]:
        """Return the customers of each table, by the customer that started it."""
        tables: dict[int, list[int]] = {}
        for number in range(len(self.customers)):
            first = number
            while self.customers[first].follows != first:
                first = self.customers[first].follows
            tables.setdefault(first, []).append(number)
        return tables


def problem_of(evidence: Evidence, system: Hddcrp) -> Problem:
    """Return the problem that a clusterer would solve with similarities as they are."""
    return system.problem(
        evidence,
        replace(system, uncertain=False).links(evidence),
        document_weight=system.document_weight,
        alpha_within=system.alpha_within,
        alpha_across=system.alpha_across,
    )


def sample_seating(corpus: Corpus, evidence: Evidence, system: Hddcrp, *, sweeps: int, seed: int) -> Seating:
    """Resample customer links and table links (Eq. 4 and 5) from random ones, and return the last state."""
    problem = problem_of(evidence, system)
    block, logs = _whole(problem), Logs.of(problem)
    random = seeded(seed, "picture")
    choices = tuple(reference.prior_draw(links, random) for links in block.links)
    for _ in range(sweeps):
        reference.sweep(block, choices, logs, random)
    follows, table = (
        links.columns[chosen].tolist() for links, chosen in zip(block.links, choices, strict=True)
    )
    events = reference.clusters_of(weights.active(block.links, choices).tolist())
    mentions = {mention.id: mention for mention in corpus.mentions("action")}
    seen: dict[str, int] = {}
    customers = []
    for number, name in enumerate(evidence.table.ids):
        mention = mentions[name]
        seen[mention.document] = seen.get(mention.document, 0) + 1
        customers.append(
            Customer(mention, seen[mention.document], follows[number], table[number], events[number])
        )
    return Seating(tuple(corpus), tuple(customers))


def _whole(problem: Problem) -> Block:
    """Return the problem as one block, with the customers in their original order."""
    links = weights.customer_links(problem), weights.table_links(problem)
    block = split(problem.words, *links, smallest=problem.customers + 1).block(0)
    if not np.array_equal(block.customers, np.arange(problem.customers)):
        raise ValueError("the order of customers has changed")
    return block


def select(corpus: Corpus, names: Sequence[str]) -> Corpus:
    """Return some documents of a corpus, by their ids."""
    return Corpus(corpus[name] for name in names)
