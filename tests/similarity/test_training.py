from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from samevent.errors import DataError, UsageError
from samevent.similarity.features import FEATURES, TAGS
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import LabelledMentions, training_pairs
from samevent.similarity.training import Design, PairTrainingSettings, Trial, strongest_penalty, train
from similarity.tables import all_pairs, compiled, random_corpus

TABLE = compiled(random_corpus(21, documents=16, mentions=8))
TOPIC = np.arange(len(TABLE.documents), dtype=np.int32) % 2
EVENT = TABLE.heads.lemma[TABLE.head] // 2  # words next to each other in the alphabet
DATA = LabelledMentions(TABLE, EVENT, TOPIC, ("north", "south"))
ONE = PairTrainingSettings(penalties=(0.1,), folds=2)
PAIRS = training_pairs(TABLE)
SAME = DATA.same(PAIRS)


def test_trained_weights_have_zero_gradient() -> None:
    model = train(DATA, settings=ONE).model
    excess = model.probability(TABLE, PAIRS.i, PAIRS.j) - SAME
    for feature in FEATURES:
        slope = 0.1 * float(excess @ feature.compare(TABLE, PAIRS.i, PAIRS.j)) + model.weights[feature.name]
        assert slope == pytest.approx(0, abs=0.02), feature.name
    assert 0.1 * excess.sum() == pytest.approx(0, abs=0.02)  # the intercept is not penalised


def test_training_ignores_topics_not_in_learn() -> None:
    north = TOPIC[TABLE.document] == 0
    upset = replace(DATA, event=np.where(north, EVENT % 2, EVENT + 2).astype(np.int32))
    one, other = (train(data, learn=["south"], settings=ONE) for data in (DATA, upset))
    assert one.model == other.model != train(DATA, settings=ONE).model
    assert one.report.trials != other.report.trials


def test_cross_validated_losses_come_from_models_of_the_other_topics() -> None:
    design = Design.of(TABLE, PAIRS)
    topic = TOPIC[TABLE.document]
    losses = []
    for held_out in (0, 1):
        inside = (topic[PAIRS.i] == held_out) & (topic[PAIRS.j] == held_out)
        outside = (topic[PAIRS.i] != held_out) & (topic[PAIRS.j] != held_out)
        model = LogisticRegression(C=0.1, max_iter=1000).fit(design.columns[outside], SAME[outside])
        losses.append(log_loss(SAME[inside], model.predict_proba(design.columns[inside])[:, 1]))
    (trial,) = train(DATA, settings=ONE).report.trials
    assert trial.losses == pytest.approx(losses, rel=1e-3)


def test_design_has_one_column_per_feature_and_pair_of_tags() -> None:
    design = Design.of(TABLE, PAIRS)
    columns = design.columns.toarray()
    tags = columns[:, len(FEATURES) :]
    assert tags.sum(axis=1) == pytest.approx(np.ones(len(PAIRS)))
    inside = PAIRS.equal(TABLE.document)
    assert set(tags[inside].ravel()) == {0.0, 1.0}
    k = design.names.index("context")
    assert columns[:, k] == pytest.approx(FEATURES[k].compare(TABLE, PAIRS.i, PAIRS.j))
    assert not Design.of(TABLE, PAIRS, without=[TAGS]).tag_pairs


def test_strongest_penalty_is_within_one_standard_error() -> None:
    trials = [
        Trial(0.001, (0.30, 0.42), 0.5),  # worse by 0.06 with a standard error of 0.04
        Trial(0.01, (0.21, 0.42), 0.5),  # worse by 0.015 with a standard error of 0.025
        Trial(0.1, (0.22, 0.38), 0.5),
        Trial(1.0, (0.23, 0.40), 0.5),
    ]
    assert strongest_penalty(trials) == 0.01


def test_training_logs_and_reports() -> None:
    told: list[str] = []
    report = train(DATA, settings=ONE, progress=told.append).report
    assert report.pairs == len(PAIRS)
    assert report.penalty == 0.1
    assert sum(b.pairs for b in report.calibration.bins) > 0
    model = train(DATA, settings=ONE).model
    i, j = all_pairs(TABLE)
    links = int((model.probability(TABLE, i, j) >= 0.5).sum())
    assert report.links_per_mention == pytest.approx(2 * links / len(TABLE))
    assert any("C = 0.1" in line for line in told)


def test_trained_model_round_trips(tmp_path: Path) -> None:
    model = train(DATA, settings=ONE).model
    model.save(tmp_path / "model.npz")
    assert PairModel.load(tmp_path / "model.npz") == model


def test_training_is_deterministic() -> None:
    assert train(DATA, settings=ONE).model == train(DATA, settings=ONE).model


def test_left_out_groups_get_no_weight() -> None:
    settings = PairTrainingSettings(penalties=(0.1,), folds=2, without=("string", TAGS))
    model = train(DATA, settings=settings).model
    assert "head_word" not in model.weights
    assert not model.tag_weights
    assert model.about["without"] == ["string", TAGS]


def test_training_without_two_topics_is_an_error() -> None:
    with pytest.raises(
        DataError, match="all documents have the same topic, 'only'; expected two or more topics"
    ):
        train(LabelledMentions(TABLE, EVENT, TOPIC * 0, ("only",)))


def test_training_without_pairs_is_an_error() -> None:
    table = compiled(random_corpus(3, documents=2, mentions=0))
    none = np.empty(0, np.int32)
    with pytest.raises(DataError, match="no topic has a pair of mentions"):
        train(LabelledMentions(table, none, np.array([0, 1], np.int32), ("north", "south")), settings=ONE)


def test_training_without_both_classes_is_an_error() -> None:
    with pytest.raises(
        DataError, match=r"0 are of the same event; expected pairs of the same event and pairs"
    ):
        train(replace(DATA, event=np.arange(len(TABLE), dtype=np.int32)), settings=ONE)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"penalties": ()}, "values of C"), ({"folds": 1}, "1 folds"), ({"without": ("x",)}, "group 'x'")],
)
def test_invalid_training_settings_are_an_error(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PairTrainingSettings(**wrong)  # type: ignore[arg-type]
