"""Exact search: all pairs of mentions that can reach a score, without looking at most pairs.

A score is a sum over features. The part of the heads depends on the two heads alone, and a corpus has far fewer
distinct heads than mentions. The part of a bag of words lies between 0 and its weight, and is 0 where the two bags
share no word. So a pair of heads, with all their pairs of mentions, is pruned if the upper bound of its score is too
low. The mentions of the remaining heads take the same test one by one: first with the bound of every bag, then with
its exact value, the heaviest bag first.

With a document gate, which leaves few pairs of documents, `gated` searches these by the same bounds.

Whether two bags share a word is decided by 64-bit signatures, which have false positives but no false negatives.
Bounds have some slack, so that rounding errors prune no pair. The results are candidates, to be scored by the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.similarity.bags import Bags, Floats, Indices, Signatures, Starts, cosine, jaccard
from samevent.similarity.code_features import ALL_FEATURES, CONDITIONS
from samevent.similarity.code_scores import DISTANCES, OF_HEADS, CodeScores
from samevent.similarity.features import presence_name
from samevent.similarity.mentions import FIELDS, MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs

Progress = Callable[[int, int], None]
"""Progress callback: (done, total)."""

_BLOCK = 256
"""Number of heads compared with all others at a time."""
_SLACK = 1e-5
"""Error allowed in a bound, per feature and unit of weight; that of single precision is far smaller."""


def candidates(
    table: MentionTable,
    model: PairModel,
    minimum_score: float,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    block: int = _BLOCK,
) -> Iterator[Pairs]:
    """Yield pairs of rows in blocks, each pair once: all with at least the minimum score, and some others.

    `jobs` threads search `block` heads at a time; the order of the pairs does not depend on `jobs`.
    """
    heads = HeadScores(table, model)
    mentions = _Mentions.of(table, model, phrases=heads.compares_phrases)
    least = minimum_score - slack(model)

    def search(low: int) -> tuple[Pairs, int]:
        high = min(low + block, len(mentions.head))
        return mentions.pairs(heads, low, high, least), int(mentions.starts[high])

    blocks = range(0, len(mentions.head), block)
    with ThreadPoolExecutor(jobs) as pool:
        for pairs, done in map(search, blocks) if jobs == 1 else pool.map(search, blocks):
            yield pairs
            if progress:
                progress(done, len(table))


def slack(model: PairModel) -> float:
    """Return how far rounding may take a bound below a score."""
    largest = np.abs([1.0, model.intercept, *model.weights.values(), *model.tag_weights.values()]).max()
    return _SLACK * len(ALL_FEATURES) * float(largest)


class HeadScores:
    """Upper bounds of what pairs of heads, and of phrases if they count, add to a score, without their synonyms."""

    def __init__(self, table: MentionTable, model: PairModel) -> None:
        self._heads, self._weights, self._code = table.heads, model.weights, CodeScores(table, model)
        ordered = model.tag_matrix(table.heads.tags)
        self._tags = np.maximum(ordered, ordered.T).astype(np.float32)
        # Features without a bound of their own can add what their range allows.
        of_heads = {"head_word", "head_lemma", "head_vector", "synonyms"}
        known = {
            *of_heads, *OF_HEADS, *DISTANCES, *FIELDS, *CONDITIONS.values(), *map(presence_name, FIELDS),
        }  # fmt: skip
        others = [f for f in ALL_FEATURES if f.name not in known]
        self._constant = (
            model.intercept
            + self._code.constant
            + sum(max(w, w * f.lowest) for f in others if (w := model.weights.get(f.name, 0.0)))
        )
        self.synonym_weight = model.weights.get("synonyms", 0.0)
        self.compares_phrases = self._code.compares_phrases

    def __call__(
        self, units_a: tuple[Indices, Indices], units_b: tuple[Indices, Indices]
    ) -> NDArray[np.float32]:
        """Return one row per head and phrase in `units_a`, one column per head and phrase in `units_b`."""
        (heads_a, phrases_a), (heads_b, phrases_b) = units_a, units_b
        heads, weights = self._heads, self._weights
        scores = heads.vectors[heads.word[heads_a]] @ heads.vectors[heads.word[heads_b]].T
        scores *= np.float32(weights.get("head_vector", 0.0))
        scores += np.float32(self._constant)
        scores += self._tags[np.ix_(heads.tag[heads_a], heads.tag[heads_b])]
        for name, values in (("head_word", heads.word), ("head_lemma", heads.lemma)):
            weight = weights.get(name, 0.0)
            if weight:
                scores[values[heads_a, np.newaxis] == values[heads_b]] += np.float32(weight)
        self._code.add(scores, (heads_a, heads_b), (phrases_a, phrases_b))
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class BagBounds:
    """Bounds of what the bags of mentions add to a score; the heaviest bag comes first.

    `gain` is the most that a bag can add, `present` what a score gets if the bag is nonempty in both mentions. Row
    `k * n + r` of `bags` is bag k of mention r; `signatures` has one row per mention, one column per bag.
    """

    signatures: Signatures
    gain: Floats
    present: Floats
    bags: Bags

    @classmethod
    def of(cls, table: MentionTable, model: PairModel) -> BagBounds:
        """Arrange the bags that a model compares."""
        gains = {
            field: sum(
                max(model.weights.get(name, 0.0), 0.0) for name in {field, CONDITIONS.get(field, field)}
            )
            for field in FIELDS
        }
        asked = [field for field in FIELDS if gains[field] or model.weights.get(presence_name(field))]
        fields = sorted(asked or FIELDS[:1], key=lambda field: -gains[field])
        return cls(
            np.stack([table.fields[field].signatures() for field in fields], axis=1),
            np.array([gains[field] for field in fields]),
            np.array([model.weights.get(presence_name(field), 0.0) for field in fields]),
            Bags.stack([table.fields[field] for field in fields]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """Mentions sorted by head, and by phrase if phrases count.

    `head` and `phrase` are the numbers of each entry in the table, `starts` the position of its first mention.
    """

    head: Indices
    phrase: Indices
    synonyms: Bags
    starts: Starts
    rows: Indices
    bounds: BagBounds
    head_signatures: Signatures

    @classmethod
    def of(cls, table: MentionTable, model: PairModel, *, phrases: bool) -> _Mentions:
        """Arrange the mentions of a table; `phrases` tells whether mentions with the same head may differ."""
        phrase = table.knowledge.phrase if phrases else np.zeros(len(table), np.int32)
        keys = np.stack([table.head, phrase])
        rows = np.lexsort(keys[::-1]).astype(np.int32)
        starts = np.append(np.flatnonzero((np.diff(keys[:, rows], prepend=-1) != 0).any(axis=0)), len(rows))
        head, phrase = keys[:, rows[starts[:-1]]]
        bounds = BagBounds.of(table, model)
        signatures = bounds.signatures[rows]
        return cls(
            head=head,
            phrase=phrase,
            synonyms=table.heads.synonyms.take(head),
            starts=starts,
            rows=rows,
            bounds=replace(bounds, signatures=signatures),
            head_signatures=np.bitwise_or.reduceat(signatures, starts[:-1], axis=0)
            if len(rows)
            else signatures,
        )

    def _units(self, start: int, stop: int) -> tuple[Indices, Indices]:
        return self.head[start:stop], self.phrase[start:stop]

    def pairs(self, heads: HeadScores, start: int, stop: int, least: float) -> Pairs:
        """Return the candidates with the greater head in `start` to `stop`."""
        bounds, bags, synonyms = self.bounds, self.bounds.bags, self.synonyms
        rows = _search(
            heads(self._units(start, stop), self._units(0, stop)), start, least, heads.synonym_weight,
            synonyms.starts, synonyms.words, self.starts, self.rows, bounds.signatures, self.head_signatures,
            bounds.gain, bounds.present, bags.starts, bags.words, bags.counts, bags.squares,
        )  # fmt: skip
        i, j = rows.T
        return Pairs(np.maximum(i, j), np.minimum(i, j))


@njit(cache=True, nogil=True)
def _search(  # type: ignore[no-untyped-def]
    scores, first, least, synonym_weight, synonym_starts, synonym_words,
    starts, rows, signatures, head_signatures, gain, present,
    bag_starts, bag_words, bag_counts, bag_squares,
):  # fmt: skip
    pairs, count = np.empty((1024, 2), np.int32), 0
    for a in range(first, first + len(scores)):
        for b in range(a + 1):
            score = scores[a - first, b]
            most = most_from_bags(head_signatures[a], head_signatures[b], gain, present)
            if score + max(synonym_weight, 0.0) + most < least:
                continue
            score += synonym_weight * jaccard(synonym_starts, synonym_words, a, b)
            if score + most < least:
                continue
            for p in range(starts[a], starts[a + 1]):
                for q in range(starts[b], p if a == b else starts[b + 1]):
                    if reaches(
                        least - score, signatures[p], signatures[q], gain, present,
                        rows[p], rows[q], len(rows), bag_starts, bag_words, bag_counts, bag_squares,
                    ):  # fmt: skip
                        if count == len(pairs):
                            pairs = doubled(pairs)
                        pairs[count, 0], pairs[count, 1] = rows[p], rows[q]
                        count += 1
    return pairs[:count]


@njit(cache=True, nogil=True)
def doubled(pairs):  # type: ignore[no-untyped-def]
    """Return a copy with twice the capacity."""
    larger = np.empty((2 * len(pairs), 2), np.int32)
    for k in range(len(pairs)):
        larger[k, 0], larger[k, 1] = pairs[k, 0], pairs[k, 1]
    return larger


@njit(cache=True, nogil=True, inline="always")
def most_from_bags(p, q, gain, present):  # type: ignore[no-untyped-def]
    """Return the most that bags can add to a score, if their signatures are subsets of `p` and `q`."""
    most = 0.0
    for k in range(len(gain)):
        if p[k] and q[k]:
            most += max(present[k] + (gain[k] if p[k] & q[k] else 0.0), 0.0)
    return most


@njit(cache=True, nogil=True, inline="always")
def reaches(  # type: ignore[no-untyped-def]
    needed, p, q, gain, present, i, j, n, bag_starts, bag_words, bag_counts, bag_squares
):  # fmt: skip
    """Return whether the bags of two mentions can add `needed`; bags that only subtract are not compared."""
    most = 0.0
    for k in range(len(gain)):
        if p[k] and q[k]:
            most += present[k] + (gain[k] if p[k] & q[k] else 0.0)
    if most < needed:
        return False
    for k in range(len(gain)):
        if gain[k] == 0.0:
            break
        if p[k] & q[k]:
            similarity = cosine(bag_starts, bag_words, bag_counts, bag_squares, k * n + i, k * n + j)
            most -= gain[k] * (1.0 - similarity)
            if most < needed:
                return False
    return True
