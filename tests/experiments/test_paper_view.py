from __future__ import annotations

from typing import Any

from samevent.corpus import KINDS
from samevent.experiments.ecbplus import SYSTEMS
from samevent.experiments.pairs import PAPER_WEIGHTS
from samevent.experiments.paper_view import METRICS, PAPER_COMPONENTS, READINGS, SENTENCE, gather, stored
from samevent.experiments.protocols import PAPER_STATISTICS

SCORE = {"precision": 0.5, "recall": 0.5, "f1": 0.5}


def row(clusterer: str, **fields: str) -> dict[str, Any]:
    level = {"preset": "paper", "mentions": "gold", "filter": "none", "unit": "document"} | fields
    return (
        level
        | dict.fromkeys(METRICS, SCORE)
        | {
            "clusterer": clusterer,
            "conll": 0.5,
            "conll_interval": {"low": 0.4, "high": 0.6},
            "verdict": "the last sample of run 1 of 5; R-hat of events is 1.2",
        }
    )


def result(*rows: dict[str, Any], preset: str = "paper") -> dict[str, Any]:
    counts = dict.fromkeys(("given", "kept", "exact", "gold"), 3)
    given = [
        {"mentions": mentions, "filter": filter} | counts
        for mentions, filter in (("gold", "none"), ("predicted", "head"), ("predicted", "none"))
    ]
    about = {"model": "m", "seed": 0, "commit": "c", "date": "2026-01-01", "seconds": 1.0}
    return about | {"preset": preset, "rows": rows, "mention_sets": given}


def test_gather_keeps_the_papers_systems_and_readings() -> None:
    counts = dict.fromkeys(("documents", "sentences", "mentions", "within_chains", "cross_chains"), 1)
    found = {"recall": {kind: {"head_recall": 0.9, "count": 7} for kind in KINDS}}
    encoded = {"encoded": {kind: {"head_recall": 0.95, "count": 7} for kind in KINDS}}
    figures = gather(
        components={kind: [] for kind in KINDS},
        statistics={"dev": counts},
        coreference=[
            result(row("lemma"), row("hdp-1f")),
            result(row("hddcrp", preset="light"), preset="light"),
            result(
                row("hddcrp", preset="paper-code", mentions="predicted", filter="none"),
                row("hddcrp", preset="paper-code", mentions="predicted", filter="head"),
                preset="paper-code",
            ),
        ],
        weights={"paper": {"head_vector": 3.0}},
        extraction={"dev": found, "test": found | encoded},
        discussion={},
    )
    kept = [(each["clusterer"], each["preset"], each["mentions"]) for each in figures["results"]]
    assert kept == [("lemma", "paper", "gold"), ("hddcrp", "paper-code", "predicted")]
    assert [each["preset"] for each in figures["measured"]] == list(READINGS)
    assert [(each["preset"], each["mentions"]) for each in figures["sets"]] == [
        (preset, mentions) for preset in READINGS for mentions in ("gold", "predicted")
    ]
    assert figures["results"][0]["paper"]["conll"] == 0.577
    assert figures["extraction"]["dev"]["location"]["paper_roles"] == 0.13
    assert [figures["extraction"][part]["time"]["encoded"] for part in ("dev", "test")] == [None, 0.95]
    assert figures["weights"]["paper"] == PAPER_WEIGHTS


def test_the_papers_components_are_in_its_sentence() -> None:
    plain = SENTENCE.replace("10th", "10")
    assert all(part in plain for parts in PAPER_COMPONENTS.values() for part in parts)


def test_the_papers_totals_are_sums_of_its_parts() -> None:
    for name in ("documents", "sentences", "mentions", "within_chains", "cross_chains"):
        parts = [getattr(PAPER_STATISTICS[part], name) for part in ("train", "dev", "test")]
        assert sum(parts) == getattr(PAPER_STATISTICS["total"], name)


def test_stored_figures_have_every_system_of_the_paper() -> None:
    figures = stored()
    assert figures is not None
    known = {(each["preset"], each["clusterer"]) for each in figures["results"]}
    assert {("paper", name) for name in SYSTEMS} <= known
    assert set(figures["weights"]["ours"]) == set(READINGS)
