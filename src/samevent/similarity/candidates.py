"""Every pair of mentions that can reach a score, found without looking at most pairs. Nothing is missed.

A score is a sum over features. What heads add depends on the two heads alone, and a corpus has far fewer different
heads than mentions. What a bag of words adds lies between nothing and its weight, and is nothing where the two
bags share no word. So a pair of heads is dropped, with all pairs of mentions that have these heads, if even the most
that their words could add does not lift it to the score. The mentions of the remaining heads go through the same
test one by one: first with the most that each bag can add, then with what it does add, the heaviest bag first.

A gate between documents may leave groups of them without any way from one to another, and within documents each is a
group of its own. Groups are searched one by one: heads that never meet in one are not compared.

Whether two bags share a word is answered by 64-bit signatures, which may say yes wrongly but never no. Bounds are
computed with some slack, so that rounding drops no pair. Pairs that come out are candidates; the model has the last
word on each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from samevent.similarity.bags import Bags, Floats, Indices, Signatures, Starts, cosine, jaccard
from samevent.similarity.cases import Case
from samevent.similarity.features import ALL, presence
from samevent.similarity.mentions import FIELDS, SENTENCE, MentionTable
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import Pairs

Progress = Callable[[int, int], None]

_BAGS = (*FIELDS, SENTENCE)
_BLOCK = 256
"""How many heads are compared with all others at a time."""
_SLACK = 1e-5
"""How far a bound may be off for each feature and unit of weight; single precision is far better."""

Gate = NDArray[np.uint8]
"""How much two documents are about the same, in 255ths and rounded up; of those at 0, no mentions are paired."""
_ANY: Gate = np.empty((0, 0), np.uint8)


def candidates(
    table: MentionTable,
    model: PairModel,
    least: float,
    *,
    gate: Gate | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[Pairs]:
    """Go through pairs of rows, each pair once: all whose score is at least `least`, and some others.

    With a `gate`, only pairs of mentions whose documents it lets pass. Cases of a model are searched one by one, each
    by `jobs` threads; the order of what is found does not depend on them.
    """
    cases: tuple[Case | None, ...] = model.cases or (None,)
    inside = gate_between(table, np.empty(0, np.int32), np.empty(0, np.int32))
    for number, case in enumerate(cases):
        allowed = inside if case and case.within else _ANY if gate is None else gate
        part = model.part(case) if case else model
        for found, done in _candidates(table, part, least, allowed, case, jobs):
            yield found[found.agree(table.document) == case.within] if case else found
            if progress:
                progress(number * len(table) + done, len(cases) * len(table))


def gate_between(table: MentionTable, d: Indices, e: Indices, similarity: Floats | float = 1.0) -> Gate:
    """Let mentions of one document pass, and of these pairs of documents, which are so much about the same."""
    gate = np.diag(np.full(len(table.documents), 255, np.uint8))
    gate[d, e] = gate[e, d] = np.ceil(255 * np.asarray(similarity)).astype(np.uint8)
    return gate


def _candidates(
    table: MentionTable, model: PairModel, least: float, gate: Gate, case: Case | None, jobs: int
) -> Iterator[tuple[Pairs, int]]:
    """Search with a model without cases; heads have the lemmas of the `case`. Also say how many mentions are done."""
    heads = _HeadScores(table, model, case)
    mentions = _Mentions.of(table, model, gate)
    largest = np.abs([1.0, model.intercept, *model.weights.values(), *model.tag_weights.values()]).max()
    least -= _SLACK * len(ALL) * float(largest)

    def found(low: int) -> tuple[Pairs, int]:
        high = min(low + _BLOCK, len(mentions.head))
        groups = mentions.groups(low, high)
        pairs = Pairs.joined(mentions.pairs(heads, *group, least, gate) for group in groups)
        return pairs, int(mentions.starts[high])

    blocks = range(0, len(mentions.head), _BLOCK)
    if jobs == 1:
        yield from map(found, blocks)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(found, blocks)


def _groups(table: MentionTable, gate: Gate) -> Indices:
    """Number the groups of documents between which the gate leaves no way; return the number of each mention's."""
    if not len(gate):
        return np.zeros(len(table), np.int32)
    group: Indices = connected_components(sparse.csr_array(gate), directed=False)[1]
    return group[table.document]


