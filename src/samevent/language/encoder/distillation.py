"""A large teacher for a small encoder.

The teacher's upper half of layers gets low-rank adapters (LoRA), tuned on the same sentences with the same loss as a
small encoder; the states below are computed once. The small encoder then learns the teacher's cosines, on the tuned
sentences and on any other text, before and while it learns from the annotation. A half's student sees only its own
half's teacher, so that out-of-fold cosines stay so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document
from samevent.language.encoder.network import (
    Network,
    Tensor,
    Tensors,
    fast_products,
    fast_type,
    layer_names,
    padded,
)
from samevent.language.encoder.runtime import TOKENIZER_FILE
from samevent.language.encoder.tagging import with_tagger
from samevent.language.encoder.tuning import (
    Example,
    Progress,
    TuningSettings,
    annotation_loss,
    batches,
    coreference_loss,
    import_torch,
    mention_batch,
    mention_rows,
    optimise,
    training_examples,
)
from samevent.language.encoder.units import Unit, UnitReader
from samevent.language.encoder.weights import MATRICES, Weights, read_weights
from samevent.seeds import stream

_READ_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillationSettings:
    """How a teacher is tuned and taught from.

    At most `sentences` without annotation of each source are taught, `words` of each. The weights of the losses are
    `divergence`, `cosine` and `projection`.
    """

    rank: int = 16
    teacher_rate: float = 5e-4
    epochs: int = 2
    rate: float = 3e-4
    tuning_rate: float = 1e-4
    temperature: float = 0.1
    divergence: float = 1.0
    cosine: float = 5.0
    projection: float = 2.0
    sentences: int = 1000
    words: int = 6


class Teacher:
    """A large encoder to be tuned with adapters."""

    def __init__(self, folder: Path) -> None:
        self.weights: Weights = read_weights(folder)
        self.reader = UnitReader(folder / TOKENIZER_FILE)

    def tune(
        self,
        documents: Sequence[Document],
        tuning: TuningSettings,
        settings: DistillationSettings,
        progress: Progress,
    ) -> dict[str, NDArray[np.float32]]:
        """Return adapters tuned on documents with events."""
        torch = import_torch()
        torch.manual_seed(tuning.seed)
        network, first = self._network(), self.weights.layers // 2
        examples = with_actions(training_examples(self.reader, documents))
        states = _states(network, [example.unit for example in examples], first)
        progress(f"teacher: read {len(states):,} sentences")
        adapters = new_adapters(self.weights, range(first, self.weights.layers), settings.rank)
        network.tensors |= adapters
        head = torch.tensor([10.0, -6.0], requires_grad=True)
        groups = [
            {
                "params": network.train(list(adapters), tuning.dropout),
                "lr": settings.teacher_rate,
                "weight_decay": tuning.decay,
            },
            {"params": [head], "lr": tuning.head_rate, "weight_decay": 0.0},
        ]

        def loss(batch: Sequence[Example]) -> Tensor:
            last = network([example.unit for example in batch], states, first)[-1]
            return coreference_loss(*mention_batch(last, batch), head, tuning)

        optimise(groups, loss, lambda epoch: batches(examples, tuning, epoch), tuning, progress)
        return {name: tensor.detach().numpy() for name, tensor in adapters.items()}

    def vectors(
        self, documents: Sequence[Document], adapters: Mapping[str, NDArray[np.float32]]
    ) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of all actions by their ids."""
        torch = import_torch()
        network = self._network()
        network.tensors |= {name: torch.from_numpy(np.array(array)) for name, array in adapters.items()}
        examples = sorted(
            with_actions(training_examples(self.reader, documents)), key=lambda e: len(e.unit.pieces)
        )
        result: dict[str, NDArray[np.float32]] = {}
        with torch.no_grad(), fast_products():
            for start in range(0, len(examples), _READ_AT_ONCE):
                batch = examples[start : start + _READ_AT_ONCE]
                rows = mention_rows(network([example.unit for example in batch])[-1], batch)
                ids = (m.id for example in batch for m in example.mentions)
                result |= zip(ids, rows.numpy(), strict=True)
        return result

    def _network(self) -> Network:
        network = Network(self.weights)
        for name in layer_names(range(self.weights.layers)):
            if name.split(".")[1] in MATRICES:
                network.tensors[name] = network.tensors[name].to(fast_type())
        return network


def new_adapters(weights: Weights, layers: range, rank: int) -> Tensors:
    """Return adapters of all matrices of some layers that change nothing yet."""
    torch = import_torch()
    adapters = {}
    for layer in layers:
        for part in MATRICES:
            rows, columns = weights.arrays[f"{layer}.{part}.weight"].shape
            adapters[f"{layer}.{part}.a"] = torch.randn(rank, columns) / columns**0.5
            adapters[f"{layer}.{part}.b"] = torch.zeros(rows, rank)
    return adapters


