"""The class of actions (occurrence, state, reporting, ...), and whether they are negated.

Classes are predicted by a multinomial log-linear model over the head word of an action: its token features and, with an
encoder, what the tagger says. Negation is read off the parse, because annotated corpora have too few examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from samevent.corpus import EVENT_CLASSES, Document, EventClass
from samevent.extraction.features import Features
from samevent.extraction.semicrf import Floats
from samevent.language.annotation import Annotation

CLASSES = len(EVENT_CLASSES)

_NEGATORS = frozenset("no not n't never neither nor none nothing nobody cannot".split())
_FROM_GOVERNOR = frozenset(("xcomp", "acomp", "attr", "conj"))
"""Labels of words that are negated with their governor: *was not happy*, *did not want to come*."""


class LabelledHead(NamedTuple):
    """The head token of an action whose class is known."""

    token: int
    event_class: EventClass


class ClassWeights(NamedTuple):
    """Weights by feature or column; one column per class."""

    token: Floats
    context: Floats
    bias: Floats

    @classmethod
    def zeros(cls, tokens: int, context: int) -> ClassWeights:
        """Return weights that know nothing."""
        return cls(np.zeros((tokens, CLASSES)), np.zeros((context, CLASSES)), np.zeros(CLASSES))

    @property
    def learned(self) -> bool:
        """Whether there were actions with classes to learn from."""
        return bool(self.bias.any())


def class_probabilities(features: Features, heads: Sequence[int], weights: ClassWeights) -> Floats:
    """Return the probability of each class of actions with these heads, one row per action."""
    rows, context = _inputs(features, heads, len(weights.token))
    return _shares(rows @ weights.token + context @ weights.context + weights.bias)


def fit_classes(
    features: Features, heads: Sequence[LabelledHead], count: int, *, penalty: float = 0.3
) -> ClassWeights:
    """Return the weights that minimise the log-loss with L2 regularisation; `count` token features are known."""
    zeros = ClassWeights.zeros(count, features.context.shape[1])
    if not heads:
        return zeros
    rows, context = _inputs(features, [head.token for head in heads], count)
    columns = rows.T.tocsr()
    truth = np.zeros((len(heads), CLASSES))
    truth[np.arange(len(heads)), [EVENT_CLASSES.index(head.event_class) for head in heads]] = 1
    edges = np.cumsum([part.size for part in zeros])[:-1]

    def shaped(flat: Floats) -> ClassWeights:
        parts = np.split(flat, edges)
        return ClassWeights(*(part.reshape(own.shape) for part, own in zip(parts, zeros, strict=True)))

    def loss(flat: Floats) -> tuple[float, Floats]:
        w = shaped(flat)
        probability = _shares(rows @ w.token + context @ w.context + w.bias)
        error = probability - truth
        gradient = ClassWeights(columns @ error, context.T @ error, error.sum(axis=0))
        plain = np.concatenate([flat[: edges[1]], np.zeros(CLASSES)])  # the bias is free
        value = -float(np.log(np.maximum(probability[truth > 0], 1e-300)).sum())
        value += 0.5 * penalty * float(plain @ plain)
        return value, np.concatenate([part.ravel() for part in gradient]) + penalty * plain

    start = np.zeros(sum(part.size for part in zeros))
    return shaped(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x)


def is_negated(document: Document, annotation: Annotation, head: int) -> bool:
    """Return whether an action is said not to happen: *did not sign*, *no deal*, *was not happy*, *without a fight*."""
    governor, label = annotation.heads[head], annotation.labels[head]
    if _has_negator(document, annotation, head):
        return True
    if label in ("pobj", "pcomp"):
        return document.tokens[governor].text.lower() == "without"
    return label in _FROM_GOVERNOR and _has_negator(document, annotation, governor)


def _has_negator(document: Document, annotation: Annotation, token: int) -> bool:
    sentence = document.sentences[document.sentence_of(token)]
    for i in range(sentence.start, sentence.end):
        if annotation.heads[i] == token and i != token:
            word = document.tokens[i].text.lower()
            if annotation.labels[i] == "neg" or word in _NEGATORS or word.endswith(("n't", "n’t")):
                return True
    return False


def _inputs(features: Features, tokens: Sequence[int], count: int) -> tuple[csr_array, NDArray[np.float64]]:
    """Return the known features of some tokens as a sparse matrix, and their columns from the encoder."""
    spans = [features.token_features[features.token_starts[t] : features.token_starts[t + 1]] for t in tokens]
    known = [span[span >= 0] for span in spans]
    starts = np.cumsum([0, *map(len, known)])
    columns = np.concatenate([np.empty(0, np.int32), *known])
    rows = csr_array((np.ones(len(columns)), columns, starts), shape=(len(tokens), count))
    return rows, features.context[list(tokens)].astype(np.float64)


def _shares(scores: Floats) -> Floats:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
