"""`samevent experiment`: what it prints and writes, and how it continues after an interruption."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from experiments.reports import BORROWED, TOPICS, reports
from parses import needs_model
from samevent.cli.experiment import experiment_cli
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Corpus
from samevent.errors import OutputExistsError, SameventError
from samevent.experiments import errors, transfer
from samevent.experiments.ecbplus import SYSTEMS
from samevent.formats import write

NAMES = [
    "ablations",
    "analysis",
    "ecbplus",
    "entities",
    "errors",
    "extraction",
    "pairs",
    "paper",
    "roles",
    "rules",
    "statistics",
    "stories",
    "transfer",
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "ecbplus"
    write(reports(), folder, format="ecbplus")
    return folder


def run(*words: object) -> Result:
    """Call the command in this process; errors of ours come back as they are."""
    return CliRunner().invoke(experiment_cli, list(map(str, words)))


def ecbplus(data: Path, *words: object) -> Result:
    hurry = ("--runs", 2, "--sweeps", 10, "--model", "en-news", "--part", "dev", "--mentions", "gold")
    systems = () if "--clusterers" in words else ("--clusterers", "lemma,hddcrp")
    return run("ecbplus", "--data", data, *hurry, *systems, *words)


def failure(result: Result) -> SameventError:
    assert isinstance(result.exception, SameventError), result.exception
    return result.exception


def test_experiments_are_listed_and_have_help() -> None:
    assert sorted(experiment_cli.commands) == NAMES
    for name in NAMES:
        assert run(name, "--help").exit_code == 0


@pytest.mark.parametrize("name", ["ablations", "analysis", "ecbplus", "paper", "rules"])
def test_long_experiments_share_their_options_and_refuse_to_overwrite_before_they_measure(
    name: str, data: Path, tmp_path: Path
) -> None:
    options = [param.name for param in experiment_cli.commands[name].params]
    assert options[-6:] == ["seed", "jobs", "work_folder", "resume", "json_file", "force"]
    there = tmp_path / "figures.json"
    there.write_text("{}")
    words = () if name == "paper" else ("--data", data, *(("--model", "none") if name == "rules" else ()))
    assert isinstance(failure(run(name, *words, "--json", there)), OutputExistsError)
    assert there.read_text() == "{}"


def test_the_paper_is_shown_and_written_from_stored_figures(tmp_path: Path) -> None:
    shown = run("paper")
    assert shown.exit_code == 0
    assert all(f"Table {number}" in shown.output for number in range(1, 5))
    coded = shown.output.partition("preset paper-code, gold mentions")[2].partition("Table")[0]
    assert "hdp-lex" in coded  # which looks at no pairs, as under the preset paper
    assert "R-hat of events" in shown.output
    assert "Apple's Phil Schiller unveiled" in shown.output
    assert run("paper", "--json", tmp_path / "paper.json").exit_code == 0
    assert "results" in json.loads((tmp_path / "paper.json").read_text())


@pytest.mark.slow
@needs_model
def test_the_paper_is_measured_afresh(tmp_path: Path) -> None:
    data, target = tmp_path / "ecbplus", tmp_path / "paper.json"
    write(reports((*TOPICS, *BORROWED)), data, format="ecbplus")
    words = ("--data", data, "--model", "en-news", "--runs", 2, "--sweeps", 5)
    result = run("paper", "--fresh", *words, "--json", target)
    assert result.exit_code == 0, result.exception
    figures = json.loads(target.read_text())
    rows = [
        (each["preset"], each["mentions"], each["unit"], each["clusterer"]) for each in figures["results"]
    ]
    levels = [(mentions, unit) for mentions in ("gold", "predicted") for unit in ("document", "subtopic")]
    readings = {"paper": SYSTEMS, "paper-code": [name for name in SYSTEMS if name != "hdp-lex"]}
    assert rows == [
        (preset, *at, name) for preset, names in readings.items() for at in levels for name in names
    ]
    perfect = [
        each for each in figures["results"] if each["mentions"] == "gold" and each["clusterer"] == "lemma"
    ]
    assert all(each["conll"] > 0.9 for each in perfect if each["unit"] == "document")
    assert figures["statistics"]["test"]["ours"]["documents"] == 12
    assert figures["extraction"]["test"]["action"]["ours"] > 0.5
    assert "Sudan" in " ".join(figures["components"]["ours"]["participant"])

    again = run("paper", "--fresh", *words, "--resume", "--work", tmp_path / "paper.work")
    assert again.exit_code == 0, again.exception
    for title in ("Table 1", "Table 2", "Table 3", "Table 4", "Extraction", "The discussion's example"):
        assert title in again.stdout


@needs_model
def test_ecbplus_prints_one_table_per_level(data: Path, tmp_path: Path) -> None:
    result = ecbplus(data, "--work", tmp_path / "work")
    assert result.exit_code == 0, result.exception
    titles = [line for line in result.stdout.splitlines() if line.startswith("yang2015 dev")]
    assert [title.split(", ")[2] for title in titles] == ["WD", "CD"]
    lemma = next(line for line in result.stdout.splitlines() if line.lstrip().startswith("lemma"))
    assert lemma.split()[1:11] == ["100.0"] * 10
    assert lemma.split()[-1] == "57.7"


@needs_model
def test_ecbplus_writes_json_and_works_beside_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "table.json"
    assert ecbplus(data, "--json", target).exit_code == 0
    first = target.read_text()
    assert json.loads(first)["protocol"] == "yang2015"
    assert len(list((tmp_path / "table.work").glob("hddcrp-*.npz"))) == 1
    assert isinstance(failure(ecbplus(data, "--json", target)), OutputExistsError)
    monkeypatch.setattr(Hddcrp, "cluster", None)  # what ran is not run again
    assert ecbplus(data, "--json", target, "--force", "--resume").exit_code == 0
    assert target.read_text() == first


@needs_model
def test_interrupted_experiment_names_the_option_to_resume(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Hddcrp, "cluster", interrupted)
    result = ecbplus(data, "--work", tmp_path / "work")
    assert "--resume continues from" in result.stderr
    assert list((tmp_path / "work").glob("lemma-*.npz"))
    monkeypatch.undo()
    result = ecbplus(data, "--work", tmp_path / "work", "--resume")
    assert result.exit_code == 0
    assert "lemma:" not in result.stderr


@pytest.mark.slow
@needs_model
def test_analysis_prints_sentences(data: Path, tmp_path: Path) -> None:
    words = ("--data", data, "--part", "dev", "--model", "en-news", "--work", tmp_path / "work")
    result = run("analysis", *words)
    assert result.exit_code == 0, result.exception
    assert "errors by cause" in result.stdout.replace("\n", " ")
    found = json.loads(run("analysis", *words, "--resume", "--json").stdout)
    assert set(found["comparisons"]) == {"agglomerative", "hdp-lex"}


def test_unknown_names_are_refused(data: Path) -> None:
    assert "did you mean" in str(failure(ecbplus(data, "--clusterers", "lema"))).lower()
    assert "no mentions 'nowhere.jsonl'" in str(failure(ecbplus(data, "--mentions", "nowhere.jsonl")))


def pure(events: int) -> dict[str, Any]:
    bins = [{"low": 0.9, "high": 1.0, "events": events, "said": 0.95, "pure": 0.75}]
    return {"events": events, "pure": 0.75, "ece": 0.1, "bins": bins}


def reliable(pairs: int) -> dict[str, Any]:
    interval = {"low": 0.8, "high": 0.95}
    return {
        "pairs": pairs,
        "ece": 0.07,
        "ece_interval": interval,
        "bins": [{"low": 0.9, "high": 1.0, "pairs": pairs, "said": 0.97, "true": 0.9}],
        "above_95": {"pairs": pairs, "same": 1, "true": 0.9, "interval": interval},
    }


def test_transfer_prints_scores_and_reliability_and_draws_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[transfer.Transfer] = []

    def measured(corpus: Corpus, plan: transfer.Transfer, work: object) -> dict[str, Any]:
        plans.append(plan)
        row = {
            "filter": "none",
            "unit": "corpus",
            "singletons": "keep",
            "clusterer": "hddcrp",
            "conll": 0.672,
        }
        about = {
            "filter": "none",
            "given": 9,
            "gold": 8,
            "kept": 7,
            "exact": 6,
            "ceiling": {"corpus keep": 1.0},
        }
        return {
            "documents": len(corpus), "preset": plan.preset, "ignored": ["0"], "sets": [about],
            "rows": [row | {"conll_interval": {"low": 0.64, "high": 0.7}}],
            "calibration": reliable(1200), "inside": reliable(90),
            "others": {"pair model": {"calibration": reliable(300)}},
            "events": pure(4), "chained": {"calibration": reliable(700), "inside": reliable(80), "events": pure(3)},
        }  # fmt: skip

    monkeypatch.setattr(transfer, "measure_transfer", measured)
    gold, plot = tmp_path / "gold.jsonl", tmp_path / "plot.svg"
    write(reports(), gold)
    words = (
        "transfer",
        "--data",
        gold,
        "--topics",
        "23,24",
        "--raw-text",
        "--set",
        "cut=0.3",
        "--plot",
        plot,
    )
    result = run(*words)
    assert result.exit_code == 0, result.exception
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["hddcrp", "67.2", "64.0", "–", "70.0"] in lines
    assert ["0.9", "–", "1.0", "4", "0.950", "0.750"] in lines
    assert "the chain '0'" in result.stderr
    assert (plans[0].mentions, plans[0].raw_text, plans[0].changes) == ("predicted", True, {"cut": 0.3})
    assert plot.read_text().startswith("<svg")
    assert json.loads(run(*words, "--json", "--force").stdout)["documents"] == 8
    assert isinstance(failure(run(*words)), OutputExistsError)
    assert "no documents of these topics" in str(failure(run("transfer", "--data", gold, "--topics", "99")))


def test_errors_are_printed_by_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(corpus: Corpus, plan: errors.ErrorPlan, work: object) -> dict[str, Any]:
        found = {"nominal": {"within": 3, "across": 1004, "words": [["kill", "shoot", 2]]}}
        names = (*plan.answers, *plan.presets)
        answers = {name: {"missed": found, "wrong": {}, "right": 5} for name in names}
        return {"mentions": plan.mentions, "answers": answers}

    monkeypatch.setattr(errors, "measure_errors", measured)
    gold, old = tmp_path / "gold.jsonl", tmp_path / "old.jsonl"
    for file in (gold, old):
        write(reports(), file)
    result = run("errors", "--data", gold, "--answer", old, "--preset", "light")
    assert result.exit_code == 0, result.exception
    assert "nominal 3 1,004 3 1,004 kill / shoot (2)" in " ".join(result.stdout.split())
    assert "old 5, light 5" in result.stdout
