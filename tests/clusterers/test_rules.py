"""LEMMA and AGGLOMERATIVE, against groupings made by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from clusterers.small import MODEL, cluster, evidence_of, sentence
from samevent.clusterers import Evidence, clusterer
from samevent.clusterers.rules import Agglomerative, Lemma
from samevent.corpus import Clustering
from samevent.errors import UsageError
from similarity.tables import random_corpus


def two_phases_by_hand(evidence: Evidence, within: float, across: float) -> Clustering:
    """Join the most similar groups as long as any two reach the threshold: first in documents, then across."""
    table = evidence.table

    def f(i: int, j: int) -> float:
        a, b = np.array([max(i, j)], np.int32), np.array([min(i, j)], np.int32)
        return float(MODEL.probability(table, a, b)[0])

    groups = [{i} for i in range(len(table))]
    for threshold, inside in ((within, True), (across, False)):
        while True:
            scores = {
                (a, b): max(
                    f(i, j) if (table.document[i] == table.document[j]) == inside else 0.0
                    for i in groups[a]
                    for j in groups[b]
                )
                for a, b in combinations(range(len(groups)), 2)
            }
            best = max(scores, key=lambda pair: scores[pair], default=None)
            if best is None or scores[best] < threshold:
                break
            groups[best[0]] |= groups.pop(best[1])
    return Clustering([table.ids[i] for i in sorted(group)] for group in groups)


def test_lemma_groups_mentions_by_the_lemma_of_their_head() -> None:
    corpus = random_corpus(1)
    lemmas = {
        m.id: annotation.lemmas[-1 if m.head is None else m.head].lower()
        for document, annotation in corpus
        for m in document.mentions
        if m.kind == "action"
    }
    found = cluster(Lemma(), evidence_of(corpus, model=None))
    assert found.clustering == Clustering.from_labels(lemmas)


@pytest.mark.parametrize(("within", "across"), [(0.5, 0.5), (0.3, 0.7), (0.7, 0.3)])
def test_agglomerative_joins_as_one_would_by_hand(within: float, across: float) -> None:
    evidence = evidence_of(random_corpus(1, documents=3, mentions=6))
    found = cluster(Agglomerative(within=within, across=across), evidence)
    assert found.clustering == two_phases_by_hand(evidence, within, across)
    assert 1 < len(found.clustering) < len(evidence)


def test_agglomerative_never_joins_two_of_a_document_by_the_threshold_across() -> None:
    evidence = evidence_of([sentence("a", "raid raid", 0, 1)])
    assert len(cluster(Agglomerative(within=0.99, across=0.1), evidence).clustering) == 2
    assert len(cluster(Agglomerative(within=0.1, across=0.99), evidence).clustering) == 1


@pytest.mark.parametrize("threshold", [0.0, 1.0, float("nan")])
def test_thresholds_outside_their_range_are_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="the setting 'across' is"):
        clusterer("agglomerative", {"across": threshold})


def test_similarity_without_a_pair_model_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="samevent train similarity"):
        cluster(Agglomerative(), evidence_of([sentence("a", "raid", 0)], model=None))
