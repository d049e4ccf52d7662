"""Stories against topics, and what leads against main events: on groups and chains small enough to count."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from experiments.reports import report, reports, work_in
from parses import needs_model
from samevent.corpus import Corpus, Mention
from samevent.events import Event, Member
from samevent.experiments.stories import (
    StoryPlan,
    compare,
    gold_groups,
    main_chains,
    measure_stories,
    share_of_main,
    text_similarities,
)


def test_grouping_equal_to_gold_is_perfect_whatever_its_names() -> None:
    scores = compare(["a", "a", "b"], ["2", "2", "1"])
    assert scores["bcubed"] == {"recall": 1.0, "precision": 1.0, "f1": 1.0}
    assert scores["v_measure"] == pytest.approx(1.0)


def test_one_group_for_all_has_full_recall_and_no_homogeneity() -> None:
    scores = compare(["a", "a", "b", "b"], ["1"] * 4)
    assert scores["bcubed"]["recall"] == 1.0
    assert scores["bcubed"]["precision"] == pytest.approx(0.5)
    assert scores["v_measure"] == pytest.approx(0.0)


def test_sub_topics_are_a_second_grouping_only_if_they_differ() -> None:
    corpus = reports()
    groups = gold_groups(list(corpus))
    assert [len(set(each)) for each in groups.values()] == [3, 6]
    assert list(gold_groups([document for document in corpus if document.subtopic == "ecb"])) == ["topics"]


def test_text_similarities_are_cosines_of_tf_idf_vectors() -> None:
    texts = ["jets bombed the camp", "the camp was bombed bombed", "robbers stole jewels", "the jewels"]
    vectors = TfidfVectorizer(token_pattern=r"\w{3,}", sublinear_tf=True, smooth_idf=False, norm="l2").fit(
        texts
    )
    vectors.idf_ = vectors.idf_ - 1  # no word is worth anything because it is everywhere
    expected = (vectors.transform(texts) @ vectors.transform(texts).T).toarray()
    found = text_similarities(texts)
    for i, j in ((0, 1), (0, 2), (1, 3), (2, 3)):
        assert found.get((i, j), 0.0) == pytest.approx(expected[i, j])


def test_main_chains_are_in_half_of_the_documents_of_a_sub_topic() -> None:
    corpus = Corpus([report("23", "ecb", 1), report("23", "ecb", 2), report("24", "ecb", 1)])
    assert {chain[-1] for chain in main_chains(corpus)} == {"23ecb-1", "23ecb-2"}


def test_event_of_two_chains_is_main_if_half_of_it_is() -> None:
    gold = Corpus([report("23", "ecb", 1), report("23", "ecb", 2)])
    first = [document.mentions[1] for document in gold]
    alone = [document.mentions[3] for document in gold]
    assert share_of_main([event(first)], gold, gold) == 1.0
    assert share_of_main([event([*first, alone[0]]), event(alone)], gold, gold) == 0.5


def event(mentions: list[Mention]) -> Event:
    return Event("e1", "label", tuple(map(Member, mentions)), tuple({m.document for m in mentions}))


@needs_model
def test_measured_stories_have_a_row_for_each_cut_and_grouping(tmp_path: Path) -> None:
    figures = measure_stories(reports(), StoryPlan(preset="light"), work_in(tmp_path))
    assert figures["documents"] == 12
    systems = {(row["groups"], row["system"], row["cut"]) for row in figures["rows"]}
    assert len(systems) == len(figures["rows"]) == 2 * 2 * 6
    assert 0 <= figures["leading"]["ranked"] <= 1
    assert not math.isnan(figures["rows"][0]["v_measure"])
