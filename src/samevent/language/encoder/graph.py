"""An encoder as an ONNX graph, built node by node from its weights: no torch, no exporter.

The graph reads one unit at a time: `pieces` (n), of which the first `own` (m) are wanted and the others are context. It
gives `last` and `middle` (m x size), the last layer and the mean of all layers but the first. The last layer is not
computed for the context. An encoder with a tagger also gives `tags` (m x tags): scores that are linear in both. There
is no batch and no padding, so a unit's vectors never depend on its neighbours. Several encoders can share a graph:
their outputs have prefixes, and what they have in common is computed once.

`quantized` stores word vectors as bytes with one scale per word, and matrices as bytes with one scale per output.
Activations are quantized as the graph runs, with one scale per piece. A few channels of some encoders have values a
hundred times as large as all others, which would share their scale; these channels are read in full precision. With
`exact_layers` they are written so as well, and the matrices that end as many of the lowest layers stay as they are:
their errors pass through all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samevent.language.encoder.onnx_file import FLOAT, Attribute, Node, Port, model_bytes
from samevent.language.encoder.tagging import BIAS, WEIGHT
from samevent.language.encoder.weights import NORMS, Weights
from samevent.storage import atomic_path

OWN = "own"
"""The input that says how many pieces, from the first on, are wanted."""
_LEVELS = 127
_ZERO = 128
"""The byte that stands for an activation of 0."""
_TINY = 1e-12
_OUTLIER_GAIN = 2.0
"""Channels whose weight in a norm is more than this times the median are not quantized."""


def write_graph(
    encoders: Weights | Mapping[str, Weights], path: Path, *, quantized: bool = True, exact_layers: int = 0
) -> None:
    """Write the graph of an encoder, or of several; the same weights give the same bytes."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(graph_bytes(encoders, quantized=quantized, exact_layers=exact_layers))


def graph_bytes(
    encoders: Weights | Mapping[str, Weights], *, quantized: bool = True, exact_layers: int = 0
) -> bytes:
    """Return the graph of an encoder, or of several by the prefixes of their outputs."""
    graph = _Graph()
    outputs = []
    for prefix, weights in ({"": encoders} if isinstance(encoders, Weights) else encoders).items():
        for name, (array, size) in _EncoderGraph(graph, weights, quantized, exact_layers).outputs().items():
            graph.add("Identity", array, out=prefix + name)
            outputs.append(Port(prefix + name, "float32", ("m", size)))
    inputs = [Port("pieces", "int64", ("n",)), Port(OWN, "int64", (1,))]
    return model_bytes(graph.nodes, inputs, outputs, graph.constants)


def outlier_channels(weights: Weights) -> NDArray[np.int64]:
    """Return the channels that a norm amplifies much more than the others."""
    gains = np.abs([weights.arrays[f"{i}.{norm}.weight"] for i in range(weights.layers) for norm in NORMS])
    return np.flatnonzero((gains > _OUTLIER_GAIN * np.median(gains, axis=1, keepdims=True)).any(axis=0))


class _Graph:
    """Nodes and constants. The same operation on the same inputs, and the same constant, is added once."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.constants: dict[str, NDArray[np.generic]] = {}
        self._known: dict[str, str] = {}
        self._beside: dict[str, str | None] = {}

    def split(self, array: str, parts: int, axis: int) -> list[str]:
        """Split an array into equal parts."""
        names = [f"{array}.{part}" for part in range(parts)]
        if array not in self._known:
            self._known[array] = array
            self.nodes.append(Node("Split", (array,), names, {"axis": axis, "num_outputs": parts}))
        return names

    def add(self, kind: str, *inputs: str, out: str | None = None, **attributes: Attribute) -> str:
        """Add a node of one output, named or not, and return the output's name."""
        key = f"{kind} {inputs} {out} {attributes}"
        if key not in self._known:
            self._known[key] = out or f"x{len(self.nodes)}"
            self.nodes.append(Node(kind, inputs, (self._known[key],), attributes))
        return self._known[key]

    def constant(
        self, name: str, value: NDArray[np.generic] | np.generic | list[int], beside: str | None = None
    ) -> str:
        """Add an array under a name, or another one if that has other values, and return its name.

        An array that is multiplied with others than the one called `beside` gets another name, too: onnxruntime cannot
        convert to unsigned bytes what two nodes share.
        """
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        name = f"w.{name}"
        while name in self.constants and not (
            np.array_equal(self.constants[name], array) and self._beside[name] == beside
        ):
            name += "'"
        self.constants[name], self._beside[name] = array, beside
        return name


