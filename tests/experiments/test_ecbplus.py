from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from experiments.reports import hasty, reports, work_in
from parses import needs_model
from samevent.errors import UsageError
from samevent.experiments import ecbplus
from samevent.experiments import work as work_module
from samevent.experiments.ecbplus import HDP_VARIANTS, QUICK_RUN, SYSTEMS, measure_ecbplus
from samevent.experiments.protocols import TASKS

pytestmark = needs_model


@cache
def measured() -> dict[str, Any]:
    return measure_ecbplus(reports(), hasty(), work_in(Path(mkdtemp())))


def test_every_system_has_a_row_at_every_level() -> None:
    rows = measured()["rows"]
    assert [(row["unit"], row["clusterer"]) for row in rows] == [
        (unit, name) for unit in ("document", "subtopic") for name in ("lemma", "agglomerative", "hddcrp")
    ]
    wanted = {
        "preset",
        "mentions",
        "filter",
        "muc",
        "bcubed",
        "ceafe",
        "lea",
        "conll",
        "conll_interval",
        "paper",
    }
    assert all(wanted <= set(row) for row in rows)


def test_lemma_scores_what_it_must() -> None:
    # Within documents and sub-topics, mentions of one event share their lemma and no others do.
    assert [row["conll"] for row in measured()["rows"] if row["clusterer"] == "lemma"] == [1.0, 1.0]


def test_systems_are_tested_against_both_baselines() -> None:
    by_name = {row["clusterer"]: row["differences"] for row in measured()["rows"]}
    assert {name: set(others) for name, others in by_name.items()} == {
        "lemma": {"agglomerative"},
        "agglomerative": {"lemma"},
        "hddcrp": {"lemma", "agglomerative"},
    }


def test_interrupted_table_ends_with_the_same_figures(tmp_path: Path) -> None:
    part = hasty(clusterers=("lemma", "agglomerative"))
    measure_ecbplus(reports(), part, work_in(tmp_path))
    messages: list[str] = []
    resumed = measure_ecbplus(reports(), hasty(), work_in(tmp_path, resume=True, log=messages.append))
    assert messages
    assert all(line.startswith("hddcrp") for line in messages)
    assert _timeless(resumed) == _timeless(measured())


def _timeless(found: dict[str, Any]) -> dict[str, Any]:
    rows = [{k: v for k, v in row.items() if k != "seconds"} for row in found["rows"]]
    return {k: v for k, v in found.items() if k != "seconds"} | {"rows": rows}


def test_hdp_variants_have_short_runs(tmp_path: Path) -> None:
    plan = hasty(clusterers=(), changes={"runs": 1, "sweeps": 2})
    found = measure_ecbplus(reports(), plan, work_in(tmp_path))
    assert [row["clusterer"] for row in found["rows"] if row["unit"] == "document"] == [
        *SYSTEMS,
        *HDP_VARIANTS,
    ]
    assert any("hdp-struct ran only 1 x 2 sweeps" in note for note in found["notes"])
    unchanged = hasty(clusterers=(), changes={}).systems
    assert [unchanged[name].total_sweeps for name in HDP_VARIANTS] == [
        QUICK_RUN["runs"] * QUICK_RUN["sweeps"]
    ] * len(HDP_VARIANTS)
    assert unchanged["hdp-lex"].total_sweeps > QUICK_RUN["runs"] * QUICK_RUN["sweeps"]


def test_realistic_scores_with_and_without_singletons(tmp_path: Path) -> None:
    plan = hasty(task=TASKS["realistic"], mentions=(), clusterers=("lemma",), part="dev")
    corpus = reports().mapped(lambda d: _moved(d, {"23": "2", "24": "5", "25": "12"}))
    found = measure_ecbplus(corpus, plan, work_in(tmp_path))
    levels = [(row["unit"], row["singletons"]) for row in found["rows"]]
    assert levels == [("corpus", "drop"), ("topic", "drop"), ("corpus", "keep"), ("topic", "keep")]


def _moved(document: Any, topics: dict[str, str]) -> Any:
    sentences = tuple(replace(s, annotated=True) for s in document.sentences)
    return replace(document, topic=topics[document.topic], sentences=sentences)


def test_part_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="test topics of yang2015"):
        measure_ecbplus(reports(), hasty(part="test"), work_in(tmp_path))


def test_trained_model_is_reused_only_for_the_very_same_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Path] = []

    def train(documents: Any, folder: Path, *_: Any, **__: Any) -> None:
        trained.append(folder)
        folder.mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(ecbplus, "train_model", train)
    work, corpus = work_in(tmp_path, resume=True), reports()
    task = TASKS["yang2015"]
    first = ecbplus.trained_model(task, corpus, work)
    assert ecbplus.trained_model(task, corpus, work) == first
    other_sentences = corpus.mapped(
        lambda d: replace(d, sentences=tuple(replace(s, annotated=True) for s in d.sentences))
    )
    other_topics = corpus.mapped(lambda d: replace(d, topic="1"))
    others = [ecbplus.trained_model(task, each, work) for each in (other_sentences, other_topics)]
    monkeypatch.setattr(work_module, "code_digest", lambda: "other code")
    others.append(ecbplus.trained_model(task, corpus, work))
    assert len({first, *others}) == 4
    assert trained == [first, *others]
