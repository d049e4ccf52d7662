from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tools.results_page.coreference import below_paper
from tools.results_page.errors import errors_page
from tools.results_page.headline import headline
from tools.results_page.page import results_page
from tools.results_page.plots import Bar, bars, columns, lines, reliability

from experiments.reports import hasty, reports, work_in
from parses import needs_model
from samevent.experiments.ecbplus import measure_ecbplus

ROOT = Path(__file__).parents[1]
BINS = [{"said": 0.1, "true": 0.2}, {"said": 0.9, "true": 0.8}]

ABLATED = {"conll": 0.7, "difference": {"conll": -0.01, "interval": {"low": -0.02, "high": 0.01}}}
ABLATIONS = {
    "part": "train and dev topics, cross-validated",
    "rows": [
        {"what": "dirichlet", "value": value, "document": ABLATED, "subtopic": ABLATED}
        for value in (1e-7, 0.1)
    ],
}
KIND = {"pairs": 3, "examples": [{"lemmas": ["announce", "unveil"], "pairs": 3}]}
ANALYSIS = {
    "part": "dev",
    "preset": "paper",
    "comparisons": {
        "agglomerative": dict.fromkeys(("hddcrp links", "hddcrp parts", "other links", "other parts"), KIND)
    },
    "words": {
        "lemmas": ["unveil", "announce"],
        "same": 5,
        "linked": {"hddcrp": {"same": 2}},
        "highest_f": 0.31,
    },
    "causes": {"right": 12, "missed": {"boundary": {"pairs": 4}}, "spurious": {"pair model": {"pairs": 9}}},
}


@pytest.mark.parametrize(
    "plot",
    [
        bars("A < B", [Bar("lemma", 50.0, 40.0, 60.0, 57.7), Bar("hddcrp", 55.0, 50.0, 58.0)]),
        lines("L", {"a": [[(1, 2.0), (500, 3.0)]]}, x_name="sweep", y_name="events", logarithmic=True),
        columns("C", {"1+": 300, "2+": 0}, x_name="size"),
        reliability("R", BINS),
    ],
)
def test_plots_are_well_formed(plot: str) -> None:
    root = ElementTree.fromstring(plot)
    assert root.tag.endswith("svg")
    assert root.find("{http://www.w3.org/2000/svg}title") is not None


def test_bar_length_is_proportional_to_its_value() -> None:
    root = ElementTree.fromstring(bars("B", [Bar("a", 25.0, 20.0, 30.0), Bar("b", 50.0, 45.0, 55.0)]))
    boxes = [box for box in root.iter("{http://www.w3.org/2000/svg}rect") if box.get("opacity")]
    first, second = (float(box.get("width", "0")) for box in boxes)
    assert second == pytest.approx(2 * first, abs=0.2)


def test_page_shows_the_existing_results() -> None:
    results: dict[str, Any] = {
        "ablations": ABLATIONS,
        "analysis": ANALYSIS,
        "pairs": {"calibration": {"bins": BINS, "brier": 0.05}},
    }
    page, plots = results_page(results)
    assert "| `1e-07` | 70.0 | -1.0 [-2.0, +1.0] |" in page
    assert (
        "*unveil* and *announce*, the paper's example: 5 pairs refer to the same event; linked by hddcrp 2."
        in page
    )
    assert "| boundary | 4 | 0 |" in page
    assert "Brier score 0.0500" in page
    assert set(plots) == {"ablations-dirichlet.svg", "calibration.svg"}
    assert all(f"results/{name}" in page for name in plots)


def test_stored_page_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.make_results", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


@needs_model
def test_page_has_every_row_of_a_table(tmp_path: Path) -> None:
    result = measure_ecbplus(reports(), hasty(), work_in(tmp_path))
    page, plots = results_page({"yang2015": json.loads(json.dumps(result))})
    assert page.count("| `hddcrp` |") == 3  # two units, and how far its chains agree
    assert "| lemma WD | 100.0 | 57.7 | +42.3 |" in page
    assert "HDDCRP minus LEMMA, WD:" in page
    assert "in the paper +9.1" in page
    assert {"yang2015-gold-log-joint.svg", "yang2015-gold-components.svg"} <= set(plots)
    assert all(f"results/{name}" in page for name in plots)


def _row(clusterer: str, preset: str, conll: float, **other: str) -> dict[str, Any]:
    level = {"mentions": "gold", "filter": "none", "unit": "corpus", "singletons": "keep"}
    interval = {"low": conll - 0.1, "high": conll + 0.1}
    return (
        level | {"clusterer": clusterer, "preset": preset, "conll": conll, "conll_interval": interval} | other
    )


def test_extraction_has_a_line_per_kind_and_a_column_per_extractor() -> None:
    kinds = ("action", "participant", "time", "location")
    scores = {"precision": 0.5, "recall": 0.25, "f1": 0.333, "exact": {"f1": 0.2}}
    test = {
        "recall": {kind: {"head_recall": 0.9, "exact_recall": 0.7, "count": 1200} for kind in kinds},
        "points": {point: dict.fromkeys(kinds, scores) for point in ("precise", "balanced")},
        "classes": {"accuracy": 0.8, "most_common": 0.6},
        "empty_words": {"precise": {"share": 0.04}, "balanced": {"share": 0.06}},
    }
    result = {
        "extractors": {"with": {"test": test}, "without": {"test": test}},
        "seed": 0,
        "commit": "abcdef",
    }
    page, _ = results_page({"extraction": result})
    assert "| times | 1,200 | 95.0 | 90.0 / 70.0 | 90.0 / 70.0 |" in page
    assert "| events | 50.0 / 25.0 / 33.3; 20.0 | 50.0 / 25.0 / 33.3; 20.0 |" in page
    assert "| class of the event right | 80.0 | 80.0 |" in page


