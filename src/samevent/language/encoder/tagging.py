"""Tags of tokens, learned beside coreference: what kind of mention a token belongs to.

The encoder gives one score per entry of `TAGS` and token: `KINDS` exclude one another (a softmax), `FLAGS` are
yes-or-no questions of their own (a sigmoid each). Whether a mention is negated is asked of actions only. A token is
read at the first of its pieces.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Mention
from samevent.language.encoder.weights import Weights

EVENT_CLASSES = ("occurrence", "state", "reporting", "perception", "aspectual", "causative", "generic")
KINDS = ("none", *EVENT_CLASSES, "human", "non-human", "time", "location")
FLAGS = ("start", "negated")
TAGS = (*KINDS, *FLAGS)
WEIGHT, BIAS = "tags.weight", "tags.bias"
"""The tagger among the parameters of its encoder: one row per tag, over the last layer and the mean of layers."""

_ACTION = "ACTION_"
_NEGATED = "NEG_"


@dataclass(frozen=True, slots=True)
class TokenTags:
    """What is known about a token: the index of its kind, whether a mention starts there, and is negated."""

    kind: int = 0
    start: bool = False
    negated: bool = False

    @property
    def action(self) -> bool:
        """Whether the token belongs to an action."""
        return 1 <= self.kind <= len(EVENT_CLASSES)


def kind_of(mention: Mention) -> str | None:
    """Return which of `KINDS` a mention is of; None if its tag does not tell."""
    if mention.kind in ("time", "location"):
        return mention.kind
    tag = (mention.tag or "").removeprefix(_NEGATED)
    if mention.kind == "participant":
        return "non-human" if tag.startswith("NON_HUMAN") else "human" if tag.startswith("HUMAN") else None
    event_class = tag.removeprefix(_ACTION).lower()
    return event_class if event_class in EVENT_CLASSES else None


def token_tags(document: Document, sentences: Collection[int] | None = None) -> dict[int, TokenTags]:
    """Return the tags of the tokens of some sentences, by default the annotated ones.

    A sentence with a mention of unknown kind has none. Where mentions overlap, actions and then shorter ones count.
    """
    if sentences is None:
        sentences = [i for i, sentence in enumerate(document.sentences) if sentence.annotated]
    spans = [document.sentences[i] for i in sentences]
    tags = {token: TokenTags() for span in spans for token in range(span.start, span.end)}
    for mention in sorted(document.mentions, key=lambda m: (m.kind == "action", -len(m.tokens))):
        kind = kind_of(mention)
        if kind is None:
            sentence = document.sentences[document.sentence_of(mention.start)]
            for token in range(sentence.start, sentence.end):
                tags.pop(token, None)
            continue
        negated = (mention.tag or "").startswith(_NEGATED)
        for token in mention.tokens:
            if token in tags:
                tags[token] = TokenTags(KINDS.index(kind), token == mention.tokens[0], negated)
    return tags


def with_tagger(weights: Weights) -> Weights:
    """Return an encoder with a tagger that knows nothing yet."""
    tagger = {
        WEIGHT: np.zeros((len(TAGS), 2 * weights.size), np.float32),
        BIAS: np.zeros(len(TAGS), np.float32),
    }
    return replace(weights, arrays=weights.arrays | tagger)


def tagging_loss(scores: Any, tags: Sequence[TokenTags]) -> Any:
    """Return the log-loss of the tags of tokens (tensor, one row per token): of kinds, starts, and negated actions."""
    import torch
    from torch.nn import functional

    kinds = torch.tensor([tag.kind for tag in tags])
    starts = torch.tensor([float(tag.start) for tag in tags])
    actions = torch.tensor([tag.action for tag in tags], dtype=torch.bool)
    negated = torch.tensor([float(tag.negated) for tag in tags])[actions]
    loss = functional.cross_entropy(scores[:, : len(KINDS)], kinds)
    loss = loss + functional.binary_cross_entropy_with_logits(scores[:, len(KINDS)], starts)
    if len(negated):
        loss = loss + functional.binary_cross_entropy_with_logits(scores[actions, len(KINDS) + 1], negated)
    return loss


def kind_probabilities(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probability of each of `KINDS`, one row per token, from the scores of `TAGS`."""
    kinds = scores[:, : len(KINDS)]
    shares = np.exp(kinds - kinds.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)
