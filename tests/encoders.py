"""Small encoders with random weights, in the files of sentence-transformers, and a plain forward pass as oracle."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from samevent.corpus import Document
from samevent.language.encoder.weights import Weights

WORDS = (
    "the a quake struck hit killed ten people on monday in city police said storm flooded town ##s ##ed . , "
    "second strong"
).split()
LAYERS, HEADS, SIZE, HIDDEN = 3, 2, 8, 16

NAMES = {
    "bert": {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
        "output": "attention.output.dense", "attention_norm": "attention.output.LayerNorm",
    },
    "mpnet": {
        "query": "attention.attn.q", "key": "attention.attn.k", "value": "attention.attn.v",
        "output": "attention.attn.o", "attention_norm": "attention.LayerNorm",
    },
}  # fmt: skip
COMMON = {"up": "intermediate.dense", "down": "output.dense", "output_norm": "output.LayerNorm"}


def write_tokenizer(path: Path, kind: str = "bert") -> None:
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"] if kind == "bert" else ["<s>", "<pad>", "</s>", "[UNK]"]
    tokenizer = Tokenizer(
        models.WordPiece({word: i for i, word in enumerate([*special, *WORDS])}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    start, end = ("[CLS]", "[SEP]") if kind == "bert" else ("<s>", "</s>")
    between = end if kind == "bert" else f"{end} {end}"
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        pair=f"{start} $A {between} $B {end}",
        special_tokens=[(name, special.index(name)) for name in (start, end)],
    )
    tokenizer.save(str(path))


def tensors(kind: str, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Return random arrays under the names of the original programs."""
    draws = np.random.default_rng(seed)

    def drawn(*shape: int, scale: float = 0.5) -> NDArray[np.float32]:
        return draws.normal(0, scale, shape).astype(np.float32)

    arrays = {
        "embeddings.word_embeddings.weight": drawn(len(WORDS) + 4, SIZE, scale=1),
        "embeddings.position_embeddings.weight": drawn(200, SIZE),
        "embeddings.LayerNorm.weight": 1 + drawn(SIZE, scale=0.1),
        "embeddings.LayerNorm.bias": drawn(SIZE, scale=0.1),
    }
    if kind == "bert":
        arrays["embeddings.token_type_embeddings.weight"] = drawn(2, SIZE)
    else:
        arrays["encoder.relative_attention_bias.weight"] = drawn(32, HEADS, scale=1)
    shapes = {"up": (HIDDEN, SIZE), "down": (SIZE, HIDDEN)}
    for layer in range(LAYERS):
        for part, name in (NAMES[kind] | COMMON).items():
            prefix = f"encoder.layer.{layer}.{name}"
            norm = part.endswith("norm")
            arrays[f"{prefix}.weight"] = (
                1 + drawn(SIZE, scale=0.1) if norm else drawn(*shapes.get(part, (SIZE, SIZE)))
            )
            arrays[f"{prefix}.bias"] = drawn(SIZE if norm else shapes.get(part, (SIZE,))[0], scale=0.1)
    return arrays


def write_safetensors(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, array in arrays.items():
        kind = {"float32": "F32", "int64": "I64"}[str(array.dtype)]
        raw = array.tobytes()
        header[name] = {
            "dtype": kind,
            "shape": array.shape,
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_base(folder: Path, kind: str = "bert", seed: int = 0) -> Path:
    """Write an encoder as it is downloaded: configuration, weights and tokeniser."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "model_type": kind, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "layer_norm_eps": 1e-5,
        "pad_token_id": 0 if kind == "bert" else 1,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    extra = {"embeddings.position_ids": np.arange(200)}
    write_safetensors(folder / "model.safetensors", {**tensors(kind, seed), **extra})
    write_tokenizer(folder / "tokenizer.json", kind)
    return folder


def forward(weights: Weights, pieces: list[int]) -> list[NDArray[np.float64]]:
    """Return the output of every layer, head by head in double precision."""
    w = {name: array.astype(np.float64) for name, array in weights.arrays.items() if name != "word"}
    count, width = len(pieces), weights.size // weights.heads

    def norm(name: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
        centred = x - x.mean(1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(1, keepdims=True) + weights.epsilon)
        return np.asarray(scaled * w[f"{name}.weight"] + w[f"{name}.bias"])

    def linear(name: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"])

    x = norm("norm", weights.arrays["word"][pieces] + w["position"][:count])
    outputs = []
    for layer in range(weights.layers):
        query, key, value = (linear(f"{layer}.{part}", x) for part in ("query", "key", "value"))
        heads = []
        for head in range(weights.heads):
            own = slice(head * width, (head + 1) * width)
            scores = query[:, own] @ key[:, own].T / sqrt(width)
            if "distance" in w:
                scores = scores + w["distance"][head, :count, :count]
            shares = np.exp(scores - scores.max(1, keepdims=True))
            heads.append(shares / shares.sum(1, keepdims=True) @ value[:, own])
        x = norm(f"{layer}.attention_norm", x + linear(f"{layer}.output", np.hstack(heads)))
        hidden = linear(f"{layer}.up", x)
        gelu = 0.5 * hidden * (1 + erf(hidden / sqrt(2)))
        x = norm(f"{layer}.output_norm", x + linear(f"{layer}.down", gelu))
        outputs.append(x)
    return outputs


def story(
    id: str, *sentences: str, topic: str | None = None, actions: dict[tuple[int, int], str] | None = None
) -> Document:
    """Return a document of sentences whose words are separated by blanks, with actions at (start, end)."""
    document = Document.from_tokens(id, [s.split() for s in sentences], topic=topic)
    return document.with_mentions(
        document.mention("action", start, end, event=event) for (start, end), event in (actions or {}).items()
    )