def test_headline_has_a_line_per_protocol_and_corpus_and_a_column_per_preset() -> None:
    shared = {"protocol": "cybulska", "mention_sets": []}
    other = {"corpus": "guns", "raw_text": False, "mentions": "gold"}
    lines = headline(
        [
            shared | {"rows": [_row("lemma", "paper", 0.5), _row("hddcrp", "paper", 0.6)]},
            shared | {"rows": [_row("hddcrp", "best", 0.7, unit="topic"), _row("hddcrp", "best", 0.8)]},
            other | {"rows": [_row("hddcrp", "light", 0.4)]},
            other | {"corpus": "ecbplus", "rows": [_row("hddcrp", "light", 0.3)]},
        ]
    ).splitlines()[2:]
    assert lines == [
        "| ECB+, all events, gold mentions, whole corpus | 50.0 [40.0, 60.0] | 60.0 [50.0, 70.0] |  |  "
        "| 80.0 [70.0, 90.0] |",
        "| guns, gold mentions, whole corpus |  |  | 40.0 [30.0, 50.0] |  |  |",
    ]


@pytest.mark.parametrize(("ours", "explained"), [(0.5, True), (0.6, False)])
def test_below_paper_compares_filtered_predicted_mentions(ours: float, explained: bool) -> None:
    row = {
        "mentions": "predicted",
        "filter": "head",
        "clusterer": "hdp-lex",
        "conll": ours,
        "paper": {"conll": 0.552},
    }
    assert below_paper({"rows": [row]}, "hdp-lex") is explained
    assert not below_paper({"rows": [row]}, "hddcrp")
    assert not below_paper({"rows": [{**row, "mentions": "gold"}]}, "hdp-lex")


ERRORS = {
    "corpus": "dev.jsonl",
    "documents": 2,
    "given": 1234,
    "mentions": "gold",
    "answers": {
        "light": {"missed": {"nominal": {"within": 3, "across": 4, "words": []}}, "wrong": {}, "right": 5},
        "standard": {
            "missed": {},
            "wrong": {"nominal": {"within": 1, "across": 0, "words": [["kill", "shoot", 2]]}},
            "right": 6,
            "sentences": {"missed": {}, "wrong": {"nominal": ["A *raid*.", "He *fell*."]}},
        },
    },
}
ERRORS["answers"]["light"]["sentences"] = {"missed": {}, "wrong": {}}  # type: ignore[index]


def test_errors_page_keeps_prose_and_renews_tables() -> None:
    page = "# E\n\n<!-- errors: a -->\nold\n<!-- end -->\nprose\n<!-- errors: a sentences -->\n<!-- end -->\n"
    renewed = errors_page(page, {"a": ERRORS})
    assert "| nominal | 3 + 4 | 0 | 0 | 1 + 0 | wrong: kill / shoot |" in renewed
    assert "\nold\n" not in renewed
    assert "\nprose\n" in renewed
    assert "- wrong, nominal: “A *raid*.” / “He *fell*.”" in renewed
    assert errors_page(renewed, {"a": ERRORS}) == renewed
    assert errors_page(page, {}) == page


def pure(events: int) -> dict[str, Any]:
    bins = [{"low": 0.9, "high": 1.0, "events": events, "said": 0.95, "pure": 0.75}]
    return {"events": events, "pure": 0.75, "ece": 0.1, "bins": bins}


def calibrated(pairs: int) -> dict[str, Any]:
    bins = [{"low": 0.9, "high": 1.0, "pairs": pairs, "said": 0.97, "true": 0.9}]
    sure = {"pairs": pairs, "same": 1, "true": 0.9, "interval": {"low": 0.8, "high": 0.95}}
    return {"pairs": pairs, "same": 1, "ece": 0.07, "ece_interval": None, "bins": bins, "above_95": sure}


def test_transfer_is_a_section_with_a_diagram() -> None:
    row = {
        "filter": "none",
        "unit": "corpus",
        "singletons": "keep",
        "clusterer": "hddcrp",
        "preset": "standard",
        "conll": 0.672,
    }
    result = {
        "corpus": "gvc", "documents": 78, "mentions": "gold", "raw_text": False, "preset": "standard",
        "model": "en-news", "seed": 0, "commit": "abc", "calibration": calibrated(1200), "inside": calibrated(90),
        "others": {"pair model": {"calibration": calibrated(300)}},
        "rows": [row | {"conll_interval": {"low": 0.64, "high": 0.7}}],
        "events": pure(4), "chained": {"calibration": calibrated(700), "inside": calibrated(80), "events": pure(3)},
    }  # fmt: skip
    page, plots = results_page({"transfer-gvc": result})
    assert "| hddcrp | 67.2 [64.0, 70.0] |" in page
    assert "| P > 0 | 1,200 | 0.070 | 1,200 | 0.900 [0.800, 0.950] |" in page
    assert "| P > 0, chained | 700 |" in page
    assert "Of 3 events with a chained mention, 75.0 % are pure (ECE 0.100):" in page
    assert "| 0.9 to 1.0 | 4 | 0.950 | 0.750 |" in page
    assert list(plots) == ["transfer-gvc.svg"]
