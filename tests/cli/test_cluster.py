"""`samevent cluster`: what it writes, what it refuses, and how it goes on after an interruption."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from builders import annotated, document
from clusterers.small import MODEL
from parses import needs_model
from samevent import Corpus, read, write
from samevent.cli import cluster as command
from samevent.clusterers import clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.errors import SameventError
from samevent.extraction import CONTEXTUAL_FILE, EXTRACTOR_FILE
from samevent.language.resources import MANIFEST_FILE, MODELS
from samevent.similarity.model import SIMILARITY_FILE

pytestmark = needs_model


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    write(Corpus([annotated("b"), annotated("a"), document("empty")]), path)
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a folder with the shipped words and a pair model that was not trained."""
    folder = tmp_path / "model"
    folder.mkdir()
    for file in (MODELS / "en-news").iterdir():
        if file.name not in (SIMILARITY_FILE, MANIFEST_FILE):
            (folder / file.name).symlink_to(file)
    MODEL.save(folder / SIMILARITY_FILE)
    return folder


def run(*words: object) -> Result:
    """Call the command in this process; errors of ours come back as they are."""
    return CliRunner().invoke(command.cluster_cli, list(map(str, words)))


def failure(result: Result) -> SameventError:
    assert isinstance(result.exception, SameventError), result.exception
    return result.exception


def test_cluster_writes_events_numbered_by_their_first_mention(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run(corpus, "-o", out, "--clusterer", "lemma")
    assert done.exit_code == 0, done.exception
    events = [m.event for m in read(out).mentions("action")]
    assert events == ["e1", "e2", "e3", "e1", "e2", "e3"]
    assert "wrote 6 mentions of 3 events" in done.stderr
    assert [d.id for d in read(out)] == ["b", "a", "empty"]


def test_cluster_runs_samplers_and_says_their_verdict(corpus: Path, model: Path, tmp_path: Path) -> None:
    outs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for out, jobs in zip(outs, ("1", "2"), strict=True):
        done = run(corpus, "-o", out, "--model", model, "--preset", "paper", "--sweeps", 20, "--jobs", jobs)
        assert done.exit_code == 0, done.exception
        assert "the last sample of run" in done.stderr
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert not list(tmp_path.glob("*.checkpoint.npz"))


def test_cluster_without_an_extractor_says_what_to_do(corpus: Path, model: Path, tmp_path: Path) -> None:
    for file in (EXTRACTOR_FILE, CONTEXTUAL_FILE):
        (model / file).unlink()
    error = failure(run(corpus, "-o", tmp_path / "out.jsonl", "--model", model))
    assert "has no extractor.npz" in str(error)
    assert "samevent train extractor" in str(error)
    assert run(corpus, "-o", tmp_path / "out.jsonl", "--model", model, "--clusterer", "lemma").exit_code == 0


def test_cluster_writes_any_format_and_to_standard_output(corpus: Path, tmp_path: Path) -> None:
    done = run(corpus, "-o", "-", "--clusterer", "lemma")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["b", "a", "empty"]
    conll = tmp_path / "out.conll"
    assert run(corpus, "-o", conll, "--clusterer", "lemma").exit_code == 0
    assert conll.read_text().startswith("#begin document")


def test_settings_come_from_the_preset_then_the_file_then_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[hddcrp]\nruns = 3\nalpha_within = 0.3\n[agglomerative]\nwithin = 0.4\n")
    found = clusterer("hddcrp", preset="paper", file=file, changes={"alpha_within": 0.2})
    assert isinstance(found, Hddcrp)
    assert (found.sweeps, found.runs, found.alpha_within) == (500, 3, 0.2)
    assert clusterer("lemma", file=file) == clusterer("lemma")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--set", "alpha_witin=1"], "there is no setting 'alpha_witin'.*Did you mean alpha_within"),
        (["--set", "alpha_within"], "expected NAME=VALUE"),
        (["--clusterer", "lemma", "--runs", "3"], "there is no setting 'runs'"),
        (["--runs", "1"], "'runs' is 1; expected 2 or more, because a consensus .* under the preset paper"),
        (["--settings", "{file}"], r"settings.toml: there is no clusterer 'hdcrp'.*Did you mean hddcrp"),
    ],
)
def test_settings_that_are_wrong_are_refused_before_anything_is_read(
    words: list[str], says: str, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[hdcrp]\nruns = 3\n")
    done = run("nothing.jsonl", "-o", tmp_path / "out.jsonl", *(word.format(file=file) for word in words))
    assert failure(done).exit_status == 2
    with pytest.raises(SameventError, match=says):
        raise failure(done)


def test_corpora_without_events_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "bare.jsonl"
    write(Corpus([document()]), source)
    assert "samevent extract" in str(failure(run(source, "-o", tmp_path / "out.jsonl")))


def test_nothing_is_overwritten_unless_asked(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    assert "--force" in str(failure(run(corpus, "-o", out, "--clusterer", "lemma")))
    assert out.read_text() == "precious"
    assert run(corpus, "-o", out, "--clusterer", "lemma", "--force").exit_code == 0
    left = tmp_path / "new.jsonl.checkpoint.npz"
    left.write_text("an interrupted run")
    assert "--resume" in str(failure(run(corpus, "-o", tmp_path / "new.jsonl", "--clusterer", "lemma")))
    assert run(corpus, "-o", tmp_path / "new.jsonl", "--clusterer", "lemma", "--force").exit_code == 0
    assert not left.exists()
    again = run(corpus, "-o", tmp_path / "third.jsonl", "--clusterer", "lemma", "--resume")
    assert again.exit_code == 0
    assert "starting again" in again.stderr
    assert "no checkpoint beside standard output" in str(failure(run(corpus, "-o", "-", "--resume")))


def test_an_interrupted_command_is_resumed_and_ends_with_the_same_bytes(
    corpus: Path, model: Path, tmp_path: Path
) -> None:
    """Interrupt a real process after its checkpoint appears, as Ctrl-C does."""
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    options = [
        "--clusterer",
        "hdp-lex",
        "--preset",
        "paper",
        "--runs",
        "10",
        "--sweeps",
        "2000",
        "--model",
        model,
    ]
    words = [sys.executable, "-m", "samevent", "cluster", corpus, "-o", out, *options]
    # Whoever runs the tests in the background may have SIGINT ignored, and children inherit that.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(list(map(str, words)), stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    checkpoint = tmp_path / "out.jsonl.checkpoint.npz"
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert f"--resume continues from {checkpoint}" in said
    assert not out.exists()
    assert run(corpus, "-o", out, *options, "--resume").exit_code == 0
    assert run(corpus, "-o", whole, *options).exit_code == 0
    assert out.read_bytes() == whole.read_bytes()
    assert not checkpoint.exists()
