from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from encoders import tensors, write_base
from samevent.errors import FormatError
from samevent.language.encoder.units import LONGEST
from samevent.language.encoder.weights import distance_buckets, read_weights


def test_bert_positions_include_the_first_segment(tmp_path: Path) -> None:
    weights, raw = read_weights(write_base(tmp_path, "bert")), tensors("bert")
    expected = (
        raw["embeddings.position_embeddings.weight"] + raw["embeddings.token_type_embeddings.weight"][0]
    )
    assert np.array_equal(weights.arrays["position"], expected[:LONGEST])


def test_mpnet_positions_start_after_the_padding(tmp_path: Path) -> None:
    weights, raw = read_weights(write_base(tmp_path, "mpnet")), tensors("mpnet")
    expected = raw["embeddings.position_embeddings.weight"][2 : LONGEST + 2]
    assert np.array_equal(weights.arrays["position"], expected)


def test_distance_is_exact_nearby_and_logarithmic_far_away() -> None:
    buckets = distance_buckets(200)
    assert buckets[20, 13:20].tolist() == [7, 6, 5, 4, 3, 2, 1]
    assert buckets[20, 21:28].tolist() == [17, 18, 19, 20, 21, 22, 23]
    far = buckets[199, :192][::-1]
    assert (np.diff(far) >= 0).all()
    assert (far[0], far[-1]) == (8, 15)
    assert buckets[199, 199 - 16] == 10, "8 + log(16 / 8) / log(128 / 8) * 8"


def test_distance_bias_is_looked_up_by_query_and_key(tmp_path: Path) -> None:
    weights, raw = read_weights(write_base(tmp_path, "mpnet")), tensors("mpnet")
    table = raw["encoder.relative_attention_bias.weight"]
    assert weights.arrays["distance"][1, 5, 3] == table[2, 1], "two places back"
    assert weights.arrays["distance"][0, 3, 5] == table[18, 0], "two places ahead"


def test_other_architecture_is_an_error(tmp_path: Path) -> None:
    write_base(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text()) | {"model_type": "gpt2"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(FormatError, match=r"'gpt2'.*'bert' or 'mpnet'"):
        read_weights(tmp_path)


def test_missing_or_truncated_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"config\.json, model\.safetensors and tokenizer\.json"):
        read_weights(tmp_path)
    path = write_base(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FormatError, match="cannot be read as an encoder"):
        read_weights(tmp_path)
