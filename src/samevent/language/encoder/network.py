"""The encoder in torch, for training only: the same arithmetic as the ONNX graph, on padded batches with gradients.

Parameters are a dict of tensors under the names of `Weights`, so that what was trained can be averaged, stored and
turned into a graph as it is. A matrix may have a low-rank adapter (LoRA): `<name>.a` and `<name>.b`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from samevent.language.encoder.adapters import ADAPTER_SCALE, merged
from samevent.language.encoder.tagging import BIAS, WEIGHT
from samevent.language.encoder.units import Unit
from samevent.language.encoder.weights import MATRICES, NORMS, Arrays, Weights

Tensor = Any
Tensors = dict[str, Tensor]

_MASKED = -1e4
_TOGETHER = 6


def fast_type() -> Any:
    """Return the type in which matrices are multiplied fastest here.

    That is bfloat16 on processors with instructions for it; others emulate it, several times slower than float32.
    """
    import torch

    half = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return torch.bfloat16 if half else torch.float32


def fast_products() -> Any:
    """Return a context in which matrices are multiplied in the fast type."""
    import torch

    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=fast_type() == torch.bfloat16)


class Network:
    """An encoder whose parameters can be trained."""

    def __init__(self, weights: Weights) -> None:
        import torch

        self.weights = weights
        self.tensors: Tensors = {
            name: torch.from_numpy(np.array(array)) for name, array in weights.arrays.items()
        }
        self.dropout = 0.0
        self._trained: frozenset[str] = frozenset()

    def train(self, names: Sequence[str], dropout: float) -> list[Tensor]:
        """Make these parameters trainable, turn dropout on, and return them."""
        self.dropout = dropout
        self._trained = frozenset(names)
        return [self.tensors[name].requires_grad_(True) for name in names]

    def train_tagger(self) -> list[Tensor]:
        """Make the tagger trainable too, if there is one, and return its parameters."""
        names = [name for name in (WEIGHT, BIAS) if name in self.tensors]
        self._trained |= set(names)
        return [self.tensors[name].requires_grad_(True) for name in names]

    def freeze(self) -> None:
        """Turn gradients and dropout off."""
        self.dropout = 0.0
        for tensor in self.tensors.values():
            tensor.requires_grad_(False)

    def updated(self) -> Weights:
        """Return the weights as they are now, with adapters merged into their matrices."""
        trained = {
            name: self.tensors[name].detach().numpy() for name in self._trained if name in self.weights.arrays
        }
        adapter = {n: t.detach().float().numpy() for n, t in self.tensors.items() if n[-2:] in (".a", ".b")}
        return merged(replace(self.weights, arrays=self.weights.arrays | trained), adapter)

    def embed(self, pieces: Tensor) -> Tensor:
        """Return what the first layer reads."""
        positions = self.tensors["position"][: pieces.shape[1]]
        return self._drop(self._norm("norm", self.tensors["word"][pieces] + positions))

    def layers(self, x: Tensor, mask: Tensor, layers: range) -> list[Tensor]:
        """Return the outputs of some consecutive layers; `x` is what the first of them reads."""
        bias = (~mask)[:, None, None, :] * _MASKED
        if "distance" in self.tensors:
            bias = bias + self.tensors["distance"][None, :, : x.shape[1], : x.shape[1]]
        outputs = []
        for layer in layers:
            x = self._layer(f"{layer}", x, bias)
            outputs.append(x)
        return outputs

    def __call__(
        self, units: Sequence[Unit], states: Mapping[Unit, Tensor] | None = None, first: int = 0
    ) -> list[Tensor]:
        """Return the outputs of the layers from `first` on for a batch of units, padded to the longest.

        `states` has what layer `first` reads of each unit. Units of similar length are computed together.
        """
        import torch
        from torch.nn.functional import pad
        from torch.nn.utils.rnn import pad_sequence

        order = sorted(range(len(units)), key=lambda i: len(units[i].pieces))
        longest = len(units[order[-1]].pieces)
        parts = []
        for start in range(0, len(order), _TOGETHER):
            group = [units[i] for i in order[start : start + _TOGETHER]]
            pieces, mask = padded(group)
            x = self.embed(pieces) if states is None else pad_sequence([states[u] for u in group], True)
            outputs = self.layers(x, mask, range(first, self.weights.layers))
            parts.append([pad(output, (0, 0, 0, longest - output.shape[1])) for output in outputs])
        places = torch.tensor(np.argsort(order))
        return [torch.cat(layer)[places] for layer in zip(*parts, strict=True)]

    def tag_scores(self, layers: Sequence[Tensor], places: tuple[list[int], list[int]]) -> Tensor:
        """Return the scores of all tags at some places (rows and columns of a batch) from the layers' outputs."""
        import torch
        from torch.nn import functional

        middle = torch.stack([layer[places] for layer in layers[1:] or layers]).mean(0)
        both = torch.cat([layers[-1][places], middle], dim=1).float()
        with torch.autocast("cpu", enabled=False):
            return functional.linear(both, self.tensors[WEIGHT], self.tensors[BIAS])

    def _layer(self, name: str, x: Tensor, bias: Tensor) -> Tensor:
        from torch.nn import functional

        batch, length, size = x.shape
        heads = self.weights.heads
        query, key, value = (
            self._linear(f"{name}.{part}", x).view(batch, length, heads, size // heads).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        mixed = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=bias.to(query.dtype), dropout_p=self.dropout
        )
        mixed = mixed.transpose(1, 2).reshape(batch, length, size)
        x = self._norm(f"{name}.attention_norm", x + self._drop(self._linear(f"{name}.output", mixed)))
        hidden = functional.gelu(self._linear(f"{name}.up", x))
        return self._norm(f"{name}.output_norm", x + self._drop(self._linear(f"{name}.down", hidden)))

    def _linear(self, name: str, x: Tensor) -> Tensor:
        from torch.nn import functional

        product = functional.linear(x, self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"])
        if f"{name}.a" in self.tensors:
            low = functional.linear(self._drop(x), self.tensors[f"{name}.a"])
            product = product + ADAPTER_SCALE * functional.linear(low, self.tensors[f"{name}.b"])
        return product

    def _norm(self, name: str, x: Tensor) -> Tensor:
        from torch.nn import functional

        weight, bias = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]
        return functional.layer_norm(
            x.float(), (x.shape[-1],), weight.float(), bias.float(), self.weights.epsilon
        )

    def _drop(self, x: Tensor) -> Tensor:
        from torch.nn import functional

        return functional.dropout(x, self.dropout) if self.dropout else x


def padded(units: Sequence[Unit]) -> tuple[Tensor, Tensor]:
    """Return the pieces of units as one array, and which of its places are filled."""
    import torch

    length = max(len(unit.pieces) for unit in units)
    pieces = torch.zeros(len(units), length, dtype=torch.long)
    mask = torch.zeros(len(units), length, dtype=torch.bool)
    for row, unit in enumerate(units):
        pieces[row, : len(unit.pieces)] = torch.tensor(unit.pieces)
        mask[row, : len(unit.pieces)] = True
    return pieces, mask


def layer_names(layers: range) -> list[str]:
    """Return the names of all parameters of some layers."""
    return [
        f"{layer}.{part}.{end}"
        for layer in layers
        for part in (*MATRICES, *NORMS)
        for end in ("weight", "bias")
    ]


def averaged(parts: Sequence[Weights]) -> Weights:
    """Return the mean of encoders that were trained from the same one."""
    mean: Arrays = {
        name: array
        if all(part.arrays[name] is array for part in parts)
        else np.mean(np.stack([part.arrays[name] for part in parts]), axis=0)
        for name, array in parts[0].arrays.items()
    }
    return replace(parts[0], arrays=mean)