@dataclass(frozen=True, slots=True)
class _Activations:
    """What matrices read: values; or bytes, the scale of each row, and the values of outlier channels."""

    values: str
    scale: str | None = None
    outliers: str | None = None


class _EncoderGraph:
    """Adds an encoder to a graph; methods return the names of arrays."""

    def __init__(self, graph: _Graph, weights: Weights, quantized: bool, exact_layers: int) -> None:
        self.weights = weights
        self.exact = {f"{layer}.down" for layer in range(exact_layers)}
        self.exact_writes = exact_layers > 0
        self.quantized = quantized
        self.outliers = outlier_channels(weights) if quantized else np.empty(0, np.int64)
        self.rows = graph.add("Shape", "pieces")
        """How many pieces are read at this point: all, at the end only those that are wanted."""
        self.add = graph.add
        self.split = graph.split
        self.constant = graph.constant

    def outputs(self) -> dict[str, tuple[str, int]]:
        """Add everything; return the outputs by name, with their sizes."""
        arrays, size = self.weights.arrays, self.weights.size
        count = self.rows
        positions = self.add(
            "Slice", self.array("position"), self.constant("zero", [0]), count, self.constant("axis", [0])
        )
        x = self.norm("norm", self.add("Add", self.words(), positions))
        distance = None
        if "distance" in arrays:
            distance = self.add(
                "Slice", self.array("distance"), self.constant("zeros", [0, 0]),
                self.add("Concat", count, count, axis=0), self.constant("axes", [1, 2]),
            )  # fmt: skip
        layers = []
        for layer in range(self.weights.layers):
            x = self.layer(f"{layer}.", x, distance, last=layer == self.weights.layers - 1)
            layers.append(x)
        *below, x = layers[1:] or layers
        upper = [*(self.own(lower) for lower in below), x]
        middle = self.add("Mul", self.add("Sum", *upper), self.number("share", 1 / len(upper)))
        outputs = {"last": (x, size), "middle": (middle, size)}
        if WEIGHT in arrays:
            both = self.add("Concat", x, middle, axis=1)
            scores = self.add("MatMul", both, self.constant(WEIGHT, arrays[WEIGHT].T))
            outputs["tags"] = self.add("Add", scores, self.array(BIAS)), len(arrays[BIAS])
        return outputs

    def words(self) -> str:
        """Look up the vectors of the pieces."""
        if not self.quantized:
            return self.add("Gather", self.array("word"), "pieces", axis=0)
        levels, scales = _quantized(self.weights.arrays["word"])
        rows = self.add("Gather", self.constant("word", levels), "pieces", axis=0)
        scale = self.add("Gather", self.constant("word.scale", scales), "pieces", axis=0)
        return self.add("Mul", self.add("Cast", rows, to=FLOAT), scale)

    def own(self, x: str, axis: int = 0) -> str:
        """Cut off what belongs to the context."""
        return self.add("Slice", x, self.constant("zero", [0]), OWN, self.constant(f"axis{axis}", [axis]))

    def heads(self, prefix: str, parts: tuple[str, ...], x: str) -> list[str]:
        """Return what each head sees (heads x pieces x width) in the vectors, by one product for all parts."""
        w, width = self.weights, self.weights.size // self.weights.heads
        # Scores are divided by the root of the width: this is done to the queries, and once.
        factors = [np.float32(width**-0.5 if part == "query" else 1) for part in parts]
        matrix, bias = (
            np.concatenate([w.arrays[f"{prefix}{p}.{kind}"] * f for p, f in zip(parts, factors, strict=True)])
            for kind in ("weight", "bias")
        )
        name = prefix + "+".join(parts)
        product = self.linear(name, self.read(x), matrix, bias)
        split = self.constant(f"split{len(parts)}", [0, len(parts) * w.heads, width])
        by_head = self.add("Transpose", self.add("Reshape", product, split), perm=(1, 0, 2))
        return self.split(by_head, len(parts), 0) if len(parts) > 1 else [by_head]

    def layer(self, prefix: str, x: str, distance: str | None, *, last: bool) -> str:
        """Add attention and feed-forward network, each with its residual and norm; the last one without context."""
        w = self.weights
        if last:
            key, value = self.heads(prefix, ("key", "value"), x)
            x, self.rows = self.own(x), OWN
            (query,) = self.heads(prefix, ("query",), x)
            distance = distance and self.own(distance, 1)
        else:
            query, key, value = self.heads(prefix, ("query", "key", "value"), x)
        scores = self.add("MatMul", query, self.add("Transpose", key, perm=(0, 2, 1)))
        if distance is not None:
            scores = self.add("Add", scores, distance)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), value)
        mixed = self.add(
            "Reshape", self.add("Transpose", mixed, perm=(1, 0, 2)), self.constant("join", [0, w.size])
        )
        x = self.norm(f"{prefix}attention_norm", self.add("Add", self.written(f"{prefix}output", mixed), x))
        hidden = self.add("Gelu", self.linear(f"{prefix}up", self.read(x)))
        return self.norm(f"{prefix}output_norm", self.add("Add", self.written(f"{prefix}down", hidden), x))

    def read(self, x: str) -> _Activations:
        """Quantize the stream of vectors from layer to layer; outlier channels stay as they are."""
        if not len(self.outliers):
            return self.activations(x)
        others = np.ones(self.weights.size, np.float32)
        others[self.outliers] = 0
        outliers = self.add("Gather", x, self.constant("outliers", self.outliers), axis=1)
        return self.activations(self.add("Mul", x, self.constant("others", others)), outliers)

    def written(self, name: str, x: str) -> str:
        """Multiply by a matrix whose product is added to the stream; outlier channels in full precision."""
        matrix = self.weights.arrays[f"{name}.weight"]
        if name in self.exact:
            return self.linear(name, _Activations(x))
        if not (self.exact_writes and len(self.outliers)):
            return self.linear(name, self.activations(x))
        others = np.array(matrix)
        others[self.outliers] = 0
        exact = self.add("MatMul", x, self.constant(f"{name}.exact", matrix[self.outliers].T))
        at = np.eye(self.weights.size, dtype=np.float32)[self.outliers]
        product = self.linear(name, self.activations(x), others)
        return self.add("Add", product, self.add("MatMul", exact, self.constant("at_outliers", at)))

    def activations(self, x: str, outliers: str | None = None) -> _Activations:
        """Quantize values, with one scale per row."""
        if not self.quantized:
            return _Activations(x)
        largest = self.add("ReduceMax", self.add("Abs", x), self.constant("rows", [1]), keepdims=0)
        by_row = self.add(
            "Mul", self.add("Max", largest, self.number("tiny", _TINY)), self.number("level", 1 / _LEVELS)
        )
        scale = self.add("Unsqueeze", by_row, self.constant("rows", [1]))
        zeros = self.add("Expand", self.constant("byte", np.uint8(_ZERO)), self.rows)
        return _Activations(self.add("QuantizeLinear", x, by_row, zeros, axis=0), scale, outliers)

    def linear(
        self,
        name: str,
        read: _Activations,
        matrix: NDArray[np.float32] | None = None,
        bias_values: NDArray[np.float32] | None = None,
    ) -> str:
        """Multiply activations by a matrix and add a bias, by default those of this name."""
        arrays = self.weights.arrays
        matrix = arrays[f"{name}.weight"] if matrix is None else matrix
        bias = self.constant(f"{name}.bias", arrays[f"{name}.bias"] if bias_values is None else bias_values)
        if read.scale is None:
            return self.add("Add", self.add("MatMul", read.values, self.constant(name, matrix.T)), bias)
        if read.outliers is not None:
            columns = self.constant(f"{name}.exact", matrix[:, self.outliers].T)
            bias = self.add("Add", self.add("MatMul", read.outliers, columns), bias)
        levels, scales = _quantized(matrix)
        zero = self.constant("byte", np.uint8(_ZERO))
        # The scales of outputs are applied with the product, those of rows afterwards: it has one for all rows.
        product = self.add(
            "MatMulIntegerToFloat", read.values, self.constant(name, levels.T, read.values), self.number("one", 1.0),
            self.constant(f"{name}.scale", scales[:, 0]), zero,
        )  # fmt: skip
        return self.add("Add", self.add("Mul", product, read.scale), bias)

    def norm(self, name: str, x: str) -> str:
        """Normalise the vectors."""
        weight, bias = self.array(f"{name}.weight"), self.array(f"{name}.bias")
        return self.add("LayerNormalization", x, weight, bias, axis=-1, epsilon=self.weights.epsilon)

    def array(self, name: str) -> str:
        """Add an array of the weights."""
        return self.constant(name, self.weights.arrays[name])

    def number(self, name: str, value: float) -> str:
        """Add a number."""
        return self.constant(name, np.float32(value))


def _quantized(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows as signed bytes, and the scale of each row."""
    scales = np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.float32(_TINY)) / np.float32(_LEVELS)
    return np.rint(rows / scales).astype(np.int8), scales.astype(np.float32)
