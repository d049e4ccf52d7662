from __future__ import annotations

from dataclasses import replace

from samevent.similarity.labelled import labelled
from samevent.similarity.pairs import within_documents
from similarity.tables import LEXICON, VECTORS, random_corpus


def test_same_says_which_mentions_share_an_event() -> None:
    corpus = random_corpus(5, documents=3)
    data = labelled(corpus, lexicon=LEXICON, vectors=VECTORS)
    events = {m.id: m.event for d, _ in corpus for m in d.mentions}
    pairs = within_documents(data.table)
    expected = [
        events[data.table.ids[i]] == events[data.table.ids[j]] for i, j in zip(pairs.i, pairs.j, strict=True)
    ]
    assert data.same(pairs).tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_mention_without_event_and_document_without_topic_stand_alone() -> None:
    ((document, annotation),) = random_corpus(5, documents=1, mentions=12)
    bare = replace(document, topic=None).with_mentions(replace(m, event=None) for m in document.mentions)
    data = labelled([(bare, annotation)], lexicon=LEXICON, vectors=VECTORS)
    assert data.topics == ("d0",)
    assert len(set(data.event.tolist())) == len(data.table) > 1
