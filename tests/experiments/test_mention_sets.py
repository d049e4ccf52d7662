from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.reports import reports, work_in
from parses import needs_model
from samevent.corpus import Corpus, Document, Mention
from samevent.errors import DataError
from samevent.experiments.mention_sets import MentionSet, mention_set
from samevent.experiments.protocols import TASKS
from samevent.formats import write
from samevent.language.resources import resources
from samevent.model import Model
from samevent.preparation import Prepared
from samevent.scoring import score


def found(document: Document) -> Document:
    """Return what an extractor might: one exact mention, one too long, one that is no event, one missed."""
    spans = ((1, 2, 1), (7, 9, 8), (12, 13, 12))
    return document.with_mentions(document.mention("action", a, b, head=head) for a, b, head in spans)


def with_heads(corpus: Corpus) -> Corpus:
    def headed(m: Mention) -> Mention:
        return replace(m, head=m.start)

    return corpus.mapped(lambda d: d.with_mentions(map(headed, d.mentions)))


def example() -> MentionSet:
    task = TASKS["yang2015"]
    gold = with_heads(task.gold(reports()))
    prepared = Prepared(reports().mapped(found), {}, resources())
    return MentionSet("predicted", task, prepared, gold)


def test_filters_keep_what_matches_gold() -> None:
    given = example()
    assert given.counts(given.kept("none")) == {"given": 36, "gold": 36, "kept": 36, "exact": 12}
    assert given.counts(given.kept("head")) == {"given": 36, "gold": 36, "kept": 24, "exact": 12}
    assert {m.span for m in given.kept("head").mentions()} == {(1, 2), (7, 9)}


def test_ceiling_is_what_perfect_clustering_of_found_mentions_scores() -> None:
    given = example()
    kept = given.kept("head")
    scores = score(given.gold, kept.with_clustering(given.ceiling(kept)), unit="subtopic")
    # A third of the gold mentions is there; the mentions that are too long are as many false alarms.
    assert scores.mentions.recall == pytest.approx(12 / 36)
    assert scores.mentions.precision == pytest.approx(12 / 24)
    assert scores.bcubed.precision == pytest.approx(12 / 24)
    assert len(given.ceiling(kept)) == 12


@needs_model
def test_systems_see_neither_topics_nor_events(tmp_path: Path) -> None:
    task = TASKS["yang2015"]
    given = mention_set("gold", task, reports(), Model.load(), work_in(tmp_path))
    assert {d.topic for d in given.documents} == {d.subtopic for d in given.documents} == {None}
    assert {m.event for m in given.documents.mentions()} == {None}
    assert {m.id for m in given.documents.mentions("action")} == {m.id for m in given.gold.mentions()}
    assert {m.kind for m in given.gold.mentions()} == {"action"}
    assert any(m.kind == "participant" and m.probability for m in given.documents.mentions())
    assert all(m.head == m.start for m in given.gold.mentions())


@needs_model
def test_predicted_mentions_are_found_at_the_operating_point_of_the_task(tmp_path: Path) -> None:
    model = Model.load()
    recall, balanced = (
        mention_set("predicted", TASKS[name], reports(), model, work_in(tmp_path), preset="paper")
        for name in ("yang2015", "realistic")
    )
    few, many = ({m.id for m in each.documents.mentions("action")} for each in (balanced, recall))
    assert few < many
    again = mention_set("predicted", TASKS["yang2015"], reports(), model, work_in(tmp_path), preset="paper")
    assert again.digest == recall.digest != balanced.digest


@needs_model
def test_mentions_of_a_file_must_be_of_all_documents(tmp_path: Path) -> None:
    task, path = TASKS["yang2015"], tmp_path / "mine.jsonl"
    write(reports().mapped(found), path)
    given = mention_set(str(path), task, reports(), Model.load(), work_in(tmp_path))
    assert (given.name, given.counts(given.kept("head"))["kept"]) == ("mine.jsonl", 24)
    write(Corpus(reports().documents[1:]), path, overwrite=True)
    with pytest.raises(DataError, match="23_1ecb"):
        mention_set(str(path), task, reports(), Model.load(), work_in(tmp_path))
