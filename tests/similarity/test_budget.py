from __future__ import annotations

import numpy as np
import pytest

from samevent.errors import UsageError
from samevent.similarity.affinities import affinities
from samevent.similarity.budget import Budget, approximate_affinities
from samevent.similarity.documents import document_similarity
from similarity.tables import compiled, random_corpus, random_model

TABLE = compiled(random_corpus(13, documents=12, mentions=10))
MODEL = random_model(6, intercept=-2.0)


def test_budget_without_limits_finds_everything() -> None:
    exact = affinities(TABLE, MODEL)
    found = approximate_affinities(TABLE, MODEL, budget=Budget(document_gate=0.0, links=10**6))
    for name in ("within", "across"):
        assert getattr(found.affinities, name).values.tolist() == getattr(exact, name).values.tolist()
    assert found.recall.share == 1
    assert found.recall.links > 0


def test_gate_keeps_links_within_and_between_similar_documents_only() -> None:
    exact = affinities(TABLE, MODEL).across
    similarity = document_similarity(TABLE, TABLE.document[exact.rows], TABLE.document[exact.columns])
    gate = float(np.median(similarity)) + 1e-9
    found = approximate_affinities(TABLE, MODEL, budget=Budget(document_gate=gate, links=10**6)).affinities
    assert found.across.columns.tolist() == exact.columns[similarity > gate].tolist()
    assert found.within.values.tolist() == affinities(TABLE, MODEL).within.values.tolist()
    assert found.scored < affinities(TABLE, MODEL).scored


def test_cap_keeps_a_link_that_is_among_the_strongest_of_one_of_its_mentions() -> None:
    exact = affinities(TABLE, MODEL).across
    f = MODEL.probability(TABLE, exact.rows.astype(np.int32), exact.columns)
    wanted = set()
    for row in range(len(TABLE)):
        inside = np.flatnonzero(exact.rows == row)
        for k in sorted(inside, key=lambda k: (-f[k], exact.columns[k]))[:3]:
            wanted |= {(row, int(exact.columns[k])), (int(exact.columns[k]), row)}
    found = approximate_affinities(TABLE, MODEL, budget=Budget(document_gate=0.0, links=3)).affinities.across
    assert set(zip(found.rows.tolist(), found.columns.tolist(), strict=True)) == wanted
    assert len(wanted) < len(exact.columns)


def test_recall_on_all_mentions_is_the_share_of_links_that_are_there() -> None:
    exact = affinities(TABLE, MODEL)
    budget = Budget(document_gate=0.6, links=2, sample=len(TABLE))
    found = approximate_affinities(TABLE, MODEL, budget=budget)
    there = 2 * len(found.affinities.within.columns) + len(found.affinities.across.columns)
    wanted = 2 * len(exact.within.columns) + len(exact.across.columns)
    assert (found.recall.found, found.recall.links) == (there, wanted)
    assert 0 < found.recall.share < 1
    assert str(found.recall).startswith(f"approximate: {there:,} of {wanted:,} links found")


def test_budget_works_on_an_empty_corpus() -> None:
    found = approximate_affinities(compiled([]), MODEL)
    assert found.recall.share == 1
    assert len(found.affinities.across) == 0


@pytest.mark.parametrize("wrong", [{"document_gate": 1.0}, {"links": 0}, {"sample": 0}])
def test_budget_that_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=f"the parameter '{next(iter(wrong))}'"):
        Budget(**wrong)  # type: ignore[arg-type]
