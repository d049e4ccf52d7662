"""Mention tables from parts: documents compiled apart make the table that they make together, and rows come out of it.

Vocabularies, heads and sentences are numbered anew, so the order and the size of the parts leave no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samevent.errors import CorpusError
from samevent.grounding.compatibility import Referents
from samevent.grounding.named_entities import NamedEntities
from samevent.language.lexicon import Lexicon
from samevent.language.vectors import WordVectors
from samevent.packing import pack, unpack
from samevent.similarity.bags import NO_BACKGROUND, Bags, Indices
from samevent.similarity.knowledge import Knowledge, gather_knowledge
from samevent.similarity.mentions import Annotated, Heads, MentionTable, compile_heads, compile_mentions

PART = 4096
"""How many documents are compiled at a time."""
TABLE_CLASSES = (MentionTable, Heads, Bags, Knowledge, Referents, NamedEntities)
"""What a packed table consists of."""
PerDocument = NDArray[np.int64]


def compile_in_parts(
    annotated: Iterable[Annotated], *, lexicon: Lexicon, vectors: WordVectors, documents: int = PART
) -> MentionTable:
    """Return what `compile_mentions` makes of documents, with the words of only so many at a time as strings."""
    remaining = iter(annotated)
    parts = []
    while part := list(islice(remaining, documents)):
        parts.append(compile_mentions(part, lexicon=lexicon, vectors=vectors))
    if len(parts) == 1:
        return parts[0]
    return (
        merged(parts, lexicon=lexicon, vectors=vectors)
        if parts
        else compile_mentions((), lexicon=lexicon, vectors=vectors)
    )


def merged(
    tables: Sequence[MentionTable], *, lexicon: Lexicon, vectors: WordVectors, by_id: bool = True
) -> MentionTable:
    """Return the table of all documents: what `compile_mentions` makes of them, bit by bit.

    Without `by_id`, documents stay in the order of the tables, so those of the first keep their numbers.
    """
    names = [name for table in tables for name in table.documents]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CorpusError(f"two documents have the id {twice!r}", expected="unique document ids")
    documents = np.array(
        sorted(range(len(names)), key=names.__getitem__) if by_id else range(len(names)), np.int64
    )
    place = np.empty(len(names), np.int64)
    place[documents] = np.arange(len(names))
    first = np.cumsum([0, *(len(table.documents) for table in tables)])
    document = place[
        _joined((table.document + at for table, at in zip(tables, first, strict=False)), np.int64)
    ]
    rows = np.argsort(document, kind="stable")
    document, position = (
        document[rows].astype(np.int32),
        _joined((t.position for t in tables), np.int32)[rows],
    )
    words = {word: i for i, word in enumerate(sorted(set().union(*(table.vocabulary for table in tables))))}
    numbers = [np.array([words[word] for word in table.vocabulary], np.int32) for table in tables]

    def bags(choose: Callable[[MentionTable], Bags], order: PerDocument) -> Bags:
        parts = [_renumbered(choose(table), number) for table, number in zip(tables, numbers, strict=True)]
        return Bags.stack(parts).take(order.astype(np.int32)) if parts else Bags.pack([], {})

    def named(choose: Callable[[MentionTable], Mapping[str, Bags]], order: PerDocument) -> dict[str, Bags]:
        known = choose(tables[0]) if tables else ()
        return {name: bags(lambda table, name=name: choose(table)[name], order) for name in known}  # type: ignore[misc]

    ids = [id for table in tables for id in table.ids]
    triples = [triple for table in tables for triple in _head_words(table)]
    heads, head = compile_heads([triples[row] for row in rows.tolist()], lexicon, vectors)
    fields = named(lambda table: table.fields, rows)
    places = document.astype(np.int64) * (int(position.max(initial=0)) + 1) + position
    table = MentionTable(
        ids=tuple(ids[row] for row in rows.tolist()),
        documents=tuple(names[at] for at in documents.tolist()),
        document=document,
        sentence=np.unique(places, return_inverse=True)[1].astype(np.int32),
        head=head,
        heads=heads,
        fields=fields,
        related=bags(lambda table: table.related, documents),
        contents=bags(lambda table: table.contents, documents),
        weights=np.zeros(len(words)),
        vocabulary=tuple(words),
        sentences=named(lambda table: table.sentences, rows),
        about_documents=named(lambda table: table.about_documents, documents),
        day=_joined((table.day for table in tables), np.float64)[documents],
        position=position,
        knowledge=gather_knowledge(
            [(heads.lemmas[word], heads.tags[tag]) for word, tag in zip(heads.lemma, heads.tag, strict=True)],
            heads.lemmas,
            heads.lemma[head],
            document,
            fields["words"],
            tuple(words),
            lexicon=lexicon,
            vectors=vectors,
        ),
        referents=Referents.stack([table.referents for table in tables]).take(rows),
        entities=NamedEntities.merged(
            [table.entities for table in tables],
            [place[at : at + len(table.documents)] for table, at in zip(tables, first, strict=False)],
        ),
        contextual=_contextual(tables, rows),
    )
    return table.with_background(NO_BACKGROUND)


def part_of(table: MentionTable, rows: Indices) -> MentionTable:
    """Return some mentions of a table, in this order, among all of its documents, heads and words.

    Only features that count the other mentions of a document (`rivals`) differ from those of the whole.
    """
    knowledge = table.knowledge
    return replace(
        table,
        ids=tuple(table.ids[row] for row in rows.tolist()),
        document=table.document[rows],
        sentence=table.sentence[rows],
        head=table.head[rows],
        fields={name: bags.take(rows) for name, bags in table.fields.items()},
        sentences={name: bags.take(rows) for name, bags in table.sentences.items()},
        position=table.position[rows],
        knowledge=replace(knowledge, several=knowledge.several[rows], phrase=knowledge.phrase[rows]),
        referents=table.referents.take(rows),
        contextual={name: vectors[rows] for name, vectors in table.contextual.items()},
    )


def pack_table(table: MentionTable) -> bytes:
    """Return a table as bytes."""
    return pack(table)


def unpack_table(data: bytes) -> MentionTable:
    """Return the table that was packed."""
    table: MentionTable = unpack(data, TABLE_CLASSES)
    return table


def _renumbered(bags: Bags, number: Indices) -> Bags:
    """Give words the numbers of a larger vocabulary in the same order, so that they still ascend."""
    return Bags(bags.starts, number[bags.words], bags.counts, bags.squares)


def _head_words(table: MentionTable) -> list[tuple[str, str, str]]:
    """Return word, lemma and tag of the head of each mention."""
    heads = table.heads
    words, lemmas, tags = heads.word.tolist(), heads.lemma.tolist(), heads.tag.tolist()
    triples = [
        (heads.words[word], heads.lemmas[lemma], heads.tags[tag])
        for word, lemma, tag in zip(words, lemmas, tags, strict=True)
    ]
    return [triples[head] for head in table.head.tolist()]


def _contextual(tables: Sequence[MentionTable], rows: PerDocument) -> dict[str, NDArray[np.float32]]:
    filled = [table for table in tables if len(table)]
    names = filled[0].contextual if filled else ()
    return {name: np.concatenate([table.contextual[name] for table in filled])[rows] for name in names}


def _joined(parts: Iterable[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)
