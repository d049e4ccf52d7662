"""What the further features of the preset `paper-code` add to the scores of whole blocks of heads, for exact search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from samevent.similarity.bags import Bags, Floats, Indices
from samevent.similarity.code_features import NEAR
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel

Block = NDArray[np.float32]
OVERLAPS = ("hypernyms", "verb_classes", "frames")
OF_HEADS = ("substring", "head_information", *OVERLAPS, "phrase_vector")
"""Features that depend on heads and phrases alone; distances of sentences are bounded by their largest weight."""
DISTANCES = tuple(f"distance_{distance}" for distance in range(NEAR + 1))


class CodeScores:
    """Upper bounds of what the further features add to pairs of (head, phrase)."""

    def __init__(self, table: MentionTable, model: PairModel) -> None:
        known, heads = table.knowledge, table.heads
        self._weights = {name: weight for name in OF_HEADS if (weight := model.weights.get(name, 0.0))}
        self._lemma, self._total, self._phrases = heads.lemma, len(table.documents), known.phrases
        self.constant = max(0.0, *(model.weights.get(name, 0.0) for name in DISTANCES))
        lemmas = len(heads.lemmas)
        first, second = np.divmod(known.parts, max(lemmas, 1))
        ones = np.ones(len(known.parts), np.float32)
        self._parts = sparse.csr_array((ones, (first, second)), shape=(lemmas, lemmas))
        self._documents = _rows(known.documents)
        self._counts = known.documents.squares.astype(np.float64)
        self._overlaps = {
            name: _unit_rows(getattr(known, name)) for name in OVERLAPS if name in self._weights
        }

    @property
    def compares_phrases(self) -> bool:
        """Whether mentions with the same head may differ."""
        return "phrase_vector" in self._weights

    def add(self, scores: Block, heads: tuple[Indices, Indices], phrases: tuple[Indices, Indices]) -> None:
        """Add to a block of scores, one row per first and one column per second head and phrase."""
        a, b = (self._lemma[each] for each in heads)
        for name, weight in self._weights.items():
            if name == "substring":
                values: NDArray[np.floating[Any]] = self._parts[a][:, b].toarray()
            elif name == "head_information":
                values = self._information(a, b)
            elif name == "phrase_vector":
                values = self._cosines(*phrases)
            else:
                rows = self._overlaps[name]
                values = (rows[heads[0]] @ rows[heads[1]].T).toarray()
            scores += np.float32(weight) * values.astype(np.float32)

    def _cosines(self, a: Indices, b: Indices) -> Block:
        cosines: Block = self._phrases[a] @ self._phrases[b].T
        cosines[a[:, np.newaxis] == b] = 1.0
        return cosines

    def _information(self, a: Indices, b: Indices) -> Floats:
        together = (self._documents[a] @ self._documents[b].T).toarray()
        expected = self._counts[a][:, np.newaxis] * self._counts[b] / self._total
        with np.errstate(divide="ignore", invalid="ignore"):
            information = np.log(together / expected) / -np.log(together / self._total)
        return np.where((together > 0) & (together < self._total), np.maximum(information, 0.0), 0.0)


def _rows(bags: Bags) -> sparse.csr_array:
    width = int(bags.words.max(initial=-1)) + 1
    return sparse.csr_array(
        (bags.counts.astype(np.float64), bags.words, bags.starts), shape=(len(bags), width)
    )


def _unit_rows(bags: Bags) -> sparse.csr_array:
    lengths = np.sqrt(np.maximum(bags.squares, 1).astype(np.float64))
    return sparse.csr_array(sparse.diags_array(1 / lengths) @ _rows(bags))