def with_words(documents: Sequence[Document], settings: DistillationSettings, seed: int) -> list[Document]:
    """Return some sentences without annotation to be taught: documents with some of their words as mentions."""
    sentences = [
        (number, sentence)
        for number, document in enumerate(documents)
        for sentence in document.sentences
        if not (sentence.annotated or sentence.is_url)
    ]
    draws = stream(seed, "encoder text")
    chosen: dict[int, list[int]] = {}
    for index in sorted(draws.permutation(len(sentences))[: settings.sentences].tolist()):
        number, sentence = sentences[index]
        words = [
            token
            for token, word in enumerate(documents[number].words(sentence), sentence.start)
            if len(word) > 3 and word.isalpha()
        ]
        chosen.setdefault(number, []).extend(draws.permutation(words)[: settings.words].tolist())
    return [
        documents[number].with_mentions(documents[number].mention("action", i, i + 1) for i in words)
        for number, words in chosen.items()
    ]


def with_actions(examples: Iterable[Example]) -> list[Example]:
    """Return the examples that have actions."""
    return [example for example in examples if example.mentions]


def known(examples: Sequence[Example], taught: Mapping[str, NDArray[np.float32]]) -> list[Example]:
    """Return the examples with the mentions that the teacher has a vector of, and with their tags."""
    kept = (replace(e, mentions=tuple(m for m in e.mentions if m.id in taught)) for e in examples)
    return [example for example in kept if example.mentions or example.tags]


def distil(
    weights: Weights,
    annotated: Sequence[Example],
    text: Sequence[Example],
    taught: Mapping[str, NDArray[np.float32]],
    tuning: TuningSettings,
    settings: DistillationSettings,
    progress: Progress,
) -> Weights:
    """Return a small encoder taught by `taught`, a teacher's vectors by mention, and tuned on annotated examples."""
    torch = import_torch()
    torch.manual_seed(tuning.seed)
    tagged = any(example.tags for example in annotated)
    network = Network(with_tagger(weights) if tagged else weights)
    size = len(next(iter(taught.values())))
    projection = (torch.randn(size, weights.size) / weights.size**0.5).requires_grad_(True)
    head = torch.tensor([10.0, -6.0], requires_grad=True)
    names = layer_names(range(weights.layers))

    def loss(batch: Sequence[Example], supervised: bool) -> Tensor:
        layers = network([example.unit for example in batch])
        total = torch.zeros(())
        if ids := [m.id for example in batch for m in example.mentions]:
            teacher = torch.from_numpy(np.stack([taught[i] for i in ids]))
            total = total + teaching_loss(mention_rows(layers[-1], batch), teacher, projection, settings)
        return total + annotation_loss(network, layers, batch, head, tuning) if supervised else total

    for learned, examples, stage in (
        (
            False,
            with_actions([*annotated, *text]),
            replace(tuning, epochs=settings.epochs, rate=settings.rate),
        ),
        (True, annotated, replace(tuning, rate=settings.tuning_rate, seed=tuning.seed + 1000)),
    ):
        groups: list[dict[str, Any]] = [
            {"params": network.train(names, stage.dropout), "lr": stage.rate, "weight_decay": stage.decay},
            {"params": [head, projection], "lr": stage.head_rate, "weight_decay": 0.0},
            {"params": network.train_tagger(), "lr": stage.tagger_rate, "weight_decay": 0.0},
        ]
        optimise(
            groups, partial(loss, supervised=learned), partial(batches, examples, stage), stage, progress
        )
    network.freeze()
    return network.updated()


def teaching_loss(
    rows: Tensor, teacher: Tensor, projection: Tensor, settings: DistillationSettings
) -> Tensor:
    """Return how far the student's cosines and projected vectors are from the teacher's."""
    torch = import_torch()
    functional = torch.nn.functional
    with torch.autocast("cpu", enabled=False):
        student, teacher = functional.normalize(rows, dim=1), functional.normalize(teacher, dim=1)
        itself = torch.eye(len(rows), dtype=torch.bool)
        mine, theirs = student @ student.T, teacher @ teacher.T
        divergence = functional.kl_div(
            torch.log_softmax((mine / settings.temperature).masked_fill(itself, -1e4), dim=1),
            torch.log_softmax((theirs / settings.temperature).masked_fill(itself, -1e4), dim=1),
            log_target=True,
            reduction="batchmean",
        )
        squared = functional.mse_loss(mine, theirs)
        away = 1 - functional.cosine_similarity(rows @ projection.T, teacher).mean()
        return settings.divergence * divergence + settings.cosine * squared + settings.projection * away


def _states(network: Network, units: Sequence[Unit], layers: int) -> dict[Unit, Tensor]:
    """Return what the layer above the first `layers` reads of each unit."""
    torch = import_torch()
    order = sorted(set(units), key=lambda unit: (len(unit.pieces), unit.pieces))
    states: dict[Unit, Tensor] = {}
    with torch.no_grad(), fast_products():
        for start in range(0, len(order), _READ_AT_ONCE):
            batch = order[start : start + _READ_AT_ONCE]
            pieces, mask = padded(batch)
            last = network.layers(network.embed(pieces), mask, range(layers))[-1].to(fast_type())
            states |= {unit: last[row, : len(unit.pieces)].clone() for row, unit in enumerate(batch)}
    return states
