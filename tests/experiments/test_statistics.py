from __future__ import annotations

from dataclasses import astuple, replace

from builders import document, needs_data
from real_data import ecbplus_release
from samevent.corpus import Corpus, Document
from samevent.experiments.protocols import load_split
from samevent.experiments.statistics import PAPER, Statistics, count, statistics


def told(id: str, events: list[str | None], **fields: str) -> Document:
    d = document(id, **fields)
    actions = [d.mention("action", i, i + 1, event=event) for i, event in enumerate(events)]
    others = [d.mention("participant", 0, 1, event="who"), d.mention("action", 8, 9, within="chain")]
    return d.with_mentions([*actions, *others])


def test_chains_are_counted_within_documents_and_within_subtopics() -> None:
    documents = [
        told("a", ["x", "x", "y", None], topic="1", subtopic="ecb"),
        told("b", ["x"], topic="1", subtopic="ecb"),
        told("c", ["x"], topic="1", subtopic="ecbplus"),
    ]
    assert count(documents) == Statistics(3, 6, mentions=5, within_chains=4, cross_chains=3)


def test_sentences_that_are_addresses_do_not_count() -> None:
    d = told("a", [], topic="1", subtopic="ecb")
    first, *rest = d.sentences
    assert count([replace(d, sentences=(replace(first, is_url=True), *rest))]).sentences == 1


def test_parts_and_total_leave_out_what_is_in_no_part() -> None:
    corpus = Corpus(told(f"d{t}", ["x"], topic=t, subtopic="ecb") for t in ("1", "23", "26", "45", "99"))
    found = statistics(corpus, load_split("yang2015"))
    assert {part: s.documents for part, s in found.items()} == {"train": 1, "dev": 1, "test": 2, "total": 4}
    assert found["total"].cross_chains == 4


def test_papers_totals_are_the_sums_of_its_parts() -> None:
    parts = [astuple(PAPER[part]) for part in ("train", "dev", "test")]
    assert astuple(PAPER["total"]) == tuple(map(sum, zip(*parts, strict=True)))


@needs_data("ecbplus", "ECB+.zip")
def test_release_has_the_papers_statistics_but_for_two_sentences_and_ten_chains() -> None:
    found = statistics(ecbplus_release(), load_split("yang2015"))
    assert found == {
        "train": replace(PAPER["train"], sentences=7296, cross_chains=697),
        "dev": PAPER["dev"],
        "test": PAPER["test"],
        "total": replace(PAPER["total"], sentences=15_812, cross_chains=1_230),
    }
