"""`samevent train similarity --corrections`: decisions about a reviewed run, learned beside an annotated corpus."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from parses import needs_model
from samevent import Corpus, Model, Options, write
from samevent.cli.train import train_cli
from samevent.corrections import MarkedMention, append, new_decision
from samevent.demo import articles
from samevent.demo import gold as demo_gold
from samevent.errors import DataError, UsageError
from samevent.runs import run
from samevent.similarity.boosted import BoostedModel
from samevent.training import reviewed_run

QUAKES = Corpus([document for document in articles() if "quake" in document.text])
LIGHT = "similarity-light.npz"


def train(*arguments: object) -> Result:
    return CliRunner().invoke(train_cli, ["similarity", *map(str, arguments)], catch_exceptions=True)


def test_decisions_need_the_run_that_was_reviewed(tmp_path: Path) -> None:
    (tmp_path / "corrections.jsonl").write_text("")
    with pytest.raises(UsageError, match=r"no result\.jsonl beside the decisions"):
        reviewed_run(tmp_path / "corrections.jsonl")


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the annotated articles of the demo as a file."""
    file = tmp_path_factory.mktemp("gold") / "demo.jsonl"
    write(demo_gold(), file)
    return file


@needs_model
def test_models_that_cannot_learn_from_decisions_are_refused(gold: Path, tmp_path: Path) -> None:
    answer = train(gold, "--corrections", tmp_path, "-o", tmp_path / "m", "--preset", "paper")
    assert "'paper' does not learn from decisions" in str(answer.exception)
    assert not (tmp_path / "m").exists()


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of which a person said that its largest events are several."""
    folder = tmp_path_factory.mktemp("review") / "out"
    result = run(QUAKES, folder, options=Options(preset="light"))
    apart = [
        new_decision("different", [[MarkedMention.of(a)], [MarkedMention.of(b)]])
        for event in result.events.largest(6)
        for a, b in [event.mentions[:2]]
    ]
    append(folder / "corrections.jsonl", apart)
    return folder


@needs_model
def test_trees_learn_from_decided_pairs_the_same_whichever_way_they_are_named(
    gold: Path, reviewed: Path, tmp_path: Path
) -> None:
    plain, mine, twin = (tmp_path / name for name in ("plain", "mine", "twin"))
    for folder, more in (
        (plain, []),
        (mine, ["--corrections", reviewed]),
        (twin, ["--corrections", reviewed / "corrections.jsonl"]),
    ):
        answer = train(gold, *more, "-o", folder, "--preset", "light", "--jobs", 1)
        assert answer.exit_code == 0, answer.output
    assert (twin / LIGHT).read_bytes() == (mine / LIGHT).read_bytes()
    without, learned = (BoostedModel.load(folder / LIGHT) for folder in (plain, mine))
    assert learned.about["pairs"] == without.about["pairs"] + 6
    assert learned.background.documents == without.background.documents
    assert len(Model.load(mine).resolve(QUAKES, options=Options(preset="light")).events)  # a whole model
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@needs_model
def test_decisions_about_other_documents_and_none_about_pairs_are_errors(
    gold: Path, reviewed: Path, tmp_path: Path
) -> None:
    other = MarkedMention("elsewhere", 0, 5, "quake")
    for name, decisions, said in (
        ("other", [new_decision("not-an-event", [[other]])], "the document is not in the run"),
        ("undone", [], "no decision is about two mentions"),
    ):
        folder = tmp_path / name
        shutil.copytree(reviewed, folder)
        (folder / "corrections.jsonl").unlink()
        append(folder / "corrections.jsonl", decisions)
        answer = train(gold, "--corrections", folder, "-o", tmp_path / "m", "--preset", "light")
        assert isinstance(answer.exception, DataError)
        assert said in str(answer.exception)
        assert not (tmp_path / "m" / LIGHT).exists()


@needs_model
def test_corpus_without_events_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "plain.jsonl"
    write(articles(), file)
    answer = train(file, "-o", tmp_path / "m", "--preset", "light")
    assert isinstance(answer.exception, DataError)
    assert "no two mentions refer to the same event" in str(answer.exception)
    assert not (tmp_path / "m").exists()
