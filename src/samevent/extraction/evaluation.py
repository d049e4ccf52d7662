"""How good extraction is: mentions ranked by probability against gold ones.

A gold mention is found if a predicted one of its kind has the same head word (or, more strictly, the same span).
Two questions are asked. *Recall*: how many of the gold mentions that take part in a cross-document chain are found
among the so many most probable predictions, in whole documents; predictions are not called wrong, as annotators
passed over most sentences. *Balance*: precision, recall and F1 in the sentences that annotators vouch for, where every
gold mention counts. Lines that hold a page's address are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import Document, Kind, Mention
from samevent.extraction.gold import marked_sentences
from samevent.language.annotation import Annotation
from samevent.language.heads import head

Counts = NDArray[np.int64]

NONE_PASSES = 1.01
"""A threshold."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Precision, recall and F1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Predictions of one kind, the most probable first, and what each of them finds, by head and by span."""

    probability: NDArray[np.float64]
    linked: Counts
    """How many linked gold mentions each finds; two columns, by head and by exact span."""
    vouched: NDArray[np.bool_]
    """Whether it is in a sentence that annotators vouch for."""
    found: Counts
    """How many of the gold mentions there each finds; two columns."""
    gold_linked: int
    gold_vouched: int
    tokens: int

    def recall(self, count: int) -> tuple[float, float]:
        """Return the share of linked gold mentions among the first predictions, by head and by exact span."""
        head, exact = self.linked[:count].sum(axis=0) / max(1, self.gold_linked)
        return float(head), float(exact)

    def balance(self, threshold: float) -> tuple[Balance, Balance]:
        """Return precision, recall and F1 of predictions this probable, by head and by exact span."""
        chosen = self.vouched & (self.probability >= threshold)
        right, found = (self.found[chosen] > 0).sum(axis=0), self.found[chosen].sum(axis=0)
        precision, recall = right / max(1, chosen.sum()), found / max(1, self.gold_vouched)
        f1 = 2 * precision * recall / np.maximum(1e-12, precision + recall)
        head, exact = (Balance(*map(float, column)) for column in zip(precision, recall, f1, strict=True))
        return head, exact

    def best_threshold(self) -> float:
        """Return the threshold with the best mean of both F1 scores."""
        ends = self._ends()
        if not self.vouched.any():
            return 0.5
        chosen = self.vouched.cumsum()[ends, None]
        right = ((self.found > 0) & self.vouched[:, None]).cumsum(axis=0)[ends]
        found = (self.found * self.vouched[:, None]).cumsum(axis=0)[ends]
        precision, recall = right / np.maximum(1, chosen), found / max(1, self.gold_vouched)
        f1 = 2 * precision * recall / np.maximum(1e-12, precision + recall)
        return float(self.probability[ends[int(f1.mean(axis=1).argmax())]])

    def threshold_for(self, share: float) -> float:
        """Return the lowest threshold that no more predictions a token pass; it is above 1 if none may."""
        ends = self._ends()
        ends = ends[ends + 1 <= share * self.tokens]
        return float(self.probability[ends[-1]]) if len(ends) else NONE_PASSES

    def _ends(self) -> Counts:
        """Return the last of each run of equally probable predictions, where alone a threshold can cut."""
        return np.flatnonzero(np.diff(self.probability, append=-1))


def ranking(kind: Kind, texts: Iterable[tuple[Document, Annotation, Sequence[Mention]]]) -> Ranking:
    """Rank predictions; each document comes with its gold mentions, its parse and the predicted ones."""
    rows: list[tuple[float, int, int, bool, int, int]] = []
    gold_linked = gold_vouched = tokens = 0
    for document, annotation, predicted in texts:
        vouched = _vouched(document)
        tokens += sum(s.end - s.start for s in document.sentences if not s.is_url)
        addresses = {i for i, s in enumerate(document.sentences) if s.is_url}
        gold = [
            m for m in document.mentions if m.kind == kind and document.sentence_of(m.start) not in addresses
        ]
        linked = [m for m in gold if m.event is not None]
        sure = [m for m in gold if document.sentence_of(m.start) in vouched]
        gold_linked += len(linked)
        gold_vouched += len(sure)
        heads = [Counter(_head(m, annotation) for m in side) for side in (linked, sure)]
        spans = [Counter(m.span for m in side) for side in (linked, sure)]
        for m in predicted:
            if m.kind == kind:
                top, sure_here = _head(m, annotation), document.sentence_of(m.start) in vouched
                hits = [(heads[side][top], spans[side][m.span]) for side in (0, 1)]
                rows.append((m.probability or 0.0, *hits[0], sure_here, *hits[1]))
    table = np.array(rows, np.float64).reshape(-1, 6)
    table = table[np.argsort(-table[:, 0], kind="stable")]
    counts = table.astype(np.int64)
    return Ranking(
        table[:, 0], counts[:, 1:3], table[:, 3] > 0, counts[:, 4:], gold_linked, gold_vouched, tokens
    )


def _vouched(document: Document) -> set[int]:
    """Return the sentences that annotators vouch for; where nobody said, those with marks."""
    if all(s.annotated is None for s in document.sentences):
        return set(marked_sentences(document))
    return {i for i, s in enumerate(document.sentences) if s.annotated and not s.is_url}


def _head(mention: Mention, annotation: Annotation) -> int:
    return (
        mention.head
        if mention.head is not None
        else head(annotation, mention.start, mention.end, mention.tokens)
    )
