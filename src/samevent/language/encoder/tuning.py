"""Tuning an encoder on coreference: mentions of the same event get similar vectors.

The loss is the supervised contrastive loss plus the log-loss of "same event" given the cosine, between the mentions
of a batch: sentences of one topic and a few of others. Where sentences are fully annotated, the loss of the tags of
their tokens joins it. Word vectors stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from samevent.corpus import Document
from samevent.corpus.corpus import event_key
from samevent.errors import UsageError
from samevent.language.encoder.network import Network, Tensor, fast_products, layer_names
from samevent.language.encoder.tagging import TokenTags, tagging_loss, token_tags, with_tagger
from samevent.language.encoder.units import Unit, UnitReader
from samevent.language.encoder.weights import Weights
from samevent.seeds import stream

TORCH = "torch==2.13.0"
"""What the extra `train` installs; another version may give other weights."""
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningSettings:
    """How an encoder is tuned. `batch` sentences of one topic and `others` of any topic are compared at a time.

    The weights of the losses are `contrastive`, `pairwise` and `tagging`. Tags weigh little and their layer learns
    fast, because more weight costs coreference.
    """

    seed: int = 0
    epochs: int = 3
    rate: float = 2e-4
    head_rate: float = 1e-3
    warm_up: float = 0.1
    decay: float = 0.01
    batch: int = 24
    others: int = 4
    dropout: float = 0.1
    temperature: float = 0.07
    contrastive: float = 0.5
    pairwise: float = 3.0
    tagging: float = 0.1
    tagger_rate: float = 5e-3


@dataclass(frozen=True, slots=True)
class Labelled:
    """A mention in a unit."""

    id: str
    pieces: tuple[int, ...]
    event: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A unit with its actions, and with the tags of the tokens at some of its pieces."""

    unit: Unit
    topic: str
    mentions: tuple[Labelled, ...]
    tags: tuple[tuple[int, TokenTags], ...] = ()


def training_examples(reader: UnitReader, documents: Iterable[Document]) -> list[Example]:
    """Return the units with actions or tags, in order. Mentions without a chain are events of their own."""
    examples = []
    for document in documents:
        mentions = [m for m in document.mentions if m.kind == "action"]
        labels = token_tags(document)
        tagged = sorted({document.sentence_of(token) for token in labels})
        units, places = reader.read_tokens(document, tagged)
        tokens = [t for i in tagged for t in range(document.sentences[i].start, document.sentences[i].end)]
        parts: dict[Unit, tuple[list[Labelled], list[tuple[int, TokenTags]]]] = {}
        for token, place in zip(tokens, places, strict=True):
            _, tags = parts.setdefault(units[place.unit], ([], []))
            if place.pieces:
                tags.append((place.pieces[0], labels[token]))
        units, places = reader.read(document, mentions)
        for mention, place in zip(mentions, places, strict=True):
            actions, _ = parts.setdefault(units[place.unit], ([], []))
            if place.pieces:
                actions.append(Labelled(mention.id, place.pieces, event_key(mention)))
        topic = document.topic or ""
        examples += [
            Example(unit, topic, tuple(actions), tuple(tags))
            for unit, (actions, tags) in parts.items()
            if actions or tags
        ]
    return examples


def tune(
    weights: Weights, examples: Sequence[Example], settings: TuningSettings, progress: Progress
) -> Weights:
    """Return an encoder tuned on some examples; the same seed gives the same weights on the same machine."""
    torch = import_torch()
    tagged = any(example.tags for example in examples)
    network = Network(with_tagger(weights) if tagged else weights)
    names = layer_names(range(weights.layers))
    head = torch.tensor([10.0, -6.0], requires_grad=True)
    groups = [
        {
            "params": network.train(names, settings.dropout),
            "lr": settings.rate,
            "weight_decay": settings.decay,
        },
        {"params": [head], "lr": settings.head_rate, "weight_decay": 0.0},
        {"params": network.train_tagger(), "lr": settings.tagger_rate, "weight_decay": 0.0},
    ]

    def loss(batch: Sequence[Example]) -> Tensor:
        layers = network([example.unit for example in batch])
        return annotation_loss(network, layers, batch, head, settings)

    optimise(groups, loss, lambda epoch: batches(examples, settings, epoch), settings, progress)
    network.freeze()
    return network.updated()


