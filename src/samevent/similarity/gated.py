"""Exact search behind a document gate: the pairs of mentions of neighbouring documents that can reach a score.

Neighbours are few, so their mentions are compared one by one, with the bounds of `candidates`: heads first, then bags.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from samevent.parallel import map_ahead
from samevent.similarity.bags import Indices, jaccard
from samevent.similarity.candidates import BagBounds, HeadScores, doubled, reaches, slack
from samevent.similarity.mentions import MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs, first_rows

_BLOCK = 64
"""Number of documents searched at a time, with all of their neighbours."""


def gated_candidates(
    table: MentionTable,
    model: PairModel,
    minimum_score: float,
    d: Indices,
    e: Indices,
    *,
    jobs: int = 1,
    block: int = _BLOCK,
) -> Iterator[Pairs]:
    """Yield pairs of rows in blocks, each once: all with at least the minimum score, and some others.

    Mentions are paired within documents, and between the documents `d` > `e`, which are sorted.
    """
    heads, bounds = HeadScores(table, model), BagBounds.of(table, model)
    least, rows = minimum_score - slack(model), first_rows(table)
    phrase = table.knowledge.phrase if heads.compares_phrases else np.zeros(len(table), np.int32)
    unit_of, units = _units(table.head, phrase)

    def search(start: int) -> Pairs:
        stop = min(start + block, len(table.documents))
        here = slice(*np.searchsorted(d, [start, stop]).tolist())
        own = np.arange(start, stop, dtype=np.int32)
        first, second = np.concatenate([own, d[here]]), np.concatenate([own, e[here]])
        others = np.concatenate([np.arange(rows[o], rows[o + 1]) for o in np.unique(second)])
        ours, theirs = np.unique(unit_of[rows[start] : rows[stop]]), np.unique(unit_of[others])
        place_a, place_b = _places(ours, len(units[0])), _places(theirs, len(units[0]))
        scores = heads((units[0][ours], units[1][ours]), (units[0][theirs], units[1][theirs]))
        synonyms, bags = table.heads.synonyms, bounds.bags
        i, j = _search(
            scores, place_a[unit_of], place_b[unit_of], first, second, rows, least, heads.synonym_weight,
            table.head, synonyms.starts, synonyms.words, bounds.signatures, bounds.gain, bounds.present,
            bags.starts, bags.words, bags.counts, bags.squares,
        ).T  # fmt: skip
        return Pairs(i, j)

    yield from map_ahead(search, range(0, len(table.documents), block), jobs)


def _units(head: Indices, phrase: Indices) -> tuple[Indices, tuple[Indices, Indices]]:
    """Return the number of the head and phrase of each mention, and their distinct heads and phrases."""
    width = int(phrase.max(initial=0)) + 1
    codes, unit_of = np.unique(head.astype(np.int64) * width + phrase, return_inverse=True)
    return unit_of.astype(np.int32), ((codes // width).astype(np.int32), (codes % width).astype(np.int32))


def _places(units: NDArray[np.integer], count: int) -> Indices:
    places = np.full(count, -1, np.int32)
    places[units] = np.arange(len(units), dtype=np.int32)
    return places


@njit(cache=True, nogil=True)
def _search(  # type: ignore[no-untyped-def]
    scores, place_a, place_b, first, second, starts, least, synonym_weight, head, synonym_starts, synonym_words,
    signatures, gain, present, bag_starts, bag_words, bag_counts, bag_squares,
):  # fmt: skip
    pairs, count = np.empty((1024, 2), np.int32), 0
    for pair in range(len(first)):
        d, e = first[pair], second[pair]
        for p in range(starts[d], starts[d + 1]):
            for q in range(starts[e], p if d == e else starts[e + 1]):
                score = scores[place_a[p], place_b[q]]
                score += synonym_weight * jaccard(synonym_starts, synonym_words, head[p], head[q])
                if reaches(
                    least - score, signatures[p], signatures[q], gain, present,
                    p, q, len(signatures), bag_starts, bag_words, bag_counts, bag_squares,
                ):  # fmt: skip
                    if count == len(pairs):
                        pairs = doubled(pairs)
                    pairs[count, 0], pairs[count, 1] = p, q
                    count += 1
    return pairs[:count]
