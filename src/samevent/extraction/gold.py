"""Gold mentions: what the model learns from them, and how predictions are measured against them.

Annotators marked some sentences of a document and skipped others, so a sentence without mentions is not an example of a
sentence without events: only sentences with at least one mention are used for training. Lines with the address of the
page never count.

A gold mention is found if a predicted one of its kind has the same head word (or, more strictly, the same span).
*Recall*: the share of gold mentions in cross-document chains among the n most probable predictions, in whole documents;
no prediction counts as wrong, because annotators skipped most sentences. *Balance*: precision, recall and F1 in the
sentences that the annotators checked, where every gold mention counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samevent.corpus import KINDS, Document, Kind, Mention
from samevent.language.annotation import Annotation
from samevent.language.heads import head

Segment = tuple[int, int, int]
"""Start, end and kind."""
Counts = NDArray[np.int64]

NONE_PASSES = 1.01
"""A threshold that no prediction passes."""
_PRECEDENCE: tuple[Kind, ...] = ("action", "time", "location", "participant")
"""The kind that wins where two mentions overlap, since a path cannot contain both: events come first."""
_COVERED = 0.995
"""The share of mentions short enough to be a segment; one token is added for longer ones to come."""


def marked_sentences(document: Document) -> list[int]:
    """Return the sentences in which mentions start, without addresses."""
    sentences = {document.sentence_of(m.start) for m in document.mentions}
    return sorted(s for s in sentences if not document.sentences[s].is_url)


def length_limits(documents: Iterable[Document]) -> tuple[int, ...]:
    """Return the maximal length of a segment of each kind."""
    sizes: dict[Kind, list[int]] = {kind: [1] for kind in KINDS}
    for document in documents:
        for m in document.mentions:
            sizes[m.kind].append(m.end - m.start)
    return tuple(int(np.ceil(np.quantile(sizes[kind], _COVERED))) + 1 for kind in KINDS)


def gold_path(document: Document, annotation: Annotation, limits: Sequence[int]) -> list[Segment]:
    """Return the mentions of a document as segments of one path, without those that do not fit into it.

    A discontinuous mention is represented by the part with its head.
    """
    taken = np.zeros(len(document.tokens), np.bool_)
    path = []
    for m in sorted(document.mentions, key=lambda m: (_PRECEDENCE.index(m.kind), m.start, m.end)):
        start, end = _main_part(m, annotation)
        kind = KINDS.index(m.kind)
        within = document.sentence_of(start) == document.sentence_of(end - 1)
        if within and end - start <= limits[kind] and not taken[start:end].any():
            taken[start:end] = True
            path.append((start, end, kind + 1))
    return sorted(path)


@dataclass(frozen=True, slots=True)
class Balance:
    """Precision, recall and F1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Predictions of one kind, the most probable first, and the gold mentions that each finds, by head and by span."""

    probability: NDArray[np.float64]
    linked: Counts
    """Number of linked gold mentions found; two columns, by head and by exact span."""
    checked: NDArray[np.bool_]
    """Whether it is in a sentence that the annotators checked."""
    found: Counts
    """Number of gold mentions found there; two columns."""
    gold_linked: int
    gold_checked: int
    tokens: int

    def recall(self, count: int) -> tuple[float, float]:
        """Return the share of linked gold mentions found by the first `count` predictions, by head and by span."""
        head, exact = self.linked[:count].sum(axis=0) / max(1, self.gold_linked)
        return float(head), float(exact)

    def balance(self, threshold: float) -> tuple[Balance, Balance]:
        """Return precision, recall and F1 of the predictions above a threshold, by head and by exact span."""
        chosen = self.checked & (self.probability >= threshold)
        correct, found = (self.found[chosen] > 0).sum(axis=0), self.found[chosen].sum(axis=0)
        precision, recall = correct / max(1, chosen.sum()), found / max(1, self.gold_checked)
        f1 = 2 * precision * recall / np.maximum(1e-12, precision + recall)
        head, exact = (Balance(*map(float, column)) for column in zip(precision, recall, f1, strict=True))
        return head, exact

    def best_threshold(self, beta: float = 1.0) -> float:
        """Return the threshold with the best mean of both F scores; below 1, `beta` favours precision."""
        ends = self._ends()
        if not self.checked.any():
            return 0.5
        chosen = self.checked.cumsum()[ends, None]
        correct = ((self.found > 0) & self.checked[:, None]).cumsum(axis=0)[ends]
        found = (self.found * self.checked[:, None]).cumsum(axis=0)[ends]
        precision, recall = correct / np.maximum(1, chosen), found / max(1, self.gold_checked)
        f = (1 + beta**2) * precision * recall / np.maximum(1e-12, beta**2 * precision + recall)
        return float(self.probability[ends[int(f.mean(axis=1).argmax())]])

    def threshold_for(self, share: float) -> float:
        """Return the lowest threshold that at most `share` predictions per token pass; above 1 if none may."""
        ends = self._ends()
        ends = ends[ends + 1 <= share * self.tokens]
        return float(self.probability[ends[-1]]) if len(ends) else NONE_PASSES

    def _ends(self) -> Counts:
        """Return the last of each run of equal probabilities, the only places where a threshold can cut."""
        return np.flatnonzero(np.diff(self.probability, append=-1))


def ranking(kind: Kind, texts: Iterable[tuple[Document, Annotation, Sequence[Mention]]]) -> Ranking:
    """Rank predictions; `texts` are documents with gold mentions, their parses and the predicted mentions."""
    rows: list[tuple[float, int, int, bool, int, int]] = []
    gold_linked = gold_checked = tokens = 0
    for document, annotation, predicted in texts:
        checked = _checked_sentences(document)
        tokens += sum(s.end - s.start for s in document.sentences if not s.is_url)
        addresses = {i for i, s in enumerate(document.sentences) if s.is_url}
        gold = [
            m for m in document.mentions if m.kind == kind and document.sentence_of(m.start) not in addresses
        ]
        linked = [m for m in gold if m.event is not None]
        certain = [m for m in gold if document.sentence_of(m.start) in checked]
        gold_linked += len(linked)
        gold_checked += len(certain)
        heads = [Counter(head_of(m, annotation) for m in side) for side in (linked, certain)]
        spans = [Counter(m.span for m in side) for side in (linked, certain)]
        for m in predicted:
            if m.kind == kind:
                top, is_checked = head_of(m, annotation), document.sentence_of(m.start) in checked
                hits = [(heads[side][top], spans[side][m.span]) for side in (0, 1)]
                rows.append((m.probability or 0.0, *hits[0], is_checked, *hits[1]))
    table = np.array(rows, np.float64).reshape(-1, 6)
    table = table[np.argsort(-table[:, 0], kind="stable")]
    counts = table.astype(np.int64)
    return Ranking(
        table[:, 0], counts[:, 1:3], table[:, 3] > 0, counts[:, 4:], gold_linked, gold_checked, tokens
    )


def _checked_sentences(document: Document) -> set[int]:
    """Return the sentences that the annotators checked; if unknown, those with mentions."""
    if all(s.annotated is None for s in document.sentences):
        return set(marked_sentences(document))
    return {i for i, s in enumerate(document.sentences) if s.annotated and not s.is_url}


def head_of(mention: Mention, annotation: Annotation) -> int:
    """Return the head token of a mention."""
    return (
        mention.head
        if mention.head is not None
        else head(annotation, mention.start, mention.end, mention.tokens)
    )


def _main_part(mention: Mention, annotation: Annotation) -> tuple[int, int]:
    if not mention.anchors:
        return mention.span
    top = head(annotation, mention.start, mention.end, mention.tokens)
    return next((start, end) for start, end in mention.runs if start <= top < end)