class _HeadScores:
    """What a pair of heads adds to a score, without their synonyms; heads of another case can reach nothing."""

    def __init__(self, table: MentionTable, model: PairModel, case: Case | None) -> None:
        self._heads, self._weights, self._case = table.heads, model.weights, case
        ordered = model.tag_matrix(table.heads.tags)
        self._tags = np.maximum(ordered, ordered.T).astype(np.float32)
        # A feature that this search knows nothing about can add what its range allows.
        of_heads = {"head_word", "head_lemma", "head_stem", "head_vector", "synonyms"}
        known = {*of_heads, *_BAGS, *map(presence, _BAGS), "documents"}
        others = [f for f in ALL if f.name not in known]
        self._constant = model.intercept + sum(
            max(w, w * f.lowest) for f in others if (w := model.weights.get(f.name, 0.0))
        )
        self.synonym_weight = model.weights.get("synonyms", 0.0)

    def __call__(self, these: Indices, others: Indices) -> NDArray[np.float32]:
        """Return the scores of some heads with others."""
        heads, weights = self._heads, self._weights
        scores = heads.vectors[heads.word[these]] @ heads.vectors[heads.word[others]].T
        scores *= np.float32(weights.get("head_vector", 0.0))
        scores += np.float32(self._constant)
        scores += self._tags[np.ix_(heads.tag[these], heads.tag[others])]
        for name, values in (
            ("head_word", heads.word),
            ("head_lemma", heads.lemma),
            ("head_stem", heads.stem),
        ):
            weight = weights.get(name, 0.0)
            if weight:
                scores[values[these, np.newaxis] == values[others]] += np.float32(weight)
        if self._case:
            same = heads.lemma[these, np.newaxis] == heads.lemma[others]
            scores[same != self._case.same_lemma] = -np.inf
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """Mentions by group and head, with what their bags can add; bags in order of weight, the heaviest first.

    A head counts once for each group it is in: `head` is its number in the table, `first` the first of its group's,
    `starts` says where its mentions start. `gain` is the most that a bag can add, `given` what a score gets if both
    mentions have the bag at all, `about` what it gets if their documents are all about the same. Row `k * n + r` of
    `bags` is bag k of row r.
    """

    head: Indices
    first: Starts
    synonyms: Bags
    starts: Starts
    rows: Indices
    document: Indices
    signatures: Signatures
    of_heads: Signatures
    gain: Floats
    given: Floats
    about: float
    bags: Bags

    @classmethod
    def of(cls, table: MentionTable, model: PairModel, gate: Gate) -> _Mentions:
        """Arrange the mentions of a table."""
        group = _groups(table, gate)
        rows = np.lexsort((table.head, group)).astype(np.int32)
        group, head = group[rows], table.head[rows]
        changes = (np.diff(group, prepend=-1) != 0) | (np.diff(head, prepend=-1) != 0)
        starts = np.append(np.flatnonzero(changes), len(rows))
        group, head = group[starts[:-1]], head[starts[:-1]]
        gains = {field: max(model.weights.get(field, 0.0), 0.0) for field in _BAGS}
        used = [field for field in _BAGS if gains[field] or model.weights.get(presence(field))] or _BAGS[:1]
        fields = sorted(used, key=lambda field: -gains[field])
        signatures = np.stack([table.fields[field].signatures()[rows] for field in fields], axis=1)
        return cls(
            head=head,
            first=np.searchsorted(group, group),
            synonyms=table.heads.synonyms.take(head),
            starts=starts,
            rows=rows,
            document=table.document[rows],
            signatures=signatures,
            of_heads=np.bitwise_or.reduceat(signatures, starts[:-1], axis=0) if len(rows) else signatures,
            gain=np.array([gains[field] for field in fields]),
            given=np.array([model.weights.get(presence(field), 0.0) for field in fields]),
            about=max(model.weights.get("documents", 0.0), 0.0),
            bags=Bags.stacked([table.fields[field] for field in fields]),
        )

    def groups(self, low: int, high: int) -> Iterator[tuple[int, int, int]]:
        """Go through the groups of heads `low` to `high`: where each begins, and which of these heads are its own."""
        for first in np.unique(self.first[low:high]).tolist():
            yield first, max(first, low), min(int(np.searchsorted(self.first, first, "right")), high)

    def pairs(self, heads: _HeadScores, first: int, start: int, stop: int, least: float, gate: Gate) -> Pairs:
        """Return the candidates whose greater head is one of `start` to `stop`, of the group that begins at `first`."""
        bags, synonyms = self.bags, self.synonyms
        found = _search(
            heads(self.head[start:stop], self.head[first:stop]), start - first, least, heads.synonym_weight,
            synonyms.starts[first:], synonyms.words, self.starts[first:], self.rows, self.document, gate, self.about,
            self.signatures, self.of_heads[first:], self.gain, self.given, bags.starts, bags.words, bags.counts,
            bags.squares,
        )  # fmt: skip
        i, j = found.T
        return Pairs(np.maximum(i, j), np.minimum(i, j))


