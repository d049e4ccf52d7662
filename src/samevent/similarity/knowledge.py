"""What the preset `paper-code` knows about heads and phrases beyond the paper's features.

WordNet hypernyms, VerbNet classes and FrameNet frames of each head come from the lexicon. The authors took the
pointwise mutual information of two heads from a table that is not public; here it is counted in the documents at hand.
A phrase is the words of a mention; its vector is the mean of the vectors of their lemmas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from samevent.language.lexicon import Lexicon, pos_of_tag
from samevent.language.vectors import Matrix, WordVectors
from samevent.language.wordnet import Pos
from samevent.similarity.bags import Bags, Booleans, Floats, Indices, dots

LookUp = Callable[[str, Pos], tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """Bags of each distinct head, bags and parts of each distinct head lemma, and the phrase of each mention.

    `documents` has the documents whose mentions have a lemma as their head. `parts` are the codes
    `first * lemmas + second` of all lemmas of which one is a part of the other, ascending. `several` marks mentions of
    several words. Row `phrase[m]` of `phrases` is the vector of mention `m`: of unit length, or zero if all of its
    words are unknown.
    """

    hypernyms: Bags
    verb_classes: Bags
    frames: Bags
    documents: Bags
    parts: NDArray[np.int64]
    several: Booleans
    phrase: Indices
    phrases: Matrix

    def information(self, a: Indices, b: Indices, total: int) -> Floats:
        """Return the normalised pointwise mutual information of lemmas over `total` documents, 0 if it is negative.

        It is 1 for lemmas that always occur together, and 0 for lemmas that never do or that are independent.
        """
        ones = np.ones(len(self.documents.words))
        together = dots(self.documents, ones, a, b)
        counts = self.documents.squares.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            information = np.log(together * total / (counts[a] * counts[b])) / -np.log(together / total)
        # Lemmas that occur in every document say nothing.
        return np.where((together > 0) & (together < total), np.maximum(information, 0.0), 0.0)

    def part_of(self, a: Indices, b: Indices) -> Booleans:
        """Return which lemmas are a proper part of the other."""
        codes = a.astype(np.int64) * len(self.documents) + b
        place = np.minimum(np.searchsorted(self.parts, codes), max(len(self.parts) - 1, 0))
        return self.parts[place] == codes if len(self.parts) else np.zeros(len(codes), np.bool_)


def gather_knowledge(
    kinds: Sequence[tuple[str, str]],
    lemmas: Sequence[str],
    lemma: Indices,
    document: Indices,
    words: Bags,
    vocabulary: Sequence[str],
    *,
    lexicon: Lexicon,
    vectors: WordVectors,
) -> Knowledge:
    """Look up distinct heads (lemma and tag), lemmas, and the words of mentions.

    `lemma` and `document` are the number of each mention's head lemma and of its document.
    """
    phrase, phrases = _phrases(words, vocabulary, vectors)
    return Knowledge(
        hypernyms=_looked_up(kinds, lambda word, pos: lexicon.hypernyms(word, pos, senses=1)),
        verb_classes=_looked_up(kinds, lexicon.verb_classes),
        frames=_looked_up(kinds, lexicon.frames),
        documents=_documents(lemma, document, len(lemmas)),
        parts=_parts(lemmas),
        several=np.add.reduceat(np.append(words.counts, 0), words.starts[:-1]) * words.present > 1,
        phrase=phrase,
        phrases=phrases,
    )


def _looked_up(kinds: Sequence[tuple[str, str]], look_up: LookUp) -> Bags:
    rows = [set(look_up(lemma, pos)) if (pos := pos_of_tag(tag)) else set() for lemma, tag in kinds]
    number = {name: i for i, name in enumerate(sorted(set().union(*rows)))}
    return Bags.pack(rows, number)


def _documents(lemma: Indices, document: Indices, lemmas: int) -> Bags:
    rows: list[set[str]] = [set() for _ in range(lemmas)]
    for row, name in zip(lemma.tolist(), document.tolist(), strict=True):
        rows[row].add(str(name))
    return Bags.pack(rows, {str(number): number for number in range(int(document.max(initial=-1)) + 1)})


def _parts(lemmas: Sequence[str]) -> NDArray[np.int64]:
    """Return the codes of all pairs of lemmas of which one contains the other, in both orders."""
    number = {lemma: i for i, lemma in enumerate(lemmas)}
    codes = set()
    for lemma, i in number.items():
        ends = range(1, len(lemma) + 1)
        inside = {lemma[start:end] for end in ends for start in range(end)} - {lemma}
        for j in (number[part] for part in inside if part in number):
            codes |= {i * len(number) + j, j * len(number) + i}
    return np.array(sorted(codes), np.int64)


def _phrases(words: Bags, vocabulary: Sequence[str], vectors: WordVectors) -> tuple[Indices, Matrix]:
    """Number the distinct phrases, in the order of their first mention, and average the vectors of their words."""
    seen: dict[tuple[bytes, bytes], int] = {}
    first, number = [], np.empty(len(words), np.int32)
    for row in range(len(words)):
        cells = slice(words.starts[row], words.starts[row + 1])
        key = words.words[cells].tobytes(), words.counts[cells].tobytes()
        if key not in seen:
            seen[key] = len(seen)
            first.append(row)
        number[row] = seen[key]
    rows = words.take(np.array(first, np.int32))
    used, column = np.unique(rows.words, return_inverse=True)
    counts = sparse.csr_array((rows.counts, column, rows.starts), shape=(len(rows), len(used)))
    sums = counts @ vectors.matrix([vocabulary[word] for word in used.tolist()]).astype(np.float64)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return number, (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)
