"""`samevent train encoder`, in the same process: with torch where it is installed, and without."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from encoders import story, write_base
from samevent import Corpus, write
from samevent.cli.train import train_cli
from samevent.errors import UsageError


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    stories = [
        story(
            f"{topic}{copy}",
            "quake hit the city .",
            topic=topic,
            actions={(0, 1): topic, (1, 2): f"{topic}h"},
        )
        for topic in "12"
        for copy in "xy"
    ]
    write(Corpus(stories), tmp_path / "corpus.jsonl")
    return tmp_path / "corpus.jsonl"


def test_encoder_is_written_with_its_figures(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    words = [
        "encoder",
        corpus,
        "-o",
        tmp_path / "mine",
        "--base",
        write_base(tmp_path / "base"),
        "--json",
        tmp_path / "f.json",
    ]
    done = CliRunner().invoke(train_cli, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "encoder.onnx",
        "tokenizer.json",
        "training",
    ]
    assert set(json.loads((tmp_path / "f.json").read_text())) == {
        "untuned a",
        "untuned b",
        "tuned a",
        "tuned b",
    }


def test_encoder_without_torch_says_how_to_install_it(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    words = ["encoder", corpus, "-o", tmp_path / "mine", "--base", write_base(tmp_path / "base")]
    with pytest.raises(UsageError, match=r"torch.*pip install 'samevent\[train\]'"):
        CliRunner().invoke(train_cli, list(map(str, words)), catch_exceptions=False)
    assert not (tmp_path / "mine").exists()
