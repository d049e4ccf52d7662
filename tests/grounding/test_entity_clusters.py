"""Entities as clusters of the HDDCRP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from entity_documents import SIMPLE, table_of, weighing, written
from samevent.grounding.entity_clusters import (
    EntitySettings,
    best_links,
    cluster_entities,
    entity_problem,
)
from samevent.grounding.entity_pairs import pairs_within
from samevent.hddcrp import Problem, Uncertainty, fit
from samevent.hddcrp.problem import Rows
from samevent.partitions.labels import canonical

FIRST = written(
    "[Mr./NNP Grell/NNP] fled/VBD\n[Ann/NNP Lee/NNP] met/VBD [Grell/NNP]\n[He/PRP] saw/VBD [the/DT woman/NN]\n"
    "[the/DT woman/NN] fell/VBD"
)
SECOND = written("[Ann/NNP Lee/NNP] ran/VBD\n[the/DT woman/NN] met/VBD [Lee/NNP]", id="d2")


def test_best_links_join_names_and_pronouns() -> None:
    table = table_of(FIRST)
    groups: dict[int, list[str]] = {}
    for mention, label in zip(table.mentions, best_links(table, SIMPLE).tolist(), strict=True):
        groups.setdefault(label, []).append(mention.text)
    assert list(groups.values()) == [["Mr. Grell", "Grell", "He"], ["Ann Lee"], ["the woman", "the woman"]]


def test_best_links_are_the_most_probable_links_of_the_engine() -> None:
    """Without a likelihood the links are independent, so the best of each is the best of all."""
    table = table_of(FIRST, SECOND)
    settings = EntitySettings(alpha_within=0.3)
    pairs = pairs_within(table)
    odds = np.exp(SIMPLE.scores(table, pairs, within=True))
    problem = Problem(
        document=table.document.astype(np.int32),
        words=Rows.empty(len(table)),
        within=Rows.from_triples(len(table), pairs.i, pairs.j, odds),
        across=Rows.empty(len(table)),
        vocabulary=1,
        likelihood_weight=0.0,
        alpha_within=settings.alpha_within,
    )
    posterior = fit(problem)
    assert posterior.components.exact.all(), "small enough to enumerate"
    assert best_links(table, SIMPLE, settings).tolist() == canonical(posterior.best).tolist()


def test_clusters_cross_documents() -> None:
    table = table_of(FIRST, SECOND)
    labels = cluster_entities(table, SIMPLE)
    entity = {
        (mention.id, mention.text): label
        for mention, label in zip(table.mentions, labels.tolist(), strict=True)
    }
    lees = {label for (_, text), label in entity.items() if "Lee" in text}
    assert len(lees) == 1
    assert lees.isdisjoint(label for (_, text), label in entity.items() if "Grell" in text)


def test_clusters_are_the_same_for_any_number_of_jobs() -> None:
    table = table_of(FIRST, SECOND)
    assert cluster_entities(table, SIMPLE).tolist() == cluster_entities(table, SIMPLE, jobs=2).tolist()


def test_probabilities_without_uncertainty_are_those_of_enumeration() -> None:
    """A mention of its own document links with odds / (alpha + odds)."""
    table = table_of(written("[Ann/NNP Lee/NNP] fled/VBD\n[Lee/NNP] ran/VBD"))
    settings = EntitySettings(uncertainty=Uncertainty(), draws=1)
    model = weighing({"part of the name": 3.5}, {})
    problem, near, far = entity_problem(table, model, settings)
    assert len(far) == 0
    odds = float(np.exp(near[0]))
    chance = odds / (settings.alpha_within + odds)
    assert near.tolist() == [0.5], "the intercept and the part of the name"
    for cut, together in ((chance - 0.01, True), (chance + 0.01, False)):
        labels = cluster_entities(table, model, replace(settings, cut=cut))
        assert (labels[0] == labels[1]) is np.bool_(together)
    assert problem.customers == 2


def test_no_mentions_are_no_entities() -> None:
    table = table_of(written("It/PRP rained/VBD"))
    assert best_links(table, SIMPLE).tolist() == []
    assert cluster_entities(table, SIMPLE).tolist() == []
