"""Entities as clusters of the HDDCRP: documents are restaurants, entity mentions customers, entities the menu.

The engine is that of events (`samevent.hddcrp`); affinities are the odds of the entity pair model, which has seen the
words, so there is no likelihood. Without one, the links of different mentions are independent, and the most probable
links are known without sampling: the best one of each mention (`best_links`). That is what single documents use.
Across documents, the posterior over partitions is integrated over how far the odds are off as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from samevent.grounding.entity_conflicts import consistent_links, contradicting
from samevent.grounding.entity_model import EntityModel
from samevent.grounding.entity_pairs import EntityPairs, pairs_across, pairs_within
from samevent.grounding.entity_tables import EntityTable, Floats, Integers
from samevent.hddcrp import FitSettings, Problem, Uncertainty, fit_uncertain
from samevent.hddcrp.problem import Rows
from samevent.partitions.labels import canonical
from samevent.partitions.linkage import average_link

LARGEST = 20.0
"""Log-odds beyond this are as good as certain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySettings:
    """Concentrations of the HDDCRP, what is not known about the odds, and the mean probability that joins groups.

    Chosen on the train and dev topics of ECB+ by folds (`samevent experiment entities --part folds`).
    """

    alpha_within: float = 0.5
    alpha_across: float = 0.05
    uncertainty: Uncertainty = field(default=Uncertainty(shift=-1.0, spread=1.0))
    draws: int = 8
    least_log_odds: float = -1.5
    cut: float = 0.3
    sweeps: int = 400


def best_links(table: EntityTable, model: EntityModel, settings: EntitySettings | None = None) -> Integers:
    """Return entities within documents: each mention links to its most probable antecedent, or to itself.

    Mentions of different documents are different entities. This is the most probable configuration of the links of
    the HDDCRP with affinities that are odds and no likelihood. Only where it would put mentions together that
    contradict each other (`entity_conflicts`), links are taken in the order of their odds, those between names
    first, and those that would are left out.
    """
    settings = settings or EntitySettings()
    pairs = pairs_within(table)
    scores = model.scores(table, pairs, within=True)
    kept = scores > np.log(settings.alpha_within)
    order = np.lexsort((pairs.j[kept], scores[kept], pairs.i[kept]))  # the best last, of equals the nearest
    i, j, score = pairs.i[kept][order], pairs.j[kept][order], scores[kept][order]
    best = np.flatnonzero(np.append(np.diff(i) != 0, True)) if len(i) else np.zeros(0, np.int64)
    labels = _linked_back(len(table), i[best], j[best])
    if contradicting(table.mentions, labels):
        labels = canonical(consistent_links(table.mentions, i, j, score)).tolist()
    return np.array(labels, np.int64)


def entity_problem(
    table: EntityTable, model: EntityModel, settings: EntitySettings
) -> tuple[Problem, Floats, Floats]:
    """Return mentions as customers with affinities of 1, and the log-odds of their links within and across."""
    (inner, near), (outer, far) = (
        _links(table, pairs(table), model, settings, within=within)
        for pairs, within in ((pairs_within, True), (pairs_across, False))
    )
    count = len(table)
    # A table link leads from either document to the other.
    rows, others = np.concatenate([outer.i, outer.j]), np.concatenate([outer.j, outer.i])
    within, across = (
        Rows.from_triples(count, a, b, np.ones(len(a))) for a, b in ((inner.i, inner.j), (rows, others))
    )
    problem = Problem(
        document=table.document.astype(np.int32),
        words=Rows.empty(count),
        within=within,
        across=across,
        vocabulary=1,
        dirichlet=1.0,
        likelihood_weight=0.0,
        alpha_within=settings.alpha_within,
        alpha_across=settings.alpha_across,
    )
    return problem, near[np.lexsort((inner.j, inner.i))], np.tile(far, 2)[np.lexsort((others, rows))]


def cluster_entities(
    table: EntityTable,
    model: EntityModel,
    settings: EntitySettings | None = None,
    *,
    seed: int = 0,
    jobs: int = 1,
) -> Integers:
    """Return the entity of each mention, within and across documents, numbered by first mentions."""
    settings = settings or EntitySettings()
    if not len(table):
        return np.zeros(0, np.int64)
    problem, near, far = entity_problem(table, model, settings)
    posterior = fit_uncertain(
        problem, settings.uncertainty, within=near, across=far, draws=settings.draws,
        truncation=settings.least_log_odds, settings=FitSettings(seed=seed, sweeps=settings.sweeps, exact_limit=1e4),
        jobs=jobs,
    )  # fmt: skip
    return average_link(posterior, settings.cut).astype(np.int64)


def _links(
    table: EntityTable, pairs: EntityPairs, model: EntityModel, settings: EntitySettings, *, within: bool
) -> tuple[EntityPairs, Floats]:
    """Return the pairs that may be linked at some shift of the log-odds, and their log-odds."""
    scores = model.scores(table, pairs, within=within)
    kept = scores + settings.uncertainty.shifts(settings.draws)[-1] > settings.least_log_odds
    links = EntityPairs(pairs.i[kept], pairs.j[kept], pairs.kind[kept])
    return links, np.clip(scores[kept], -LARGEST, LARGEST)


def _linked_back(count: int, i: Integers, j: Integers) -> list[int]:
    """Return the groups that links make, numbered by first members; each `i` has one link, to an earlier `j`."""
    antecedent = dict(zip(i.tolist(), j.tolist(), strict=True))
    labels: list[int] = []
    groups = 0
    for mention in range(count):
        if mention in antecedent:
            labels.append(labels[antecedent[mention]])
        else:
            labels.append(groups)
            groups += 1
    return labels
