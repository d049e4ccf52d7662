from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, logit

from samevent.errors import DataError, UsageError
from samevent.seeds import stream
from samevent.similarity import boosted, boosting
from samevent.similarity.bags import Booleans
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosted import LEAST_LINK, BoostedModel
from samevent.similarity.boosting import (
    BoostingSettings,
    JudgedLinks,
    fit_trees,
    train_boosted,
    train_second_look,
    training_pairs,
)
from samevent.similarity.graph import graph_columns
from samevent.similarity.links import LinkSettings, MentionLinks, find_links
from samevent.similarity.pairs import UNKNOWN, LabelledMentions
from samevent.similarity.tree_features import DIRECTIONS
from similarity.tables import compiled, random_corpus

TABLE = compiled(random_corpus(21, documents=16, mentions=8))
TOPIC = np.arange(len(TABLE.documents), dtype=np.int32) % 2
EVENT = TABLE.heads.lemma[TABLE.head] // 2
DATA = LabelledMentions(TABLE, EVENT, TOPIC, ("north", "south"))
FOLD = TOPIC[TABLE.document]
QUICK = BoostingSettings(
    rounds=12, rate=0.3, leaves=5, leaf_pairs=5, blocking=Blocking(documents=0.01), second_rounds=12,
    second_leaf_pairs=5,
)  # fmt: skip


def saved(model: object, path: Path) -> bytes:
    model.save(path, overwrite=True)  # type: ignore[attr-defined]
    return path.read_bytes()


def test_trees_learn_which_words_go_together() -> None:
    model = train_boosted(DATA, settings=QUICK)
    rows = training_pairs(DATA, QUICK).rows()
    f = model.probability(TABLE, rows.pairs.i, rows.pairs.j)
    assert f[rows.same].mean() > f[~rows.same].mean() + 0.2


def test_training_is_deterministic(tmp_path: Path) -> None:
    one, other = (saved(train_boosted(DATA, settings=QUICK), tmp_path / "model.npz") for _ in range(2))
    assert one == other


def test_training_ignores_topics_not_in_learn(tmp_path: Path) -> None:
    north = TOPIC[TABLE.document] == 0
    upset = replace(DATA, event=np.where(north, EVENT % 2, EVENT + 2).astype(np.int32))
    settings = replace(QUICK, easy_share=1.0, size_discount=1.0)
    one, other = (
        saved(train_boosted(data, learn=["south"], settings=settings), tmp_path / "model.npz")
        for data in (DATA, upset)
    )
    assert one == other != saved(train_boosted(DATA, settings=settings), tmp_path / "model.npz")
    background = train_boosted(DATA, learn=["south"], settings=settings).background
    assert background == TABLE.document_frequencies(TOPIC == 1).without_rare(2)


def unchained() -> tuple[LabelledMentions, NDArray[np.int64]]:
    """Return the data with all mentions of the most frequent word as events of their own, and these mentions."""
    lemma = TABLE.heads.lemma[TABLE.head]
    alone = np.flatnonzero(lemma == np.bincount(lemma).argmax())
    event = EVENT.copy()
    event[alone] = EVENT.max() + 1 + np.arange(len(alone))
    return replace(DATA, event=event), alone


def test_pairs_of_one_word_that_no_chain_judges_are_not_learned_from() -> None:
    data, alone = unchained()
    pairs = training_pairs(data, replace(QUICK, easy_share=1.0)).rows().pairs
    both = np.isin(pairs.i, alone) & np.isin(pairs.j, alone)
    inside = pairs.equal(TABLE.document)
    assert not (both & ~inside).any()
    assert (both & inside).any()
    assert np.isin(pairs.i, alone).any()
    assert np.isin(training_pairs(DATA, QUICK).rows().pairs.i, alone).any()


def test_statements_are_learned_from_even_if_no_chain_judges_them(monkeypatch: pytest.MonkeyPatch) -> None:
    data, alone = unchained()
    monkeypatch.setattr(boosting, "reporting_heads", lambda table, i, j: np.full(len(i), 2.0))
    pairs = training_pairs(data, replace(QUICK, easy_share=1.0)).rows().pairs
    both = np.isin(pairs.i, alone) & np.isin(pairs.j, alone)
    assert (both & ~pairs.equal(TABLE.document)).any()


def looking_twice() -> tuple[BoostedModel, MentionLinks]:
    model = train_boosted(DATA, settings=QUICK)
    links = find_links(TABLE, model, settings=LinkSettings(minimum_similarity=LEAST_LINK))
    judged = JudgedLinks(DATA, links, FOLD)
    return replace(model, second=train_second_look(judged, QUICK)), links


