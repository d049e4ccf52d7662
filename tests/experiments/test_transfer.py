"""Transfer on two incidents with gold events: what is given, what is matched, what is scored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.reports import work_in
from parses import needs_model
from samevent.corpus import Corpus, Document
from samevent.errors import UsageError
from samevent.experiments import scores
from samevent.experiments.baselines import average_link
from samevent.experiments.given import Given, catch_all, is_annotated
from samevent.experiments.transfer import Transfer, measure_transfer
from samevent.language.resources import resources
from samevent.preparation import Prepared
from samevent.similarity.links import MentionLinks
from samevent.similarity.pairs import Pairs


def story(id: str, topic: str, place: str, *, chain: str | None = None) -> Document:
    """Return a document with a shooting told twice, an arrest, and a word of another chain."""
    document = Document.from_tokens(
        id,
        [
            ["A", "shooting", "in", place, "killed", "a", "man", "on", "Monday", "."],
            ["Police", "arrested", "a", "suspect", "after", "the", "shooting", "."],
        ],
        topic=topic,
    )
    return document.with_mentions(
        [
            document.mention("action", 1, 2, event=f"{topic}-shooting"),
            document.mention("action", 4, 5, event=chain),
            document.mention("action", 11, 12, event=f"{topic}-arrest"),
            document.mention("action", 16, 17, event=f"{topic}-shooting"),
        ]
    )


def stories(**fields: Any) -> Corpus:
    return Corpus(
        story(f"{topic}-{number}", topic, place, **fields)
        for topic, place in (("1", "Kokomo"), ("2", "Paris"))
        for number in (1, 2)
    )


def measured(folder: Path, monkeypatch: pytest.MonkeyPatch, **fields: Any) -> dict[str, Any]:
    monkeypatch.setattr(scores, "DRAWS_ACROSS", 3)
    plan = Transfer(changes={"runs": 2, "sweeps": 20}, **fields)
    return measure_transfer(stories(chain="0"), plan, work_in(folder))


def test_catch_all_is_a_chain_0_that_alone_crosses_topics() -> None:
    assert catch_all(stories(chain="0")) == {"0"}
    assert catch_all(stories(chain="7")) == frozenset()
    assert catch_all(Corpus(d for d in stories(chain="0") if d.topic == "1")) == frozenset()


def test_raw_text_needs_extracted_mentions() -> None:
    with pytest.raises(UsageError, match="raw text"):
        Transfer(raw_text=True)


def test_what_takes_similarities_as_known_is_compared_only_with_what_does_not() -> None:
    assert list(Transfer().systems()) == ["lemma", "average-link", "one-posterior", "hddcrp"]
    assert list(Transfer(preset="paper").systems()) == ["lemma", "average-link", "hddcrp"]


@needs_model
def test_lemma_scores_what_it_must_by_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Within a document and a topic, events are their words; over the corpus, LEMMA joins both incidents.
    figures = measured(tmp_path, monkeypatch)
    conll = {
        (row["unit"], row["singletons"]): row["conll"]
        for row in figures["rows"]
        if row["clusterer"] == "lemma"
    }
    assert conll["document", "keep"] == conll["topic", "keep"] == conll["topic", "drop"] == 1.0
    assert conll["corpus", "keep"] < 0.9
    assert figures["ignored"] == ["0"]
    assert figures["sets"][0]["given"] == figures["sets"][0]["gold"] == 12  # the chain 0 is left out
    assert set(figures["sets"][0]["ceiling"].values()) == {1.0}
    wanted = {"seed", "commit", "settings", "calibration", "inside", "events", "others"}
    assert wanted <= set(figures)
    assert {row["clusterer"] for row in figures["rows"]} == {
        "lemma",
        "average-link",
        "one-posterior",
        "hddcrp",
    }


@needs_model
@pytest.mark.parametrize("raw_text", [pytest.param(False, marks=pytest.mark.slow), True])
def test_extracted_mentions_are_matched(
    raw_text: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = measured(tmp_path, monkeypatch, mentions="predicted", raw_text=raw_text)
    sets = {each["filter"]: each for each in figures["sets"]}
    assert sets["exact"]["kept"] <= sets["head"]["kept"] <= sets["none"]["kept"] <= sets["none"]["given"]
    assert sets["exact"]["kept"] == sets["exact"]["exact"] >= 8
    assert sets["none"]["gold"] == 12
    assert {row["filter"] for row in figures["rows"]} == {"head", "exact", "none"}


def given(extracted: Corpus, gold: Corpus, ignored: Corpus | None = None) -> Given:
    nothing = gold.filtered(lambda _: False)
    return Given(Prepared(extracted, {}, resources()), gold, ignored or nothing, "predicted")


def test_mentions_match_by_characters_though_tokens_differ() -> None:
    text = "A self-inflicted wound ."
    gold = Document.from_tokens("d", [["A", "self-inflicted", "wound", "."]], text=text, topic="1")
    gold = gold.with_mentions(
        [gold.mention("action", 1, 2, head=1, event="a"), gold.mention("action", 2, 3, head=2, event="b")]
    )
    other = Document.from_tokens("d", [["A", "self", "-", "inflicted", "wound", "."]], text=text)
    other = other.with_mentions(
        [other.mention("action", 3, 4, head=3), other.mention("action", 4, 5, head=4)]
    )
    found = given(Corpus([other]), Corpus([gold]))
    assert {id: m.event for id, m in found.match.items()} == {"d:3-4:action": "a", "d:4-5:action": "b"}
    assert [m.text for m in found.kept("exact").mentions()] == ["wound"]
    assert len(list(found.kept("head").mentions())) == 2
    assert found.labels(["d:4-5:action", "nowhere", "d:3-4:action"]).tolist() == [0, -1, 1]


def test_mentions_that_match_one_in_a_gold_chain_of_several_are_chained() -> None:
    gold = Document.from_tokens("d", [["They", "fell", ",", "fell", "and", "rose", "."]])
    spans = ((1, "fall"), (3, "fall"), (5, "rise"))
    gold = gold.with_mentions([gold.mention("action", at, at + 1, head=at, event=name) for at, name in spans])
    found = given(Corpus([gold.with_mentions(gold.mentions[1:])]), Corpus([gold]))
    assert found.chained([*(m.id for m in gold.mentions[1:]), "nowhere"]).tolist() == [True, False, False]


def test_mentions_of_unannotated_sentences_and_of_ignored_chains_are_out_of_scope() -> None:
    document = story("d", "1", "Kokomo", chain="0")
    first, second = document.sentences
    document = replace(document, sentences=(replace(first, annotated=True), replace(second, annotated=False)))
    assert [is_annotated(document, m.char_start) for m in document.mentions] == [True, True, False, False]
    heads = document.with_mentions(replace(m, head=m.start) for m in document.mentions)
    whole = Corpus([heads])
    found = given(whole, whole.filtered(lambda m: m.event != "0"), whole.filtered(lambda m: m.event == "0"))
    assert [m.text for m in found.in_scope.mentions()] == ["shooting"]


def test_average_link_joins_the_most_similar_groups_first() -> None:
    # 0-1 join at .9; 2 is .8 from 1 and 0 from 0: .4 on average. 3 has no links.
    i, j = np.array([1, 2], np.int32), np.array([0, 1], np.int32)
    links = MentionLinks(Pairs(i, j), np.array([0.9, 0.8]))
    apart, together = average_link(4, links, 0.45), average_link(4, links, 0.35)
    assert (len(set(apart.tolist())), apart[0] == apart[1]) == (3, True)
    assert (len(set(together.tolist())), together[0] == together[2]) == (2, True)
