from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from encoders import LAYERS, SIZE, forward, write_base
from samevent.language.encoder.graph import graph_bytes, outlier_channels
from samevent.language.encoder.runtime import open_session, saturates
from samevent.language.encoder.tagging import BIAS, WEIGHT, with_tagger
from samevent.language.encoder.weights import NORMS, read_weights

PIECES = [1, 5, 6, 7, 4, 9, 2, 10, 11, 12, 2]


def feed(pieces: list[int], own: int | None = None) -> dict[str, np.ndarray]:
    return {"pieces": np.array(pieces), "own": np.array([own or len(pieces)])}


def run(graph: bytes, pieces: list[int]) -> Any:
    return open_session(graph).run(["last", "middle"], feed(pieces))


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("length", [1, 4, 11])
def test_graph_computes_what_a_plain_forward_pass_does(tmp_path: Path, kind: str, length: int) -> None:
    weights = read_weights(write_base(tmp_path, kind))
    layers = forward(weights, PIECES[:length])
    last, middle = run(graph_bytes(weights, quantized=False), PIECES[:length])
    assert np.allclose(last, layers[-1], atol=1e-4)
    assert np.allclose(middle, np.mean(layers[1:], axis=0), atol=1e-4)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("quantized", [False, True])
@pytest.mark.parametrize("own", [1, 4, 10])
def test_context_is_read_but_not_written(tmp_path: Path, kind: str, quantized: bool, own: int) -> None:
    weights = with_tagger(read_weights(write_base(tmp_path, kind)))
    session = open_session(graph_bytes(weights, quantized=quantized))
    whole, part = (session.run(None, feed(PIECES, count)) for count in (None, own))
    for all_rows, rows in zip(whole, part, strict=True):
        assert rows.shape == (own, all_rows.shape[1])
        assert np.allclose(rows, all_rows[:own], atol=1e-5)
    alone = session.run(None, feed(PIECES[:own]))
    assert not np.allclose(part[0], alone[0], atol=1e-3), "the context counts"


@pytest.mark.parametrize("quantized", [False, True])
def test_graph_scores_tags_from_the_last_layer_and_the_mean_of_layers(
    tmp_path: Path, quantized: bool
) -> None:
    weights = with_tagger(read_weights(write_base(tmp_path)))
    draws = np.random.default_rng(0)
    for name in (WEIGHT, BIAS):
        weights.arrays[name] = draws.normal(size=weights.arrays[name].shape).astype(np.float32)
    graph = graph_bytes(weights, quantized=quantized)
    (tags,) = open_session(graph).run(["tags"], feed(PIECES))
    expected = np.hstack(run(graph, PIECES)) @ weights.arrays[WEIGHT].T + weights.arrays[BIAS]
    assert np.allclose(tags, expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_quantized_graph_stays_close(tmp_path: Path, kind: str) -> None:
    weights = read_weights(write_base(tmp_path, kind))
    last, _ = run(graph_bytes(weights), PIECES)
    expected = forward(weights, PIECES)[-1]
    cosines = (last * expected).sum(1) / np.linalg.norm(last, axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() > 0.98


def test_graph_has_the_same_bytes_every_time(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path))
    assert graph_bytes(weights) == graph_bytes(weights)


def test_quantized_graph_has_one_scale_per_piece(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path))
    weights.arrays["word"] = np.array(weights.arrays["word"])
    weights.arrays["norm.weight"] = np.ones(SIZE, np.float32)
    weights.arrays["word"][5] *= 1000
    expected = forward(weights, PIECES)[-1]
    (last, _) = run(graph_bytes(weights), PIECES)
    cosines = (last * expected).sum(1) / np.linalg.norm(last, axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() > 0.98


def test_exact_layers_keep_the_matrices_that_end_them(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path))
    model = onnx.load_from_string(graph_bytes(weights, exact_layers=2))
    arrays = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    kept = [name for name, array in arrays.items() if name.endswith(".down") and array.dtype == np.float32]
    assert kept == ["w.0.down", "w.1.down"]
    assert np.array_equal(arrays["w.1.down"], weights.arrays["1.down.weight"].T)


def test_outlier_channels_stay_in_full_precision(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path))
    channel = 3
    for layer in range(weights.layers):
        for norm in NORMS:
            gains = np.array(weights.arrays[f"{layer}.{norm}.weight"])
            gains[channel] = 300
            weights.arrays[f"{layer}.{norm}.weight"] = gains
    assert outlier_channels(weights).tolist() == [channel]
    # What all channels but this one add to a product would be lost beside it.
    for part in ("query", "key", "value", "up"):
        for layer in range(weights.layers):
            weights.arrays[f"{layer}.{part}.weight"] = np.array(weights.arrays[f"{layer}.{part}.weight"])
            weights.arrays[f"{layer}.{part}.weight"][:, channel] /= 300
    expected = np.delete(forward(weights, PIECES)[-1], channel, axis=1)
    last = np.delete(run(graph_bytes(weights), PIECES)[0], channel, axis=1)
    cosines = (last * expected).sum(1) / np.linalg.norm(last, axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() > 0.98


def test_encoders_in_one_graph_share_what_they_have_in_common(tmp_path: Path) -> None:
    weights = read_weights(write_base(tmp_path, "mpnet"))
    other = replace(weights, arrays=weights.arrays | {"2.up.bias": weights.arrays["2.up.bias"] + 1})
    both = graph_bytes({"a_": weights, "b_": other}, quantized=False)
    session = open_session(both)
    outputs = dict(
        zip(
            ("a_last", "a_middle", "b_last", "b_middle"),
            session.run(None, feed(PIECES)),
            strict=True,
        )
    )
    for prefix, encoder in (("a_", weights), ("b_", other)):
        last, middle = run(graph_bytes(encoder, quantized=False), PIECES)
        assert np.array_equal(outputs[f"{prefix}last"], last)
        assert np.array_equal(outputs[f"{prefix}middle"], middle)
    kinds = [node.op_type for node in onnx.load_from_string(both).graph.node]
    assert kinds.count("Softmax") == LAYERS, "attention of the last layer reads the same"
    assert kinds.count("Gelu") == LAYERS + 1


def test_graph_is_a_valid_model(tmp_path: Path) -> None:
    for quantized in (False, True):
        model = onnx.load_from_string(
            graph_bytes(read_weights(write_base(tmp_path, "mpnet")), quantized=quantized)
        )
        onnx.checker.check_model(model, full_check=True)
        assert [output.name for output in model.graph.output] == ["last", "middle"]


@pytest.mark.parametrize("quantized", [False, True])
def test_graph_of_two_encoders_gives_the_same_with_unsigned_weights(tmp_path: Path, quantized: bool) -> None:
    if quantized and saturates():
        pytest.skip("signed weights are wrong on this processor, which lacks VNNI instructions")
    weights = read_weights(write_base(tmp_path))
    other = replace(weights, arrays=weights.arrays | {"1.up.bias": weights.arrays["1.up.bias"] + 1})
    both = graph_bytes({"a_": weights, "b_": other}, quantized=quantized)
    signed, unsigned = (
        open_session(both, unsigned_weights=choice).run(None, feed(PIECES)) for choice in (False, True)
    )
    assert all(np.array_equal(a, b) for a, b in zip(signed, unsigned, strict=True))
