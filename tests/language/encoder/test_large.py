from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from encoders import HIDDEN, SIZE, forward, story, write_base
from samevent.corpus import Corpus
from samevent.language.encoder import mention_vectors
from samevent.language.encoder.adapters import Adapter, merged, write_adapter
from samevent.language.encoder.large import write_large_encoder
from samevent.language.encoder.weights import read_weights

CORPUS = Corpus([story("a", "quake hit the city .", actions={(0, 1): "x", (1, 2): "y"})])


def adapter(seed: int = 0) -> Adapter:
    draws = np.random.default_rng(seed)
    return {
        "2.query.a": draws.normal(size=(2, SIZE)),
        "2.query.b": draws.normal(size=(SIZE, 2)),
        "2.up.a": draws.normal(size=(2, SIZE)),
        "2.up.b": draws.normal(size=(HIDDEN, 2)),
    }


def test_large_encoder_has_vectors_of_the_base_and_of_the_tuned_encoder(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base", "mpnet")
    write_adapter(tmp_path / "adapter.npz", adapter())
    encoder = write_large_encoder(base, tmp_path / "adapter.npz", tmp_path / "large", quantized=False)
    vectors = mention_vectors(encoder, CORPUS, list(CORPUS.mentions()))
    assert list(vectors) == [
        "large_last", "large_middle", "large_unit", "frozen_last", "frozen_middle", "frozen_unit",
    ]  # fmt: skip
    weights = read_weights(base)
    unit = encoder.reader.read(CORPUS["a"], CORPUS["a"].mentions)[0][0]
    for prefix, parts in (("large_", merged(weights, adapter())), ("frozen_", weights)):
        layers = forward(parts, list(unit.pieces))
        assert np.allclose(vectors[f"{prefix}last"], layers[-1][1:3], atol=5e-3)
        assert np.allclose(vectors[f"{prefix}middle"], np.mean(layers[1:], 0)[1:3], atol=5e-3)
        assert np.allclose(vectors[f"{prefix}unit"], layers[-1][1 : unit.stop].mean(0), atol=5e-3)


def test_large_encoder_does_what_the_trained_network_does(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from samevent.language.encoder.network import Network

    base = write_base(tmp_path / "base", "mpnet")
    write_adapter(tmp_path / "adapter.npz", adapter())
    encoder = write_large_encoder(base, tmp_path / "adapter.npz", tmp_path / "large", quantized=False)
    unit = encoder.reader.read(CORPUS["a"], CORPUS["a"].mentions)[0][0]
    network = Network(read_weights(base))
    network.tensors |= {
        name: torch.from_numpy(np.array(array, np.float32)) for name, array in adapter().items()
    }
    with torch.no_grad():
        last = network([unit])[-1][0].numpy()
    found = encoder.encode(unit)["large_last"]
    assert np.allclose(found, last[: len(found)], atol=5e-3)
