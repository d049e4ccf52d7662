"""`samevent train encoder`, in the same process: with torch where it is installed, and without."""

from __future__ import annotations

import json
import lzma
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from encoders import story, write_base
from samevent import Corpus, write
from samevent.cli.train import train_cli
from samevent.cli.train.common import events_of
from samevent.errors import UsageError
from samevent.language.encoder.adapters import merged, read_adapter
from samevent.language.encoder.tuning import TORCH
from samevent.language.encoder.weights import read_weights


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


def test_encoder_learns_from_several_corpora_and_other_text(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    more = [
        story(f"{topic}z", "storm hit the town .", topic=topic, actions={(0, 1): "0", (1, 2): topic})
        for topic in "345"
    ]
    write(Corpus(more), tmp_path / "more.jsonl")
    (tmp_path / "propbank").mkdir()
    sentence = {"doc": "d", "split": "train", "words": "police said ten people".split(), "preds": []}
    with lzma.open(tmp_path / "propbank" / "ewt-propbank.jsonl.xz", "wt") as stream:
        stream.write(json.dumps(sentence) + "\n")
    words = [
        "encoder", corpus, tmp_path / "more.jsonl", "-o", tmp_path / "mine", "--work", tmp_path / "work",
        "--base", write_base(tmp_path / "base"), "--teacher", write_base(tmp_path / "large", "mpnet"),
        "--text", tmp_path / "propbank", "--text", tmp_path / "more.jsonl",
    ]  # fmt: skip
    done = CliRunner().invoke(train_cli, list(map(str, words)), catch_exceptions=False)
    assert "half a: 3 topics, 4 documents" in done.output
    assert "half a: the teacher reads" in done.output
    assert (tmp_path / "mine" / "encoder.onnx").read_bytes() == (
        tmp_path / "work" / "model" / "encoder.onnx"
    ).read_bytes()
    a, b, mean = (
        merged(read_weights(tmp_path / "large"), read_adapter(tmp_path / "work" / "large" / f"{name}.npz"))
        for name in ("a", "b", "model")
    )
    for name, array in mean.arrays.items():
        assert np.allclose(array, (a.arrays[name] + b.arrays[name]) / 2, atol=1e-3)


def test_chain_of_whatever_is_no_event_is_not_learned(tmp_path: Path) -> None:
    stories = Corpus(
        [
            story(topic, "quake hit the city .", topic=topic, actions={(0, 1): "0", (1, 2): topic})
            for topic in "12"
        ]
    )
    assert [m.event for m in events_of(stories).mentions()] == ["1", "2"]


def test_encoder_without_torch_says_how_to_install_it(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    words = ["encoder", corpus, "-o", tmp_path / "mine", "--base", write_base(tmp_path / "base")]
    with pytest.raises(UsageError, match=r"torch==.*extra train.*pip install 'samevent\[train\]'"):
        CliRunner().invoke(train_cli, list(map(str, words)), catch_exceptions=False)
    assert not (tmp_path / "mine").exists()


def test_torch_is_named_in_the_version_of_the_extra() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert TORCH in project["project"]["optional-dependencies"]["train"]