def test_second_look_counts_half_and_sees_the_whole_graph() -> None:
    model, links = looking_twice()
    assert model.second
    score = logit(links.similarity)
    graph = graph_columns(TABLE.document, links.pairs, score)
    second = model.second.intercept + model.second.trees.scores(graph)
    found = find_links(TABLE, model, settings=LinkSettings(minimum_similarity=0.3))
    expected = expit((score + second) / 2)
    kept = expected >= 0.3
    assert found.pairs.codes(len(TABLE)).tolist() == links.pairs[kept].codes(len(TABLE)).tolist()
    np.testing.assert_allclose(found.similarity, expected[kept], rtol=1e-6)
    assert not np.allclose(expected, links.similarity)


def test_second_look_takes_links_in_chunks_or_only_some(monkeypatch: pytest.MonkeyPatch) -> None:
    model, links = looking_twice()
    score = logit(links.similarity)
    whole = model.look_again(TABLE.document, links.pairs, score)
    monkeypatch.setattr(boosted, "_CHUNK", 7)
    assert len(score) > 3 * 7
    assert model.look_again(TABLE.document, links.pairs, score).tolist() == whole.tolist()
    which = stream(1, "which").permutation(len(score))[:9].astype(np.int32)
    assert model.look_again(TABLE.document, links.pairs, score, which).tolist() == whole[which].tolist()


def test_second_look_survives_a_file(tmp_path: Path) -> None:
    model, links = looking_twice()
    model.save(tmp_path / "model.npz")
    again = BoostedModel.load(tmp_path / "model.npz")
    assert saved(again, tmp_path / "again.npz") == (tmp_path / "model.npz").read_bytes()
    score = logit(links.similarity)
    assert (
        again.look_again(TABLE.document, links.pairs, score).tolist()
        == model.look_again(TABLE.document, links.pairs, score).tolist()
    )


def test_pairs_across_halves_are_not_learned_from() -> None:
    everything = replace(QUICK, easy_share=1.0)
    rows = training_pairs(DATA, everything).rows()
    halves = training_pairs(DATA, everything, {"north": 0, "south": 1}).rows()
    topic = TOPIC[TABLE.document]
    assert halves.pairs.equal(topic).all()
    assert len(halves.pairs) == int(rows.pairs.equal(topic).sum()) < len(rows.pairs)


def test_drawn_pairs_stand_for_all() -> None:
    everything = training_pairs(DATA, replace(QUICK, easy_share=1.0, size_discount=0)).rows()
    drawn = training_pairs(DATA, replace(QUICK, easy_share=0.5, size_discount=0)).rows()
    lemma = TABLE.heads.lemma[TABLE.head]
    easy = ~drawn.same & ~drawn.pairs.equal(lemma)
    assert set(drawn.weight[easy]) == {2.0}
    assert set(drawn.weight[~easy]) == {1.0}
    assert (~easy).sum() == (everything.same | everything.pairs.equal(lemma)).sum()
    assert drawn.weight.sum() == pytest.approx(everything.weight.sum(), rel=0.1)


def test_events_count_by_their_mentions_and_not_by_their_pairs() -> None:
    settings = replace(QUICK, easy_share=1.0, size_discount=1.0)
    counted = training_pairs(DATA, replace(settings, size_discount=0)).rows()
    rows = training_pairs(DATA, settings).rows()
    np.testing.assert_array_equal(rows.pairs.i, counted.pairs.i)
    size = np.bincount(EVENT)[EVENT]
    for group in (rows.same, ~rows.same):
        discount = rows.weight[group] * np.sqrt(size[rows.pairs.i] * size[rows.pairs.j])[group]
        np.testing.assert_allclose(discount, discount[0])
        assert rows.weight[group].sum() == pytest.approx(counted.weight[group].sum())


def test_left_out_groups_are_no_columns() -> None:
    model = train_boosted(DATA, settings=replace(QUICK, without=("contextual", "string")))
    assert not {"contextual_last", "head_lemma"} & set(model.names)
    assert model.about["without"] == ["contextual", "string"]


def test_single_features_can_be_left_out() -> None:
    left_out = BoostingSettings(without=("same_agent",)).features
    assert [f for f in BoostingSettings().features if f.name != "same_agent"] == list(left_out)
    assert len(left_out) == len(BoostingSettings().features) - 1


