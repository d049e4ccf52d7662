"""The encoder of the shipped model."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from encoders import forward, story
from samevent.corpus import Corpus
from samevent.language.encoder import ENCODER_FILE, TOKENIZER_FILE, Encoder, mention_vectors
from samevent.language.encoder.weights import Weights
from samevent.language.resources import resources

CORPUS = Corpus(
    [
        story(
            "a",
            "A strong earthquake struck the coast of Sumatra on Tuesday .",
            "Police said the quake killed at least ten people .",
            actions={(2, 3): "quake", (14, 15): "quake", (15, 16): "kill", (12, 13): "say"},
        ),
        story(
            "b",
            "Ten dead after powerful tremor hits Sumatra",
            "Apple unveiled a new phone , officials said .",
            actions={(4, 5): "quake", (1, 2): "kill", (8, 9): "unveil", (14, 15): "say"},
        ),
    ]
)
MENTIONS = list(CORPUS.mentions())


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return resources().encoder


def test_shipped_encoder_is_small(encoder: Encoder) -> None:
    size = sum((encoder.folder / name).stat().st_size for name in (ENCODER_FILE, TOKENIZER_FILE))
    assert size < 25e6


def test_shipped_encoder_is_close_to_its_weights_in_full_precision(encoder: Encoder) -> None:
    unit = encoder.reader.read(CORPUS["a"], CORPUS["a"].mentions)[0][0]
    layers = forward(stored_weights(encoder), list(unit.pieces))
    outputs = encoder.encode(unit)
    for vectors, expected in (
        (outputs["last"], layers[-1]),
        (outputs["middle"], np.mean(layers[1:], axis=0)),
    ):
        expected = expected[: len(vectors)]  # context is not read to the end
        cosines = (
            (vectors * expected).sum(1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(expected, axis=1)
        )
        assert cosines[1 : unit.stop].mean() > 0.98


def test_shipped_encoder_puts_mentions_of_an_event_together(encoder: Encoder) -> None:
    vectors = mention_vectors(encoder, CORPUS, MENTIONS)["last"].astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors.T
    quakes = [i for i, m in enumerate(MENTIONS) if m.event == "quake"]
    (phone,) = [i for i, m in enumerate(MENTIONS) if m.event == "unveil"]
    assert cosines[np.ix_(quakes, quakes)].min() > cosines[phone, quakes].max() + 0.2


def test_shipped_vectors_are_the_same_for_any_number_of_jobs(encoder: Encoder) -> None:
    one, two = (mention_vectors(encoder, CORPUS, MENTIONS, jobs=jobs) for jobs in (1, 2))
    assert {name: rows.tobytes() for name, rows in one.items()} == {
        name: rows.tobytes() for name, rows in two.items()
    }


def stored_weights(encoder: Encoder) -> Weights:
    """Return the weights of a quantized graph: levels times scales. One product may have several matrices."""
    model = onnx.load(str(encoder.folder / ENCODER_FILE))
    stored = {t.name.removeprefix("w."): onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    arrays = {name: stored[name] for name in ("position", "norm.weight", "norm.bias")}
    arrays["word"] = stored["word"] * stored["word.scale"]
    heads = int(stored["split1"][1])
    matrices = [
        name.removesuffix(".scale") for name in stored if name[0].isdigit() and name.endswith(".scale")
    ]
    for name in matrices:
        layer, _, parts = name.partition(".")
        each = parts.split("+")
        matrix = np.split(stored[name].T * stored[f"{name}.scale"][:, None], len(each))
        for part, weight, bias in zip(each, matrix, np.split(stored[f"{name}.bias"], len(each)), strict=True):
            factor = (len(weight) / heads) ** 0.5 if part == "query" else 1.0
            arrays[f"{layer}.{part}.weight"], arrays[f"{layer}.{part}.bias"] = weight * factor, bias * factor
    arrays |= {name: stored[name] for name in stored if "_norm." in name}
    return Weights(len({name.partition(".")[0] for name in matrices}), heads, 1e-12, arrays)
