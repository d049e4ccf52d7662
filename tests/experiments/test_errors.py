"""Kinds of errors on a small corpus with hand-written answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from builders import document
from clusterers.small import LEXICON
from samevent.corpus import Argument, Corpus, Document
from samevent.errors import DataError
from samevent.experiments.errors import Judge, Words, label_rows
from samevent.experiments.given import Given
from samevent.language.annotation import Annotation
from samevent.language.resources import resources
from samevent.preparation import Prepared
from samevent.similarity.mentions import MentionTable, compile_mentions
from similarity.tables import VECTORS

_PARSE = """
    raid NN NOUN
    bomb VB VERB
    it PRP PRON
    say VB VERB
    raid NN NOUN
    attack VB VERB
"""
LEMMAS, TAGS, POS = zip(*(line.split() for line in _PARSE.strip().splitlines()), strict=True)


def text(id: str, topic: str) -> Document:
    return Document.from_tokens(id, [list(LEMMAS)], topic=topic)


def annotation() -> Annotation:
    n = len(LEMMAS)
    return Annotation(tags=TAGS, pos=POS, lemmas=LEMMAS, heads=tuple(range(n)), labels=("ROOT",) * n)


def table_of(documents: Sequence[Document]) -> MentionTable:
    return compile_mentions([(d, annotation()) for d in documents], lexicon=LEXICON, vectors=VECTORS)


def judge(
    events: dict[str, str], spans: dict[str, Sequence[tuple[int, int]]] | None = None, topics: str = "11"
) -> Judge:
    """Return a judge of two documents; `events` has one letter per word, `-` where there is no gold mention."""
    golds, given = [], []
    for (id, letters), topic in zip(events.items(), topics, strict=True):
        base = text(id, topic)
        golds.append(
            base.with_mentions(
                base.mention("action", at, at + 1, head=at, event=letter)
                for at, letter in enumerate(letters)
                if letter != "-"
            )
        )
        mentions = (spans or {}).get(id, [m.span for m in golds[-1].mentions])
        given.append(base.with_mentions(base.mention("action", a, b, head=a) for a, b in mentions))
    gold = Corpus(golds)
    prepared = Prepared(Corpus(given), {}, resources())
    table = table_of(given)
    kind = "predicted" if spans else "gold"
    return Judge(
        Given(prepared, gold, gold.filtered(lambda _: False), kind),  # type: ignore[arg-type]
        Words(table, {d.id: (d.topic, d.subtopic) for d in golds}),
    )


def counts(found: dict[str, dict[str, int]]) -> dict[str, tuple[int, int]]:
    return {kind: (each["within"], each["across"]) for kind, each in found.items()}


def test_missed_links_are_counted_by_the_first_kind() -> None:
    # One event of a noun, a verb, a pronoun, a saying, the same noun and another verb, all left apart.
    found = judge({"d": "aaaaaa"}, topics="1").count(np.arange(6))
    assert counts(found["missed"]) == {
        "pronoun": (5, 0),
        "reporting": (4, 0),
        "same word": (1, 0),
        "nominal": (4, 0),
        "other word": (1, 0),
    }
    assert found["missed"]["other word"]["words"] == [["attack", "bomb", 1]]
    assert (found["wrong"], found["right"]) == ({}, 0)


def test_wrong_links_across_topics_are_of_another_story() -> None:
    labels = np.array([0, 1, 0, 2])  # raid and bomb of the first document, raid and attack of the second
    same = judge({"d": "ab----", "e": "c----d"}, topics="11").count(labels)
    other = judge({"d": "ab----", "e": "c----d"}, topics="12").count(labels)
    assert counts(same["wrong"]) == {"same word": (0, 1)}
    assert counts(other["wrong"]) == {"other story": (0, 1)}


def test_sentences_show_the_first_error_of_each_kind() -> None:
    found = judge({"d": "ab----", "e": "c----d"}, topics="11").sentences(np.array([0, 1, 0, 2]))
    assert found["missed"] == {}
    assert found["wrong"] == {
        "same word": ["*raid* bomb it say raid attack", "*raid* bomb it say raid attack"],
    }


def test_pairs_that_are_together_are_right() -> None:
    found = judge({"d": "ab--b-", "e": "a----b"}, topics="11").count(np.array([0, 1, 1, 0, 1]))
    assert (found["missed"], found["wrong"], found["right"]) == ({}, {}, 1 + 3)


def test_extraction_errors_come_first() -> None:
    # Of one event with four mentions one is extracted with a longer span, and one is not; a fifth word is no event.
    given = judge({"d": "aa--aa"}, {"d": [(0, 1), (1, 3), (3, 4), (4, 5)]}, topics="1")
    found = given.count(np.array([0, 0, 0, 0]))
    assert counts(found["missed"]) == {"not extracted": (3, 0), "boundary": (2, 0)}
    assert counts(found["wrong"]) == {"not extracted": (3, 0)}
    assert found["right"] == 1


def test_times_contradict_if_they_are_of_one_sort_and_differ() -> None:
    def words(first: str, second: str) -> Words:
        documents = []
        for id, when in (("d", first), ("e", second)):
            base = Document.from_tokens(id, [["raid", "on", when]], topic="1")
            time = base.mention("time", 2, 3)
            event = base.mention("action", 0, 1, head=0, arguments=[Argument(time.id)])
            documents.append(base.with_mentions([event, time]))
        annotated = [
            (d, Annotation(
                tags=("NN", "IN", "NNP"), pos=("NOUN", "ADP", "PROPN"), lemmas=tuple(t.text for t in d.tokens),
                heads=(0, 0, 1), labels=("ROOT", "prep", "pobj"),
            ))
            for d in documents
        ]  # fmt: skip
        table = compile_mentions(annotated, lexicon=LEXICON, vectors=VECTORS)
        return Words(table, {d.id: (d.topic, None) for d in documents})

    assert words("Monday", "Friday").kind(1, 0, "wrong") == "time or place"
    assert words("Monday", "Monday").kind(1, 0, "wrong") == "same word"
    assert words("Monday", "noon").kind(1, 0, "wrong") == "same word"
    assert words("Monday", "June").kind(1, 0, "missed") == "same word"


def test_answers_of_other_systems_need_all_mentions() -> None:
    base = document()
    answer = Corpus(
        [base.with_mentions([base.mention("action", 1, 2, event="x"), base.mention("action", 5, 6)])]
    )
    ids = [m.id for m in answer.mentions()]
    assert label_rows("old", answer, ids).tolist() == [0, 1]
    with pytest.raises(DataError, match="'old' lacks 1 mentions"):
        label_rows("old", answer, [*ids, "nowhere"])