def test_training_without_both_classes_is_an_error() -> None:
    with pytest.raises(DataError, match="0 are of the same event"):
        train_boosted(replace(DATA, event=np.arange(len(TABLE), dtype=np.int32)), settings=QUICK)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"leaves": 33}, "'leaves' is 33"),
        ({"rounds": 0}, "'rounds' is 0; expected 1 or more"),
        ({"easy_share": 0.0}, "'easy_share' is 0.0"),
        ({"size_discount": -1.0}, "'size_discount' is -1.0; expected 0 or more"),
        ({"without": ("x",)}, "unknown feature group 'x'"),
    ],
)
def test_invalid_settings_are_an_error(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        BoostingSettings(**wrong)  # type: ignore[arg-type]


def with_unknown_events() -> tuple[LabelledMentions, Booleans]:
    hidden = np.arange(len(TABLE)) % 4 == 0
    return replace(DATA, event=np.where(hidden, np.int32(UNKNOWN), EVENT)), hidden


def test_unknown_events_are_in_the_graph_but_not_learned_from() -> None:
    data, hidden = with_unknown_events()
    _, links = looking_twice()
    judged = JudgedLinks(data, links, FOLD)
    rows = judged.rows(replace(QUICK, easy_share=1.0))
    assert not (hidden[rows.pairs.i] | hidden[rows.pairs.j]).any()
    assert not hidden[training_pairs(data, QUICK).rows().pairs.i].any()
    graph = graph_columns(TABLE.document, links.pairs, logit(links.similarity))
    kept = np.isin(links.pairs.codes(len(TABLE)), rows.pairs.codes(len(TABLE)))
    np.testing.assert_array_equal(rows.columns, graph[kept])


def test_extracted_mentions_are_learned_from_as_much_as_they_weigh() -> None:
    data, _ = with_unknown_events()
    alone = train_boosted(DATA, settings=QUICK)
    found = training_pairs(data, QUICK)
    both = train_boosted(DATA, extracted=found, settings=QUICK)
    nothing = train_boosted(DATA, extracted=found, settings=replace(QUICK, extracted_weight=0.0))
    pairs = find_links(TABLE, alone, settings=LinkSettings(minimum_similarity=LEAST_LINK)).pairs
    assert (nothing.score(TABLE, pairs.i, pairs.j) == alone.score(TABLE, pairs.i, pairs.j)).all()
    assert (both.score(TABLE, pairs.i, pairs.j) != alone.score(TABLE, pairs.i, pairs.j)).any()
    assert both.about["pairs"] > alone.about["pairs"]


def test_a_second_look_learns_from_extracted_mentions_too() -> None:
    data, _ = with_unknown_events()
    _, links = looking_twice()
    judged, found = (JudgedLinks(each, links, FOLD) for each in (DATA, data))
    graph = graph_columns(TABLE.document, links.pairs, logit(links.similarity))
    alone, both = (train_second_look(judged, QUICK, more) for more in (None, found))
    assert (alone.trees.scores(graph) != both.trees.scores(graph)).any()
    weightless = train_second_look(judged, replace(QUICK, extracted_weight=0.0), found)
    assert (alone.trees.scores(graph) == weightless.trees.scores(graph)).all()


def test_a_second_look_leaves_out_the_links_of_a_fold() -> None:
    _, links = looking_twice()
    judged = JudgedLinks(DATA, links, FOLD)
    everything, without = judged.rows(QUICK), judged.rows(QUICK, without=1)
    assert (FOLD[without.pairs.i] == 0).all()
    assert 0 < len(without.pairs) < len(everything.pairs)


@pytest.mark.parametrize("directed", [True, False])
def test_what_contradicts_never_raises_a_score(directed: bool) -> None:
    settings = replace(QUICK, directed=directed, feature_share=1.0, rounds=20)
    names = [feature.name for feature in settings.features]
    draws = stream(3, "contradictions")
    matrix = np.zeros((600, len(names)), np.float32)
    days = names.index("stated_days_between")
    matrix[:, days] = draws.integers(0, 40, 600)
    same = (matrix[:, days] > 20) == (draws.random(600) < 0.8)
    model = fit_trees(matrix, same, np.ones(600), settings)
    asked = np.zeros((40, len(names)), np.float32)
    asked[:, days] = np.arange(40)
    scores = model.trees.scores(asked)
    assert DIRECTIONS["stated_days_between"] == -1
    assert (np.diff(scores) <= 1e-9).all() == directed
