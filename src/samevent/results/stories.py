"""Stories from events: documents that share events are grouped, and each group gets the headline of one of them.

Two documents are as similar as the events that they share: rare and sure ones count most, background events and those
in very many documents not at all. Groups come from average linkage (`partitions.sparse_linkage`). Only lines of the
table of events and the titles and dates of documents are needed, so the way in which a result was made does not matter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from samevent.corpus import Document
from samevent.corpus.headlines import headline, is_no_prose
from samevent.events import Event
from samevent.partitions.sparse_linkage import sparse_average_link
from samevent.results.labels import shortened
from samevent.similarity.neighbours import most_documents
from samevent.similarity.stemming import stem
from samevent.stories import Stories, Story

CUT = 0.15
"""The least mean similarity of groups that are one story."""
MOST_EVENTS = 12
"""How many events a story names."""
_LEAST = 0.02
"""Documents that are less similar count as not similar at all."""
_BLOCK = 1024
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Head:
    """What a story needs of a document: a title, or the words that it begins with."""

    title: str
    date: str | None


def head_of(document: Document, date: str | None) -> Head:
    """Return the title and the date of a document; without a title, its first prose stands for it."""
    title = document.title or headline(document.text)
    if title is None:
        sentences = (
            " ".join(document.text[document.tokens[s.start].start : document.tokens[s.end - 1].end].split())
            for s in document.sentences
            if s.end > s.start and not s.is_url
        )
        title = shortened(next((words for words in sentences if not is_no_prose(words)), ""))
    return Head(" ".join(title.split()) or document.id, date)


class EventLine(NamedTuple):
    """What stories need of an event; `sure` is the probability that it is one, 0 if unknown."""

    id: str
    documents: Sequence[str]
    sure: float
    weight: float

    @classmethod
    def main(cls, events: Iterable[Event]) -> list[EventLine]:
        """Return the lines of events with several mentions that are not background."""
        return [
            cls(event.id, event.documents, round(event.probability or 0.0, 4), event.weight)
            for event in events
            if len(event) > 1 and not event.background
        ]


def group_documents(documents: Sequence[str], lines: Iterable[EventLine], cut: float = CUT) -> dict[str, int]:
    """Return the number of each document's group, for documents that are not alone."""
    place = {document: number for number, document in enumerate(documents)}
    most = most_documents(len(documents))
    shared = [line for line in lines if 1 < len(line.documents) <= most]
    edges = _similarities(place, shared)
    groups = sparse_average_link(len(documents), edges, cut)
    sizes = Counter(groups)
    return {d: group for d, group in zip(documents, groups, strict=True) if sizes[group] > 1}


def _similarities(place: Mapping[str, int], lines: Sequence[EventLine]) -> dict[tuple[int, int], float]:
    """Return the cosines of documents as vectors of their events, those that are not negligible."""
    count, sizes = len(place), [len(line.documents) for line in lines]
    weights = np.log(1 + count / np.maximum(sizes, 1)) * np.sqrt(
        0.3 + np.array([line.sure for line in lines])
    )
    columns = np.repeat(np.arange(len(lines)), sizes)
    rows = np.array([place[document] for line in lines for document in line.documents], np.int64)
    vectors = csr_array((weights[columns], (rows, columns)), shape=(count, len(lines)))
    lengths = np.sqrt(vectors.multiply(vectors).sum(axis=1))
    vectors = csr_array(vectors.multiply((1 / np.where(lengths > 0, lengths, 1))[:, np.newaxis]))
    edges: dict[tuple[int, int], float] = {}
    for start in range(0, count, _BLOCK):
        block = (vectors[start : start + _BLOCK] @ vectors.T).tocoo()
        near = (block.row + start < block.col) & (block.data >= _LEAST)
        values = np.round(block.data[near], _DIGITS).tolist()
        pairs = zip((block.row[near] + start).tolist(), block.col[near].tolist(), strict=True)
        edges.update(zip(pairs, values, strict=True))
    return edges


def name_groups(groups: Mapping[str, int]) -> dict[str, str]:
    """Return the id of each document's story; stories are numbered by their first document."""
    numbers: dict[int, int] = {}
    return {d: f"s{numbers.setdefault(group, len(numbers) + 1)}" for d, group in groups.items()}


def tell(story_of: Mapping[str, str], heads: Mapping[str, Head], lines: Iterable[EventLine]) -> Stories:
    """Return the stories of documents, by the id of each one's story; most documents first, then in their order.

    An event is told where most of its documents are: a document that sums up the week is in one story, but about many.
    """
    documents: dict[str, list[str]] = {}
    for document in heads:
        if document in story_of:
            documents.setdefault(story_of[document], []).append(document)
    told: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in lines:
        inside = Counter(story_of[d] for d in line.documents if d in story_of)
        for story in (each for each, count in inside.items() if count == max(inside.values())):
            told[story].append((-line.weight * inside[story] / len(line.documents), line.id))
    stories = [
        Story(
            id,
            _headline([heads[d].title for d in members]),
            tuple(members),
            tuple(sorted({date for d in members if (date := heads[d].date)})),
            tuple(event for _, event in sorted(told[id], key=lambda each: each[0])[:MOST_EVENTS]),
        )
        for id, members in documents.items()
    ]
    return Stories(sorted(stories, key=lambda story: -len(story)))


def _headline(titles: Sequence[str]) -> str:
    """Return the title that shares most words with the others, for its length; the first among equals."""
    words = [frozenset(stem(word) for word in title.casefold().split() if len(word) > 3) for title in titles]
    shared = Counter(word for each in words for word in each)

    def centrality(at: int) -> float:
        return sum(shared[word] - 1 for word in words[at]) / (2 + len(words[at]))

    return titles[max(range(len(titles)), key=lambda at: (round(centrality(at), _DIGITS), -at))]
