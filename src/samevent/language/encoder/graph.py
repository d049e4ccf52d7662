"""An encoder as an ONNX graph, built node by node from its weights: no torch, no exporter.

The graph reads one unit at a time: `pieces` (n) gives `last` and `middle` (n x size), the last layer and the mean of
all layers but the first. An encoder with a tagger also gives `tags` (n x tags): scores that are linear in both. There
is no batch and no padding, so a unit's vectors never depend on its neighbours.

`quantized` stores word vectors as bytes with one scale per word, and matrices as bytes with one scale per output.
Activations are quantized as the graph runs, with one scale per unit. Weights use seven bits only: with eight,
processors without VNNI instructions saturate their 16-bit sums and give other integers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.language.encoder.tagging import BIAS, WEIGHT
from samevent.language.encoder.weights import Weights
from samevent.storage import atomic_path

OPSET = 20
_IR = 9
_LEVELS = np.float32(63)


def write_graph(weights: Weights, path: Path, *, quantized: bool = True) -> None:
    """Write the graph of an encoder; the same weights give the same bytes."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(graph_bytes(weights, quantized=quantized))


def graph_bytes(weights: Weights, *, quantized: bool = True) -> bytes:
    """Return the serialised graph of an encoder."""
    import onnx
    from onnx import TensorProto, helper

    builder = _Builder(weights, quantized)
    builder.build()
    outputs = {"last": weights.size, "middle": weights.size}
    if WEIGHT in weights.arrays:
        outputs["tags"] = len(weights.arrays[WEIGHT])
    graph = helper.make_graph(
        builder.nodes,
        "encoder",
        [helper.make_tensor_value_info("pieces", TensorProto.INT64, ["n"])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
            for name, size in outputs.items()
        ],
        [onnx.numpy_helper.from_array(array, name) for name, array in builder.constants.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR, producer_name="samevent"
    )
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))


