from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier

from samevent.errors import FormatError
from samevent.hddcrp import Uncertainty
from samevent.similarity import links
from samevent.similarity.bags import Background
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosted import BoostedModel
from samevent.similarity.boosting import BoostingSettings, fit_trees, from_classifier
from samevent.similarity.explanation import explain, explanations
from samevent.similarity.links import LinkSettings, find_links
from samevent.similarity.tree_features import ABOUT_DOCUMENTS, TREE_FEATURES, columns
from samevent.similarity.trees import Trees
from similarity.tables import all_pairs, compiled, random_corpus

NAMES = tuple(feature.name for feature in TREE_FEATURES)
WIDTH = len(NAMES)
SMALL = BoostingSettings(rounds=12, leaves=6, leaf_pairs=3, blocking=Blocking(documents=0.01))


def random_matrix(seed: int, rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return columns with missing values and repeated numbers, and labels that depend on some of them."""
    draw = np.random.default_rng(seed)
    matrix = draw.normal(size=(rows, WIDTH)).astype(np.float32)
    matrix[:, ::3] = np.round(matrix[:, ::3])
    same = np.nan_to_num(matrix[:, 0]) + matrix[:, 1] * matrix[:, 2] > draw.normal(size=rows)
    matrix[draw.random(matrix.shape) < 0.2] = np.nan
    return matrix, same


def random_boosted(seed: int) -> BoostedModel:
    """Return a model of the features of real pairs, whose labels are noise, so that it asks for many of them."""
    table = compiled(random_corpus(seed, documents=8))
    i, j = all_pairs(table)
    draw = np.random.default_rng(seed)
    return fit_trees(columns(table, i, j), draw.random(len(i)) < 0.4, np.ones(len(i)), SMALL)


def from_matrix(matrix: np.ndarray, same: np.ndarray) -> BoostedModel:
    return fit_trees(matrix, same, np.ones(len(same)), SMALL)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), leaves=st.sampled_from([2, 5, 31]))
def test_scores_equal_the_decision_function_of_scikit_learn(seed: int, weighted: bool, leaves: int) -> None:
    matrix, same = random_matrix(seed)
    weight = np.random.default_rng(seed).random(len(same)) + 0.5 if weighted else np.ones(len(same))
    classifier = HistGradientBoostingClassifier(
        max_iter=10, max_leaf_nodes=leaves, min_samples_leaf=2, early_stopping=False
    ).fit(matrix, same, sample_weight=weight)
    model = from_classifier(classifier, BoostingSettings())
    new = random_matrix(seed + 1)[0]
    for rows in (matrix, new, np.full((1, WIDTH), np.nan, np.float32)):
        expected = classifier.decision_function(rows)
        assert model.intercept + model.trees.scores(rows) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_contributions_add_up_to_the_score(seed: int) -> None:
    matrix, same = random_matrix(seed)
    trees = from_matrix(matrix, same).trees
    means, added = trees.contributions(matrix)
    assert means + added.sum(axis=1) == pytest.approx(trees.scores(matrix), abs=1e-10)


def test_contributions_of_one_tree_are_differences_of_means() -> None:
    trees = Trees(
        starts=np.array([0, 5], np.int32),
        column=np.array([1, 0, 0, 0, 0], np.int16),
        threshold=np.array([0.5, 2.0, 0.0, 0.0, 0.0]),
        left=np.array([1, 3, 0, 0, 0], np.int32),
        right=np.array([2, 4, 0, 0, 0], np.int32),
        missing_left=np.array([False, True, False, False, False]),
        value=np.array([0.1, 0.4, -0.6, 1.0, -0.2]),
    )
    matrix = np.array([[1, 0], [3, 0.5], [9, 1], [9, np.nan], [np.nan, 0]], np.float32)
    assert trees.scores(matrix).tolist() == [1.0, -0.2, -0.6, -0.6, 1.0]
    means, added = trees.contributions(matrix)
    assert means == 0.1
    assert added == pytest.approx(np.array([[0.6, 0.3], [-0.6, 0.3], [0, -0.7], [0, -0.7], [0.6, 0.3]]))


def test_column_that_trees_never_ask_for_adds_nothing() -> None:
    matrix, same = random_matrix(4)
    matrix[:, 7] = 1.0
    added = from_matrix(matrix, same).trees.contributions(matrix)[1]
    assert not added[:, 7].any()
    assert added.any()


def test_saved_model_is_the_same_and_has_the_same_bytes(tmp_path: Path) -> None:
    model = replace(random_boosted(3), background=Background(9, {"bomb": 4}))
    model = replace(model, uncertainty=Uncertainty(shift=-0.25, spread=1.75))
    model.save(tmp_path / "one.npz")
    loaded = BoostedModel.load(tmp_path / "one.npz")
    loaded.save(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert loaded == model != random_boosted(4)
    table = compiled(random_corpus(5))
    i, j = all_pairs(table)
    assert (loaded.score(table, i, j) == model.score(table, i, j)).all()


def test_probability_is_symmetric() -> None:
    model, table = random_boosted(3), compiled(random_corpus(8))
    i, j = all_pairs(table)
    assert (model.probability(table, i, j) == model.probability(table, j, i)).all()
    assert len(set(model.probability(table, i, j).tolist())) > 5


def test_model_with_an_unknown_feature_is_an_error() -> None:
    model = random_boosted(3)
    with pytest.raises(FormatError, match="unknown feature 'zeal'"):
        replace(model, names=(*model.names[:-1], "zeal"))
    with pytest.raises(FormatError, match="asks for"):
        replace(model, names=model.names[:1])


@pytest.mark.parametrize(("name", "value"), [("left", -1), ("left", 10**6), ("right", 0), ("starts", 0)])
def test_damaged_trees_are_an_error(tmp_path: Path, name: str, value: int) -> None:
    model = random_boosted(3)
    array = getattr(model.trees, name).copy()
    array[array > 0] = value
    if name == "left" and value == -1:
        array[:] = 0
        array[0] = len(array) + 1
    with pytest.raises(FormatError, match="damaged"):
        replace(model.trees, **{name: array})


def test_links_are_the_pairs_of_the_blocking_that_reach_the_minimum() -> None:
    model, table = random_boosted(3), compiled(random_corpus(11, documents=6))
    found = find_links(table, model, settings=LinkSettings(minimum_similarity=0.4))
    blocks = {pair for block in model.blocking.pairs(table) for pair in zip(block.i, block.j, strict=True)}
    i, j = all_pairs(table)
    expected = {
        (a, b): f
        for a, b, f in zip(i, j, model.probability(table, i, j), strict=True)
        if f >= 0.4 and (a, b) in blocks
    }
    assert len(expected) > 5
    pairs = zip(found.pairs.i, found.pairs.j, strict=True)
    assert dict(zip(pairs, found.similarity, strict=True)) == expected


def test_links_do_not_depend_on_jobs_or_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    model, table = random_boosted(3), compiled(random_corpus(11, documents=6))
    settings = LinkSettings(minimum_similarity=0.4)
    one = find_links(table, model, settings=settings)
    monkeypatch.setattr(links, "_CHUNK", 50)
    other = find_links(table, model, settings=settings, jobs=3)
    assert (one.pairs.i == other.pairs.i).all()
    assert (one.pairs.j == other.pairs.j).all()
    assert (one.similarity == other.similarity).all()
    assert one.scored == other.scored > len(one.pairs)


def test_explanation_adds_up_to_the_score() -> None:
    model, table = random_boosted(3), compiled(random_corpus(12, documents=6))
    for first, second in ((0, 1), (2, 20), (20, 2)):
        explanation = explain(table, model, first, second)
        score = explanation.intercept + sum(c.added for c in explanation.contributions)
        assert explanation.probability == pytest.approx(1 / (1 + np.exp(-score)))
        sizes = [abs(c.added) for c in explanation.contributions]
        assert sizes == sorted(sizes, reverse=True)
        same = table.document[first] == table.document[second]
        names = {c.feature for c in explanation.contributions}
        assert not (same and names & ABOUT_DOCUMENTS)
    (short,) = explanations(table, model, np.array([20], np.int32), np.array([2], np.int32), limit=2)
    assert short.contributions == explanation.contributions[:2]
