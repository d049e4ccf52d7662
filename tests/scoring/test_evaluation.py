from __future__ import annotations

import pytest

from builders import document
from samevent.corpus import Clustering, Corpus
from samevent.scoring import Pairing, differences, intervals, pair, scores_of
from samevent.scoring.evaluation import SAMPLES, evaluate


def corpus() -> Corpus:
    documents = []
    for id in ("a", "b", "c"):
        base = document(id, "raid strike attack halt")
        spans = [(0, "x"), (1, "x"), (2, "y"), (3, "y")]
        documents.append(
            base.with_mentions(base.mention("action", i, i + 1, event=f"{id}{event}") for i, event in spans)
        )
    return Corpus(documents)


def pairings() -> tuple[Pairing, Pairing]:
    gold = corpus()
    merged = {m.id: m.document for m in gold.mentions() if m.document != "c"}
    return pair(gold, gold), pair(gold, Clustering.from_labels(merged))


def test_evaluation_counts_mentions_and_clusters_of_both_sides() -> None:
    _, merged = pairings()
    evaluation = evaluate(merged)
    assert evaluation.counts == {
        "units": 3,
        "gold_mentions": 12,
        "system_mentions": 8,
        "gold_clusters": 6,
        "system_clusters": 2,
    }
    assert evaluation.scores == scores_of(merged)
    assert set(evaluation.to_json()) == {*scores_of(merged).to_json(), "counts"}


def test_evaluation_adds_what_the_bootstrap_says() -> None:
    perfect, merged = pairings()
    evaluation = evaluate(merged, perfect, samples=50, seed=3)
    assert evaluation.intervals == intervals(merged, samples=50, seed=3)
    assert evaluation.differences == differences(merged, perfect, samples=50, seed=3)
    assert evaluation.other == scores_of(perfect)
    data = evaluation.to_json()
    assert data["versus"]["scores"]["conll"] == 1
    assert data["versus"]["differences"]["conll"]["difference"] == pytest.approx(data["conll"] - 1)


def test_comparison_draws_the_usual_number_of_samples() -> None:
    perfect, merged = pairings()
    assert evaluate(merged, perfect) == evaluate(merged, perfect, samples=SAMPLES)
