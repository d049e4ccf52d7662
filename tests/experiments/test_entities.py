"""Entities of a small ECB+: what is scored, and that folds add up."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from experiments.reports import BORROWED, TOPICS, reports, work_in
from parses import needs_model
from samevent.corpus import Clustering, Corpus, Document, Unit
from samevent.errors import UsageError
from samevent.experiments.entities import UNITS, join_pairings, measure_entities
from samevent.experiments.protocols import TASKS
from samevent.language.resources import resources
from samevent.scoring import Pairing, pair, scores_of


def with_pronouns(document: Document) -> Document:
    """Return a report whose last sentence takes up the participant of its first."""
    who = next(mention for mention in document.mentions if mention.kind == "participant")
    return document.with_mentions(
        [*document.mentions, document.mention("participant", 14, 15, event=who.event)]
    )


@pytest.mark.parametrize("unit", UNITS)
def test_pairings_of_folds_join_to_that_of_the_corpus(unit: Unit) -> None:
    corpus = Corpus(map(with_pronouns, reports()))
    answer = Clustering.from_labels({m.id: f"{m.document}{m.text}" for m in corpus.mentions("participant")})

    def paired(topics: Collection[str]) -> Pairing:
        part = Corpus(document for document in corpus if document.topic in topics)
        return pair(part, part.with_clustering(answer), unit=unit, kind="participant")

    whole, joined = paired(TOPICS), join_pairings([paired([topic]) for topic in TOPICS])
    assert joined.units == whole.units
    assert scores_of(joined) == scores_of(whole)
    assert 0 < scores_of(whole).conll < 1


@needs_model
def test_measured_entities_have_a_row_for_each_system_unit_and_set_of_mentions(tmp_path: Path) -> None:
    corpus = Corpus(map(with_pronouns, reports([*TOPICS, *BORROWED])))
    vectors = resources("en-news").vectors
    figures = measure_entities(corpus, TASKS["cybulska"], "folds", vectors, work_in(tmp_path))
    assert figures["counts"]["gold"] == 2 * len(corpus)
    rows = {(r["mentions"], r["singletons"], r["unit"], r["clusterer"]): r for r in figures["rows"]}
    assert len(rows) == len(figures["rows"]) == 3 * 13
    # A name and "They" are the two mentions of an entity in a document: no link within, some across.
    assert rows["gold", "keep", "document", "same head"]["muc"]["f1"] == 0.0
    assert rows["gold", "keep", "subtopic", "same head"]["muc"]["f1"] > 0.0


@needs_model
def test_corpus_without_entity_chains_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no chains of participants"):
        measure_entities(
            reports([*TOPICS, *BORROWED]),
            TASKS["cybulska"],
            "folds",
            resources("en-news").vectors,
            work_in(tmp_path),
        )
