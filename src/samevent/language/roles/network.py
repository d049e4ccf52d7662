"""The network that computes a distribution over roles for each candidate.

The first hidden layer is the sum of the embeddings of the features of candidate and predicate, and of the statistics.
The second also sees the mean and maximum of the first layer over all candidates of the predicate, so candidates
compete. A softmax follows; training is Adam on cross entropy with dropout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.language.hashing import Indices

Floats = NDArray[np.float32]
HIDDEN = 64


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Predicates and their candidates: feature rows of both, statistics, start of each segment."""

    predicates: Indices
    candidates: Indices
    statistics: Floats
    segments: Indices


class Network:
    """The weights: `embeddings` of features, and the dense layers by name."""

    def __init__(self, embeddings: Floats, dense: dict[str, Floats]) -> None:
        self.embeddings = embeddings
        self.dense = dense

    @classmethod
    def fresh(cls, features: int, statistics: int, classes: int, random: np.random.Generator) -> Network:
        """Return a network with small random weights."""

        def normal(scale: float, *shape: int) -> Floats:
            return (random.standard_normal(shape) * scale).astype(np.float32)

        h = HIDDEN
        dense = {
            "statistics": normal(0.05, statistics, h),
            "bias": np.zeros(h, np.float32),
            "second": normal((2 / h) ** 0.5, h, h),
            "others": normal((0.5 / h) ** 0.5, 2 * h, h),
            "second_bias": np.zeros(h, np.float32),
            "out": normal((1 / h) ** 0.5, h, classes),
            "out_first": normal((1 / h) ** 0.5, h, classes),
            "out_bias": np.zeros(classes, np.float32),
        }
        return cls(normal(0.05, features, h), dense)

    def probabilities(self, batch: Batch) -> Floats:
        """Return the distribution of each candidate: the last layer of `forward`, in compiled code."""
        w = self.dense
        probabilities: Floats = _probabilities(
            batch.predicates, batch.candidates, batch.statistics, batch.segments, self.embeddings, w["statistics"],
            w["bias"], w["second"], w["others"], w["second_bias"], w["out"], w["out_first"], w["out_bias"],
        )  # fmt: skip
        return probabilities

    def forward(self, batch: Batch, keep: tuple[Floats, Floats] | None = None) -> dict[str, Floats]:
        """Return all layers; `keep` has the dropout masks of the two hidden layers."""
        w = self.dense
        counts = np.diff(batch.segments)
        above = sum_embeddings(batch.predicates, self.embeddings)
        first = sum_embeddings(batch.candidates, self.embeddings) + np.repeat(above, counts, axis=0)
        first += batch.statistics @ w["statistics"] + w["bias"]
        hidden = np.maximum(first, 0)
        if keep is not None:
            hidden *= keep[0]
        starts = batch.segments[:-1]
        mean = np.add.reduceat(hidden, starts, axis=0) / counts[:, np.newaxis].astype(np.float32)
        maximum = np.maximum.reduceat(hidden, starts, axis=0)
        pooled = np.hstack([mean, maximum])
        second = hidden @ w["second"] + np.repeat(pooled @ w["others"], counts, axis=0) + w["second_bias"]
        second = np.maximum(second, 0)
        if keep is not None:
            second *= keep[1]
        scores = second @ w["out"] + hidden @ w["out_first"] + w["out_bias"]
        scores -= scores.max(axis=1, keepdims=True)
        probabilities = np.exp(scores)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return {
            "probabilities": probabilities,
            "first": first,
            "hidden": hidden,
            "maximum": maximum,
            "pooled": pooled,
            "second": second,
        }

    def gradients(
        self,
        batch: Batch,
        classes: NDArray[np.int64],
        weights: Floats,
        keep: tuple[Floats, Floats] | None = None,
    ) -> tuple[float, Floats, dict[str, Floats]]:
        """Return the mean weighted loss per predicate and its gradients: by the embedding sum of each candidate, and
        by the dense weights.
        """
        w, layers = self.dense, self.forward(batch, keep)
        counts = np.diff(batch.segments)
        rows = np.arange(len(classes))
        row_weights = np.repeat(weights, counts) / np.float32(len(counts))
        loss = -float((row_weights * np.log(layers["probabilities"][rows, classes] + 1e-9)).sum())
        d_scores = layers["probabilities"].copy()
        d_scores[rows, classes] -= 1
        d_scores *= row_weights[:, np.newaxis]
        hidden, second = layers["hidden"], layers["second"]
        d_second = (d_scores @ w["out"].T) * (second > 0)
        if keep is not None:
            d_second *= keep[1]
        d_others = np.add.reduceat(d_second, batch.segments[:-1], axis=0)
        d_hidden = d_second @ w["second"].T + d_scores @ w["out_first"].T
        d_pooled = d_others @ w["others"].T
        d_mean = d_pooled[:, :HIDDEN] / counts[:, np.newaxis].astype(np.float32)
        highest = (hidden == np.repeat(layers["maximum"], counts, axis=0)) & (hidden > 0)
        d_hidden += (
            np.repeat(d_mean, counts, axis=0) + np.repeat(d_pooled[:, HIDDEN:], counts, axis=0) * highest
        )
        d_first = d_hidden * (layers["first"] > 0)
        if keep is not None:
            d_first *= keep[0]
        return (
            loss,
            d_first,
            {
                "statistics": batch.statistics.T @ d_first,
                "bias": d_first.sum(axis=0),
                "second": hidden.T @ d_second,
                "others": layers["pooled"].T @ d_others,
                "second_bias": d_second.sum(axis=0),
                "out": second.T @ d_scores,
                "out_first": hidden.T @ d_scores,
                "out_bias": d_scores.sum(axis=0),
            },
        )