def optimise(
    groups: Sequence[dict[str, Any]],
    loss_of: Callable[[Sequence[Example]], Tensor],
    batches_of: Callable[[int], Sequence[Sequence[Example]]],
    settings: TuningSettings,
    progress: Progress,
) -> None:
    """Minimise a loss by AdamW with a rate that rises at first and then falls to zero."""
    torch = import_torch()
    torch.manual_seed(settings.seed)
    optimizer = torch.optim.AdamW(groups)
    total = settings.epochs * len(batches_of(0))
    warm = max(1, int(total * settings.warm_up))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, (total - step) / max(1, total - warm))
    )
    begin, done = monotonic(), 0
    for epoch in range(settings.epochs):
        losses = []
        for batch in batches_of(epoch):
            with fast_products():
                loss = loss_of(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        done += len(losses)
        left = (monotonic() - begin) * (total - done) / done / 60
        progress(
            f"epoch {epoch + 1} of {settings.epochs}: loss {np.mean(losses):.3f}"
            + (f", {left:.0f} min left" if done < total else "")
        )


def batches(examples: Sequence[Example], settings: TuningSettings, epoch: int) -> list[list[Example]]:
    """Return the batches of an epoch: sentences of one topic, and a few of any. Small topics share batches."""
    draws = stream(settings.seed, "encoder batches", epoch)
    result = []
    for group in _topics(examples, settings.batch * 3 // 4, draws):
        order = draws.permutation(len(group))
        for first in range(0, len(group), settings.batch):
            own = [group[i] for i in order[first : first + settings.batch]]
            others = draws.choice(len(examples), min(settings.others, len(examples)), replace=False)
            result.append(own + [examples[i] for i in others if examples[i] not in own])
    return [result[i] for i in draws.permutation(len(result))]


def _topics(examples: Sequence[Example], least: int, draws: np.random.Generator) -> list[list[Example]]:
    """Return the examples by topic, with smaller topics joined until they have `least` examples together."""
    by_topic: dict[str, list[Example]] = {}
    for example in examples:
        by_topic.setdefault(example.topic, []).append(example)
    small = [group for group in by_topic.values() if len(group) < least]
    joined: list[list[Example]] = []
    for i in draws.permutation(len(small)) if small else ():
        if not joined or len(joined[-1]) >= least:
            joined.append([])
        joined[-1] += small[i]
    return [group for group in by_topic.values() if len(group) >= least] + joined


def mention_rows(vectors: Tensor, batch: Sequence[Example]) -> Tensor:
    """Return the vectors of all mentions of a batch, from those of its pieces."""
    return import_torch().stack(
        [
            vectors[row, list(mention.pieces)].float().mean(0)
            for row, example in enumerate(batch)
            for mention in example.mentions
        ]
    )


def mention_batch(vectors: Tensor, batch: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """Return the unit-length vectors of all mentions of a batch, and the numbers of their events."""
    torch = import_torch()
    numbers: dict[tuple[str, ...], int] = {}
    events = [numbers.setdefault(m.event, len(numbers)) for example in batch for m in example.mentions]
    return torch.nn.functional.normalize(mention_rows(vectors, batch), dim=1), torch.tensor(events)


def annotation_loss(
    network: Network,
    layers: Sequence[Tensor],
    batch: Sequence[Example],
    head: Tensor,
    settings: TuningSettings,
) -> Tensor:
    """Return the loss of all that is annotated in a batch: coreference and tags."""
    loss = import_torch().zeros(())
    if any(example.mentions for example in batch):
        loss = loss + coreference_loss(*mention_batch(layers[-1], batch), head, settings)
    places = [(row, piece) for row, example in enumerate(batch) for piece, _ in example.tags]
    if places:
        rows, pieces = zip(*places, strict=True)
        scores = network.tag_scores(layers, (list(rows), list(pieces)))
        loss = loss + settings.tagging * tagging_loss(scores, [t for e in batch for _, t in e.tags])
    return loss


def coreference_loss(vectors: Tensor, events: Tensor, head: Tensor, settings: TuningSettings) -> Tensor:
    """Return the contrastive loss plus the log-loss of sigmoid(head[0] * cosine + head[1])."""
    torch = import_torch()
    with torch.autocast("cpu", enabled=False):
        cosines = vectors @ vectors.T
        itself = torch.eye(len(events), dtype=torch.bool)
        same = (events[:, None] == events[None, :]) & ~itself
        shares = torch.log_softmax((cosines / settings.temperature).masked_fill(itself, -1e9), dim=1)
        partners = same.sum(1)
        linked = partners > 0
        contrastive = -((shares * same).sum(1)[linked] / partners[linked]).sum() / max(int(linked.sum()), 1)
        left, right = torch.triu_indices(len(events), len(events), 1)
        pairwise = torch.nn.functional.binary_cross_entropy_with_logits(
            head[0] * cosines[left, right] + head[1], same[left, right].float()
        )
        return settings.contrastive * contrastive + settings.pairwise * pairwise


def import_torch() -> Any:
    """Return torch, which only training needs."""
    try:
        import torch
    except ImportError as error:
        raise UsageError(
            f"training an encoder needs {TORCH}, which is not installed",
            hint="install the extra train with: pip install 'samevent[train]'",
        ) from error
    return torch
