"""`samevent train similarity --corrections`: from a reviewed run to a model that joins less, or more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from parses import needs_model
from samevent import Corpus, Model, Options
from samevent.cli.train import train_cli
from samevent.corrections import MarkedMention, append, new_decision
from samevent.demo import articles
from samevent.errors import DataError, UsageError
from samevent.language.resources import DEFAULT
from samevent.runs import run
from samevent.similarity.boosted import BoostedModel
from samevent.training import reviewed_run

QUAKES = Corpus([document for document in articles() if "quake" in document.text])
LIGHT, LIGHT_RUN = "similarity-light.npz", Options(preset="light")


def train(*arguments: object) -> Result:
    return CliRunner().invoke(train_cli, ["similarity", *map(str, arguments)], catch_exceptions=True)


def test_decisions_need_the_run_that_was_reviewed(tmp_path: Path) -> None:
    (tmp_path / "corrections.jsonl").write_text("")
    with pytest.raises(UsageError, match=r"no result\.jsonl beside the decisions"):
        reviewed_run(tmp_path / "corrections.jsonl")


def test_nothing_to_learn_from_and_models_that_cannot_learn_are_refused(tmp_path: Path) -> None:
    assert isinstance(train("-o", tmp_path / "m").exception, UsageError)
    answer = train("--corrections", tmp_path, "-o", tmp_path / "m", "--preset", "paper")
    assert "does not learn from decisions" in str(answer.exception)
    answer = train(
        "--corrections", tmp_path, "-o", tmp_path / "m", "--preset", "light", "--encoders", tmp_path
    )
    assert "--encoders" in str(answer.exception)
    assert not (tmp_path / "m").exists()


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of which a person said that most of its events are several."""
    folder = tmp_path_factory.mktemp("review") / "out"
    result = run(QUAKES, folder, options=LIGHT_RUN)
    apart = [
        new_decision("different", [[MarkedMention.of(a)], [MarkedMention.of(b)]])
        for event in result.events.largest(6)
        for a, b in [event.mentions[:2]]
    ]
    append(folder / "corrections.jsonl", apart)
    return folder


@needs_model
def test_model_learns_from_a_reviewed_run_alone(reviewed: Path, tmp_path: Path) -> None:
    answer = train("--corrections", reviewed, "-o", tmp_path / "mine", "--preset", "light")
    assert answer.exit_code == 0, answer.output
    before, after = (
        BoostedModel.load(folder / LIGHT) for folder in (Model.load().resources.folder, tmp_path / "mine")
    )
    (learned,) = after.about["corrections"]
    assert learned["offset"] < 0 == learned["same"]
    again = train(
        "--corrections", reviewed / "corrections.jsonl", "-o", tmp_path / "twin", "--preset", "light"
    )
    assert again.exit_code == 0
    assert (tmp_path / "twin" / LIGHT).read_bytes() == (tmp_path / "mine" / LIGHT).read_bytes()
    pairs = [
        sum(
            len(event) * (len(event) - 1)
            for event in Model.load(model).resolve(QUAKES, options=LIGHT_RUN).events
        )
        for model in (DEFAULT, tmp_path / "mine")
    ]
    assert pairs[1] <= pairs[0]
    assert before.trees.value.tolist() == after.trees.value.tolist()
    refused = train("--corrections", reviewed, "-o", tmp_path / "mine", "--preset", "light")
    assert refused.exit_code != 0


@needs_model
def test_decisions_about_other_documents_and_none_about_pairs_are_errors(
    reviewed: Path, tmp_path: Path
) -> None:
    other = MarkedMention("elsewhere", 0, 5, "quake")
    for name, decision, said in (
        ("other", new_decision("not-an-event", [[other]]), "the document is not in the run"),
        ("undone", None, "no decision is about two mentions"),
    ):
        folder = tmp_path / name
        shutil.copytree(reviewed, folder)
        (folder / "corrections.jsonl").unlink()
        append(folder / "corrections.jsonl", [decision] if decision else [])
        answer = train("--corrections", folder, "-o", tmp_path / "m", "--preset", "light")
        assert isinstance(answer.exception, DataError)
        assert said in str(answer.exception)
    assert not (tmp_path / "m").exists()
