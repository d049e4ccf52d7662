"""The weights of a transformer encoder under plain names, read from a sentence-transformers folder.

`Weights` is what the ONNX graph is built from and what training changes. BERT and MPNet differ in their names, in how
positions are counted and in MPNet's bias by distance; none of that is left in the arrays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import FormatError, place
from samevent.language.encoder.units import LONGEST

Floats = NDArray[np.float32]
Arrays = dict[str, Floats]

MATRICES = ("query", "key", "value", "output", "up", "down")
"""The six matrices of a layer, each with a bias. One row per output."""
NORMS = ("attention_norm", "output_norm")


@dataclass(frozen=True, slots=True)
class Weights:
    """An encoder's arrays: `word`, `position`, `norm.*`, `<layer>.<part>.*` and for MPNet `distance`.

    `position` has one row for each of the `LONGEST` places of a unit. `distance` (heads x places x places) is added to
    the attention scores.
    """

    layers: int
    heads: int
    epsilon: float
    arrays: Arrays

    @property
    def size(self) -> int:
        """The number of dimensions of a vector."""
        return int(self.arrays["word"].shape[1])


def read_weights(folder: Path) -> Weights:
    """Read `config.json` and `model.safetensors` of a BERT or MPNet."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        kind = config["model_type"]
        tensors = read_safetensors(folder / "model.safetensors")
        arrays = _bert(tensors) if kind == "bert" else _mpnet(tensors, config) if kind == "mpnet" else None
        if arrays is None:
            raise FormatError(
                f"is a model of type {kind!r}", where=place(folder), expected="'bert' or 'mpnet'"
            )
        names = _NAMES[kind]
        for layer in range(config["num_hidden_layers"]):
            for part, name in names.items():
                for end in ("weight", "bias"):
                    arrays[f"{layer}.{part}.{end}"] = tensors[f"encoder.layer.{layer}.{name}.{end}"]
        return Weights(
            config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"], arrays
        )
    except OSError as error:
        raise FormatError(
            f"cannot be read ({error.strerror})",
            where=place(folder),
            expected="a folder with config.json, model.safetensors and tokenizer.json",
        ) from error
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise FormatError(
            f"cannot be read as an encoder ({type(error).__name__}: {error})",
            where=place(folder),
            expected="a BERT or MPNet as sentence-transformers stores it",
        ) from error


def read_safetensors(path: Path) -> Arrays:
    """Read a safetensors file of single-precision arrays; others are left out."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header: Mapping[str, Any] = json.loads(data[8 : 8 + size])
    stop = 8 + size + max((e["data_offsets"][1] for e in header.values() if "data_offsets" in e), default=0)
    if len(data) != stop:
        raise ValueError(f"{path.name} has {len(data):,} bytes instead of {stop:,}")
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            arrays[name] = np.frombuffer(data[start:end], "<f4").reshape(entry["shape"])
    return arrays


def distance_buckets(places: int, buckets: int = 32, farthest: int = 128) -> NDArray[np.int64]:
    """Return the bucket of the distance from each place to each other, as MPNet (and T5) count them.

    >>> distance_buckets(4)[1].tolist()
    [1, 0, 17, 18]
    """
    place = np.arange(places)
    back = place[:, None] - place[None, :]
    half = buckets // 2
    exact = half // 2
    size = np.abs(back)
    with np.errstate(divide="ignore"):
        far = exact + (np.log(np.float32(size) / exact) / np.log(farthest / exact) * (half - exact))
    far = np.minimum(np.where(size < exact, 0, far), half - 1).astype(np.int64)
    return np.where(back < 0, half, 0) + np.where(size < exact, size, far)


def _bert(tensors: Arrays) -> Arrays:
    positions = tensors["embeddings.position_embeddings.weight"][:LONGEST]
    return _embeddings(tensors, positions + tensors["embeddings.token_type_embeddings.weight"][0])


def _mpnet(tensors: Arrays, config: Mapping[str, Any]) -> Arrays:
    first = config["pad_token_id"] + 1
    arrays = _embeddings(tensors, tensors["embeddings.position_embeddings.weight"][first : first + LONGEST])
    table = tensors["encoder.relative_attention_bias.weight"]
    arrays["distance"] = np.ascontiguousarray(table[distance_buckets(LONGEST, len(table))].transpose(2, 0, 1))
    return arrays


def _embeddings(tensors: Arrays, position: Floats) -> Arrays:
    if len(position) < LONGEST:
        raise ValueError(f"{len(position)} positions, fewer than {LONGEST}")
    return {
        "word": tensors["embeddings.word_embeddings.weight"],
        "position": position,
        "norm.weight": tensors["embeddings.LayerNorm.weight"],
        "norm.bias": tensors["embeddings.LayerNorm.bias"],
    }


_FEED_FORWARD = {"up": "intermediate.dense", "down": "output.dense", "output_norm": "output.LayerNorm"}
_NAMES = {
    "bert": {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "output": "attention.output.dense",
        "attention_norm": "attention.output.LayerNorm",
        **_FEED_FORWARD,
    },
    "mpnet": {
        "query": "attention.attn.q",
        "key": "attention.attn.k",
        "value": "attention.attn.v",
        "output": "attention.attn.o",
        "attention_norm": "attention.LayerNorm",
        **_FEED_FORWARD,
    },
}
