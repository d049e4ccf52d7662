from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from encoders import forward, write_base
from samevent.language.encoder.graph import graph_bytes
from samevent.language.encoder.tagging import BIAS, WEIGHT, with_tagger
from samevent.language.encoder.weights import read_weights

PIECES = [1, 5, 6, 7, 4, 9, 2, 10, 11, 12, 2]


def run(graph: bytes, pieces: list[int]) -> Any:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run(["last", "middle"], {"pieces": np.array(pieces)})


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("length", [1, 4, 11])
def test_graph_computes_what_a_plain_forward_pass_does(tmp_path: Path, kind: str, length: int) -> None:
    weights = read_weights(write_base(tmp_path, kind))
    layers = forward(weights, PIECES[:length])
    last, middle = run(graph_bytes(weights, quantized=False), PIECES[:length])
    assert np.allclose(last, layers[-1], atol=1e-4)
    assert np.allclose(middle, np.mean(layers[1:], axis=0), atol=1e-4)


@pytest.mark.parametrize("quantized", [False, True])
def test_graph_scores_tags_from_the_last_layer_and_the_mean_of_layers(
    tmp_path: Path, quantized: bool
) -> None:
    weights = with_tagger(read_weights(write_base(tmp_path)))
    draws = np.random.default_rng(0)
    for name in (WEIGHT, BIAS):
        weights.arrays[name] = draws.normal(size=weights.arrays[name].shape).astype(np.float32)
    graph = graph_bytes(weights, quantized=quantized)
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    (tags,) = session.run(["tags"], {"pieces": np.array(PIECES)})
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


def test_quantized_weights_leave_room_for_16_bit_sums(tmp_path: Path) -> None:
    import onnx

    model = onnx.load_from_string(graph_bytes(read_weights(write_base(tmp_path))))
    arrays = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    matrices = [array for name, array in arrays.items() if array.dtype == np.int8 and name != "w.word"]
    assert len(matrices) == 18
    assert max(2 * 255 * int(np.abs(matrix.astype(int)).max()) for matrix in matrices) < 2**15
