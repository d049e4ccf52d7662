from __future__ import annotations

import pytest

from builders import document, needs_data
from experiments.reports import reports
from real_data import ecbplus_release
from samevent.corpus import Corpus, Sentence
from samevent.experiments.ecbplus import TASKS
from samevent.experiments.protocols import Part


def test_gold_of_yang2015_are_linked_actions_only() -> None:
    gold = TASKS["yang2015"].gold(reports())
    assert [m.span for m in gold.documents[0].mentions] == [(1, 2), (8, 9), (15, 16)]


def test_gold_of_cybulska_are_all_actions_of_validated_sentences() -> None:
    plain = document("a", "It fell . They ran .")
    sentences = (Sentence(0, 3, annotated=True), Sentence(3, 6, annotated=False))
    base = type(plain)(id="a", text=plain.text, tokens=plain.tokens, sentences=sentences)
    marked = base.with_mentions([base.mention("action", 1, 2), base.mention("action", 4, 5, event="run")])
    gold = TASKS["cybulska"].gold(Corpus([marked]))
    assert [m.text for m in gold.mentions()] == ["fell"]
    assert [m.text for m in TASKS["realistic"].in_scope(Corpus([marked]), gold).mentions()] == ["fell"]
    assert [m.text for m in TASKS["yang2015"].in_scope(Corpus([marked]), gold).mentions()] == ["fell", "ran"]


@needs_data("ecbplus")
@pytest.mark.parametrize(
    ("part", "mentions", "clusters"), [("train", 3808, None), ("dev", 1245, None), ("test", 1780, 805)]
)
def test_gold_of_cybulska_is_counted_as_published(part: Part, mentions: int, clusters: int | None) -> None:
    task = TASKS["cybulska"]
    gold = task.gold(task.split.select(ecbplus_release(), part))
    assert sum(1 for _ in gold.mentions()) == mentions
    assert clusters is None or len(gold.clustering()) == clusters
