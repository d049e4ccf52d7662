from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samevent.errors import FormatError, OutputExistsError
from samevent.similarity.code_features import ALL_FEATURES
from samevent.similarity.model import PairModel
from similarity.tables import all_pairs, compiled, random_corpus, random_model

TABLE = compiled(random_corpus(12, documents=6))


@pytest.mark.parametrize("seed", [3, 4])
def test_probability_is_the_logistic_function_of_the_weighted_sum(seed: int) -> None:
    model = random_model(seed)
    assert model.tag_length == (1 if seed == 3 else None)
    tags = [TABLE.heads.tags[TABLE.heads.tag[head]][: model.tag_length] for head in TABLE.head]
    i, j = all_pairs(TABLE)
    values = {feature.name: feature.compare(TABLE, i, j) for feature in ALL_FEATURES}
    expected = []
    for k, (a, b) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
        forth = model.tag_weights.get((tags[b], tags[a]), 0.0)
        back = model.tag_weights.get((tags[a], tags[b]), 0.0)
        score = model.intercept + sum(model.weights[name] * values[name][k] for name in values)
        score += forth if TABLE.document[a] == TABLE.document[b] else (forth + back) / 2
        expected.append(1 / (1 + np.exp(-score)))
    assert model.probability(TABLE, i, j) == pytest.approx(expected)


def test_probability_is_bitwise_symmetric() -> None:
    i, j = all_pairs(TABLE)
    model = random_model(3)
    assert model.probability(TABLE, i, j).tobytes() == model.probability(TABLE, j, i).tobytes()


def test_saved_model_round_trips_with_the_same_bytes(tmp_path: Path) -> None:
    model = random_model(3)
    for name in ("one.npz", "two.npz"):
        model.save(tmp_path / name)
    assert PairModel.load(tmp_path / "one.npz") == model
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_model_without_tags_round_trips(tmp_path: Path) -> None:
    model = PairModel({"context": 1.5}, {}, -1.0, {"C": 0.01})
    model.save(tmp_path / "model.npz")
    assert PairModel.load(tmp_path / "model.npz") == model
    with pytest.raises(OutputExistsError):
        model.save(tmp_path / "model.npz")


def test_weight_of_an_unknown_feature_is_an_error() -> None:
    with pytest.raises(
        FormatError, match="weight for the unknown feature 'luck'; expected some of head_word, head_lemma"
    ):
        PairModel({"luck": 1.0}, {}, 0.0)


def test_damaged_model_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "model.npz").write_bytes(b"PK")
    with pytest.raises(FormatError, match=r"model\.npz: cannot be read as a table"):
        PairModel.load(tmp_path / "model.npz")