class _Builder:
    def __init__(self, weights: Weights, quantized: bool) -> None:
        self.weights = weights
        self.quantized = quantized
        self.nodes: list[Any] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self._outputs = 0

    def build(self) -> None:
        """Add the whole graph."""
        arrays, w = self.weights.arrays, self.weights
        count = self.node("Shape", "pieces")
        zero, axis = self.constant("zero", np.array([0])), self.constant("axis", np.array([0]))
        positions = self.node("Slice", self.constant("position", arrays["position"]), zero, count, axis)
        x = self.norm("norm", self.node("Add", self.words(), positions))
        distance = None
        if "distance" in arrays:
            square, zeros = (
                self.node("Concat", count, count, axis=0),
                self.constant("zeros", np.array([0, 0])),
            )
            distance = self.node(
                "Slice", self.constant("distance", arrays["distance"]), zeros, square,
                self.constant("axes", np.array([1, 2])),
            )  # fmt: skip
        upper = []
        for layer in range(w.layers):
            name = "last" if layer == w.layers - 1 else None
            x = self.layer(layer, x, distance, name)
            upper += [x] if layer else []
        share = self.constant("share", np.float32(1 / max(len(upper), 1)))
        self.node("Mul", self.node("Sum", *(upper or [x])), share, out="middle")
        if WEIGHT in arrays:
            both = self.node("Concat", "last", "middle", axis=1)
            scores = self.node("MatMul", both, self.constant(WEIGHT, arrays[WEIGHT].T))
            self.node("Add", scores, self.constant(BIAS, arrays[BIAS]), out="tags")

    def words(self) -> str:
        """Look up the vectors of the pieces."""
        table = self.weights.arrays["word"]
        if not self.quantized:
            return self.node("Gather", self.constant("word", table), "pieces", axis=0)
        levels, scales = _quantized(table, np.float32(127))
        rows = self.node("Gather", self.constant("word", levels), "pieces", axis=0)
        scale = self.node("Gather", self.constant("word.scale", scales), "pieces", axis=0)
        return self.node("Mul", self.node("Cast", rows, to=1), scale)

    def layer(self, layer: int, x: str, distance: str | None, name: str | None) -> str:
        """Add attention and feed-forward network, each with its residual and norm."""
        w, prefix = self.weights, f"{layer}."
        activations = self.activations(x)
        split = self.constant("split", np.array([0, w.heads, w.size // w.heads]))
        query, key, value = (
            self.node("Reshape", self.linear(prefix + part, activations), split)
            for part in ("query", "key", "value")
        )
        scores = self.node(
            "MatMul",
            self.node("Transpose", query, perm=[1, 0, 2]),
            self.node("Transpose", key, perm=[1, 2, 0]),
        )
        width = self.constant("width", np.float32((w.size // w.heads) ** -0.5))
        scores = self.node("Mul", scores, width)
        if distance is not None:
            scores = self.node("Add", scores, distance)
        mixed = self.node(
            "MatMul", self.node("Softmax", scores, axis=-1), self.node("Transpose", value, perm=[1, 0, 2])
        )
        joined = self.node(
            "Reshape",
            self.node("Transpose", mixed, perm=[1, 0, 2]),
            self.constant("join", np.array([0, w.size])),
        )
        attention = self.linear(f"{prefix}output", self.activations(joined))
        x = self.norm(f"{prefix}attention_norm", self.node("Add", attention, x))
        hidden = self.node("Gelu", self.linear(f"{prefix}up", self.activations(x)))
        down = self.linear(f"{prefix}down", self.activations(hidden))
        return self.norm(f"{prefix}output_norm", self.node("Add", down, x), name)

    def activations(self, x: str) -> tuple[str, ...]:
        """Return the name of an array; and of its levels, scale and zero if it is to be quantized."""
        if not self.quantized:
            return (x,)
        levels, scale, zero = (self.name() for _ in range(3))
        self.add("DynamicQuantizeLinear", [x], [levels, scale, zero])
        return x, levels, scale, zero

    def linear(self, name: str, activations: tuple[str, ...]) -> str:
        """Multiply by a matrix and add its bias."""
        matrix = self.weights.arrays[f"{name}.weight"]
        bias = self.constant(f"{name}.bias", self.weights.arrays[f"{name}.bias"])
        if not self.quantized:
            return self.node("Add", self.node("MatMul", activations[0], self.constant(name, matrix.T)), bias)
        levels, scales = _quantized(matrix, _LEVELS)
        _, x, scale, zero = activations
        product = self.node("MatMulInteger", x, self.constant(name, levels.T), zero)
        factor = self.node("Mul", scale, self.constant(f"{name}.scale", scales[:, 0]))
        return self.node("Add", self.node("Mul", self.node("Cast", product, to=1), factor), bias)

    def norm(self, name: str, x: str, out: str | None = None) -> str:
        """Normalise the vectors."""
        ends = (
            self.constant(f"{name}.{end}", self.weights.arrays[f"{name}.{end}"]) for end in ("weight", "bias")
        )
        return self.node("LayerNormalization", x, *ends, out=out, axis=-1, epsilon=self.weights.epsilon)

    def node(self, kind: str, *inputs: str, out: str | None = None, **attributes: Any) -> str:
        """Add a node of one output and return its name."""
        out = out or self.name()
        self.add(kind, list(inputs), [out], **attributes)
        return out

    def add(self, kind: str, inputs: list[str], outputs: list[str], **attributes: Any) -> None:
        """Add a node."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, outputs, **attributes))

    def constant(self, name: str, array: Any) -> str:
        """Add an array under its name, once."""
        self.constants.setdefault(f"w.{name}", np.ascontiguousarray(array))
        return f"w.{name}"

    def name(self) -> str:
        """Return a new name."""
        self._outputs += 1
        return f"x{self._outputs}"


def _quantized(rows: NDArray[np.float32], levels: np.float32) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows as whole numbers from -levels to levels, and the scale of each row."""
    scales = np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.float32(1e-12)) / levels
    return np.rint(rows / scales).astype(np.int8), scales.astype(np.float32)
