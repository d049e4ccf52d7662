from __future__ import annotations

from dataclasses import astuple, replace

import pytest

from builders import document, needs_data
from experiments.reports import reports
from real_data import ecbplus_release
from samevent.corpus import KINDS, Corpus, Document, Mention, Sentence
from samevent.errors import UsageError
from samevent.experiments.protocols import (
    PAPER_STATISTICS,
    PARTS,
    SPLITS,
    TASKS,
    Part,
    Statistics,
    count_documents,
    load_split,
    statistics,
)

TOPICS = {str(n) for n in range(1, 46)} - {"15", "17"}


@pytest.mark.parametrize("name", SPLITS)
def test_split_puts_every_topic_of_ecbplus_into_one_part(name: str) -> None:
    split = load_split(name)
    topics = [topic for part in PARTS for topic in split.topics(part)]
    assert len(topics) == len(TOPICS)
    assert set(topics) == TOPICS
    assert split.name == name
    assert split.source


@pytest.mark.parametrize(("name", "sizes"), [("yang2015", (20, 3, 20)), ("cybulska", (25, 8, 10))])
def test_parts_have_the_published_sizes(name: str, sizes: tuple[int, ...]) -> None:
    split = load_split(name)
    assert tuple(len(split.topics(part)) for part in PARTS) == sizes


def test_documents_are_selected_by_topic() -> None:
    corpus = Corpus(document(f"d{topic}", topic=topic) for topic in ("1", "24", "40", "2", "news"))
    split = load_split("yang2015")
    assert [split.part_of(d) for d in corpus] == ["train", "dev", "test", "train", None]
    assert [d.id for d in split.select(corpus, "train")] == ["d1", "d2"]
    assert split.part_of(document()) is None


def test_unknown_split_is_an_error_with_the_known_names() -> None:
    with pytest.raises(UsageError, match="unknown split 'yang'; expected one of yang2015, cybulska"):
        load_split("yang")
    with pytest.raises(UsageError):
        load_split("../splits/yang2015")


def in_validated_sentence(d: Document, m: Mention) -> bool:
    return bool(d.sentences[d.sentence_of(m.start)].annotated)


@needs_data("ecbplus", "ECB+.zip")
class TestRelease:
    def test_cybulska_gold_mentions_and_clusters(self) -> None:
        corpus = ecbplus_release()
        split = load_split("cybulska")
        gold = corpus.mapped(
            lambda d: d.with_mentions(
                m for m in d.mentions if m.kind == "action" and in_validated_sentence(d, m)
            )
        )
        sizes = [len(list(split.select(gold, part).mentions())) for part in PARTS]
        assert sizes == [3808, 1245, 1780]
        # Chains of one document are clusters too: taken as single mentions they would make 810.
        assert len(split.select(gold, "test").clustering()) == 805

    def test_yang_gold_mentions_for_extraction(self) -> None:
        test = load_split("yang2015").select(ecbplus_release(), "test")
        pairs = [(d, m) for d in test for m in d.mentions if not d.sentences[d.sentence_of(m.start)].is_url]
        recall = [sum(m.kind == kind and m.event is not None for _, m in pairs) for kind in KINDS]
        balanced = [sum(m.kind == kind and in_validated_sentence(d, m) for d, m in pairs) for kind in KINDS]
        assert dict(zip(KINDS, recall, strict=True)) == {
            "action": 3290,
            "participant": 3910,
            "time": 483,
            "location": 540,
        }
        assert dict(zip(KINDS, balanced, strict=True)) == {
            "action": 3803,
            "participant": 3378,
            "time": 541,
            "location": 561,
        }


def with_events(id: str, events: list[str | None], **fields: str) -> Document:
    d = document(id, **fields)
    actions = [d.mention("action", i, i + 1, event=event) for i, event in enumerate(events)]
    others = [d.mention("participant", 0, 1, event="who"), d.mention("action", 8, 9, within="chain")]
    return d.with_mentions([*actions, *others])


def test_chains_are_counted_within_documents_and_within_subtopics() -> None:
    documents = [
        with_events("a", ["x", "x", "y", None], topic="1", subtopic="ecb"),
        with_events("b", ["x"], topic="1", subtopic="ecb"),
        with_events("c", ["x"], topic="1", subtopic="ecbplus"),
    ]
    assert count_documents(documents) == Statistics(3, 6, mentions=5, within_chains=4, cross_chains=3)


def test_url_sentences_do_not_count_documents() -> None:
    d = with_events("a", [], topic="1", subtopic="ecb")
    first, *rest = d.sentences
    assert count_documents([replace(d, sentences=(replace(first, is_url=True), *rest))]).sentences == 1


def test_statistics_ignore_topics_outside_the_split() -> None:
    corpus = Corpus(
        with_events(f"d{t}", ["x"], topic=t, subtopic="ecb") for t in ("1", "23", "26", "45", "99")
    )
    counts = statistics(corpus, load_split("yang2015"))
    assert {part: s.documents for part, s in counts.items()} == {"train": 1, "dev": 1, "test": 2, "total": 4}
    assert counts["total"].cross_chains == 4


def test_paper_totals_are_sums_of_the_parts() -> None:
    parts = [astuple(PAPER_STATISTICS[part]) for part in ("train", "dev", "test")]
    assert astuple(PAPER_STATISTICS["total"]) == tuple(map(sum, zip(*parts, strict=True)))


@needs_data("ecbplus", "ECB+.zip")
def test_release_matches_the_paper_except_two_sentences_and_ten_chains() -> None:
    counts = statistics(ecbplus_release(), load_split("yang2015"))
    assert counts == {
        "train": replace(PAPER_STATISTICS["train"], sentences=7296, cross_chains=697),
        "dev": PAPER_STATISTICS["dev"],
        "test": PAPER_STATISTICS["test"],
        "total": replace(PAPER_STATISTICS["total"], sentences=15_812, cross_chains=1_230),
    }


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