@njit(cache=True, nogil=True)
def _search(  # type: ignore[no-untyped-def]
    scores, first, least, synonym_weight, synonym_starts, synonym_words,
    starts, rows, document, gate, about, signatures, of_heads, gain, given,
    bag_starts, bag_words, bag_counts, bag_squares,
):  # fmt: skip
    pairs, found = np.empty((1024, 2), np.int32), 0
    for a in range(first, first + len(scores)):
        for b in range(a + 1):
            score = scores[a - first, b]
            most = _most(of_heads[a], of_heads[b], gain, given) + about
            if score + max(synonym_weight, 0.0) + most < least:
                continue
            score += synonym_weight * jaccard(synonym_starts, synonym_words, a, b)
            if score + most < least:
                continue
            for p in range(starts[a], starts[a + 1]):
                for q in range(starts[b], p if a == b else starts[b + 1]):
                    near = np.uint8(255) if len(gate) == 0 else gate[document[p], document[q]]
                    if near and _reaches(
                        least - score - about * near / 255.0, signatures[p], signatures[q], gain, given,
                        rows[p], rows[q], len(rows), bag_starts, bag_words, bag_counts, bag_squares,
                    ):  # fmt: skip
                        if found == len(pairs):
                            pairs = _doubled(pairs)
                        pairs[found, 0], pairs[found, 1] = rows[p], rows[q]
                        found += 1
    return pairs[:found]


@njit(cache=True, nogil=True)
def _doubled(pairs):  # type: ignore[no-untyped-def]
    """Return the pairs with as much room again."""
    larger = np.empty((2 * len(pairs), 2), np.int32)
    for k in range(len(pairs)):
        larger[k, 0], larger[k, 1] = pairs[k, 0], pairs[k, 1]
    return larger


@njit(cache=True, nogil=True, inline="always")
def _most(p, q, gain, given):  # type: ignore[no-untyped-def]
    """Return the most that mentions can add to a score, if their signatures lie within `p` and `q`."""
    most = 0.0
    for k in range(len(gain)):
        if p[k] and q[k]:
            most += max(given[k] + (gain[k] if p[k] & q[k] else 0.0), 0.0)
    return most


@njit(cache=True, nogil=True, inline="always")
def _reaches(  # type: ignore[no-untyped-def]
    needed, p, q, gain, given, i, j, n, bag_starts, bag_words, bag_counts, bag_squares
):  # fmt: skip
    """Say whether the bags of two mentions can add what is needed; bags that can only take away are not looked at."""
    most = 0.0
    for k in range(len(gain)):
        if p[k] and q[k]:
            most += given[k] + (gain[k] if p[k] & q[k] else 0.0)
    if most < needed:
        return False
    for k in range(len(gain)):
        if gain[k] == 0.0:
            break
        if p[k] & q[k]:
            likeness = cosine(bag_starts, bag_words, bag_counts, bag_squares, k * n + i, k * n + j)
            most -= gain[k] * (1.0 - likeness)
            if most < needed:
                return False
    return True
