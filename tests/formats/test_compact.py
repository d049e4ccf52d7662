from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given

from builders import FULL_REFERENCE, corpora
from samevent.corpus import Argument, Corpus, Document
from samevent.formats.compact import compact, restored
from samevent.formats.jsonl import document_to_json


def back(document: Document) -> Document:
    return restored(json.loads(json.dumps(compact(document))))


@given(corpora())
def test_nothing_is_lost(corpus: Corpus) -> None:
    for document in corpus:
        again = back(document)
        assert again == document
        assert document_to_json(again) == document_to_json(document)
        starts = [sentence.start for sentence in document.sentences if sentence.start < sentence.end]
        assert [again.sentence_of(at) for at in starts] == [document.sentence_of(at) for at in starts]


def test_every_field_comes_back() -> None:
    document = Document.from_text(
        "ä", "Rebels did not bomb\ud7ffYida. They fled.", title="T", date="2012-11-08", topic="1",
        subtopic="a", extra={"x": [1, {"y": None}]},
    )  # fmt: skip
    document = replace(
        document,
        sentences=tuple(
            replace(sentence, is_url=not at, annotated=bool(at))
            for at, sentence in enumerate(document.sentences)
        ),
    )
    who = document.mention("participant", 0, 1, id="who", head=0)
    what = document.mention(
        "action", 1, 4, tokens=(1, 3), head=3, event="e1", within="w", tag="NEG", event_class="occurrence",
        arguments=[Argument("who", "ARG0"), Argument("who")], negated=True, clause="rebels bombed", probability=0.5,
        extra={"z": 1.5},
    )  # fmt: skip
    document = document.with_mentions([who, replace(what, refers=FULL_REFERENCE)])
    assert back(document) == document
    assert back(document).mentions[1].anchors == (1, 3)
    assert back(document).mentions[1].extra == {"z": 1.5}