class Adam:
    """Adam over a network; updates only the embeddings in use."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.steps = 0
        self._dense = {name: (np.zeros_like(w), np.zeros_like(w)) for name, w in network.dense.items()}
        self._first, self._second = np.zeros_like(network.embeddings), np.zeros_like(network.embeddings)
        self._sums = np.zeros_like(network.embeddings)

    def step(self, rate: float, batch: Batch, d_first: Floats, dense: dict[str, Floats]) -> None:
        """Take one step down the gradient."""
        self.steps += 1
        b1, b2 = np.float32(0.9), np.float32(0.999)
        c1, c2 = np.float32(1 - 0.9**self.steps), np.float32(1 - 0.999**self.steps)
        rate_, epsilon = np.float32(rate), np.float32(1e-6)
        for name, gradient in dense.items():
            first, second = self._dense[name]
            first += (1 - b1) * (gradient - first)
            second += (1 - b2) * (gradient * gradient - second)
            self.network.dense[name] -= rate_ * (first / c1) / (np.sqrt(second / c2) + epsilon)
        d_predicates = np.add.reduceat(d_first, batch.segments[:-1], axis=0)
        for numbers, gradient in ((batch.candidates, d_first), (batch.predicates, d_predicates)):
            _sparse_step(
                numbers, gradient, self.network.embeddings, self._first, self._second, self._sums,
                rate_, b1, b2, c1, c2, epsilon,
            )  # fmt: skip


@njit(cache=True)
def sum_embeddings(rows, embeddings):  # type: ignore[no-untyped-def]
    """Return the sum of the embeddings of each list of feature rows; -1 is ignored."""
    out = np.empty((rows.shape[0], embeddings.shape[1]), np.float32)
    for i in range(rows.shape[0]):
        for j in range(embeddings.shape[1]):
            out[i, j] = 0
        for f in rows[i]:
            if f >= 0:
                for j in range(embeddings.shape[1]):
                    out[i, j] += embeddings[f, j]
    return out


@njit(cache=True, fastmath=True)
def _add_product(row, matrix, out):  # type: ignore[no-untyped-def]
    """Add row @ matrix to `out`; half of a rectified row is zero."""
    for i in range(len(row)):
        if row[i] != 0:
            for j in range(len(out)):
                out[j] += row[i] * matrix[i, j]


@njit(cache=True, fastmath=True)
def _probabilities(  # type: ignore[no-untyped-def]
    predicates, candidates, statistics, segments, embeddings,
    w_statistics, bias, w_second, w_others, second_bias, w_out, w_first, out_bias,
):  # fmt: skip
    h, classes = len(bias), len(out_bias)
    below, above = sum_embeddings(candidates, embeddings), sum_embeddings(predicates, embeddings)
    out = np.empty((len(candidates), classes), np.float32)
    pooled, shared, second = np.empty(2 * h, np.float32), np.empty(h, np.float32), np.empty(h, np.float32)
    for p in range(len(segments) - 1):
        start, end = segments[p], segments[p + 1]
        for j in range(2 * h):
            pooled[j] = 0
        for i in range(start, end):
            _add_product(statistics[i], w_statistics, below[i])
            for j in range(h):
                below[i, j] = max(below[i, j] + above[p, j] + bias[j], np.float32(0))
                pooled[j] += below[i, j] / np.float32(end - start)
                pooled[h + j] = max(pooled[h + j], below[i, j])
        for j in range(h):
            shared[j] = second_bias[j]
        _add_product(pooled, w_others, shared)
        for i in range(start, end):
            for j in range(h):
                second[j] = shared[j]
            _add_product(below[i], w_second, second)
            for j in range(h):
                second[j] = max(second[j], np.float32(0))
            for j in range(classes):
                out[i, j] = out_bias[j]
            _add_product(second, w_out, out[i])
            _add_product(below[i], w_first, out[i])
            highest = out[i, 0]
            for j in range(classes):
                highest = max(highest, out[i, j])
            total = np.float32(0)
            for j in range(classes):
                out[i, j] = np.exp(out[i, j] - highest)
                total += out[i, j]
            for j in range(classes):
                out[i, j] /= total
    return out


@njit(cache=True)
def _sparse_step(numbers, gradient, embeddings, first, second, sums, rate, b1, b2, c1, c2, epsilon):  # type: ignore[no-untyped-def]
    touched = np.unique(numbers)
    for i in range(numbers.shape[0]):
        for f in numbers[i]:
            if f >= 0:
                for j in range(embeddings.shape[1]):
                    sums[f, j] += gradient[i, j]
    for f in touched:
        if f >= 0:
            for j in range(embeddings.shape[1]):
                g = sums[f, j]
                sums[f, j] = 0
                first[f, j] += (1 - b1) * (g - first[f, j])
                second[f, j] += (1 - b2) * (g * g - second[f, j])
                embeddings[f, j] -= rate * (first[f, j] / c1) / (np.sqrt(second[f, j] / c2) + epsilon)
