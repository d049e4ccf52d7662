from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samevent.corpus import Document
from samevent.errors import UsageError
from samevent.hddcrp.problem import Problem, Rows
from samevent.similarity import candidates
from samevent.similarity import model as pair_model
from samevent.similarity.bags import Floats, Indices
from samevent.similarity.candidates import Progress
from samevent.similarity.code_features import ALL_FEATURES
from samevent.similarity.documents import document_similarity
from samevent.similarity.features import Feature
from samevent.similarity.links import Affinities, LinkSettings, find_links, to_affinities
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel
from similarity.tables import all_pairs, compiled, random_corpus, random_model


def affinities(
    table: MentionTable,
    model: PairModel,
    *,
    settings: LinkSettings | None = None,
    progress: Progress | None = None,
) -> Affinities:
    settings = settings or LinkSettings()
    return to_affinities(table, find_links(table, model, settings=settings, progress=progress), settings)


def entries(rows: Rows) -> dict[tuple[int, int], float]:
    return {
        (row, column): value
        for row, column, value in zip(
            rows.rows.tolist(), rows.columns.tolist(), rows.values.tolist(), strict=True
        )
    }


def by_brute_force(
    table: MentionTable, model: PairModel, minimum: float, gamma: float
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """Score every pair, cut off, then weight."""
    i, j = all_pairs(table)
    within, across = {}, {}
    for a, b, f in zip(i.tolist(), j.tolist(), model.probability(table, i, j).tolist(), strict=True):
        if f >= minimum:
            d, e = table.document[[a, b]]
            if d == e:
                within[a, b] = f
            else:
                sim = document_similarity(table, table.document[[a]], table.document[[b]])[0]
                across[a, b] = across[b, a] = f * np.exp(gamma * sim)
    return within, across


@settings(deadline=None, max_examples=100)
@given(
    corpus=st.integers(0, 10**6),
    weights=st.integers(0, 10**6),
    minimum=st.sampled_from([0.05, 0.5, 0.9]),
    intercept=st.sampled_from([-6.0, -3.0, 0.0]),
    spread=st.sampled_from([0.5, 2.0, 8.0, 1000.0]),
)
def test_affinities_agree_with_brute_force(
    corpus: int, weights: int, minimum: float, intercept: float, spread: float
) -> None:
    table = compiled(random_corpus(corpus))
    model = random_model(weights, spread=spread, intercept=intercept)
    found = affinities(table, model, settings=LinkSettings(minimum_similarity=minimum, document_weight=0.7))
    within, across = by_brute_force(table, model, minimum, 0.7)
    assert entries(found.within) == within
    assert entries(found.across) == pytest.approx(across, rel=1e-15)
    assert found.scored <= len(table) * (len(table) - 1) // 2


def test_search_scores_few_pairs_and_misses_none() -> None:
    table = compiled(random_corpus(5, documents=40, mentions=10))
    model = PairModel({"head_lemma": 2.0, "head_vector": 3.0, "context": 2.0, "arg0": 1.0}, {}, -5.5)
    found = affinities(table, model)
    within, across = by_brute_force(table, model, 0.5, 1.0)
    assert entries(found.within) == within
    assert entries(found.across).keys() == across.keys()
    assert 0 < len(within) + len(across) // 2 <= found.scored < len(table) * (len(table) - 1) // 20


def test_search_allows_for_features_without_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def near(table: MentionTable, i: Indices, j: Indices) -> Floats:
        return np.where(table.document[i] == table.document[j], 1.0, -1.0)

    luck = Feature("luck", "luck", "luck", near, lowest=-1.0)
    monkeypatch.setattr(candidates, "ALL_FEATURES", (*ALL_FEATURES, luck))
    monkeypatch.setattr(pair_model, "_BY_NAME", {f.name: f for f in (*ALL_FEATURES, luck)})
    table = compiled(random_corpus(5, documents=10, mentions=10))
    for weight in (3.0, -3.0):
        model = PairModel({"head_lemma": 2.0, "context": 2.0, "luck": weight}, {}, -4.5)
        within, across = by_brute_force(table, model, 0.5, 1.0)
        found = affinities(table, model)
        assert entries(found.within) == within
        assert entries(found.across).keys() == across.keys()
        assert within or across


def test_search_reports_progress() -> None:
    told: list[tuple[int, int]] = []
    table = compiled(random_corpus(5))
    mentions = len(table)
    affinities(table, random_model(1), progress=lambda *done: told.append(done))
    assert told == [(mentions, mentions)]


def test_affinities_do_not_depend_on_the_order_of_documents() -> None:
    corpus = random_corpus(7, documents=6)
    model = random_model(2, intercept=-1.0)
    one, other = compiled(corpus), compiled(corpus[::-1])
    assert one.ids == other.ids
    first, second = affinities(one, model), affinities(other, model)
    for a, b in ((first.within, second.within), (first.across, second.across)):
        assert a.columns.tobytes() == b.columns.tobytes()
        assert a.values.tobytes() == b.values.tobytes()


def test_affinities_do_not_depend_on_the_names_of_documents() -> None:
    corpus = random_corpus(8, documents=6)
    names = {f"d{k}": f"x{9 - k}" for k in range(6)}
    renamed = [(_renamed(document, names), annotation) for document, annotation in corpus]
    model = random_model(4, intercept=-1.0)
    first, second = (
        {
            frozenset(table.ids[k].rpartition("/")[2] for k in pair): value
            for pair, value in entries(affinities(table, model).across).items()
        }
        for table in (compiled(corpus), compiled(renamed))
    )
    assert len(first) > 20
    assert first == second


def test_affinities_fit_a_problem() -> None:
    table = compiled(random_corpus(1))
    found = affinities(table, random_model(1, intercept=-1.0))
    words = Rows.counted([[0]] * len(table))
    problem = Problem(document=table.document, words=words, within=found.within, across=found.across)
    assert problem.customers == len(table)


@pytest.mark.parametrize(("documents", "mentions"), [(0, 0), (3, 0), (1, 1), (1, 12)])
def test_affinities_of_small_corpora_are_empty_or_within(documents: int, mentions: int) -> None:
    table = compiled(random_corpus(2, documents=documents, mentions=mentions))
    found = affinities(table, random_model(1, intercept=3.0))
    assert len(found.within) == len(found.across) == len(table)
    assert not len(found.across.columns)


def test_affinities_of_duplicate_documents_are_weighted_by_e() -> None:
    ((document, annotation),) = random_corpus(6, documents=1)
    table = compiled([(document, annotation), (_renamed(document, {"d0": "copy"}), annotation)])
    model = PairModel({"words": 10.0}, {}, -9.5)
    found = entries(affinities(table, model).across)
    half = len(table) // 2
    for row in range(half):
        f = model.probability(table, np.array([half + row]), np.array([row]))[0]
        assert found[row, half + row] == pytest.approx(np.e * f)


def test_minimum_similarity_out_of_range_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"'minimum_similarity' is 1.5; expected a number between 0 and 1"):
        LinkSettings(minimum_similarity=1.5)


def _renamed(document: Document, names: dict[str, str]) -> Document:
    empty = Document.from_tokens(
        names[document.id], [document.words(sentence) for sentence in document.sentences]
    )
    mentions = [
        empty.mention(
            m.kind, m.start, m.end, id=f"{names[document.id]}/{m.id}", head=m.head,
            arguments=[type(a)(f"{names[document.id]}/{a.mention}", a.role) for a in m.arguments],
        )
        for m in document.mentions
    ]  # fmt: skip
    return empty.with_mentions(mentions)
